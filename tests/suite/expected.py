"""Tests of aiohttp that fail for reasons that are none of the class under test."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Expected:
    """A test function that may fail, and why: with all its parameters."""

    test: str
    reason: str
    applies: bool = True


_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0

_UNREADABLE = "takes a file's read permission away, which means nothing to root"

# ClientSession itself fails the unreadable ones, and a subclass that changes nothing
# (`noop:NoopSession`) fails no others.
EXPECTED = (
    Expected(
        "test_client_session_inheritance",
        "asserts the warning at subclassing, which a class meant to be subclassed does not give",
    ),
    Expected("test_static_directory_without_read_permission", _UNREADABLE, _ROOT),
    Expected("test_static_file_without_read_permission", _UNREADABLE, _ROOT),
)


def reason_for(nodeid: str) -> str | None:
    """Return why this test may fail, or None where a failure counts."""
    test = nodeid.partition("[")[0].rpartition("::")[2]
    return next((row.reason for row in EXPECTED if row.applies and row.test == test), None)
