"""Whether this process may open as many connections as the demo wants."""

from __future__ import annotations

import sys

# Both ends of each connection are here, and the interpreter has files of its own.
_FILES_PER_CONNECTION = 2
_OTHER_FILES = 64


def allow_open_files(connections: int) -> str | None:
    """Raise the limit of open files as far as this process may.

    Args:
        connections: how many connections are to be open at once.

    Returns:
        What is wrong, where that is not far enough; else None.
    """
    if sys.platform == "win32":
        return None  # has no such limit
    import resource

    needed = connections * _FILES_PER_CONNECTION + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return None
    if hard != resource.RLIM_INFINITY and hard < needed:
        most = (hard - _OTHER_FILES) // _FILES_PER_CONNECTION
        return f"--concurrency can be at most {most} here: this process may open {hard} files"
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    return None
