# ruff: noqa: S603, S607 - git and tar are those of whoever runs this
"""Say what an answer added to tests/data, or a rule that was changed, changes.

    python tools/answers.py            every answer judged otherwise than in the last commit,
                                       every new answer, and every miss that is new
    python tools/answers.py --since REF
    python tools/answers.py --score    how well the table does

To add an answer: append one line to tests/data/answers_extra.jsonl (FORMAT is described in
tests/data/README.md), then run this.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
DATA = ROOT / "tests" / "data"
FILES = ("answers.jsonl", "answers_extra.jsonl")

_JUDGE = """
import json, sys
from aiohttp_failfast._classify import classify
for line in sys.stdin:
    a = json.loads(line)
    v = classify(a["status"], a["headers"], a["body"].encode("utf-8", "replace"))
    print(json.dumps([a["id"], v.kind.value, v.rule, v.permanent]))
"""

Verdicts = dict[str, tuple[str, str, bool]]


def answers() -> list[dict[str, Any]]:
    """Read all answers of the collection."""
    texts = [(DATA / name).read_text(encoding="utf-8") for name in FILES]
    return [json.loads(line) for text in texts for line in text.splitlines()]


def judge(collection: list[dict[str, Any]], root: Path) -> Verdicts:
    """Judge answers with the table that lies in `root`."""
    lines = "\n".join(map(json.dumps, collection))
    done = subprocess.run(
        [sys.executable, "-c", _JUDGE],
        input=lines,
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(root), "PYTHONSAFEPATH": "1"},
    )
    verdicts: Verdicts = {}
    for line in done.stdout.splitlines():
        name, kind, rule, permanent = json.loads(line)
        verdicts[name] = (kind, rule, permanent)
    return verdicts


def judge_at(collection: list[dict[str, Any]], ref: str) -> Verdicts:
    """Judge answers with the table of a commit."""
    with tempfile.TemporaryDirectory() as place:
        archive = subprocess.run(
            ["git", "archive", ref, "aiohttp_failfast"], cwd=ROOT, capture_output=True, check=True
        )
        subprocess.run(["tar", "-x", "-C", place], input=archive.stdout, check=True)
        return judge(collection, Path(place))


def known_at(ref: str) -> set[str]:
    """Ids of the answers that a commit holds."""
    known: set[str] = set()
    for name in FILES:
        shown = subprocess.run(
            ["git", "show", f"{ref}:tests/data/{name}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        known |= {json.loads(line)["id"] for line in shown.stdout.splitlines()}
    return known


def changes(ref: str) -> list[str]:
    """Lines that tell what is judged otherwise than at `ref`, and how new answers are judged."""
    collection = answers()
    before, now, known = judge_at(collection, ref), judge(collection, ROOT), known_at(ref)
    lines = []
    for answer in collection:
        name = answer["id"]
        old, new = before[name], now[name]
        if name in known and old[:2] == new[:2]:
            continue
        head = "new     " if name not in known else "changed "
        verdict = (
            f"{old[0]} ({old[1]}) -> {new[0]} ({new[1]})" if old != new else f"{new[0]} ({new[1]})"
        )
        lines.append(f"{head}{name}: {verdict}{_against(answer, new)}")
    return lines


def _against(answer: dict[str, Any], verdict: tuple[str, str, bool]) -> str:
    if verdict[0] == answer["label"]:
        return ""
    trip = verdict[2] and answer["label"] not in ("quota", "auth")
    unsure = " (in doubt or cut)" if answer["doubt"] or answer["partial"] else ""
    return f"  {'FALSE TRIP, ' if trip else ''}labelled {answer['label']}{unsure}"


def score() -> list[str]:
    """Lines that tell how well the table does on the collection."""
    collection = answers()
    verdicts = judge(collection, ROOT)
    lines = []
    for title, unsure in (("sure", False), ("in doubt or cut", True)):
        chosen = [a for a in collection if bool(a["doubt"] or a["partial"]) is unsure]
        dead = [a for a in chosen if a["label"] in ("quota", "auth")]
        exact = sum(verdicts[a["id"]][0] == a["label"] for a in chosen)
        known = sum(verdicts[a["id"]][2] for a in dead)
        trips = [a["id"] for a in chosen if verdicts[a["id"]][2] and a not in dead]
        lines.append(
            f"{title}: {len(chosen)} answers, {exact} exact, {known} of {len(dead)} dead or spent"
            f" keys recognised, {len(trips)} false trips {' '.join(trips)}"
        )
    return lines


def main(arguments: list[str]) -> int:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--since", default="HEAD", help="commit to compare with (default HEAD)")
    parser.add_argument("--score", action="store_true")
    args = parser.parse_args(arguments)
    lines = score() if args.score else changes(args.since)
    print("\n".join(lines) or "nothing is judged otherwise")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
