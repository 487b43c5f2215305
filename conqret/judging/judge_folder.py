"""What a run of a judge leaves on the disk, and how to read it again.

Next to ``run.json`` and ``recordings.sqlite`` (see :mod:`conqret.runs.run_folder`), a run directory holds
``items.jsonl`` (the items as they were read), ``judgments.jsonl`` (a line each, appended as they arrive), and, in the
end, ``scores.parquet``, ``summary.json`` and ``report.html``.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from operator import not_
from pathlib import Path
from typing import Any, ClassVar, Generic

from pydantic import Field, ValidationError

from conqret.data import Judgment, Status, Version
from conqret.data.item import Frozen
from conqret.errors import DeclarationError, shortened
from conqret.errors import number as counted
from conqret.io import CheckedItems, ItemSource, item_record
from conqret.io.cell_values import canonical
from conqret.io.jsonl import compact
from conqret.io.safe_files import InFolder, replacing, whole_lines, write_whole
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.judge_parts import LOWER_IS_BETTER
from conqret.judging.summary import Summary
from conqret.judging.tally import Tally, summarise
from conqret.runs.run_folder import ITEMS, R, RunFolder, RunRecord
from conqret.runs.session import SessionCounts
from conqret.runs.trials import Rows, RowStore

_INSTRUMENT = ("format", "model", "fingerprint")
_SCORE = ("metric", "part", "status", "value", "raw")
_EXPLAINED = ("label", "flipped", "method", "majority", "reason", "explanation")
COLUMNS = ("item", "topic", "stance", *Version.model_fields, *_INSTRUMENT, *_SCORE, *_EXPLAINED)
"""The columns of ``scores.parquet``. A row with ``part`` null is the measure itself; the others are its parts.
Where there is no value, ``explanation`` says what came instead of an answer."""

_CHUNK = 15_000
"""Rows that are turned into a frame at a time: enough for speed, little enough for memory."""


def score_rows(judgment: Judgment) -> Iterator[dict[str, Any]]:
    """Yield one row for each metric of a judgment and one for each of its parts, with the columns of
    :data:`COLUMNS`.
    """
    for row in score_cells(judgment):
        yield dict(zip(COLUMNS, row, strict=True))


def score_cells(judgment: Judgment) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a judgment in the table of scores, as tuples in the order of its columns: one for each metric
    (its part is None), then one for each of the metric's parts."""
    version = judgment.version
    item = (
        judgment.item,
        judgment.topic,
        judgment.stance,
        *((None,) * len(Version.model_fields) if version is None else dict(version).values()),
    )
    own = (judgment.format, judgment.fingerprint)
    model = judgment.model if judgment.cascade is None else judgment.cascade.model
    for metric, measure in judgment.measures.items():
        format_name, fingerprint = judgment.formats.get(metric, own)
        head = (*item, format_name, model, fingerprint)
        status, reason = measure.status.value, measure.reason.value if measure.reason is not None else None
        why = measure.explanation or measure.detail
        said = (measure.label, measure.flipped, measure.method, measure.majority, reason, why)
        yield (*head, metric, None, status, measure.value, measure.raw, *said)
        for part in measure.parts:
            said = (part.label, None, None, None, None, part.explanation)
            yield (*head, metric, part.id, status, part.value, part.raw, *said)


def wide_row(judgment: Judgment) -> dict[str, Any]:
    """Return one row for the whole judgment: id, topic, stance, and the columns of :func:`verdict_row`."""
    return {"id": judgment.item, "topic": judgment.topic, "stance": judgment.stance, **verdict_row(judgment)}


def verdict_row(judgment: Judgment) -> dict[str, Any]:
    """Return one row: status, reason, the value of each metric, and its explanation
    (``clarity_explanation``).
    """
    values = {name: measure.value for name, measure in judgment.measures.items()}
    explained = {f"{name}_explanation": measure.explanation for name, measure in judgment.measures.items()}
    reason = judgment.reason.value if judgment.reason is not None else None
    return {"status": judgment.status.value, "reason": reason, **values, **explained}


