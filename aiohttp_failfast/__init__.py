"""Stop an aiohttp job the moment its API key is dead."""

from ._verdict import Verdict, VerdictKind

__version__ = "0.1.0"

__all__ = ["Verdict", "VerdictKind"]
