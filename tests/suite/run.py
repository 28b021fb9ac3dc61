"""Run aiohttp's own test-suite with our session in place of ``aiohttp.ClientSession``.

    python tests/suite/run.py [--aiohttp-version 3.13] [--files core|client|all] [-- -k redirect]

The tests come from the source distribution of the aiohttp under test, fetched at run time; no
copy of them is kept here. By default everything happens in a virtual environment of its own under
``.tox/aiohttp-suite``; ``--here`` uses this interpreter as it is, for tox and for packagers.

A failure counts if the test is not listed in ``expected.py`` and fails again when run alone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from expected import reason_for

SUITE = Path(__file__).resolve().parent
ROOT = SUITE.parents[1]
REQUIREMENTS = SUITE / "requirements.txt"

# Only these are loaded: whatever else an environment holds (pytest-asyncio, for one) would
# take the tests' fixtures and event loops into its own hands.
PLUGINS = ("xdist", "pytest_mock", "pytest_timeout", "plugin")

# aiohttp leaves these out of its usual run as well.
DESELECT = "not dev_mode and not autobahn and not internal"

TEST_TIMEOUT = 120  # seconds; a session that hangs a test must not hang the run
PYTEST_FINISHED = {0, 1, 5}  # all passed, some failed, none found
GOOD = {"passed", "skipped", "xfailed"}
MAX_RERUNS = 25  # more failures than this are no flakiness

CORE = (
    "test_client_session",
    "test_client_functional",
    "test_client_response",
    "test_client_middleware",
    "test_client_ws",
    "test_client_ws_functional",
    "test_tracing",
    "test_connector",
    "test_proxy",
    "test_proxy_functional",
)
CLIENT = (
    *CORE,
    "test_client_request",
    "test_client_middleware_digest_auth",
    "test_client_connection",
    "test_client_exceptions",
    "test_client_fingerprint",
    "test_client_proto",
    "test_test_utils",
    "test_pytest_plugin",
    "test_leaks",
    "test_formdata",
    "test_cookiejar",
)
# The server's tests send their requests through the session, too.
ALL = (
    *CLIENT,
    "test_web_functional",
    "test_web_middleware",
    "test_web_exceptions",
    "test_web_sendfile_functional",
    "test_web_server",
    "test_web_urldispatcher",
    "test_web_websocket_functional",
    "test_web_app",
    "test_web_log",
    "test_run_app",
)
FILE_SETS = {"core": CORE, "client": CLIENT, "all": ALL}


class SuiteError(Exception):
    """The run could not be prepared, or proved nothing."""


@dataclass
class Results:
    """What one pytest run reported, as the plugin wrote it down."""

    outcomes: dict[str, str] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    sessions: int = 0
    requests: int = 0

    @property
    def failed(self) -> list[str]:
        """Return the tests that failed, in the order they were reported."""
        return [test for test, outcome in self.outcomes.items() if outcome == "failed"]


@dataclass(frozen=True)
class Runner:
    """One interpreter, one unpacked aiohttp test-suite, one session class."""

    python: Path
    tests: Path
    session: str
    path: tuple[Path, ...]

    def pytest(self, arguments: list[str]) -> Results:
        """Run pytest in a process of its own and read back what the plugin recorded."""
        with tempfile.TemporaryDirectory() as scratch:
            results = Path(scratch, "results.json")
            environment = clean_environment(self.path) | {
                "AIOHTTP_SUITE_SESSION": self.session,
                "AIOHTTP_SUITE_RESULTS": str(results),
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            }
            command = [str(self.python), "-m", "pytest", *pytest_options(), *arguments]
            code = subprocess.run(command, cwd=self.tests, env=environment, check=False).returncode
            if not results.exists():
                raise SuiteError(f"pytest ended with exit code {code} and no results")
            recorded = Results(**json.loads(results.read_text(encoding="utf-8")))
        if code not in PYTEST_FINISHED:
            raise SuiteError(f"pytest ended with exit code {code}")
        return recorded


def pytest_options() -> list[str]:
    """Return what every run needs; aiohttp's own addopts ask for coverage and more plugins."""
    plugins = [option for name in PLUGINS for option in ("-p", name)]
    return [
        *plugins,
        *("-p", "no:cacheprovider"),
        *("-o", "addopts="),
        *("-m", DESELECT),
        f"--timeout={TEST_TIMEOUT}",
        "-q",
    ]


