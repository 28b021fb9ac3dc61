"""Stop an aiohttp job the moment its API key is dead.

The data flows one way: answer, evidence, verdict, latch, error. The modules import one way too,
each only from those above it; ``tests/test_layers.py`` keeps the order.
"""

from typing import TYPE_CHECKING

from ._classify import Rules, classify
from ._credential import Endpoint, fingerprint
from ._errors import ContentResponseError, PermanentEndpointError
from ._events import Refusal, Reset, Retry
from ._evidence import Evidence
from ._latch import Latch
from ._probe import Probe
from ._raise import raise_for_status
from ._retry import RetryPolicy
from ._rules.row import Rule
from ._settings import Classifier
from ._should_retry import should_retry
from ._stats import LatchStats
from ._trip import Trip
from ._verdict import Verdict, VerdictKind
from .middleware import FailFastMiddleware
from .tracing import FailFastTraceConfig, attach, failfast_trace_config

if TYPE_CHECKING:
    from .session import FailFastSession

__version__ = "0.1.0"

__all__ = [
    "Classifier",
    "ContentResponseError",
    "Endpoint",
    "Evidence",
    "FailFastMiddleware",
    "FailFastSession",
    "FailFastTraceConfig",
    "Latch",
    "LatchStats",
    "PermanentEndpointError",
    "Probe",
    "Refusal",
    "Reset",
    "Retry",
    "RetryPolicy",
    "Rule",
    "Rules",
    "Trip",
    "Verdict",
    "VerdictKind",
    "attach",
    "classify",
    "failfast_trace_config",
    "fingerprint",
    "raise_for_status",
    "should_retry",
]


def __getattr__(name: str) -> object:
    # aiohttp 4 forbids subclasses of ClientSession; all else in this package works there.
    if name != "FailFastSession":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from .session import FailFastSession
    except (TypeError, AttributeError) as error:
        raise ImportError(
            "FailFastSession needs aiohttp 3: this aiohttp does not let ClientSession be "
            "subclassed. Use aiohttp_failfast.attach(session) or "
            "ClientSession(middlewares=[aiohttp_failfast.FailFastMiddleware()]) instead."
        ) from error
    globals()[name] = FailFastSession
    return FailFastSession
