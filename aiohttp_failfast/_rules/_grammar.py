# ruff: noqa: E501 - a pattern is easier to read on one line
"""The vocabulary of refusals: what is refused, and how that is said.

Providers say one thing in many ways: "invalid API key", "the API key you provided has
expired", "no valid key was supplied". Rows put these parts together, so that the sentence of
a new provider is known by its parts. The words that may stand between two parts are a closed
list: none of them names another thing, such as a model or a scope.
"""

from __future__ import annotations

_FILLERS = (
    "is|are|was|were|has|have|had|been|be|being|a|an|the|this|that|your|you|our|its|either|or|and"
    "|in|of|for|to|it|now|currently|already|provided|supplied|given|used|sent|entered|specified|passed"
    "|included|contained|with|by|request|header|headers|associated|owner|appears?|seems?|looks|likely|probably|possibly|may|might|also|api"
)
FILL = rf"(?:(?:{_FILLERS}),? ){{0,6}}"
"""Words that may stand between a thing and its state."""

NAMED = r"(?:\S{0,80}[\d*_.\u2026-]\S{0,80} |\"\" |'' )?"
"""A key or an id that is quoted: it holds a digit, a mask or a separator."""

_JOINED = "|".join(
    f"api{joint}{noun}"
    for joint in (" ", "-", "_", "", " access ", " secret ")
    for noun in ("keys?", "tokens?", "secrets?")
)
KEY = (
    rf"(?:{_JOINED}|api credentials?|x-api-key"
    r"|(?:subscription|access|secret|license|auth|authentication|authorization|developer)(?: |_|-)"
    r"(?:api )?keys?(?: ids?)?)"
)
"""What can only be the caller's key."""

CREDENTIAL = (
    r"(?:tokens?|credentials?|keys?|jwt|bearer|client secret|app id|appid|client id|account sid"
    r"|session id|authorization|authentication|auth)"
)
"""What is the caller's key where the status says that the caller was refused."""

BAD = (
    r"(?:invalid|incorrect|wrong|bad|malformed|unknown|unrecognized|unrecognised|inactive|expired|revoked|disabled"
    r"|deactivated|deleted|blocked|blacklisted|banned|suspended|leaked|compromised|invalidated|rejected"
    r"|unauthorized|missing|absent|terminated|retired|mismatch)"
)
"""States in which a key is dead."""

_GOOD = (
    r"(?:valid|active|found|recognized|recognised|accepted|known|exist|exists|verified|validated|authenticated"
    r"|authorized|enabled|configured|correct|match|provided|supplied|specified|present|sent|set|work)"
)
_NOT = (
    r"(?:not|no longer|never|isn't|wasn't|aren't|doesn't|don't|couldn't be|can't be|could not be"
    r"|cannot be|can not be|failed to be)"
)
IS_DEAD = rf"(?:{BAD}|required|{_NOT} (?:be |been |a |an |yet |currently |any )*{_GOOD})"
"""What is said of a dead key behind its name."""

OTHER_WORD = (
    r"(?:(?!(?:for|to|of|in|on|by|with|from|per|via|using|at|and|or|model|request)\b)[\w.-]+ )"
)
"""One more word, such as a brand, in front of a key; no preposition, behind which another thing begins."""

LACKING = (
    r"(?:no|missing|without|lacks|lacking|absent|empty|invalid or missing|missing or invalid"
    r"|expired or invalid|invalid or expired|invalid or malformed|not a)"
)
SUPPLY = (
    r"(?:provide|supply|include|specify|pass|send|present|enter|contain|have|find|locate|resolve|parse|set"
    r"|provided|supplied|included|specified|passed|sent|receive|need|needs|require|requires|get|give|given)"
)
"""What the caller is told to do with a key, or did not do."""

ALL_OF = (
    r"(?:(?:up|all|any|of|your|the|its|their|our|available|free|monthly|included|current|remaining"
    r"|prepaid|trial|account|api|usage|total|allocated|allotted|purchased|plan|user|team|organization"
    r"|workspace|credit|promotional|sufficient|enough|more|positive|inference|\$?[\d.,]+) )*"
)
"""Words that may stand before what is spent."""

PURSE = r"(?:balance|credits?|funds)"
"""What an account is paid from."""

GONE = (
    r"(?:insufficient|not enough|not sufficient|exhausted|depleted|used up|spent|consumed|finished|empty|zero"
    r"|negative|overdrawn|too low|low|run out|ran out|gone|expired|over|below zero|unpaid|overdue|past due)"
)
"""States in which a purse is empty."""