def skipped_row(why: str) -> dict[str, Any]:
    """Return the row of an item left out as invalid: the status ``skipped``, and ``why`` as its reason."""
    return {"status": "skipped", "reason": why}


def write_scores(
    path: Path, rows: Iterable[tuple[Any, ...]], leading: Sequence[str] = (), further: Sequence[str] = ()
) -> None:
    """Write ``scores.parquet``, as a whole or not at all.

    Args:
        path: the file.
        rows: the cells of each row, those of :func:`score_cells` among them.
        leading: text columns before :data:`COLUMNS`, such as the system of each judgment.
        further: numeric columns after them.
    """
    import polars as pl

    numbers = dict.fromkeys(("value", "raw", "majority", "level", *further), pl.Float64)
    others = {"flipped": pl.Boolean, "seed": pl.Int64}
    schema = dict.fromkeys((*leading, *COLUMNS, *further), pl.String) | numbers | others
    frames, left = [pl.DataFrame(schema=schema)], iter(rows)
    while chunk := list(islice(left, _CHUNK)):
        columns = dict(zip(schema, zip(*chunk, strict=True), strict=True))
        frames.append(pl.DataFrame(columns, schema=schema))
    with replacing(path) as file:
        pl.concat(frames).write_parquet(file)


JUDGMENTS = "judgments.jsonl"
REQUESTS_FOLDER = "asked"
"""The folder of pages with prompts and raw answers."""


