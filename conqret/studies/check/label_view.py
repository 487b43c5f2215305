"""The verdicts of one judge next to the annotators' combined label, with the weight of each labeled row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from conqret.stats.agreement import Level, alphas
from conqret.stats.confidence import band_places
from conqret.stats.correlation import mean_of_raters
from conqret.stats.estimate import CONFIDENCE, Estimate, Scale, undefined
from conqret.stats.jackknife import JackknifedEstimate
from conqret.stats.prediction_powered import (
    CorrectedMean,
    ProbabilitySample,
    prediction_powered_mean,
    weighted_mean,
)
from conqret.stats.resampling import Resamples, cluster_places, leave_one_out, mean
from conqret.studies.check.checked_table import CheckedTable, JudgeColumn

FEW_LEVELS = 10
"""Distinct values up to which each is a level; more are put into bands of about as many rows."""
MANY_ROWS, RANK_GROUPS = 10_000, 20
"""Rows beyond which statistics of ranks leave out so many random groups: their intervals are narrow all the same."""
NO_LABEL = "no row has a verdict and a human label"
BY_LABEL = "the rows were drawn by label, so this share of the labeled rows says nothing of all rows"
Drawing = Literal["random", "verdict", "label", "probabilities"]
Values = NDArray[np.float64]
Mask = NDArray[np.bool_]


def combined_labels(table: CheckedTable) -> Values:
    """Return one label for each row: the mean of ratings and scores, else the majority; NaN without a label, and where
    there is no single majority."""
    return combined(table.labels, mean=table.kind in ("ratings", "scores"))


def combined(labels: Values, *, mean: bool) -> Values:
    """Return the mean or the majority of each row of ``labels`` (rows by annotators)."""
    there = ~np.isnan(labels)
    if not labels.shape[1]:
        return np.full(len(labels), np.nan)
    if labels.shape[1] == 1:
        return labels[:, 0]
    counts = there.sum(axis=1)
    if mean:
        sums = np.where(there, labels, 0.0).sum(axis=1)
        return np.asarray(np.divide(sums, counts, out=np.full(len(labels), np.nan), where=counts > 0))
    votes = (labels[:, :, None] == labels[:, None, :]).sum(axis=2)  # as often as each one's label is given
    most = votes.max(axis=1)
    label = np.where(counts > 0, labels[np.arange(len(labels)), votes.argmax(axis=1)], np.nan)
    return np.where((votes == most[:, None]).sum(axis=1) > most, np.nan, label)


def one_annotator_alphas(
    labels: Values, judge: Values, level: Level, drawn: Resamples, *, mean: bool
) -> tuple[JackknifedEstimate, JackknifedEstimate]:
    """Return alpha of one annotator and the combined label of the others (``mean`` or majority), averaged over
    annotators, and the same with the judge in the annotator's place, on rows with a verdict."""
    others = np.stack(
        [combined(np.delete(labels, place, axis=1), mean=mean) for place in range(labels.shape[1])]
    )
    annotator = np.where(np.isnan(judge), np.nan, labels.T)
    stand_in = np.where(np.isnan(labels.T), np.nan, judge)
    first, second = (
        mean_of_raters(alphas(np.stack([each, others], axis=1), level, drawn))
        for each in (annotator, stand_in)
    )
    return first, second


def strata(values: Values) -> NDArray[np.intp]:
    """Return the number of each value's level: one for each distinct value, or bands where there are many."""
    distinct, places = np.unique(values, return_inverse=True)
    return places if len(distinct) <= FEW_LEVELS else band_places(values)


