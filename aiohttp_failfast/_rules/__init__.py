"""The table: every row that trips or spares the latch, in the order of trust.

First come the exceptions to machine codes, then the machine codes, then stated waits and
windows, then prose. The status alone is no row: it only decides how to go on where none holds.
"""

from __future__ import annotations

from ._codes_auth import CODES_AUTH
from ._codes_auth_one import CODES_AUTH_ONE
from ._codes_limits import CODES_TRANSIENT, CODES_WINDOWED
from ._codes_other import CODES_OTHER
from ._codes_quota import CODES_QUOTA
from ._codes_quota_one import CODES_QUOTA_ONE
from ._exceptions import EXCEPTIONS, WRAPPED
from ._exceptions_one import EXCEPTIONS_ONE
from ._limits import LIMITS
from ._words_auth import WORDS_AUTH
from ._words_other import WORDS_OTHER
from ._words_passing import WORDS_PASSING
from ._words_quota import WORDS_QUOTA
from .row import Rule

TABLE: tuple[Rule, ...] = (
    *EXCEPTIONS,
    *EXCEPTIONS_ONE,
    *CODES_OTHER,
    *CODES_QUOTA,
    *CODES_QUOTA_ONE,
    *CODES_AUTH,
    *CODES_AUTH_ONE,
    *CODES_WINDOWED,
    *CODES_TRANSIENT,
    *LIMITS,
    *WORDS_OTHER,
    *WORDS_PASSING,
    *WORDS_QUOTA,
    *WORDS_AUTH,
)
"""All rows, in the order in which they are asked."""

__all__ = ["TABLE", "WRAPPED", "Rule"]
