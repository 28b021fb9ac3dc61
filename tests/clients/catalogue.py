"""Every client that is run, and how to add one.

To add a client:

1. **Requirements.** Write ``requirements/<environment>.txt`` with every package pinned: install
   what you need into a fresh environment and keep what ``pip freeze`` says. Clients whose versions
   agree may share an environment; small ones are quicker to make.
2. **Driver.** Write ``drivers/with_<driver>.py`` (see `with_openai.py`). It is an asynchronous
   context manager ``opened(job)`` that opens the client on ``job.session()`` (a session of the
   kind under test) or puts ``job.session_class()`` in place of ``aiohttp.ClientSession``, and
   yields ``ask(prompt)``, which makes one call and returns the text of the answer; then
   ``main(opened)``. A program that does a whole job by itself is a function ``program(job)`` that
   returns the texts, or raises; then ``main_program(program)``. ``job.prompts`` are the texts to
   send; the server tells calls apart by them, and puts them into its answers. Let exceptions come
   out as the client raises them. The client's own retries stay as they are by default.
3. **Dialect.** If the API has none yet, make a `Dialect` in a module ``dialects_<which>.py``: what
   a healthy answer looks like, and the real answers (`corpus(id)`) for a spent key, a dead key,
   and "try again".
4. **Entry.** Add a `Client` to a module ``catalogue_<which>.py``, and the module to the list below.
   Its fields are described in client.py. Run ``pytest tests/clients -m clients --clients NAME``;
   ``--clients-report FILE`` writes a table of what was measured, to fill in ``spent``,
   ``invalid`` and ``headers``.
5. **Example.** Add ``examples/<example>.py``, and name it in the entry. Its name must be that of
   no package: a script's own folder is searched first, so ``tenacity.py`` would import itself. It
   takes the base URL from ``API_BASE_URL`` and the key from ``API_KEY``, makes three calls one
   after the other, prints the answers, and ends with status 1 and the error's type on a dead key.
   What stands between the lines ``# [inject`` and ``# inject]``, with the imports that are not
   the standard library's, is what docs/howto-clients.md shows; tools/write_howto.py puts it there.

For each client these runs are made, one after the other in one process, with the server on a port
of its own for each: the scenarios of fake_api.py with the kinds of session of client.py. What is
asserted of them is in test_clients.py.
"""

from __future__ import annotations

from importlib import import_module

from client import Client

MODULES = ("catalogue_sdks", "catalogue_services", "catalogue_programs")


def _load() -> dict[str, Client]:
    clients = [one for name in MODULES for one in import_module(name).CLIENTS]
    named = {one.name: one for one in clients}
    assert len(named) == len(clients), "two clients have one name"
    return named


CLIENTS = _load()


def chosen(wanted: str) -> list[str]:
    """Return the names that ``--clients`` asks for: "all", "core", or names with commas."""
    if wanted == "all":
        return list(CLIENTS)
    if wanted == "core":
        return [one.name for one in CLIENTS.values() if one.core]
    names = wanted.split(",")
    unknown = sorted(set(names) - set(CLIENTS))
    if unknown:
        raise ValueError(f"no such client: {', '.join(unknown)}; there are {', '.join(CLIENTS)}")
    return names
