"""Rows of a table of judge verdicts as screens: which rows to label, and what annotators see of them.

Drawn at random, labels hold few of the rows that the judge fails; drawn half by half, few of the many that it passes,
on which TNR rests. So each verdict gets the mean of its share of the rows and of an equal share: 60 labels of 1,000
rows, of which the judge passes 850, are 40 passes and 20 failures. Estimates are weighted by the probabilities.
Annotators never see verdict or reason.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from conqret.console.shared_options import column_map
from conqret.data.digest import gathered
from conqret.errors import ConqretError, DeclarationError, check_known
from conqret.io.files import file_rows
from conqret.labels.annotators import BLOCK
from conqret.labels.answer_ledger import VERDICT, Ledger
from conqret.labels.database import FILE
from conqret.labels.sampling import BANDS, SEED
from conqret.labels.screens import Screen, Stratum
from conqret.studies.check.checked_table import CheckedTable
from conqret.studies.check.read_table import read_checked_table

SAMPLE = 60
"""The default number of rows to label."""


TABLE_COLUMNS = "judge=verdict,human=label"
"""What --columns looks like for a table of verdicts."""


@dataclass(frozen=True, slots=True)
class DrawnRow:
    """A row that was drawn: its ``place`` in the table, and the stratum in which it was drawn."""

    place: int
    stratum: Stratum


def table_of_verdicts(
    file: Path, task: str | None, columns: str | None = None, *, wanted: bool = False
) -> CheckedTable | None:
    """Return a file as a table of a judge's verdicts; None if it is none or holds items, or another task is
    named.

    Args:
        file: the file.
        task: the annotation task; None if none is named.
        columns: the columns of ``judge`` and ``human``; with a judge's, the file must be a table.
        wanted: whether the file must be a table in any case.

    Raises:
        DeclarationError: the file must be a table, and is none.
    """
    if task not in (None, VERDICT):
        return None
    roles = column_map(columns, TABLE_COLUMNS)
    wanted = wanted or "judge" in roles
    if wanted:
        check_known("field of a table of verdicts", ("judge", "human"), *roles)
    header = set[str]()
    with suppress(ConqretError):  # results of other tools are no tables
        header.update(getattr(next(iter(file_rows(file)), None), "record", ()))
    if not wanted and "topic" in header and header & {"argument", "documents"}:
        return None
    try:
        named = {role: [column] for role, column in roles.items()} if wanted else {}
        read = partial(read_checked_table, file, judge=named.get("judge", ()), human=named.get("human", ()))
        try:
            return read()
        except (
            DeclarationError
        ) as error:  # what swapped preferences name does not matter before there are labels
            if "--pass answers" not in str(error):
                raise
            return read(passing="answers")
    except ConqretError as error:
        if not wanted:
            return None
        remedy = (
            "; with conqret labels: --columns judge=COLUMN,human=COLUMN" if "--judge" in str(error) else ""
        )
        raise DeclarationError(f"{error}{remedy}") from None


def draw_rows(table: CheckedTable, wanted: int, seed: int = SEED) -> list[DrawnRow]:
    """Draw rows without a label for annotators, within the verdicts of the first judge.

    A larger sample of the same table contains the smaller one, and any beginning of it holds all verdicts in their
    proportion.

    Args:
        table: the table; rows on which the judge failed are left out.
        wanted: how many rows; all that there are, if fewer.
        seed: the seed of the draw.

    Raises:
        DeclarationError: no row is left to label.
    """
    rng = random.Random(seed)
    strata = dict(sorted(_strata(table).items()))
    if not strata:
        raise DeclarationError(f"{table.source} has no row left to label: each has a label, or no verdict")
    if wanted < len(strata):
        strata = {"all": [place for places in strata.values() for place in places]}
    for places in strata.values():
        rng.shuffle(places)
    total = sum(map(len, strata.values()))
    weights = {name: len(places) / total + 1 / len(strata) for name, places in strata.items()}
    drawn: list[DrawnRow] = []
    taken = Counter[str]()
    for _ in range(min(wanted, total)):
        left = (name for name in strata if taken[name] < len(strata[name]))
        name = min(left, key=lambda name: taken[name] / weights[name])
        drawn.append(DrawnRow(strata[name][taken[name]], Stratum(name=name, rows=len(strata[name]))))
        taken[name] += 1
    blocks = [drawn[start : start + BLOCK] for start in range(0, len(drawn), BLOCK)]
    for block in blocks:  # in turn, they would tell the verdict
        rng.shuffle(block)
    return [row for block in blocks for row in block]


def _strata(table: CheckedTable) -> dict[str, list[int]]:
    """The places of the unlabeled rows by verdict; scores in bands of as many rows."""
    verdicts = table.judges[0].values
    free = ~np.isnan(verdicts) & np.isnan(table.labels).all(axis=1)
    places = np.flatnonzero(free)
    if table.kind == "scores":
        ranks = np.argsort(np.argsort(verdicts[places], kind="stable"), kind="stable")
        names = [f"band {rank * BANDS // len(places) + 1}" for rank in ranks.tolist()]
    elif table.kind == "classes":
        names = [table.classes[int(value)] for value in verdicts[places]]
    elif table.kind == "ratings":
        names = [f"rated {value:g}" for value in verdicts[places].tolist()]
    else:
        low, middle, high = ("second", "tie", "first") if table.kind == "pairs" else ("fail", "", "pass")
        names = [
            high if value > 0.5 else low if value < 0.5 else middle for value in verdicts[places].tolist()
        ]
    return gathered(zip(names, places.tolist(), strict=True))


def drawn_before(folder: Path, table: CheckedTable) -> list[Screen]:
    """Return the screens of the study that a folder holds of this table; none if it holds none yet.

    Raises:
        DeclarationError: the folder holds another study.
    """
    if not (folder / FILE).is_file():
        return []
    with closing(Ledger(folder)) as ledger:
        screens = ledger.screens()
    if not {screen.item for screen in screens} <= set(table.texts["id"]) or not all(
        screen.stratum for screen in screens
    ):
        raise DeclarationError(
            f"{folder} contains labels of another file than {table.source}; give another folder with -o"
        )
    return screens


def strata_line(drawn: Iterable[Stratum]) -> str:
    """Say how many rows of each verdict were drawn, of how many."""
    counts = sorted(Counter(drawn).items(), key=lambda entry: entry[0].name)
    told = [f"{count} of {stratum.rows:,} {stratum.name}" for stratum, count in counts]
    return f"drawn by the judge's verdict: {', '.join(told)}"
