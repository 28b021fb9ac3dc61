"""Virtual environments for the clients, made on demand and kept.

Each is named by its requirements and its Python, so it is never changed once it is there. This
package is in none of them: it is built as a wheel once per run, and lies on the drivers' path.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

CLIENTS = Path(__file__).resolve().parent
ROOT = CLIENTS.parents[1]
CACHE_ENV = "FAILFAST_CLIENTS_CACHE"

_SOURCES = ("aiohttp_failfast", "pyproject.toml", "setup.cfg", "setup.py", "README.md", "LICENSE")


class PreparationError(Exception):
    """An environment could not be made; the message holds what pip said."""


def cache_folder() -> Path:
    """Return where environments are kept."""
    return Path(os.environ.get(CACHE_ENV) or ROOT / ".tox" / "clients")


@cache
def python_of(environment: str) -> Path:
    """Return the interpreter of an environment, which is made if it is not there."""
    requirements = CLIENTS / "requirements" / f"{environment}.txt"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()[:10]
    home = cache_folder() / f"py{sys.version_info[0]}{sys.version_info[1]}-{environment}-{digest}"
    python = Path("Scripts/python.exe" if os.name == "nt" else "bin/python")

    def make(scratch: Path) -> None:
        _run([sys.executable, "-m", "venv", str(scratch)])
        _pip(scratch / python, "install", "-r", str(requirements))

    _once(home, make)
    return home / python


@cache
def package_folder(digest: str) -> Path:
    """Return a folder that holds this package, installed from a wheel of the checkout."""
    home = cache_folder() / f"package-{digest}"

    def make(scratch: Path) -> None:
        with tempfile.TemporaryDirectory() as workshop:
            # Built from a copy: setuptools would leave its own folders in the checkout.
            for name in _SOURCES:
                _copy(ROOT / name, Path(workshop) / name)
            wheels = Path(workshop, "wheels")
            _pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", str(wheels), workshop)
            (wheel,) = wheels.glob("*.whl")
            _pip(sys.executable, "install", "--no-deps", "--target", str(scratch), str(wheel))

    _once(home, make)
    return home


def digest_of_package() -> str:
    """Return what tells this state of the package from every other."""
    files = [file for name in _SOURCES for file in sorted(_files(ROOT / name))]
    content = b"".join(str(file).encode() + file.read_bytes() for file in files)
    return hashlib.sha256(content).hexdigest()[:10]


def driver_environment(environment: str) -> dict[str, str]:
    """Return the environment variables of a driver: no proxy, no netrc, no keys; this package.

    Where there is a folder ``offline/<environment>``, its ``sitecustomize`` is run first.
    """
    unwanted = ("proxy", "netrc", "pythonpath", "pythonwarnings", "_api_key", "_base_url")
    kept = {name: text for name, text in os.environ.items() if not name.lower().endswith(unwanted)}
    folders = (package_folder(digest_of_package()), CLIENTS / "offline" / environment)
    path = os.pathsep.join(str(one) for one in folders if one.is_dir())
    return {**kept, "PYTHONPATH": path, "PYTHONUTF8": "1"}


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return [one for one in path.rglob("*") if one.is_file() and one.suffix != ".pyc"]


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


def _once(home: Path, make: Callable[[Path], None]) -> None:
    """Have a folder made; it is there whole or not at all, also if two runs make it at once."""
    if home.exists():
        return
    home.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f"{home.name}.", dir=home.parent))
    try:
        make(scratch)
        scratch.rename(home)
    except OSError:
        if not home.exists():
            raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _pip(python: str | Path, *arguments: str) -> None:
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
    _run([str(python), "-m", "pip", arguments[0], *quiet, *arguments[1:]])


def _run(command: list[str]) -> None:
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        raise PreparationError(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}")
