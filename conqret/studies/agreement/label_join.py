"""The join of judgments and labels by item (or part of it) and dimension, and the arrays of one dimension."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from conqret.data import Judgment
from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.data.judgment import TopicKeys
from conqret.errors import DeclarationError, check_known
from conqret.io.label_set import LabelScale, LabelSet, Unit
from conqret.judging.scales import confidences
from conqret.stats.agreement import alphas
from conqret.stats.estimate import Estimate, undefined
from conqret.stats.jackknife import JackknifedEstimate, without_value
from conqret.stats.resampling import Resamples
from conqret.studies.agreement.agreement_settings import AgreementSettings
from conqret.studies.agreement.annotator_agreement import clusters_of_units, labels_table
from conqret.studies.agreement.statistics import Statistic, StatisticInput
from conqret.studies.check.label_view import combined, one_annotator_alphas
from conqret.text.words import dimension_name

PROBABLE = ("probabilities", "logprobs")
"""The methods of measures whose value is an expected value by the model's own probabilities."""

Fit = Callable[[NDArray[np.bool_]], NDArray[np.float64]]
"""Fits scores on the labels of the given units (a mask), and returns the score of every unit, in [0, 1] (NaN: none)."""


class JoinReport(Frozen):
    """The counts and names of what was joined and what was not.

    - ``items``: the number of items that were judged and labeled.
    - ``unlabelled``: items with a judgment and no label; ``unjudged``: items with labels and no judgment.
    - ``unknown_parts``: labeled parts (documents) that the judgments lack.
    - ``unknown_dimensions``: labeled dimensions without a metric; ``unlabelled_metrics``: metrics without
    labels.
    - ``duplicate_judgments``: items that were judged several times.
    """

    judged: int
    labelled: int
    items: int
    unlabelled: list[str]
    unjudged: list[str]
    unknown_parts: list[str]
    unknown_dimensions: list[str]
    unlabelled_metrics: list[str]
    duplicate_judgments: list[str]


@dataclass(frozen=True, slots=True)
class UnitScores:
    """The judge's scores of one unit.

    ``variants`` maps each variant (``mean``, ``majority``, ``sample 1`` …) to a score in [0, 1] or None.
    ``label`` is a verdict in words, ``reason`` says why there is no score, and ``confidence`` maps sources to
    confidences. ``probable`` is True if the score is an expected value by the model's own probabilities;
    ``distribution`` are these, where they are kept.
    """

    variants: Mapping[str, float | None]
    label: str | None = None
    reason: str = ""
    confidence: Mapping[str, float] = field(default_factory=dict)
    probable: bool = False
    distribution: Mapping[str, float] = field(default_factory=dict)

    @property
    def value(self) -> float | None:
        """The judge's score: the mean of its samples, or None."""
        return self.variants.get("mean")


@dataclass(frozen=True, slots=True)
class JoinedLabels:
    """Human labels joined with the scores of one judge.

    - ``metrics``: the judge's metric for each dimension.
    - ``scores``: by dimension, the scores of each judged unit, labeled or not.
    - ``units``: all judged units; ``clusters``: the cluster of each, of the kind ``clustered_by``.
    - ``languages``: the language of each item, where known.
    - ``fitted``: by dimension and variant, the function that refits scores on labels, for the jackknife.
    """

    labels: LabelSet
    metrics: Mapping[str, str]
    scores: Mapping[str, Mapping[Unit, UnitScores]]
    units: tuple[Unit, ...]
    clusters: tuple[Hashable, ...]
    clustered_by: str
    report: JoinReport
    fitted: Mapping[str, Mapping[str, Fit]] = field(default_factory=dict)
    languages: Mapping[str, str] = field(default_factory=dict)

    def with_variants(
        self, dimension: str, variants: Mapping[str, NDArray[np.float64]], fitted: Mapping[str, Fit]
    ) -> JoinedLabels:
        """Return the join with further variants of the scores of one dimension.

        Args:
            dimension: the dimension.
            variants: by name, the score of each unit in [0, 1]; NaN where there is none.
            fitted: by name, how a variant's scores are fitted on labels.
        """
        scores = dict(self.scores[dimension])
        for place, unit in enumerate(self.units):
            if unit in scores:
                known = {name: float(column[place]) for name, column in variants.items()}
                lost = scores[unit].value is None
                more = {name: None if lost or value != value else value for name, value in known.items()}
                scores[unit] = replace(scores[unit], variants={**scores[unit].variants, **more})
        fits = {**self.fitted, dimension: {**self.fitted.get(dimension, {}), **fitted}}
        return replace(self, scores={**self.scores, dimension: scores}, fitted=fits)

    def only(self, items: Collection[str]) -> JoinedLabels:
        """Return the join restricted to these items. The scores of calibration maps are kept as they are; their
        functions for refitting are dropped."""
        places = [place for place, unit in enumerate(self.units) if unit.item in items]
        scores = {
            dimension: {unit: score for unit, score in by_unit.items() if unit.item in items}
            for dimension, by_unit in self.scores.items()
        }
        units = tuple(self.units[place] for place in places)
        clusters = tuple(self.clusters[place] for place in places)
        return replace(self, scores=scores, units=units, clusters=clusters, fitted={})