def clean_environment(path: tuple[Path, ...] = ()) -> dict[str, str]:
    """Return this process's environment without what would bend the tests.

    A proxy or a netrc file of the machine would send the tests' requests elsewhere.
    """
    unwanted = {"http_proxy", "https_proxy", "all_proxy", "no_proxy", "netrc", "pytest_addopts"}
    unwanted |= {"pythonpath", "pythonwarnings"}
    kept = {name: value for name, value in os.environ.items() if name.lower() not in unwanted}
    if path:
        kept["PYTHONPATH"] = os.pathsep.join(map(str, path))
    return kept


def make_environment(dest: Path, version: str) -> Path:
    """Return the interpreter of a virtual environment that holds aiohttp and its test tools."""
    aiohttp = f"aiohttp[speedups]=={version}"
    wanted = f"{aiohttp}\n{REQUIREMENTS.read_text(encoding='utf-8')}"
    home = dest / f"py{sys.version_info[0]}{sys.version_info[1]}-aiohttp-{version.rstrip('.*')}"
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = home / "suite-requirements.txt"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    run_tool([sys.executable, "-m", "venv", "--clear", str(home)])
    run_tool([str(python), "-m", "pip", "install", "--quiet", aiohttp, "-r", str(REQUIREMENTS)])
    stamp.write_text(wanted, encoding="utf-8")
    return python


