"""The public names, and what is promised of each."""

from __future__ import annotations

import inspect
import types
from typing import Any

import pytest
from aiohttp import ClientResponseError, ClientSession, TraceConfig

import aiohttp_failfast

PUBLIC = aiohttp_failfast.__all__


def test_all_is_sorted_and_complete() -> None:
    """What is not in it has a name that says so."""
    loaded = {name: getattr(aiohttp_failfast, name) for name in PUBLIC}
    shown = {
        name
        for name, value in vars(aiohttp_failfast).items()
        if not name.startswith("_")
        and not isinstance(value, types.ModuleType)
        and name != "TYPE_CHECKING"
    }

    assert list(PUBLIC) == sorted(PUBLIC)
    assert len(PUBLIC) == len(set(PUBLIC))
    assert shown == set(loaded)


def test_a_star_import_gives_all_of_it() -> None:
    """Also the class that is only loaded when it is asked for."""
    names: dict[str, Any] = {}
    exec("from aiohttp_failfast import *", names)

    assert set(PUBLIC) <= set(names)
    assert set(PUBLIC) | {"FailFastSession"} <= set(dir(aiohttp_failfast))


def test_an_unknown_name_is_an_attribute_error() -> None:
    """As of any module, so that hasattr works."""
    assert not hasattr(aiohttp_failfast, "FailFastSessions")
    with pytest.raises(AttributeError, match="FailFastSessions"):
        _ = aiohttp_failfast.FailFastSessions  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_says_what_it_is_and_since_when(name: str) -> None:
    """Its docstring has a first sentence and names the version that it came with."""
    thing = getattr(aiohttp_failfast, name)
    doc = inspect.getdoc(thing) or ""

    assert ".. versionadded:: " in doc
    assert doc.partition("\n")[0].endswith((".", "`", ":"))


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_function_names_its_errors_and_every_argument(name: str) -> None:
    """What it takes, in which unit, and what it refuses."""
    thing = getattr(aiohttp_failfast, name)
    if not inspect.isfunction(thing):
        return
    doc = inspect.getdoc(thing) or ""
    parameters = inspect.signature(thing).parameters

    assert all(f"{parameter}:" in doc for parameter in parameters)
    assert thing.__module__.startswith("aiohttp_failfast")


def test_classes_are_what_callers_ask_for_with_isinstance() -> None:
    """SDKs and handlers test for aiohttp's own classes."""
    assert issubclass(aiohttp_failfast.FailFastSession, ClientSession)
    assert issubclass(aiohttp_failfast.FailFastTraceConfig, TraceConfig)
    assert issubclass(aiohttp_failfast.PermanentEndpointError, ClientResponseError)
    assert issubclass(aiohttp_failfast.ContentResponseError, ClientResponseError)
    assert issubclass(
        aiohttp_failfast.PermanentEndpointError, aiohttp_failfast.ContentResponseError
    )
    assert issubclass(aiohttp_failfast.VerdictKind, str)
    assert callable(aiohttp_failfast.FailFastMiddleware())
