"""Test your own code against a key that dies: a pytest plugin. PYTEST_DONT_REWRITE.

It is not loaded by itself. In the ``conftest.py`` at the top of your tests::

    pytest_plugins = ["aiohttp_failfast.testing"]

gives the fixture ``dead_key_server``. Without pytest's fixtures, use `DeadKeyServer` as a context
manager. The page "Test your own code" in the documentation shows more.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ._answer import NamedAnswer
from ._asserts import assert_refused, assert_sent
from ._script import ANSWERS
from ._server import DeadKeyServer, Received

__all__ = [
    "ANSWERS",
    "DeadKeyServer",
    "NamedAnswer",
    "Received",
    "assert_refused",
    "assert_sent",
    "dead_key_server",
]


@pytest.fixture
def dead_key_server() -> Iterator[DeadKeyServer]:
    """Serve an API on a loopback port, healthy until the test lets its key die.

    .. versionadded:: 0.1.0
    """
    with DeadKeyServer() as server:
        yield server