def join_labels(
    judgments: Iterable[Judgment], labels: LabelSet, metrics: Mapping[str, str] | None = None
) -> JoinedLabels:
    """Join judgments and labels by item and dimension.

    Labels of parts (documents) are joined with the parts of the measure that have the same id, or are averaged
    (:func:`of_whole_items`). ``metrics`` maps dimensions to metrics where the names differ. Of several judgments of one
    item the last counts.

    Raises:
        DeclarationError: there are no judgments, no labeled item or dimension was judged, or two dimensions are to be
            compared with one metric.
        UnknownNameError: ``metrics`` names a dimension without labels, or a metric that the judge lacks.
    """
    kept = list(judgments)
    judged = {judgment.item: judgment for judgment in kept}
    if not judged:
        raise DeclarationError("there are no judgments to validate")
    counts = Counter(judgment.item for judgment in kept)
    known = list(dict.fromkeys(name for judgment in judged.values() for name in judgment.measures))
    named = _metrics(labels, known, metrics or {})
    labels = of_whole_items(labels, [kept], metrics)
    labelled = gathered((label.dimension, label.unit) for label in labels.labels)
    scores = {
        dimension: _scores(judged, metric, any(unit.part for unit in labelled[dimension]))
        for dimension, metric in named.items()
    }
    items = {label.unit.item for label in labels.labels}
    both = [item for item in judged if item in items]
    if not both or not named:
        raise DeclarationError(_nothing(labels, judged, known))
    units = tuple(dict.fromkeys(unit for unit_scores in scores.values() for unit in unit_scores))
    keys = TopicKeys.from_judged(judged.values())
    topics = {unit: keys[judged[unit.item].topic] for unit in units}
    clusters, kind = clusters_of_units(units, topics)
    unknown = {
        str(unit)
        for dimension, found in scores.items()
        for unit in labelled[dimension]
        if unit.item in judged and unit not in found
    }
    return JoinedLabels(
        labels=labels,
        metrics=named,
        scores=scores,
        units=units,
        clusters=tuple(clusters),
        clustered_by=kind,
        languages={item: judgment.language for item, judgment in judged.items() if judgment.language},
        report=JoinReport(
            judged=len(judged),
            labelled=len(items),
            items=len(both),
            unlabelled=[item for item in judged if item not in items],
            unjudged=sorted(items - set(judged)),
            unknown_parts=sorted(unknown),
            unknown_dimensions=[name for name in labels.dimensions if name not in named],
            unlabelled_metrics=[name for name in known if name not in named.values()],
            duplicate_judgments=sorted(item for item, n in counts.items() if n > 1),
        ),
    )


def of_whole_items(
    labels: LabelSet, runs: Iterable[Sequence[Judgment]], metrics: Mapping[str, str] | None = None
) -> LabelSet:
    """Return the labels with those of parts averaged for each item, where one of the runs scores whole items only.

    So a judge that rates an item's documents together can be compared with one that rates each. ``metrics`` maps
    dimensions to metrics where the names differ.
    """
    in_parts = {label.dimension for label in labels.labels if label.unit.part}
    named = {dimension_name(dimension): metric for dimension, metric in (metrics or {}).items()}
    whole = set[str]()
    for judgments in runs:
        measured = gathered((name, measure) for each in judgments for name, measure in each.measures.items())
        by_name = {dimension_name(metric): measures for metric, measures in measured.items()}
        for dimension in in_parts:
            measures = by_name.get(dimension_name(named.get(dimension, dimension)), [])
            scored = [measure for measure in measures if measure.value is not None]
            whole |= {dimension} if scored and not any(measure.parts for measure in scored) else set()
    return labels.of_whole_items(sorted(whole)) if whole else labels


