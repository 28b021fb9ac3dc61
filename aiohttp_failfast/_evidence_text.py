# ruff: noqa: E501 - a pattern is easier to read on one line
"""Make the provider's prose fit to be matched, and leave out what it quotes from the caller."""

from __future__ import annotations

import re
import string
from functools import lru_cache
from html import unescape
from urllib.parse import unquote

MAX_TEXT = 2000
"""Characters of one message that are looked at: the statement stands at its head."""

_TAG = re.compile(r"<[^<>]{0,500}>")

# Short quotations are matched too, or else their ends would be taken for beginnings. An
# apostrophe inside a word ("don't") opens no quotation.
_QUOTATION = re.compile(
    r"\"[^\"]*(?:\"|\Z)|(?<!\w)'[^']*(?:'(?!\w)|\Z)|`[^`]*(?:`|\Z)"
    r"|[“”][^“”]*(?:”|\Z)|[‘「『][^’」』]*(?:[’」』]|\Z)"
)
_SHORT_QUOTATION = 16
_SHORT_QUOTATION_OF_REQUEST = 12
_SHORT_QUOTATION_IN_CHINESE = 4
_QUOTE_MARK = re.compile("[\"'`“‘「『]")

# What follows these words is the caller's own text.
_ECHO = re.compile(
    r"\b(?:(?:your|user|the|original|last|invalid|flagged|full|raw)[ _-])?"
    r"(?:input|prompt|query|completion|instructions?|utterance|conversation|input_value|content"
    r"|user message|echo|you (?:said|sent|wrote|asked)|(?:your|the) (?:message|request|text)"
    r"|messages?\[\d+\][\w.\[\]]*|failed_generation|request body|payload|received|got|given)"
    r"(?: text| was| is| contains| received)?\s?(?:[:=]|was:|->)"
    r"|(?:输入内容|提示词|用户输入|输入|内容)\s?[:：]"
)

_ECHO_WORDS = (
    *("input", "prompt", "query", "completion", "instruction", "utterance", "conversation"),
    *("content", "message", "echo", "you s", "you wrote", "you asked", "request", "text"),
    *("failed_generation", "payload", "received", "got", "given", "内容", "提示词", "输入"),
)

_NO_ECHO_CUES = frozenset({401, 402, 403, 429})
"""Statuses at which no provider quotes the request as a matter of course."""

_SPLIT = str.maketrans(dict.fromkeys("\n\r\t“”’‘—–…（），。：" + string.punctuation, " "))


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
    if _QUOTE_MARK.search(text):
        text = _without_quotations(text, status)
    if _may_announce(text) and any(word in text for word in _ECHO_WORDS):
        echo = _ECHO.search(text)
        return text[: echo.start()] if echo else text
    return text


def _without_quotations(text: str, status: int) -> str:
    longest = _SHORT_QUOTATION if status in _NO_ECHO_CUES else _SHORT_QUOTATION_OF_REQUEST

    def kept(found: re.Match[str]) -> str:
        quotation = found.group()
        short = longest if quotation.isascii() else _SHORT_QUOTATION_IN_CHINESE
        return quotation if len(quotation) < short + 2 else '""'

    return _QUOTATION.sub(kept, text)


def _may_announce(text: str) -> bool:
    # The colon of an address announces nothing.
    return "=" in text or text.count(":") > text.count("://") or "->" in text or "：" in text


_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SEPARATOR = re.compile(r"[^a-z0-9]+")


@lru_cache(maxsize=512)
def spelled_out(code: str) -> str:
    """Turn a machine code into words: `apiKeyInvalid` says "api key invalid"; else empty."""
    if " " in code:
        return ""
    words = _SEPARATOR.sub(" ", _HUMP.sub(" ", code).lower()).strip()
    return words if " " in words else ""


_HEAD = 240

# A statement of the provider's own opens a clause; a quotation mostly stands inside of one.
_CLAUSE = re.compile(
    r"(?:^|[-.:;,!?|()\[\]–—] ?)"
    r"(?:(?:your|the|this|an?|you|our|have|has|had|is|are|was|please|sorry|access|denied|error"
    r"|request|failed|it|seems|we|there|user|current|reached|either|used|no|not|must|do|does|or|and"
    r"|account|credit|api|remaining|prepaid|available|organization|project|team|workspace|hit) ){0,6}\Z"
)


