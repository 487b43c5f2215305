"""A small table of a judge's verdicts for the tests."""

from __future__ import annotations

import csv
from pathlib import Path

COLUMNS = ("id", "question", "answer", "judge", "reason", "human")


def written_table(file: Path, count: int, labeled: int = 0) -> Path:
    """A table of so many rows, of which the judge fails every fifth; the first ``labeled`` have a human label."""
    with file.open("w", newline="") as text:
        table = csv.writer(text)
        table.writerow(COLUMNS)
        for place in range(count):
            verdict = "pass" if place % 5 else "fail"
            label = ("pass" if place % 3 else "fail") if place < labeled else ""
            row = (f"q{place}", f"What is {place} plus {place}?", f"It is {2 * place}.", verdict)
            table.writerow((*row, "Because the sum is right.", label))
    return file
