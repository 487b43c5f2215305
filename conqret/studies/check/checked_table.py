"""A table of judge verdicts and human labels, read: what each column is, and its values as arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from conqret.stats.verdict_rates import DrawnBy as DrawnBy

IN_MEMORY = "the rows"
"""The source of a table that is no file."""
Kind = Literal["pass_fail", "ratings", "scores", "pairs", "classes"]
"""Verdicts pass or fail; ordered ratings; scores in [0, 1]; preferences between two answers; classes without an
order."""


SHOWN = {"input": "Input", "context": "Context", "output": "Output", "expected": "Reference"}
"""The texts of a row that annotators see, in this order; all others may tell what the judge said."""
COMPARED = ("answer_a", "answer_b")
"""The two texts of a row that are compared."""
MAX_ID = 200
"""The most characters of an id."""
MAX_KEYS = 9
"""The most choices that have a key of their own on pages: the digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeColumn:
    """The verdicts of one judge on n rows.

    Values are 1 (pass) and 0 (fail); a rating or score as it stands; 1, 0.5 and 0 for the first answer, a tie and the
    second answer; the place in ``CheckedTable.classes``. NaN where the judge gave none.

    Attributes:
        name: the name of the column, or of the judge or metric.
        values: float (n,): the verdict of each row: of several runs the first, of two orders the mean.
        runs: float (n, runs): the verdicts of several runs; None with one run.
        orders: float (n, 2): preferences asked as A, B and as B, A, both as preferences of answer A; None with
            one order or unknown.
        probabilities: float (n,) in [0, 1]: the stated probability of a pass; None without.
        failed: how many rows have a verdict that is empty, an error, or no verdict at all.
        failures: up to three failed values with their line, as ``line 7: 'ERROR'``.
    """

    name: str
    values: NDArray[np.float64]
    runs: NDArray[np.float64] | None = None
    orders: NDArray[np.float64] | None = None
    probabilities: NDArray[np.float64] | None = None
    failed: int = 0
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedTable:
    """A table of n rows with the verdicts of at least one judge and the labels of annotators.

    Attributes:
        source: the file, or "the rows" for a table in memory.
        kind: what verdicts and labels are.
        judges: one or more judges, in the order of the columns.
        labels: float (n, annotators), on the same values as the verdicts; NaN where there is none. With no annotator
            the table has no labels yet.
        annotators: the name of each annotator's column.
        clusters: the value of ``by`` for each row; None: rows are independent.
        by: the column of clusters.
        systems: the system of each row; None without.
        chances: float (n,): the probability with which a row was drawn for labeling; NaN where unknown; None without.
        labeled_before: bool (n,): the rows that had a label before others were drawn; None without ``chances``, and
            where there are no such rows.
        drawn_by: how the labeled rows were drawn, where the user or the table says it.
        classes: the names of the classes; empty for other kinds.
        levels: the words of ratings in words, from the lowest; empty for numbers.
        scale: the least and the highest value of ratings or scores; (0, 1) otherwise.
        cut: what ``--pass`` may say of scores up to 100, which labels of pass and fail need; empty for others.
        passing: how a verdict is read, for example ``"pass" is a pass`` or ``>= 4 is a pass``.
        texts: columns of texts: id, input, output, reason, and further ones; each has n values.
        guessed: one line that says which column was taken for what.
        notes: what else a reader must know, one sentence each.
        options: the options of the command line that read the table so, with their values.
    """

    source: str
    kind: Kind
    judges: tuple[JudgeColumn, ...]
    labels: NDArray[np.float64]
    annotators: tuple[str, ...]
    clusters: tuple[str, ...] | None = None
    by: str | None = None
    systems: tuple[str, ...] | None = None
    chances: NDArray[np.float64] | None = None
    labeled_before: NDArray[np.bool_] | None = None
    drawn_by: DrawnBy | None = None
    classes: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    scale: tuple[float, float] = (0.0, 1.0)
    cut: str = ""
    passing: str = ""
    texts: Mapping[str, tuple[str, ...]]
    guessed: str = ""
    notes: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()

    @property
    def pages_lack(self) -> str:
        """Why ``labels collect`` cannot show its rows to annotators; empty where it can."""
        texts = set(COMPARED) <= set(self.texts) if self.kind == "pairs" else set(SHOWN) & set(self.texts)
        if not texts:
            names = " and ".join(COMPARED) if self.kind == "pairs" else "output, input or context"
            example = names.split()[0].rstrip(",")
            return f"no columns of texts: name those of what was judged {names}, or add --columns {example}=COLUMN"
        counts = Counter(zip(self.texts["id"], self.systems or self.texts["id"], strict=True))
        for (name, system), count in counts.items():
            if count > 1 or not 0 < len(name) <= MAX_ID:
                of = f" and the system {system!r}" if self.systems else ""
                return (
                    f"{count} rows with the id {name!r}{of}: give each its own, of 1 to {MAX_ID} characters"
                )
        if self.kind == "scores" and not np.isin(self.labels[~np.isnan(self.labels)], (0, 1)).all():
            bound = self.cut or ">=0.5"
            return f"human labels between 0 and 1, and pages have pass and fail: add a bound, as in --pass '{bound}'"
        low, high = self.scale
        if self.kind == "ratings" and not self.levels and not {low, high} <= set(range(MAX_KEYS + 1)):
            return f"ratings from {low:g} to {high:g}, and pages have keys for whole numbers from 0 to {MAX_KEYS}"
        return ""
