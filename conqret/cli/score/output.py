"""How ``conqret score`` takes its files in, and what it prints and writes in the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.cli import options
from conqret.cli.console import err, note, out

if TYPE_CHECKING:
    from conqret.debateqa.table import ScoreRow


PACKED = (".gz",)
KINDS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".pq")
"""Endings of the files that are read; any other dot belongs to a name (Llama-3.1-8B)."""


class Counter:
    """Says on a terminal how many answers are done."""

    def __init__(self, total: int) -> None:
        self._total = total

    def __call__(self, number: int, metric: str = "") -> None:
        """Answer ``number`` (from 0) is done, by ``metric`` where there are several."""
        if err().is_terminal:
            end = "\r" if number + 1 < self._total else "\n"
            err().print(f"{metric}{': ' if metric else ''}{number + 1} of {self._total} answers", end=end)


def finish(rows: Iterable[ScoreRow], folder: Path, json_output: bool) -> None:
    """Write ``scores.parquet`` while the rows come, and print the system's means and what is missing."""
    from dataclasses import asdict

    from conqret.debateqa.table import Tally, write_table

    tally = Tally()
    write_table(map(tally.add, rows), folder / "scores.parquet")
    for reason, count in tally.reasons.items():
        note(
            f"{count} {'score is' if count == 1 else 'scores are'} missing: {reason or 'no reason is given'}"
        )
    if json_output:
        import json

        out().out(json.dumps([asdict(one) for one in tally.means], indent=1, ensure_ascii=False))
        return
    from rich.text import Text

    lines, before = [], None
    for one in tally.means:
        if one.instrument != before:
            lines.append(one.instrument or "instrument without a name")
        before = one.instrument
        mean = "none" if one.mean is None else f"{one.mean:.4f}"
        lines.append(f"  {one.metric:<22} {mean:>10}  (n = {one.scored} of {one.total})")
    lines.append(f"scores: {folder / 'scores.parquet'}")
    out().print(Text("\n".join(lines)), soft_wrap=True)


def remark_alone(answers: tuple[str, ...], questions: tuple[str, ...], quiet: bool) -> None:
    """Name the ids that the other file lacks."""
    for what, ids in (("answers have no partner", answers), ("questions have no partner", questions)):
        if ids and not quiet:
            more = f", and {len(ids) - 10} more" if len(ids) > 10 else ""
            note(f"{len(ids)} {what}: {', '.join(ids[:10])}{more}")


def remark_left_out(metric: str, instrument: str, answers: int, questions: int) -> None:
    """Say that scored answers are left out of the means, because not all systems have these questions' scores."""
    if answers:
        note(
            f"{metric} by {instrument or 'the instrument without a name'}: {answers} scored "
            f"{'answer is' if answers == 1 else 'answers are'} left out; the means are over the {questions} "
            f"{'question' if questions == 1 else 'questions'} scored of all systems"
        )


def column_map(columns: str | None) -> Mapping[str, str]:
    """``--columns`` for answers and questions."""
    return options.column_map(columns, "id=qid,answer=text")


def stem(answers: Path) -> str:
    """The system's name where none is given: the file's, without the endings of a kind of file."""
    name = answers.name
    for endings in (PACKED, KINDS):
        found = next((one for one in endings if name.lower().endswith(one) and len(name) > len(one)), "")
        name = name[: len(name) - len(found)]
    return name


def default_folder(answers: Path, metric: str, *instrument: str) -> Path:
    """Where a metric's table goes where no folder is given; ``instrument`` tells two measurements apart."""
    import re

    named = "-".join((stem(answers), metric, *instrument))
    return Path("runs") / re.sub(r"[^A-Za-z0-9.]+", "-", named).strip("-.")
