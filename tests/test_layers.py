"""The modules import one way: each only from those that stand before it here."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

import pytest

import aiohttp_failfast

PACKAGE = Path(aiohttp_failfast.__file__).parent
NAME = "aiohttp_failfast"

# What an answer says: no aiohttp, no loop, no state.
JUDGEMENT = """
_checks _verdict _times _times_named
_evidence_text _evidence_keys _evidence_fault _evidence_headers _evidence_json
_evidence_findings _evidence_walk _evidence_body _evidence
_rules.row _rules._grammar
_rules._codes_auth _rules._codes_auth_one _rules._codes_limits _rules._codes_other
_rules._codes_quota _rules._codes_quota_one _rules._exceptions _rules._exceptions_one
_rules._limits _rules._words_account _rules._words_auth _rules._words_other
_rules._words_passing _rules._words_quota _rules
_anchors _compiled _classify
"""
# What is remembered of it, for whom, and what is said then.
MEMORY = """
_credential _redact _trip _errors _events
_waiters _generations _stats _canary
_shared_trip _news _news_json
_stores.protocol _stores._lock _stores._names _stores._scripts
_stores.memory _stores.file _stores.redis _stores
_ledger _talk _processes _link _waits _latch
_example_news stores testing_store
_fleet_canary _observation _probe _retry _settings _guard _hold
"""
# What aiohttp hands in and is handed back.
WIRE = """
_decode _body _replay _sse _answer _remembered
_tap _judge _wire _attempt _raise _should_retry _guarded _call
middleware tracing session
"""
COMMANDS = """
_cli_input _cli_report _cli_classify _cli_check _cli_latch
_demo_answers _demo_files _demo_server _demo_job _demo_result _demo_report _demo_progress _demo
__init__ __main__
"""
# What is imported by those alone who ask for it, and may need more than the package does.
ON_REQUEST = """
testing._answer testing._answers_dead testing._answers_alive testing._script testing._server
testing._asserts testing
otel
"""
ORDER = [
    *(*JUDGEMENT.split(), *MEMORY.split(), *WIRE.split()),
    *(*COMMANDS.split(), *ON_REQUEST.split()),
]

NAMES_AIOHTTP = {
    "_errors",
    *WIRE.split(),
    *("_cli_check", "_demo", "_demo_job", "_demo_server", "testing._server"),
} - {"_decode", "_sse"}
"""The only modules that may know aiohttp; without it the others still work."""


def modules() -> dict[str, ast.Module]:
    """Return the source of every module of the package, by its name in it."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = ast.parse(path.read_text("utf-8"), str(path))
    return found


MODULES = modules()


def imported(name: str) -> Iterator[str]:
    """Yield what a module imports, wherever in it, by full name."""
    is_package = (PACKAGE / name.replace(".", "/")).is_dir() or name == "__init__"
    full = NAME if name == "__init__" else f"{NAME}.{name}"
    package = full if is_package else full.rpartition(".")[0]
    for node in ast.walk(MODULES[name]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package)
            for alias in node.names:
                one = f"{base}.{alias.name}"
                yield one if one.removeprefix(f"{NAME}.") in MODULES else base


def within(name: str) -> set[str]:
    """Return the modules of the package that a module imports."""
    full = (one for one in imported(name) if one.partition(".")[0] == NAME)
    return {one.partition(".")[2] or "__init__" for one in full}


def test_the_look_at_the_source_sees_imports() -> None:
    """Otherwise all that follows would mean nothing."""
    assert len(MODULES) > 40
    assert {"_classify", "middleware", "session", "tracing", "_latch"} <= within("__init__")
    assert {"_rules.row", "_rules._codes_auth"} <= within("_rules")
    assert {"_verdict", "_rules.row"} <= within("_rules._codes_auth")
    assert "aiohttp" in set(imported("_errors"))
    assert "threading" in set(imported("_waits"))


@pytest.mark.parametrize("name", MODULES)
def test_a_module_imports_only_from_those_before_it(name: str) -> None:
    """A cycle, or an import inside a function that hides one, breaks the order."""
    assert name in ORDER, f"{name} has no place in the order of the modules yet"
    before = set(ORDER[: ORDER.index(name)])
    if name == "__main__":
        before.add("__init__")

    assert within(name) <= before


def test_no_module_stands_in_the_order_twice() -> None:
    """Its place would be the wrong one of the two."""
    assert len(ORDER) == len(set(ORDER))


@pytest.mark.parametrize("name", MODULES)
def test_only_the_edge_knows_aiohttp(name: str) -> None:
    """The core is plain Python, testable without a loop."""
    names = {one.partition(".")[0] for one in imported(name)}

    assert "aiohttp" not in names or name in NAMES_AIOHTTP


@pytest.mark.parametrize("name", JUDGEMENT.split())
def test_judging_needs_nothing_but_the_standard_library(name: str) -> None:
    """No network, no loop and no thread either."""
    if name in MODULES:
        names = {one.partition(".")[0] for one in imported(name)} - {NAME}

        assert not names & {"aiohttp", "multidict", "yarl", "asyncio", "threading", "socket"}


@pytest.mark.parametrize("name", sorted(set(MODULES) - set(ON_REQUEST.split())))
def test_nothing_optional_is_imported_at_the_top(name: str) -> None:
    """Brotli, zstd, httpx and their like are looked for when they are needed."""
    top = {
        alias.name.partition(".")[0]
        for node in MODULES[name].body
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {
        (node.module or "").partition(".")[0]
        for node in MODULES[name].body
        if isinstance(node, ast.ImportFrom) and not node.level
    }

    assert not top & {
        *("brotli", "brotlicffi", "backports", "httpx", "redis"),
        *("typing_extensions", "pytest"),
    }