def run_tool(command: list[str]) -> str:
    """Run one preparing command; its output is shown only if it fails."""
    done = subprocess.run(
        command,
        env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SuiteError(f"{' '.join(command)} failed:\n{done.stdout}")
    return done.stdout


def installed_version(python: Path | str) -> str:
    """Return the version of the aiohttp that this interpreter imports."""
    # -I: not the aiohttp that may lie in the current directory.
    return run_tool([str(python), "-I", "-c", "import aiohttp; print(aiohttp.__version__)"]).strip()


def fetch_tests(python: Path, version: str, dest: Path) -> Path:
    """Return a directory with the tests of this aiohttp, fetched and unpacked on first use."""
    target = dest / f"aiohttp-{version}"
    if target.exists():
        return target
    with tempfile.TemporaryDirectory(dir=dest) as scratch:
        download = [str(python), "-m", "pip", "download", "--quiet", "--no-deps"]
        run_tool([*download, "--no-binary=aiohttp", f"--dest={scratch}", f"aiohttp=={version}"])
        archive = next(Path(scratch).glob("aiohttp-*.tar.gz"), None)
        if archive is None:
            raise SuiteError(f"there is no source distribution of aiohttp {version}")
        unpack(archive, Path(scratch))
        Path(scratch, target.name).replace(target)
    return target


def unpack(archive: Path, where: Path) -> None:
    """Unpack the tests and what they read outside their directory, and no more.

    aiohttp's sources must stay away: they would be imported in place of the installed package.
    """
    besides = {"setup.cfg", "pytest.ini", "README.rst"}  # a test asks a server for the last one
    with tarfile.open(archive) as bundle:
        members = [
            member
            for member in bundle.getmembers()
            if (inner := member.name.partition("/")[2]) in besides or inner.startswith("tests/")
        ]
        if hasattr(tarfile, "data_filter"):
            bundle.extractall(where, members, filter="data")
        else:  # early patch releases of Python 3.10 and 3.11
            bundle.extractall(where, members)


def run_again(runner: Runner, failed: list[str]) -> list[str]:
    """Return those that do not pass when run again, each alone in a process of its own."""
    if len(failed) > MAX_RERUNS:
        return failed
    return [
        test
        for test in failed
        if runner.pytest(["--numprocesses=0", test]).outcomes.get(test) not in GOOD
    ]


def judge(runner: Runner, results: Results) -> tuple[dict[str, int], list[str]]:
    """Sort the outcomes; return how many there are of each kind, and the failures that count."""
    if not results.outcomes:
        raise SuiteError("no test ran")
    if not (results.sessions and results.requests):
        raise SuiteError(f"{runner.session} was never used: this run proves nothing")
    excused = {test: reason for test in results.failed if (reason := reason_for(test))}
    suspects = [test for test in results.failed if test not in excused]
    unexpected = run_again(runner, suspects)
    for test, reason in excused.items():
        print(f"expected failure: {test}: {reason}")
    for test in suspects:
        verdict = "UNEXPECTED FAILURE" if test in unexpected else "flaky, passes alone"
        print(f"{verdict}: {test}: {results.messages.get(test, '')}")
    tally = Counter(results.outcomes.values())
    counts = {
        "passed": tally["passed"] + len(suspects) - len(unexpected),
        "skipped": tally["skipped"],
        "xfailed": tally["xfailed"],
        "expected failures": len(excused),
        "flaky": len(suspects) - len(unexpected),
        "unexpected failures": len(unexpected),
    }
    return counts, unexpected


def summary(counts: dict[str, int]) -> str:
    """Return the counts in words; those that are usually zero only where they are not."""
    always = {"passed", "skipped", "unexpected failures"}
    return ", ".join(f"{count} {kind}" for kind, count in counts.items() if count or kind in always)


def test_files(tests: Path, chosen: str) -> list[str]:
    """Return the paths of a file set, or of files named one by one with commas between."""
    names = FILE_SETS.get(chosen) or [name.removesuffix(".py") for name in chosen.split(",")]
    files = [f"tests/{name}.py" for name in names]
    missing = [name for name in files if not (tests / name).exists()]
    if missing:
        raise SuiteError(f"{tests.name} has no {', '.join(missing)}")
    return files


def prepare(options: argparse.Namespace) -> tuple[Runner, str]:
    """Make interpreter and tests ready; return the runner and aiohttp's exact version."""
    dest: Path = options.dest.resolve()
    dest.mkdir(parents=True, exist_ok=True)
    if options.here:
        python = Path(sys.executable)
        path: tuple[Path, ...] = (SUITE,)
    else:
        wanted = options.aiohttp_version or installed_version(sys.executable)
        python = make_environment(dest, wanted if wanted.count(".") > 1 else f"{wanted}.*")
        path = (SUITE, ROOT)
    version = installed_version(python)
    tests = fetch_tests(python, version, dest)
    return Runner(python, tests, options.session, path), version


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line; what follows ``--`` is for pytest."""
    parser = argparse.ArgumentParser(
        description="Run aiohttp's own tests with another session class."
    )
    parser.add_argument("--aiohttp-version", help="3.13 or 3.13.5; default: the installed one")
    parser.add_argument("--files", default="core", help="core (default), client, all, or names")
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 4))
    parser.add_argument("--session", default="aiohttp_failfast:FailFastSession")
    parser.add_argument("--dest", type=Path, default=ROOT / ".tox" / "aiohttp-suite")
    parser.add_argument("--here", action="store_true", help="use this interpreter, install nothing")
    parser.add_argument("pytest", nargs="*", help="more arguments for pytest, after --")
    options = parser.parse_args(arguments)
    if options.here and options.aiohttp_version:
        parser.error("--here runs with the aiohttp that is installed; --aiohttp-version cannot")
    return options


def main(arguments: list[str]) -> int:
    """Run it all; 0 only if tests ran through the class and no failure counts."""
    options = parse(arguments)
    started = time.monotonic()
    try:
        runner, version = prepare(options)
        files = test_files(runner.tests, options.files)
        results = runner.pytest([f"--numprocesses={options.jobs}", *files, *options.pytest])
        counts, unexpected = judge(runner, results)
    except SuiteError as error:
        print(f"suite: {error}", file=sys.stderr)
        return 2
    print(f"{results.sessions} sessions constructed, {results.requests} requests sent")
    name = options.session.replace(":", ".")
    print(f"finished in {time.monotonic() - started:.0f} s")
    print(f"suite: {summary(counts)} (aiohttp {version}, {name})")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
