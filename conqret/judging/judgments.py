"""The result of judging: all judgments, by number and by item, as frames, as a page and as a run directory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Self, overload

from conqret.data import Judgment
from conqret.errors import AnswersAwaited, UnknownNameError, number
from conqret.io import ItemSource, to_frame
from conqret.judging.judge_folder import (
    JudgeFolder,
    JudgeRecord,
    judgment_rows,
    score_rows,
    skipped_row,
    trial_key,
    wide_row,
)
from conqret.judging.summary import Summary
from conqret.runs.session import SessionCounts
from conqret.runs.trials import Rows

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


@dataclass(frozen=True, repr=False)
class Judgments(Sequence[Judgment]):
    """The judgments of all items, in the order of the items.

    ``result[0]`` and ``result["voting-age-pro"]`` are judgments. ``summary`` has means with n of N, bounds, reasons,
    tokens and cost; ``session`` says what was sent, answered from recordings and kept from before; ``folder`` is the
    run directory, where there is one; ``missing`` lists what a replay lacked.
    """

    record: JudgeRecord
    source: ItemSource
    rows: Rows[Judgment]
    ids: tuple[str, ...]
    summary: Summary
    session: SessionCounts
    missing: tuple[str, ...] = ()
    folder: JudgeFolder | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What there is to know of the items, and which metrics they cannot have."""
        return tuple(self.record.notes)

    def whole(self) -> Self:
        """The same. Raises AnswersAwaited where the judgments of some items wait for a batch."""
        if self.summary.outstanding:
            raise AnswersAwaited(self.summary.outstanding, self.record.items_count)
        return self

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        by = f"{self.record.format} with {self.record.model}"
        return f"<Judgments: {by}, {number(len(self), 'item')}, {self.summary.scored} scored>"

    def _repr_html_(self) -> str:
        from conqret.judging.summary_tables import metric_table

        return f"<p>{escape(repr(self)[1:-1])}</p>{metric_table(self.summary)._repr_html_()}"

    @overload
    def __getitem__(self, place: int | str) -> Judgment: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Judgment]: ...
    def __getitem__(self, place: int | str | slice) -> Judgment | Sequence[Judgment]:
        """The judgment of an item by its number or its id.

        Raises:
            IndexError: there are not so many items.
            UnknownNameError: there is no item of this id.
        """
        if isinstance(place, slice):
            return [self._judgment(item) for item in self.ids[place]]
        return self._judgment(place if isinstance(place, str) else self.ids[place])

    @property
    def failures(self) -> tuple[Judgment, ...]:
        """The judgments in which at least one measure has no value."""
        return tuple(judgment for judgment in self if judgment.status != "scored")

    def scores(self) -> pl.DataFrame:
        """One row for each measure and each of its parts (the columns of ``scores.parquet``)."""
        frame: pl.DataFrame = to_frame([row for judgment in self for row in score_rows(judgment)], "polars")
        return frame

    def to_polars(self) -> pl.DataFrame:
        """One row an item: id, topic, stance, status, reason, each metric's value in [0, 1] and its explanation. Items
        that ``skip_invalid`` left out stand in their places: status ``skipped``, and as the reason what is wrong."""
        frame: pl.DataFrame = to_frame(list(self._wide()), "polars")
        return frame

    def to_pandas(self) -> pd.DataFrame:
        """The same as :meth:`to_polars` for pandas."""
        frame: pd.DataFrame = to_frame(list(self._wide()), "pandas")
        return frame

    def report(self, path: str | Path) -> Path:
        """Write the page for people to ``path``, and return it; it appears whole or not at all."""
        from conqret.judging.page import write_report

        if self.folder is not None:
            return write_report(self.folder, Path(path))
        with TemporaryDirectory(prefix="conqret-report-") as scratch:
            return write_report(self._written(JudgeFolder(Path(scratch))), Path(path))

    def save(self, folder: str | Path) -> JudgeFolder:
        """Write a run directory like that of ``conqret judge``, with its report.

        Raises:
            DeclarationError: the folder holds something else, or another run.
        """
        from conqret.judging.page import write_report

        target = self._written(JudgeFolder(Path(folder)))
        write_report(target)
        return target

    def _wide(self) -> Iterator[dict[str, Any]]:
        if not self.record.items_left_out:
            yield from map(wide_row, self)
            return
        judged, items = set(self.ids), iter(self.source)
        for place in self.source.places():
            if isinstance(place, str):
                yield {"id": None, "topic": None, "stance": None, **skipped_row(place)}
            elif (item := next(items).id) in judged:
                yield wide_row(self._judgment(item))

    def _judgment(self, item: str) -> Judgment:
        judgment = self.rows.get(trial_key(self.record.fingerprint, item))
        if judgment is None:
            raise UnknownNameError("judged item", item, self.ids)
        return judgment

    def _written(self, folder: JudgeFolder) -> JudgeFolder:
        record = self.record
        with folder.claimed(record, begin=lambda: folder.write_items(self.source)):
            with judgment_rows(folder.judgments_file, record.fingerprint) as rows:
                for judgment in self:
                    if trial_key(judgment.fingerprint, judgment.item) not in rows:
                        rows.add(judgment)
            folder.sum_up(rows, self.session)
        return folder

    def __iter__(self) -> Iterator[Judgment]:
        return map(self._judgment, self.ids)