def _metrics(labels: LabelSet, known: Sequence[str], metrics: Mapping[str, str]) -> dict[str, str]:
    wanted = {dimension_name(dimension): metric for dimension, metric in metrics.items()}
    check_known("labeled dimension", labels.dimensions, *wanted)
    check_known("metric of the judge", known, *wanted.values())
    wanted = {dimension_name(metric): metric for metric in known} | wanted
    named = {name: wanted[name] for name in labels.dimensions if name in wanted}
    for metric, same in gathered((metric, name) for name, metric in named.items()).items():
        if len(same) > 1:
            columns = " and ".join(f"{metric}@{name}" for name in same)
            raise DeclarationError(
                f"{' and '.join(same)} are both compared with {metric}. If they are annotators, name their columns "
                f"{columns}; if not, compare one at a time (--dimension {same[0]})"
            )
    return named


def _scores(judged: Mapping[str, Judgment], metric: str, parts: bool) -> dict[Unit, UnitScores]:
    scores: dict[Unit, UnitScores] = {}
    for item, judgment in judged.items():
        measure = judgment.measures.get(metric)
        if measure is None:
            continue
        for part in measure.parts if parts else ():
            reason = "" if part.value is not None else "no value"
            scores[Unit(item, part.id)] = UnitScores(
                {"mean": part.value},
                part.label,
                reason,
                probable=bool(part.distribution),
                distribution=part.distribution,
            )
        if not parts:
            variants = {"mean": measure.value}
            if measure.samples:
                variants["majority"] = measure.majority
                variants |= {
                    f"sample {number}": value for number, value in enumerate(measure.samples, start=1)
                }
            reason = "" if measure.reason is None else measure.reason.value
            probable = measure.method in PROBABLE
            scores[Unit(item)] = UnitScores(
                variants, measure.label, reason, confidences(measure), probable, measure.distribution
            )
    return scores


def _nothing(labels: LabelSet, judged: Mapping[str, Judgment], known: Sequence[str]) -> str:
    items = dict.fromkeys(label.unit.item for label in labels.labels)
    if not items.keys() & judged.keys():
        names = (
            f"{labels.name} has items such as {next(iter(items))!r}, and the judgments {next(iter(judged))!r}"
        )
        return f"no labeled item was judged: {names}. Use the same ids"
    names = f"{labels.name} has {', '.join(labels.dimensions)}, and the judge {', '.join(known)}"
    return (
        f"no labeled dimension is a metric of the judge: {names}. Match them with --metric DIMENSION=METRIC"
    )


MAX_CATEGORIES = 11
"""Steps of a scale up to which labels are also treated as categories (kappa, accuracy, F1)."""
NO_SCALE = (
    "the labels' scale has no known ends, so the judge's score has no place on it: say --scale LOW:HIGH"
)
NO_PAIR = "no unit has a score and a label"


