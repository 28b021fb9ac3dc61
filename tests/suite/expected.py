"""Tests of aiohttp that fail for reasons that are none of the class under test."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

CONNECT_TIMEOUT = 3  # seconds


def always() -> bool:
    """Return True: the test fails wherever it runs."""
    return True


def is_root() -> bool:
    """Return whether file permissions mean nothing here."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


@cache
def is_offline() -> bool:
    """Return whether the public host that some tests ask for is out of reach."""
    try:
        socket.create_connection(("example.com", 443), CONNECT_TIMEOUT).close()
    except OSError:
        return True
    return False


@dataclass(frozen=True)
class Expected:
    """A test function that may fail, with all its parameters: why, and under which condition."""

    test: str
    reason: str
    applies: Callable[[], bool]


_UNREADABLE = "takes a file's read permission away, which means nothing to root"
_LOOKUP = "resolves example.com"

# ClientSession itself fails those that have a condition, where it holds; the others are what our
# class promises to do differently. A subclass that changes nothing (`noop:NoopSession`) fails no
# more than ClientSession.
EXPECTED = (
    Expected(
        "test_client_session_inheritance",
        "asserts the warning at subclassing, which a class meant to be subclassed does not give",
        always,
    ),
    Expected("test_static_directory_without_read_permission", _UNREADABLE, is_root),
    Expected("test_static_file_without_read_permission", _UNREADABLE, is_root),
    # What a RetryPolicy() is for; with retry=None the test passes.
    Expected(
        "test_raw_server_logs_invalid_method_second_request",
        "lets a server fail once and wants that 500, which is tried again and becomes a 200",
        always,
    ),
    # aiohttp 3.12 and 3.13; 3.14 mocks the lookup.
    Expected("test_tcp_connector_ssl_shutdown_timeout_nonzero_passed", _LOOKUP, is_offline),
    Expected("test_tcp_connector_ssl_shutdown_timeout_not_passed_pre_311", _LOOKUP, is_offline),
    Expected(
        "test_tcp_connector_ssl_shutdown_timeout_passed_to_create_connection", _LOOKUP, is_offline
    ),
    Expected("test_tcp_connector_ssl_shutdown_timeout_zero_not_passed", _LOOKUP, is_offline),
    # aiohttp 3.12.
    Expected("test_uvloop_secure_https_proxy", "fetches https://example.com", is_offline),
    # Python 3.10 only.
    Expected("test_https_proxy_unsupported_tls_in_tls", "connects to python.org", is_offline),
)


def reason_for(nodeid: str) -> str | None:
    """Return why this test may fail, or None where a failure counts."""
    test = nodeid.partition("[")[0].rpartition("::")[2]
    return next((row.reason for row in EXPECTED if row.test == test and row.applies()), None)