@dataclass(frozen=True)
class LabelView:
    """The verdicts of ``judge`` next to the combined labels (``target``) of all rows.

    ``chances`` is the probability with which each row was drawn for labeling, None where all are alike; ``own_strata``
    is True where it follows from the verdicts of this very judge. ``reason`` is why no rate can be claimed at all;
    empty where one can. ``clusters`` has the number of each row's cluster.
    """

    table: CheckedTable
    judge: JudgeColumn
    target: Values
    clusters: NDArray[np.intp]
    drawing: Drawing | None = None
    chances: Values | None = None
    own_strata: bool = False
    reason: str = ""
    confidence: float = CONFIDENCE
    both: Mask = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "both", ~np.isnan(self.verdicts) & ~np.isnan(self.target))

    @property
    def verdicts(self) -> Values:
        """The verdicts of all rows; NaN where there is none."""
        return self.judge.values

    @cached_property
    def sides(self) -> tuple[Values, Values, Values]:
        """The labels, the verdicts and the weights of the rows that have a verdict and a label."""
        weights = np.ones(int(self.both.sum())) if self.chances is None else 1 / self.chances[self.both]
        return self.target[self.both], self.verdicts[self.both], weights

    @cached_property
    def drawn(self) -> Resamples:
        """The resamples of these rows."""
        return leave_one_out(self.clusters[self.both])

    @cached_property
    def drawn_for_ranks(self) -> Resamples:
        """The same, in fewer groups where there are many rows, for statistics of ranks."""
        return self.drawn if len(self.drawn.cluster) <= MANY_ROWS else self.drawn.grouped(RANK_GROUPS)

    @property
    def binary(self) -> bool:
        """True if scores are compared with labels of 0 and 1."""
        human = self.target[self.both]
        return self.table.kind == "scores" and len(human) > 0 and bool(np.isin(human, (0.0, 1.0)).all())

    @property
    def level(self) -> Level:
        """The level of measurement of the labels."""
        return {"ratings": "ordinal", "scores": "interval"}.get(self.table.kind, "nominal")  # type: ignore[return-value]

    def refusal(self, *, by_label: bool = False) -> str:
        """Return why a figure cannot be claimed; empty where it can. ``by_label`` says that it also holds for rows that
        were drawn by label."""
        if self.reason:
            return self.reason
        if not self.both.any():
            return NO_LABEL
        return BY_LABEL if self.drawing == "label" and not by_label else ""

    def claimed(self, compute: Callable[[], Estimate], *, by_label: bool = False) -> Estimate:
        """Return what ``compute`` does, or why it cannot be claimed."""
        refusal = self.refusal(by_label=by_label)
        return undefined(refusal) if refusal else compute()

    def share(
        self,
        part: Values | Mask,
        whole: Values | Mask | None = None,
        reason: str = "",
        scale: Scale = "share",
    ) -> Estimate:
        """Return the weighted mean of ``part`` over the rows of ``whole`` (default: all), with its interval."""
        _, _, weights = self.sides
        counted = np.ones(len(weights), dtype=bool) if whole is None else whole
        ratio = self.drawn.ratio(
            np.where(counted, part, 0) * weights, counted * weights, reason=reason, scale=scale
        )
        return ratio.estimate(self.confidence)

    def everywhere(self, values: Values, scale: Scale = "share", reason: str = "") -> Estimate:
        """Return the mean of ``values`` over all rows where there is one, with its interval."""
        known = ~np.isnan(values)
        if not known.any():
            return undefined(reason)
        return mean(values[known], self.clusters[known], scale=scale).estimate(self.confidence)

    def corrected(self, rows: Mask | None = None, scale: Scale = "share") -> CorrectedMean:
        """Return the mean label of all ``rows`` with a verdict, from verdicts and labels (prediction-powered)."""
        judged = ~np.isnan(self.verdicts) if rows is None else rows & ~np.isnan(self.verdicts)
        if self.chances is not None:
            items = ProbabilitySample(self.target[judged], self.verdicts[judged], self.chances[judged])
            return weighted_mean(
                items, self.clusters[judged].tolist(), confidence=self.confidence, scale=scale
            )
        labeled, rest = judged & self.both, judged & np.isnan(self.target)
        return prediction_powered_mean(
            self.target[labeled],
            self.verdicts[labeled],
            self.verdicts[rest],
            clusters=self.clusters[labeled].tolist(),
            unlabelled_clusters=self.clusters[rest].tolist(),
            confidence=self.confidence,
            scale=scale,
        )

    def one_annotator_alphas(self) -> tuple[Estimate, Estimate]:
        """Return alpha of one annotator and the combined label of the others, averaged over annotators, and the same
        with the judge in the annotator's place."""
        annotator, stand_in = one_annotator_alphas(
            self.table.labels[self.both],
            self.verdicts[self.both],
            self.level,
            self.drawn,
            mean=self.table.kind in ("ratings", "scores"),
        )
        return annotator.estimate(self.confidence), stand_in.estimate(self.confidence)


def numbered_clusters(table: CheckedTable) -> NDArray[np.intp]:
    """Return the number of each row's cluster: those of ``by``, else of the ids that several systems share, else one a
    row."""
    if table.clusters is not None:
        return cluster_places(table.clusters)
    if table.systems is not None and "id" in table.texts:
        return cluster_places(table.texts["id"])
    return np.arange(len(table.labels))
