"""Perspective detection as a run: recorded, resumable, its grades in a table, and what labels say of them.

Beside ``run.json`` and ``recordings.sqlite`` the folder holds ``rows.jsonl`` (the grades as they came),
``detections.csv`` (a row for each pair, with grade and yes or no) and ``summary.json``. Labels and threshold are no
part of what the run is: the same command with others asks nothing anew.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from conqret.io.atomic import replacing
from conqret.io.label_sheets import guarded
from conqret.io.pairs import Pair
from conqret.llm.client import Client
from conqret.llm.keys import schema_digest
from conqret.perspectives.detection import GRADES, PROMPT, YES_FROM, Detection, Graded, ask_all
from conqret.perspectives.threshold import AgainstLabels, against_labels
from conqret.runs.folder import SUMMARY, RunFolder, RunRecord
from conqret.runs.rows import RowStore
from conqret.runs.session import Session, SessionCounts

ROWS, DETECTIONS = "rows.jsonl", "detections.csv"
_COLUMNS = (
    "id", "question", "document", "perspective", "grade", "meaning", "contains", "explanation", "label", "reason",
    "detail",
)  # fmt: skip


class DetectionRecord(RunRecord):
    """What ``run.json`` says of detections: all that decides what is asked."""

    SAME: ClassVar[Mapping[str, str]] = {
        "model": "model",
        "identity": "model settings",
        "prompt": "prompt",
        "answer_schema": "answer schema",
        "pairs": "pairs",
    }

    kind: str = "detect"
    model: str
    baseline: bool
    identity: dict[str, Any]
    prompt: str
    answer_schema: str
    pairs: str

    @classmethod
    def of(cls, pairs: Sequence[Pair], session: Session) -> DetectionRecord:
        """The record of asking about these pairs, which count by what is shown of them."""
        shown = json.dumps([(one.id, one.document, one.perspective) for one in pairs])
        return cls(
            model=session.options.model,
            baseline=session.options.backend.baseline,
            identity=dict(session.options.identity),
            prompt=session.library[PROMPT].digest,
            answer_schema=schema_digest(Graded),
            pairs=hashlib.sha256(shown.encode("utf-8", "surrogatepass")).hexdigest()[:16],
        )

    @property
    def asked(self) -> tuple[str, str]:
        """Who grades, and by which prompt: what a threshold belongs to."""
        return self.model, self.prompt

    def __str__(self) -> str:
        return f"detections by {self.model}"


@dataclass(frozen=True)
class DetectionFolder(RunFolder[DetectionRecord]):
    """The files of detections under one folder."""

    KIND: ClassVar[str] = "detect"
    COMMAND: ClassVar[str] = "conqret perspectives detect"
    RECORD: ClassVar[type[RunRecord]] = DetectionRecord
    MAKES: ClassVar[tuple[str, ...]] = (ROWS, DETECTIONS, SUMMARY)

    @property
    def table_file(self) -> Path:
        """The pairs with their grades."""
        return self.path / DETECTIONS

    def rows(self) -> RowStore[Detection]:
        """What became of each pair; those without a grade are asked about again."""
        return RowStore(
            self.path / ROWS, Detection, lambda one: one.id, finished=lambda one: one.grade is not None
        )


class DetectionSummary(BaseModel):
    """A run in numbers: how many pairs have each grade and how many none (by reason), from which grade it is a yes and
    how many have one, and what people's labels say of that."""

    model_config = ConfigDict(frozen=True)

    model: str
    pairs: int
    grades: dict[int, int]
    unanswered: dict[str, int]
    yes_from: int
    yes: int
    against_labels: AgainstLabels | None = None


@dataclass(frozen=True, slots=True)
class DetectionOutcome:
    """A finished run: its summary, what this session did for it, and which answers a replay lacked."""

    summary: DetectionSummary
    session: SessionCounts
    missing: tuple[str, ...]


def study(
    pairs: Sequence[Pair],
    session: Session,
    folder: DetectionFolder,
    *,
    yes_from: int | None = None,
    overwrite: bool = False,
    on_start: Callable[[Client, int], None] = lambda client, kept: None,
    on_detection: Callable[[Detection], None] = lambda found: None,
) -> DetectionOutcome:
    """Ask about every pair that the folder does not hold, and write table and summary.

    ``yes_from`` is the grade from which it is a yes; where it is None the one that is best by the labels of the pairs,
    and :data:`YES_FROM` where no pair has one. ``on_start`` gets the client and the number of grades kept from before.

    Raises:
        DeclarationError: the folder holds something else or another run, another process is writing it, or the
            recordings are none. No model is asked then.
    """
    session.options.backend.check_can_ask("whether documents contain perspectives")
    session.run(lambda client: session.ready(folder))
    with session, folder.claimed(DetectionRecord.of(pairs, session), overwrite=overwrite):
        session.keep_in(folder.recordings_file)
        before = session.counts
        with folder.rows() as rows:
            kept = len(rows)
            on_start(session.client, kept)
            session.run(lambda client: ask_all(pairs, session, client, rows, on_detection))
            rows.arrange(pair.id for pair in pairs)
        found = list(rows.rows())
        graded = [
            one.grade is not None and pair.label is not None for pair, one in zip(pairs, found, strict=True)
        ]
        against = against_labels(pairs, found, yes_from=yes_from) if any(graded) else None
        threshold = against.yes_from if against else yes_from or YES_FROM
        summary = DetectionSummary(
            model=session.options.model,
            pairs=len(found),
            grades={grade: sum(one.grade == grade for one in found) for grade in range(len(GRADES))},
            unanswered=dict(Counter(str(one.reason) for one in found if one.grade is None)),
            yes_from=threshold,
            yes=sum(one.contains(threshold) is True for one in found),
            against_labels=against,
        )
        with replacing(folder.table_file) as table, replacing(folder.summary_file) as file:
            table.write(_table(pairs, found, threshold).encode())
            file.write(summary.model_dump_json(indent=1).encode())
        return DetectionOutcome(
            summary, session.counts.since(before, kept=kept), tuple(map(str, session.client.missing))
        )


def threshold_of(folder: DetectionFolder) -> int:
    """The grade from which it is a yes, as a finished run has it.

    Raises:
        DeclarationError: there is no finished run of detections.
    """
    folder.record()
    return folder.result(folder.summary_file, DetectionSummary).yes_from


def _table(pairs: Iterable[Pair], found: Iterable[Detection], yes_from: int) -> str:
    """The pairs with their grades as CSV, in cells that no spreadsheet takes for a formula."""
    target = io.StringIO(newline="")
    writer = csv.writer(target, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for pair, one in zip(pairs, found, strict=True):
        meaning = "" if one.grade is None else GRADES[one.grade]
        shown = (pair.id, pair.question, pair.document, pair.perspective, one.grade, meaning,
                 _yes_or_no(one.contains(yes_from)), one.explanation, _yes_or_no(pair.label), one.reason or "",
                 one.detail)  # fmt: skip
        writer.writerow(guarded("" if cell is None else str(cell)) for cell in shown)
    return target.getvalue()


def _yes_or_no(said: bool | None) -> str:
    return "" if said is None else "yes" if said else "no"
