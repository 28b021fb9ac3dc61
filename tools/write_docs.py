"""Write docs/what-trips-the-latch.md from the table of rules.

Run without arguments to write the page, with --check to fail where it is stale.
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

from aiohttp_failfast._rules import TABLE, WRAPPED, _grammar
from aiohttp_failfast._rules.row import Rule
from aiohttp_failfast._verdict import VerdictKind

PAGE = Path(__file__).parent.parent / "docs" / "what-trips-the-latch.md"

_INTRO = """\
# What trips the latch

<!-- Written by tools/write_docs.py from the table of rules; edit that, not this. -->

Two verdicts are permanent and trip the latch: **quota**, the key or its account is spent, and
**auth**, the key is dead. Everything else is handed back. The rows below are asked from top to
bottom and the first that holds decides; where none holds, the status alone decides between
*transient* and *other*, never for a trip.

## Order of trust

1. exceptions: known answers whose machine code says more than is true
2. machine codes and reasons that are specific; a code that only repeats the status, and types
   that are used for everything (`invalid_request_error`, `rate_limit_error`, `permission_error`,
   `RESOURCE_EXHAUSTED`, `auth_error`), prove nothing
3. how long to wait: up to half an hour passes, up to ten days is a window, more is a new
   billing period
4. the window of the limit that is named: per second or minute, per hour, day or week, per month
5. the provider's prose, English and Chinese
6. the status, for *transient* and *other* only

Prose is matched without what it quotes: long quotations, and all that follows words such as
`input:` or `prompt:`, are left out, and members of the body that may hold the request are never
looked into. Where an answer complains about the request (400, 404, 422), short quotations are
left out too, and words of a spent or dead key count only where they open a clause, not in the
middle of one. A machine code that no row names is read as the words that it is made of:
`apiKeyInvalid` says "api key invalid".

## Whose account is spent

A gateway may report what its own upstream answered: `Provider returned error`,
`Upstream request failed`, `Error from provider (...)`, `litellm.RateLimitError: ...`. Such an
answer is judged for **your** key, the one that the gateway knows. If the upstream account is
spent or its key is dead, your key is alive: other models and routes still work, and nothing you
buy helps. The verdict is then *other*, by the row `upstream-account`, and the answer is returned
once, without a retry.

Two things are judged as yours all the same:

- a budget that a LiteLLM proxy reports of another LiteLLM proxy behind it;
- an answer that a relay merely repeats, without a word that it is its upstream's: a proxy that
  serves one person uses that person's account.

A budget that is smaller than the key does not kill the key: of one model, tag, session, end user
or customer. Neither does "can only afford 27342 tokens": a cheaper request passes.

## Seen on live keys

Some answers were also reported for keys that work: while a database lags behind, or seconds after
a key was made. Their rows want two sightings: the latch trips once two distinct requests say so
with no success between.

## Sources and dates

Each row tells where an answer that it decides was seen or is documented. The date is that on
which the record of the answer was read. It does not say when the provider gave that answer, nor
that it still does: a record may be years old, and providers change their words. "public source
code" stands for tests or clients, seen in public, that hold the answer word for word. Please
report an answer that is judged wrong, as it came over the wire and without your key.

## Change the table

`Rules` is called like `classify`; pass it wherever `classify=` is taken. Its rules are asked
before or after ours, and ours are left out by their id:

```python
from aiohttp_failfast import Rule, Rules, VerdictKind

ours = Rule("our-gateway-budget", VerdictKind.QUOTA, codes=("team_out_of_money",), statuses=(403,))
classify = Rules(before=[ours], without=["limit-zero"])
```

All conditions of a rule must hold. Codes match in any case and with any separators; `words` are
regular expressions over the provider's prose in lower case, and match whole words.
"""

_TITLES = {
    VerdictKind.QUOTA: "Trips: the account or key is spent",
    VerdictKind.AUTH: "Trips: the key is dead",
    VerdictKind.WINDOWED: "Does not trip by default: a window of hours or days",
    VerdictKind.TRANSIENT: "Does not trip: passes within minutes",
    VerdictKind.OTHER: "Does not trip: concerns the request",
}


def page() -> str:
    """Build the text of the page."""
    parts = [_INTRO, "## The rows by verdict\n"]
    order = list(_TITLES)
    rows = sorted((*TABLE, WRAPPED), key=lambda rule: order.index(rule.kind))
    for kind, group in groupby(rows, key=lambda rule: rule.kind):
        parts.append(f"### {_TITLES[kind]}\n")
        parts.append("| row | provider or shape | what says so | sightings | source |")
        parts.append("|---|---|---|---|---|")
        parts.extend(_line(rule) for rule in group)
        parts.append("")
    return "\n".join([*parts, *_glossary(), ""])


def _line(rule: Rule) -> str:
    source = f"[{_host(rule.source)}]({rule.source})" if "://" in rule.source else rule.source
    cells = (
        f"`{rule.id}`",
        rule.about,
        _evidence(rule),
        str(rule.sightings),
        f"{source}, {rule.read}",
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _vocabulary() -> list[str]:
    """Name the parts that patterns are put together from, the longest first."""
    names = [name for name, value in vars(_grammar).items() if _is_part(name, value)]
    return sorted(names, key=lambda name: -len(vars(_grammar)[name]))


def _is_part(name: str, value: object) -> bool:
    return name.isupper() and not name.startswith("_") and isinstance(value, str)


def _named_parts(pattern: str) -> str:
    for name in _vocabulary():
        pattern = pattern.replace(vars(_grammar)[name], f"<{name}>")
    return pattern


def _glossary() -> list[str]:
    lines = ["### Parts of patterns\n", "| part | stands for |", "|---|---|"]
    for name in sorted(_vocabulary()):
        shown = vars(_grammar)[name].replace("|", "\\|")
        lines.append(f"| `<{name}>` | `{shown}` |")
    return lines


def _host(address: str) -> str:
    return "/".join(address.partition("://")[2].split("/")[:3])


def _evidence(rule: Rule) -> str:
    told = []
    if rule.codes:
        told.append("code " + ", ".join(f"`{code}`" for code in rule.codes))
    if rule.marks:
        told.append("finding " + " and ".join(f"`{mark}`" for mark in rule.marks))
    if rule.words:
        told.append("words " + ", ".join(f"`{_named_parts(pattern)}`" for pattern in rule.words))
    if rule.unless:
        told.append("but not " + ", ".join(f"`{pattern}`" for pattern in rule.unless))
    if rule.statuses:
        told.append("status " + ", ".join(map(str, sorted(set(rule.statuses)))))
    return "; ".join(told)


def main(arguments: list[str]) -> int:
    """Write the page, or compare it.

    Returns:
        The exit status: 1 where the page is stale.
    """
    text = page()
    if "--check" in arguments:
        return int(not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
