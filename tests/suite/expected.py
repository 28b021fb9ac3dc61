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

# A subclass that changes nothing (`noop:NoopSession`) fails no test of aiohttp 3.12 to 3.14 but
# these, and so does ClientSession itself.
EXPECTED = (
    Expected("test_static_directory_without_read_permission", _UNREADABLE, _ROOT),
    Expected("test_static_file_without_read_permission", _UNREADABLE, _ROOT),
)


def reason_for(nodeid: str) -> str | None:
    """Return why this test may fail, or None where a failure counts."""
    test = nodeid.partition("[")[0].rpartition("::")[2]
    return next((row.reason for row in EXPECTED if row.applies and row.test == test), None)
