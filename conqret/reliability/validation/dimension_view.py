"""One dimension as arrays: people's labels, their one label, and the judge on their scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from conqret.io.label_scale import LabelScale
from conqret.io.label_set import Unit
from conqret.reliability.validation.label_join import Joined, Scored
from conqret.stats.agreement import Alphas, alphas
from conqret.stats.estimate import Estimate, undefined
from conqret.stats.resampling import Resamples

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PeopleRule = Literal["auto", "mean", "majority"]
"""How several labels become one: their mean, or the most frequent (none where two are equally frequent). ``auto`` is
the majority for nominal and binary labels, else the mean."""
MOST_CATEGORIES = 11
"""Steps of a scale up to which labels are also treated as categories (kappa, accuracy, F1)."""
NO_SCALE = (
    "the labels' scale has no known ends, so the judge's score has no place on it: say --scale LOW:HIGH"
)


class View:
    """The arrays of one dimension over all units of the join; NaN where there is nothing."""

    def __init__(
        self, joined: Joined, dimension: str, people: PeopleRule, positive_from: float | None
    ) -> None:
        import numpy as np

        self.scale: LabelScale = joined.labels.scale(dimension)
        self.units, self.clusters = joined.units, joined.clusters
        self.found: Mapping[Unit, Scored] = joined.scores[dimension]
        self.names, table = joined.labels.table(dimension, self.units)
        self.table: NDArray[np.float64] = table if len(table) else np.full((1, len(self.units)), np.nan)
        self.there = ~np.isnan(self.table)
        self.judged = np.array([unit in self.found for unit in self.units])
        self.labelled = self.there.any(axis=0) & self.judged
        self.verdicts = bool(self.scale.words) and any(
            one.label in self.scale.words for one in self.found.values()
        )
        self.placed = self.scale.bounded or self.verdicts
        self.positive_from = (
            positive_from if positive_from is not None else self.scale.high if self.scale.binary else None
        )
        categorical = self.scale.level == "nominal" or self.scale.binary
        self.rule = ("majority" if categorical else "mean") if people == "auto" else people
        self.target = self._one_label(self.table)
        self.variants = list(
            dict.fromkeys(["mean", *(name for one in self.found.values() for name in one.variants)])
        )
        scored = self.judge("mean")
        self.scored = ~np.isnan(scored)
        self.compared = self.scored & ~np.isnan(self.target)

    @property
    def steps(self) -> bool:
        """Whether the labels are few whole steps, and so can be treated as categories."""
        if self.verdicts:
            return True
        if not self.scale.bounded or not self.scale.whole:
            return False
        low, high = self.scale.ends()
        return high - low < MOST_CATEGORIES

    @property
    def target_words(self) -> str:
        """How several labels became one."""
        if len(self.names) < 2:
            return "the one label of each unit"
        return (
            "the mean of people's labels" if self.rule == "mean" else "the most frequent of people's labels"
        )

    @property
    def onto_words(self) -> str:
        """How scores came onto the labels' scale."""
        if self.verdicts:
            return "the judge's verdict in words"
        if not self.scale.bounded:
            return NO_SCALE
        low, high = self.scale.ends()
        text = f"score s is {low:g} + s * {high - low:g}"
        return f"{text}, rounded to the nearest label" if self._rounds else text

    @property
    def positive_words(self) -> str:
        """From which label on a unit is positive."""
        return "" if self.positive_from is None else f"{self.positive_from:g} and above"

    @property
    def _rounds(self) -> bool:
        return self.rule == "majority" and self.scale.whole

    def judge(self, variant: str, *, rounded: bool | None = None) -> NDArray[np.float64]:
        """The judge on the labels' scale (in [0, 1] where that has no ends)."""
        import numpy as np

        rounded = self._rounds if rounded is None else rounded
        values = np.full(len(self.units), np.nan)
        for place, unit in enumerate(self.units):
            one = self.found.get(unit)
            if one is None:
                continue
            unit_value = one.variants.get(variant)
            if self.verdicts:
                if one.label is not None and variant == "mean":
                    values[place] = self.scale.words.get(one.label, np.nan)
            elif unit_value is not None:
                values[place] = (
                    unit_value if not self.scale.bounded
                    else self.scale.nearest(unit_value) if rounded else self.scale.value(unit_value)
                )  # fmt: skip
        return values

    def pair(self, judge: NDArray[np.float64]) -> NDArray[np.float64]:
        """Judge and people's one label as two raters, for :func:`alphas`."""
        import numpy as np

        return np.stack([judge, self.target])[None]

    def person(self, drawn: Resamples) -> Alphas:
        """Each annotator against the one label of the others."""
        import numpy as np

        others = [
            np.stack([self.table[place], self._one_label(np.delete(self.table, place, axis=0))])
            for place in range(len(self.table))
            if len(self.table) > 1
        ]
        empty = np.full((1, 2, len(self.units)), np.nan)
        return alphas(np.stack(others) if others else empty, self.scale.level, drawn)

    def each(self, drawn: Resamples, confidence: float) -> Estimate:
        """The mean over annotators of the judge's alpha with that one alone."""
        import numpy as np

        if not self.placed:
            return undefined(NO_SCALE)
        judge = self.judge("mean")
        pairs = np.stack([np.stack([judge, row]) for row in self.table])
        found = alphas(pairs, self.scale.level, drawn)
        return found.average(list(range(len(self.table))), confidence=confidence)

    def _one_label(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        import numpy as np

        there = ~np.isnan(table)
        counts = there.sum(axis=0)
        if self.rule == "mean":
            with np.errstate(invalid="ignore"):
                return np.where(
                    counts > 0, np.where(there, table, 0.0).sum(axis=0) / np.maximum(counts, 1), np.nan
                )
        known = np.unique(table[there])
        if not len(known):
            return np.full(table.shape[1], np.nan)
        votes = (table[:, :, None] == known).sum(axis=0)
        top = votes.max(axis=1)
        clear = (top > 0) & ((votes == top[:, None]).sum(axis=1) == 1)
        return np.where(clear, known[votes.argmax(axis=1)], np.nan)
