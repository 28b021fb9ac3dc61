"""Make the provider's prose fit to be matched, and leave out what it quotes from the caller."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import unquote

MAX_TEXT = 2000
"""Characters of one message that are looked at: the statement stands at its head."""

_TAG = re.compile(r"<[^<>]{0,500}>")

# An apostrophe inside a word ("don't") opens no quotation.
_QUOTED = {
    12: re.compile(
        r"\"[^\"]{12,}(?:\"|\Z)|(?<!\w)'[^']{12,}(?:'(?!\w)|\Z)"
        r"|`[^`]{12,}(?:`|\Z)|[“”][^“”]{12,}(?:”|\Z)|[‘’「『][^’」』]{12,}(?:[’」』]|\Z)"
    ),
    28: re.compile(
        r"\"[^\"]{28,}(?:\"|\Z)|(?<!\w)'[^']{28,}(?:'(?!\w)|\Z)"
        r"|`[^`]{28,}(?:`|\Z)|[“”][^“”]{28,}(?:”|\Z)|[‘’「『][^’」』]{28,}(?:[’」』]|\Z)"
    ),
}
_QUOTE_MARKS = re.compile("[\"'`“”‘「『]")

# What follows these words is the caller's own text.
_ECHO = re.compile(
    r"\b(?:(?:your|user|the|original|last|invalid|flagged|full|raw)[ _-])?"
    r"(?:input|prompt|query|completion|instructions?|utterance|conversation|input_value|content"
    r"|user message|echo|you (?:said|sent|wrote|asked)|(?:your|the) (?:message|request|text)"
    r"|messages?\[\d+\][\w.\[\]]*|failed_generation|request body|payload)"
    r"(?: text| was| is| contains| received)?\s?(?:[:=]|was:|->)"
    r"|(?:输入内容|提示词|用户输入|输入|内容)\s?[:：]"
)

_NO_ECHO_CUES = frozenset({401, 402, 403, 429})
"""Statuses at which no provider quotes the request as a matter of course."""

_SPLIT = str.maketrans(dict.fromkeys("\n\r\t.,;:!?()[]{}<>\"'`’“”*|/=_-—–…", " "))


def readable(text: str) -> str:
    """Undo what gateways do to prose: tags, entities, percent signs, odd white space."""
    text = text[:MAX_TEXT]
    if "%20" in text and " " not in text:
        text = unquote(text, errors="replace")
    if "<" in text and ">" in text:
        text = _TAG.sub(" ", text)
    if "&" in text and ";" in text:
        text = unescape(text)
    return " ".join(text.split())


def matchable(text: str, status: int) -> str:
    """Lower-case readable text and blank out everything that may echo the caller's request.

    Args:
        text: what `readable` returned.
        status: of the answer. Where it complains about the request itself, short quotations
            are blanked out too.
    """
    text = text.lower()
    if "’" in text:
        text = text.replace("’", "'")
    if _QUOTE_MARKS.search(text):
        text = _QUOTED[28 if status in _NO_ECHO_CUES else 12].sub('""', text)
    echo = _ECHO.search(text)
    return text[: echo.start()] if echo else text


def words_of(text: str) -> set[str]:
    """The set of words in matchable text."""
    return set(text.translate(_SPLIT).split())


_SHORT_WINDOW = re.compile(
    r"(?:per|a|each|every|current|by)[ -_]?(?:second|sec|minute|min)\b|/ ?(?:s|sec|second|m|min|minute)\b"
    r"|\b(?:rpm|tpm|rps|qps|tps|qpm|ipm|rpm_limit|tpm_limit)\b"
    r"|per \d{1,2} ?s\b|每分钟|每秒|分钟级"
)
_DAY_WINDOW = re.compile(
    r"(?:per|a|each|every|by)[ -_]?(?:day|hour|week)\b|/ ?(?:hr|hour|h|day|d|week)\b"
    r"|\b(?:rpd|tpd|rph|tph|daily|hourly|weekly|today's|today)\b|\d{1,3}[ -](?:hours?|days?|h)\b(?! ago)"
    r"|per \d{4,6} ?s\b|byday\b|今日|当日|每日|每天|每小时|每周|本周|小时的"
)
# "$20/month" is a price, so a month counts only next to what is limited.
_MONTH_WINDOW = re.compile(
    r"\bmonthly [\w ]{0,40}?(?:limit|quota|cap\b|capacity|allowance|allocation|credit|usage|budget"
    r"|request|token|character|search|spend)"
    r"|\b(?:for|in|of) (?:this|the|the current) (?:calendar )?month\b|this month's"
    r"|(?:limit|quota|usage|allowance|credits?|cap)\b.{0,30} (?:per|this|a) (?:month|billing (?:cycle|period))\b"
    r"|(?:this|current|the) billing (?:cycle|period)|每月|本月|当月"
)
_WINDOW_HINTS = re.compile(
    r"sec|min|hour|hr\b|day|daily|week|month|billing|r[pq]|tp[a-z]|qp|/|per \d|每|今日|当日|小时|本周|本月|分钟"
)


def windows_of(text: str) -> list[str]:
    """Names of the limit windows that matchable text speaks of: short, day, month."""
    if not _WINDOW_HINTS.search(text):
        return []
    found = []
    if _SHORT_WINDOW.search(text):
        found.append("window-short")
    if _DAY_WINDOW.search(text):
        found.append("window-day")
    if _MONTH_WINDOW.search(text):
        found.append("window-month")
    return found