def starts_clause(text: str, at: int) -> bool:
    """Whether a phrase at this place is said outright, rather than within other words."""
    if not text.isascii() or at == 0:
        return True
    return _CLAUSE.search(text, max(0, at - 80), at) is not None


def stands_early(text: str, at: int) -> bool:
    """Whether a phrase stands near the head of its piece of prose, where statements stand."""
    return at - max(0, text.rfind(" | ", 0, at)) < _HEAD


def has_quotation(text: str) -> bool:
    """Whether prose quotes anything at all."""
    return _QUOTE_MARK.search(text) is not None


def inside_quotation(text: str, start: int, end: int) -> bool:
    """Whether a phrase is quoted within prose; where all of the prose is quoted, it is not."""
    for quotation in _QUOTATION.finditer(text):
        if quotation.start() > start:
            return False
        if quotation.end() > end or (quotation.end() == end and quotation.start() < start):
            return quotation.start() > 0 and text[: quotation.start()][-3:] != " | "
    return False


def words_of(text: str) -> set[str]:
    """Split matchable text into its set of words."""
    return set(text.translate(_SPLIT).split())


_SHORT_WINDOW = re.compile(
    r"(?:per|a|each|every|current|by)[ -_]?(?:second|sec|minute|min)\b|/ ?(?:s|sec|second|m|min|minute)\b"
    r"|\b(?:rpm|tpm|rps|qps|tps|qpm|ipm|rpm_limit|tpm_limit)\b"
    r"|per \d{1,2} ?s\b|每分钟|每秒|分钟级"
)
_DAY_WINDOW = re.compile(
    r"(?:per|a|each|every|by)[ -_]?(?:day|hour|week)\b|/ ?(?:hr|hour|h|day|d|week)\b"
    r"|\b(?:rpd|tpd|rph|tph|daily|hourly|weekly|today's|today|tomorrow|midnight)\b|\d{1,3}[ -](?:hours?|days?|h)\b(?! ago)"
    r"|per \d{4,6} ?s\b|byday\b|今日|当日|每日|每天|每小时|每周|本周|小时的"
)
# "$20/month" is a price, so a month counts only next to what is limited.
_MONTH_WINDOW = re.compile(
    r"\bmonthly [\w ]{0,40}?(?:limit|quota|cap\b|capacity|allowance|allocation|credit|usage|budget"
    r"|request|token|character|search|spend)"
    r"|\b(?:for|in|of) (?:this|the|the current) (?:calendar )?month\b|this month's"
    r"|limited to [\d,]{1,12} [\w ]{1,24}(?:/|per|a) ?month\b"
    r"|(?:limit|quota|usage|allowance|credits?|cap)\b.{0,30} (?:per|this|a) (?:month|billing (?:cycle|period))\b"
    r"|\b(?:calls|requests|queries|searches|tokens|characters) per (?:month|billing (?:cycle|period))\b"
    r"|(?:this|current|the) billing (?:cycle|period)|每月|本月|当月"
)
# One of these is in every text that names a window; asked first, since the set is at hand.
_WINDOW_WORDS = frozenset(
    {"second", "seconds", "sec", "s", "minute", "minutes", "min", "m", "hour", "hours", "hr", "h"}
    | {
        "day",
        "days",
        "d",
        "daily",
        "today",
        "tomorrow",
        "midnight",
        "week",
        "weekly",
        "month",
        "monthly",
        "mo",
        "hourly",
    }
    | {"rpm", "tpm", "rps", "qps", "tps", "qpm", "ipm", "rpd", "tpd", "rph", "tph", "byday"}
    | {"billing", "5h", "24h", "1s", "1m", "1h", "1d", "86400s", "3600s", "cycle"}
)


def windows_of(text: str, words: set[str]) -> list[str]:
    """Names of the limit windows that matchable text speaks of: short, day, month.

    Args:
        text: what `matchable` returned.
        words: the words in it.
    """
    if _WINDOW_WORDS.isdisjoint(words) and text.isascii():
        return []
    found = []
    if _SHORT_WINDOW.search(text):
        found.append("window-short")
    if _DAY_WINDOW.search(text):
        found.append("window-day")
    if _MONTH_WINDOW.search(text):
        found.append("window-month")
    return found
