"""For programs that make their sessions themselves: a stand-in for the module ``aiohttp``."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import aiohttp


def aiohttp_with(session_class: Callable[..., Any]) -> SimpleNamespace:
    """Return all that ``aiohttp`` has, but for ``ClientSession``.

    Put in place of the name ``aiohttp`` in one module of a program, it changes the sessions of
    that module and of no other.
    """
    return SimpleNamespace(**{**vars(aiohttp), "ClientSession": session_class})
