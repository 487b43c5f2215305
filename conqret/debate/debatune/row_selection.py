"""What is kept of many rows, and what is dropped, with the reason for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from conqret.data import Measure
from conqret.io.jsonl import json_lines
from conqret.io.overwriting import write_new
from conqret.judging.judgments import Judgments
from conqret.runs.run_folder import stem
from conqret.runs.session import SessionCounts

NO_ANSWER = "no_answer"
"""Dropped, as the judge gave no valid answer: nobody knows whether it may stay."""


@dataclass(frozen=True, slots=True)
class DroppedRow:
    """A row that is not kept: its id, its text, the reason in a word, and what there is to say of it."""

    id: str
    text: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SiftResult:
    """The rows that are kept, as they are to be written, and those that are dropped."""

    kept: Sequence[Mapping[str, Any]]
    dropped: Sequence[DroppedRow]

    @property
    def reasons(self) -> dict[str, int]:
        """How many are dropped for each reason, the commonest first."""
        return dict(Counter(dropped_row.reason for dropped_row in self.dropped).most_common())

    def write(self, file: Path, *, overwrite: bool = False, register: Path | None = None) -> Path:
        """Write what is kept into ``file``, and what is dropped beside it, as JSON lines; returns the second place.

        ``overwrite`` and ``register`` are those of :func:`conqret.io.overwriting.write_new`, and so is what is raised.
        """
        beside = file.with_name(f"{stem(file)}.dropped.jsonl")
        lines = {file: json_lines(self.kept), beside: json_lines(map(asdict, self.dropped))}
        write_new(lines, overwrite=overwrite, register=register)
        return beside


@dataclass(frozen=True, slots=True)
class SiftedRun:
    """What is kept and what is dropped, and the judgments that decided it; ``lost`` counts the sides of kept topics
    that got no arguments, by reason."""

    found: SiftResult
    judgments: Judgments
    lost: Mapping[str, int] = field(default_factory=dict)

    @property
    def session(self) -> SessionCounts:
        """What was asked now, and what came from before."""
        return self.judgments.session

    @property
    def missing(self) -> Sequence[str]:
        """The answers that a replay lacked."""
        return self.judgments.missing


def unanswered(row: str, text: str, measure: Measure) -> DroppedRow:
    """What is dropped because ``measure`` has no value."""
    return DroppedRow(row, text, NO_ANSWER, f"{measure.reason}: {measure.detail}".strip(" :"))
