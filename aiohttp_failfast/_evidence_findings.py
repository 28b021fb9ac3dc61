"""What has been collected of one answer so far."""

from __future__ import annotations

from datetime import datetime, timezone

from ._evidence_text import readable
from ._times import moment_of

MAX_TEXTS = 12
MAX_CODES = 24

LONGEST_CODE = 96
_FOLD = str.maketrans("", "", " _-.:/#'\"`,;!()[]{}")


def fold(code: str) -> str:
    """Spell a machine code one way: `InvalidApiKey` and `invalid-api-key` are equal."""
    return code.translate(_FOLD).lower()


class Findings:
    """What has been collected of one answer so far."""

    __slots__ = (
        "_date",
        "codes",
        "embedded",
        "marks",
        "moment",
        "nodes",
        "raw_text",
        "texts",
        "wait",
    )

    def __init__(self, date: str | None = None) -> None:
        self._date = date
        self.codes: dict[str, str] = {}
        self.texts: list[str] = []
        self.raw_text = ""
        self.marks: set[str] = set()
        self.wait: float | None = None
        self.moment: datetime | None = None
        self.embedded: int | None = None
        self.nodes = 0

    @property
    def clock(self) -> datetime:
        """When the answer was made: by its Date, else now. Read only where a wait needs it."""
        return (moment_of(self._date) if self._date else None) or datetime.now(timezone.utc)

    def add_wait(self, wait: float | None) -> None:
        """Note a stated wait; the longest one counts."""
        if wait is not None and (self.wait is None or wait > self.wait):
            self.wait = wait

    def add_moment(self, moment: datetime | None) -> None:
        """Note a stated reset; the first one counts."""
        if self.moment is None:
            self.moment = moment

    def add_code(self, raw: str | int, where: str) -> None:
        """Note a machine code. A bare number is told apart by the member that holds it."""
        if len(self.codes) >= MAX_CODES:
            return
        if isinstance(raw, int):
            # Compared first: turning a number of unlimited length into text fails.
            if not -(10**9) < raw < 10**9:
                return
            raw = str(raw)
        if not raw or len(raw) > LONGEST_CODE or not raw.isascii():
            return
        if raw.lstrip("-").isdigit():
            self._add_number(raw, where)
            return
        if "/" in raw:
            raw = raw.rstrip("/").rpartition("/")[2]
        raw = raw.rpartition("#")[2]
        folded = fold(raw)
        if folded:
            self.codes.setdefault(folded, raw)
            # InvalidApiKeyError is invalid_api_key.
            for ending in ("error", "exception"):
                if folded.endswith(ending) and len(folded) > len(ending) + 3:
                    self.codes.setdefault(folded[: -len(ending)], raw)

    def _add_number(self, raw: str, where: str) -> None:
        if len(raw) == 3 and raw[0] in "45":
            if self.embedded is None:
                self.embedded = int(raw)
            return
        self.codes.setdefault(f"{where}#{raw}", raw)

    def keep(self, text: str) -> None:
        """Note prose as it stands."""
        if len(self.texts) >= MAX_TEXTS or not text:
            return
        prose = readable(text)
        if prose and prose not in self.texts:
            self.texts.append(prose)


def fold_known(code: str) -> str:
    """Fold a code as written in a rule; the member in front of a bare number stays."""
    return code.lower() if "#" in code else fold(code)