def _parts(identity: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a judge configuration, those of a group of options each by itself."""
    return {
        shortened(str(name), 60): part
        for key, value in identity.items()
        for name, part in (value.items() if isinstance(value, dict) else [(key, value)])
    }


class InstrumentRecord(RunRecord):
    """The content of ``run.json`` for a run with one judge configuration.

    ``fingerprint`` identifies the configuration, ``identity`` holds its parts, and ``metrics`` are those
    requested. ``baseline`` is True for the offline model, which reports must call a baseline.
    """

    SAME: ClassVar[Mapping[str, str]] = {
        "format": "format",
        "model": "model",
        "metrics": "metrics",
        "fingerprint": "prompts, options or model settings",
    }

    format: str
    model: str
    baseline: bool
    fingerprint: str
    identity: dict[str, Any]
    metrics: list[str]
    formats: dict[str, dict[str, Any]] = Field(default_factory=dict, exclude_if=not_)
    """Where the judge is made of several formats, each with its ``fingerprint``, ``identity`` and the ``names`` of its
    metrics here."""

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """The fingerprint of the judge configuration, and of each format that it is made of."""
        return (self.fingerprint, *(part["fingerprint"] for part in self.formats.values()))

    def fingerprint_of(self, metric: str) -> str:
        """Return the fingerprint of the format that measures a metric."""
        for part in self.formats.values():
            if metric in part["names"].values():
                return str(part["fingerprint"])
        return self.fingerprint

    def differences(self, other: RunRecord) -> list[str]:
        """Return in words which fields that must be equal differ from those of ``other``.

        Where only the fingerprint differs, it names the parts of the judge configuration that differ.
        """
        found = super().differences(other)
        if found == [self.SAME["fingerprint"]] and isinstance(other, InstrumentRecord):
            own, others = _parts(self.identity), _parts(other.identity)
            names = [name for name in {**own, **others} if own.get(name) != others.get(name)]
            if names:
                return [f"{found[0]} ({shortened(', '.join(names), 300)})"]
        return found


class JudgeRecord(InstrumentRecord):
    """The content of ``run.json`` for a run of one judge; ``items_digest`` is a hash of the items."""

    SAME: ClassVar[Mapping[str, str]] = {**InstrumentRecord.SAME, "items_digest": "items"}

    kind: str = "judge"
    options: dict[str, Any]
    model_options: dict[str, Any]
    items_name: str
    items_layout: str
    items_count: int
    items_digest: str
    items_left_out: int = 0
    last_judge: dict[str, Any] = Field(default_factory=dict, exclude_if=not_)
    """In a cascade, the ``model``, ``options`` and ``model_options`` of its last judge."""
    notes: list[str] = Field(default_factory=list)

    @property
    def judging(self) -> dict[str, Any]:
        """The settings of :class:`conqret.judging.judge_options.JudgeOptions` that the run used."""
        known = {
            field.name: self.options[field.name]
            for field in fields(JudgeOptions)
            if field.name in self.options
        }
        return {**known, "metrics": tuple(known.get("metrics", ()))}

    def __str__(self) -> str:
        return f"{self.format} with {self.model}, {counted(self.items_count, 'item')} from {self.items_name}"


def judgment_key(judgment: Judgment) -> str:
    """Return the key of a judgment within a run: its judge fingerprint and the id of its item."""
    return trial_key(judgment.fingerprint, judgment.item)


def trial_key(fingerprint: str, item: str) -> str:
    """Return the key under which a judgment is stored: the judge's fingerprint and the item's id."""
    return f"{fingerprint} {item}"


@dataclass(frozen=True)
class JudgmentsFolder(RunFolder[R], Generic[R]):
    """The base class of all run folders that hold judgments."""

    judgments_file = InFolder(JUDGMENTS)
    """A judgment a line."""

    def rows(self) -> RowStore[Judgment]:
        """Open the store of the run's judgments, with :func:`judgment_key` as the key.

        Judgments that lack a score count as unfinished, so that a continued run judges their items again.
        """
        return RowStore(
            self.judgments_file,
            Judgment,
            judgment_key,
            finished=lambda row: row.status in (Status.SCORED, Status.INAPPLICABLE),
        )

    def judgments(self) -> Iterator[Judgment]:
        """Yield the judgments written so far, in file order, without an incomplete last line.

        Raises:
            DeclarationError: a line is not a judgment.
        """
        for number, line in whole_lines(self.judgments_file):
            try:
                yield Judgment.model_validate_json(line)
            except ValidationError:
                raise DeclarationError(
                    f"{self.judgments_file}:{number} is not a judgment; run the command that made this run "
                    "again to repair it"
                ) from None


class GateCondition(Frozen):
    """A condition that a command set on a run, what came of it (``met`` or ``not met``), the metric that it is
    about, and whether lower scores of that metric are better (None: it does not say)."""

    condition: str
    status: str
    value: float | None
    metric: str
    lower_is_better: bool | None


class Gate(Frozen):
    """The conditions that the last command set on a run, in the file gate.json; those that are not met come first."""

    conditions: tuple[GateCondition, ...] = ()

    @property
    def metric(self) -> str:
        """The metric of the first condition on one; empty without any."""
        return next((condition.metric for condition in self.conditions if condition.metric), "")

    def lower_is_better(self, metric: str) -> bool:
        """Return whether lower scores are better: as the conditions on the metric say, else by its definition."""
        for condition in self.conditions:
            if condition.metric == metric and condition.lower_is_better is not None:
                return condition.lower_is_better
        return metric in LOWER_IS_BETTER


@dataclass(frozen=True)
class JudgeFolder(JudgmentsFolder[JudgeRecord]):
    """The run folder of a judge, with the paths of its files."""

    COMMAND: ClassVar[str] = "conqret judge"
    BEGINS: ClassVar[tuple[str, ...]] = (ITEMS,)

    requests = InFolder(REQUESTS_FOLDER)
    """The pages of the prompts and responses."""
    gate_file = InFolder("gate.json")
    """The conditions set by ``--require``, and whether they are met."""

    @property
    def gate(self) -> Gate:
        """The conditions that the last command set on the run."""
        with contextlib.suppress(DeclarationError):
            return self.result(self.gate_file, Gate)
        return Gate()

    def summary(self) -> Summary:
        """Return the summary (means, counts, cost) of a finished run.

        Raises:
            DeclarationError: the run is not finished.
        """
        killed = self.judgments_file.is_file() and not self.summary_file.is_file()
        if killed and (left := self.record().items_count - sum(1 for _ in self.judgments())) > 0:
            raise self._unfinished(left)
        summary = self.result(self.summary_file, Summary)
        if summary.outstanding:
            raise self._unfinished(summary.outstanding)
        return summary

    def _unfinished(self, left: int) -> DeclarationError:
        return DeclarationError(
            f"{self.path} contains no finished run: {counted(left, 'item')} {'has' if left == 1 else 'have'} no "
            "judgment yet; give the command that made it again, and it goes on from there"
        )

    def finished(self) -> Iterator[Judgment]:
        """Return the judgments of a finished run.

        Raises:
            DeclarationError: the run does not exist or is not finished.
        """
        self.record()
        self.summary()
        return self.judgments()

    def so_far(self) -> Summary:
        """Return the summary of the judgments so far, even if the run is not finished."""
        record = self.record()
        with contextlib.suppress(DeclarationError):
            return self.summary()
        with self.rows() as rows:
            summary = summarise(rows.rows())
        return summary.of_all(record.items_count, record.items_left_out)

    def write_items(self, source: ItemSource, checked: CheckedItems | None = None) -> None:
        """Write the items into the run folder; if the check kept their lines, these are written and the
        source is not read.

        Raises:
            DeclarationError: the source has changed since it was ``checked``.
        """
        sha = hashlib.sha256()
        with replacing(self.items_file) as file:
            if checked is not None and checked.lines is not None:
                for line in checked.lines:
                    file.write(line + b"\n")
                return
            for item in source:
                record = item_record(item)
                file.write(compact(record) + b"\n")
                sha.update(canonical(record) + b"\n")
            if checked is not None and sha.hexdigest() != checked.digest:
                raise DeclarationError(
                    f"{source.name} has changed since it was checked: run the command again"
                )

    def write_results(
        self,
        rows: Rows[Judgment],
        counts: SessionCounts,
        tally: Tally | None = None,
        *,
        finished: bool = True,
    ) -> Summary:
        """Write the summary and, if the run is ``finished``, the score table, in one pass; return the
        summary.

        ``tally`` gets every judgment in the same pass. The conditions of an earlier command (gate.json) are
        removed.
        """
        record, tally = self.record(), Tally(max_items=0) if tally is None else tally

        def cells() -> Iterator[tuple[Any, ...]]:
            for judgment in rows.rows():
                tally.add(judgment)
                yield from score_cells(judgment)

        if finished:
            write_scores(self.scores_file, cells())
        else:
            for _ in cells():
                pass
        summary = tally.summary(counts).of_all(record.items_count, record.items_left_out)
        write_whole(self.summary_file, summary.model_dump_json(indent=1).encode())
        self.gate_file.unlink(missing_ok=True)  # it was about the scores before
        return summary


FinishedRun = str | Path | JudgeFolder
"""The folder of a finished run, or its place."""


def folder_of(run: FinishedRun) -> JudgeFolder:
    """Return the run folder of a run, given as a path or already as a folder."""
    return JudgeFolder(Path(run)) if isinstance(run, str | Path) else run


def shared_metrics(metrics: Mapping[Path, Sequence[str]]) -> list[str]:
    """Return the metrics that all runs share, in the order of the first run.

    Raises:
        DeclarationError: the runs share no metric.
    """
    first, *others = metrics.values()
    if shared := [name for name in first if all(name in other for other in others)]:
        return shared
    each = "; ".join(f"{run} has {', '.join(names)}" for run, names in metrics.items())
    raise DeclarationError(f"the runs share no metric: {each}")
