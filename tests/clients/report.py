"""Writes what was measured as a table, to look at and to fill in the catalogue from."""

from __future__ import annotations

from pathlib import Path

from runs import Record, Records


def write_report(target: Path, measured: dict[str, Records]) -> None:
    """Write one table per client."""
    lines = []
    for name, records in measured.items():
        lines += [f"## {name}", "", *_table(records), ""]
    target.write_text("\n".join(lines), encoding="utf-8")


def _table(records: Records) -> list[str]:
    spied = records["healthy", "spy"].headers
    return [
        f"headers: {spied}",
        "",
        "| scenario | kind | ok | requests | seconds | raised | leaks |",
        "|---|---|---|---|---|---|---|",
        *(_row(record) for (_, kind), record in records.items() if kind != "spy"),
    ]


def _row(record: Record) -> str:
    raised = "; ".join(f"{count} x {chain}" for chain, count in record.errors.items())
    seconds = f"{record.seconds:.2f}" + ("" if record.ended else ", not ended")
    cells = (record.scenario, record.kind, len(record.results), record.hits, seconds)
    return f"| {' | '.join(map(str, cells))} | {raised} | {record.leaks} |"