class DimensionView:
    """The labels and scores of one dimension as arrays over all units of a join; NaN where a value is
    missing.
    """

    def __init__(self, joined: JoinedLabels, dimension: str, settings: AgreementSettings) -> None:
        self.settings = settings
        self.metric = joined.metrics[dimension]
        self.scale: LabelScale = joined.labels.scale(dimension)
        self.units, self.clusters = joined.units, joined.clusters
        self.unit_scores: Mapping[Unit, UnitScores] = joined.scores[dimension]
        self.fitted = joined.fitted.get(dimension, {})
        self.inclusion_chances, self.unequal = joined.labels.chances, joined.labels.unequal
        self.names, self.table = labels_table(joined.labels, dimension, self.units)
        self.there = ~np.isnan(self.table)
        self.judged = np.array([unit in self.unit_scores for unit in self.units])
        self.labelled = self.there.any(axis=0) & self.judged
        self.verdicts = bool(self.scale.words) and any(
            score.label in self.scale.words for score in self.unit_scores.values()
        )
        self.placed = self.scale.bounded or self.verdicts
        categorical = self.scale.level == "nominal" or self.scale.binary
        self.rule = settings.aggregate
        if self.rule == "auto":
            self.rule = "majority" if categorical else "mean"
        self.target = combined(self.table.T, mean=self.rule == "mean")
        self.variants = list(
            dict.fromkeys(["mean", *(name for score in self.unit_scores.values() for name in score.variants)])
        )
        self.scored = ~np.isnan(self.judge())
        self.compared = self.scored & ~np.isnan(self.target)

    @property
    def categories(self) -> list[float]:
        """All possible labels in ascending order; empty unless the scale has few whole steps or verdicts in
        words.
        """
        if self.verdicts:
            return sorted(set(self.scale.words.values()))
        if not self.scale.bounded or not self.scale.whole:
            return []
        low, high = self.scale.ends()
        return [low + step for step in range(round(high - low) + 1)] if high - low < MAX_CATEGORIES else []

    @property
    def stated(self) -> NDArray[np.float64]:
        """The scores in [0, 1] that are expected values by the model's own probabilities; NaN for other units."""
        scores = [self.unit_scores.get(unit) for unit in self.units]
        return np.array([score.value if score and score.probable else None for score in scores], dtype=float)

    @property
    def in_words(self) -> tuple[str, str]:
        """Two phrases: how labels are aggregated, and how scores are mapped onto the labels' scale."""
        target = f"the {'mean' if self.rule == 'mean' else 'most frequent'} of the human labels"
        onto = "the judge's verdict in words" if self.verdicts else NO_SCALE
        if self.scale.bounded and not self.verdicts:
            low, high = self.scale.ends()
            rounded = ", rounded to the nearest label" * self._rounds
            onto = f"score s is {low:g} + s * {high - low:g}{rounded}"
        return target if len(self.names) > 1 else "the one label of each unit", onto

    @property
    def _rounds(self) -> bool:
        return self.rule == "majority" and self.scale.whole

    def clusters_of(self, units: NDArray[np.bool_]) -> list[Hashable]:
        """Return the clusters of the units in a mask."""
        return [self.clusters[place] for place in np.flatnonzero(units)]

    def on_labels(self, values: NDArray[np.float64], *, rounded: bool | None = None) -> NDArray[np.float64]:
        """Map values in [0, 1] onto the labels' scale.

        Values are rounded to the nearest label if ``rounded`` is True; None rounds where this dimension's
        scores are rounded.
        """
        placed = self.scale.value(values)
        if not (self._rounds if rounded is None else rounded):
            return placed
        low, high = self.scale.ends()
        return np.clip(low + np.floor(placed - low + 0.5), low, high)

    def judge(self, variant: str = "mean", *, rounded: bool | None = None) -> NDArray[np.float64]:
        """Return the scores of a variant for all units on the labels' scale, or in [0, 1] if the scale has
        no ends; NaN where a score is missing.

        Verdicts in words are read for the variant ``mean`` only. ``rounded`` is as in :meth:`on_labels`.
        """
        scores = [self.unit_scores.get(unit) for unit in self.units]
        if self.verdicts:
            named = self.scale.words if variant == "mean" else {}
            return np.array([score and named.get(score.label or "") for score in scores], dtype=float)
        values = np.array([score and score.variants.get(variant) for score in scores], dtype=float)
        return self.on_labels(values, rounded=rounded) if self.scale.bounded else values  # None becomes NaN

    def alpha(self, variant: str, drawn: Resamples) -> JackknifedEstimate:
        """Compute Krippendorff's alpha of a variant's scores and the aggregated labels.

        Fitted scores are refitted without each cluster. Without a scale, alpha is not defined.
        """
        if not self.placed:
            return without_value(NO_SCALE)
        pair = np.stack([self.judge(variant), self.target])
        alpha = alphas(pair[None], self.scale.level, drawn)[0]

        def of_sides(judge: NDArray[np.float64], some: NDArray[np.bool_]) -> float:
            return alphas(np.stack([judge, self.target[some]])[None], self.scale.level)[0].value

        return self._refitted(alpha, variant, drawn, of_sides, rounds=self._rounds)

    def distance(self, variant: str, drawn: Resamples) -> JackknifedEstimate:
        """Compute the mean absolute difference of a variant's scores and the aggregated labels, as a share
        of the scale.

        Fitted scores are refitted without each cluster, as in :meth:`alpha`.
        """
        low, high = self.scale.ends()
        apart = np.abs(self.judge(variant, rounded=False) - self.target)[self.compared] / (high - low)

        def of_sides(judge: NDArray[np.float64], some: NDArray[np.bool_]) -> float:
            return float(np.abs(judge - self.target[some]).mean() / (high - low))

        return self._refitted(
            drawn.for_items(self.compared).ratio(apart, np.ones_like(apart)),
            variant,
            drawn,
            of_sides,
            rounds=False,
        )

    def _refitted(
        self,
        sampled: JackknifedEstimate,
        variant: str,
        drawn: Resamples,
        of_sides: Callable[[NDArray[np.float64], NDArray[np.bool_]], float],
        *,
        rounds: bool,
    ) -> JackknifedEstimate:
        """Replace the jackknife values of a statistic of fitted scores: for each cluster, the map is fitted on the
        units of the others, and the statistic computed on these by ``of_sides`` (scores on the labels' scale, rounded
        to labels if ``rounds``, and the mask of their units). NaN where that fails. Without a function for refitting
        ``variant``, ``sampled`` is returned unchanged."""
        fit = self.fitted.get(variant)
        if fit is None or not sampled.defined:
            return sampled
        without = []
        for weights in drawn.weights:
            some = (weights[drawn.cluster] > 0) & self.compared
            refitted = fit(some)[some] if some.any() else np.zeros(0)
            known = len(refitted) and not np.isnan(refitted).any()
            without.append(of_sides(self.on_labels(refitted, rounded=rounds), some) if known else np.nan)
        return replace(sampled, without=np.array(without, dtype=float))

    def one_annotator_alphas(self, drawn: Resamples) -> tuple[JackknifedEstimate, JackknifedEstimate]:
        """Compute two alphas with the aggregated label of the other annotators, each averaged over
        annotators.

        The first is that of each annotator; the second is that of the judge on the same units. Neither is
        defined with fewer than two annotators.
        """
        if len(self.names) < 2:
            none = without_value("fewer than two annotators labeled it")
            return none, none
        mean_alpha, stand_in = one_annotator_alphas(
            self.table.T, self.judge(), self.scale.level, drawn, mean=self.rule == "mean"
        )
        return mean_alpha, stand_in if self.placed else without_value(NO_SCALE)

    def statistic(self, statistic: Statistic, drawn: Resamples) -> Estimate:
        """Compute a declared statistic of this dimension, or say why it is not defined."""
        confidence = self.settings.confidence
        level, levels = self.scale.level, statistic.levels
        if level not in levels and not self.scale.binary:
            return undefined(f"it is for {', '.join(levels)} labels, and these are {level}")
        if statistic.input == "people":
            return statistic.compute(self.table, drawn, confidence=confidence)
        sides = self.sides(statistic.input)
        if isinstance(sides, str):
            return undefined(sides)
        labels, judge = sides
        both = ~np.isnan(labels) & ~np.isnan(judge)
        if not both.any():
            return undefined(NO_PAIR)
        some = drawn.for_items(both)
        declared = {"categories": self.categories} if statistic.input == "categories" else {}
        return statistic.compute(labels[both], judge[both], some, confidence=confidence, **declared)

    def sides(self, kind: StatisticInput) -> tuple[NDArray[np.float64], NDArray[np.float64]] | str:
        """Return labels and scores, over all units, as this kind of statistic takes them, or the reason why it is
        undefined. Labels become 1 and 0 for ``positives``, and means of labels are rounded to steps for ``categories``.
        """
        labels, judge = self.target, self.judge(rounded=kind == "categories")
        if kind == "positives" and not self.scale.binary:
            return "it is for two labels, and these are more"
        if kind == "categories" and not self.categories:
            return "the labels are no few whole steps" if self.placed else NO_SCALE
        if kind == "positives":
            positive = (labels >= (self.scale.high or 0.0)).astype(float)
            return np.where(np.isnan(labels), np.nan, positive), judge
        if kind == "categories" and self.rule == "mean" and not self.verdicts:
            low, high = self.scale.ends()
            labels = np.clip(low + np.floor(labels - low + 0.5), low, high)
        return labels, judge
