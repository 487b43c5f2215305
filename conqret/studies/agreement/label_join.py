"""Judgments and labels side by side: by item (or a part of it) and dimension, with all that has no partner listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from conqret.data import Judgment
from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.data.topic_keys import TopicKeys
from conqret.errors import DeclarationError, check_known
from conqret.io.label_set import LabelSet, Unit
from conqret.judging.scales import confidences
from conqret.studies.agreement.annotator_agreement import unit_clusters
from conqret.text.words import dimension_name

Fit = Callable[[NDArray[np.bool_]], NDArray[np.float64]]
"""From the units whose labels may be used to what is then said of every unit, in [0, 1] (NaN: nothing)."""


class JoinReport(Frozen):
    """What met and what did not.

    ``items`` were judged and labelled. ``unlabelled`` items have a judgment and no label, ``unjudged`` ones labels
    and no judgment; ``unknown_parts`` are labelled parts that the judgments do not have. ``unknown_dimensions``
    have labels and no metric of the judge, ``unlabelled_metrics`` the other way round.
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
    """What the judge says of a unit: scores in [0, 1] or None, by variant (``mean``, ``majority``, ``sample 1`` …).

    ``label`` is a verdict in words, ``reason`` why there is no score, ``confidence`` what speaks for it, by source.
    """

    variants: Mapping[str, float | None]
    label: str | None = None
    reason: str = ""
    confidence: Mapping[str, float] = field(default_factory=dict)

    @property
    def value(self) -> float | None:
        """The judge's score: the mean of its samples."""
        return self.variants.get("mean")


@dataclass(frozen=True, slots=True)
class JoinedLabels:
    """``metrics`` names the judge's metric of each dimension; ``scores`` its word on each unit of a dimension that
    was judged, labelled or not; ``units`` are all of them, with their ``clusters`` (of the kind ``clustered_by``);
    ``languages`` has the language of each
    item, where it is known. ``fitted`` has, by dimension and
    variant, how scores come about that are fitted on labels, so that what leaves out a topic can fit them again without
    it."""

    labels: LabelSet
    metrics: Mapping[str, str]
    scores: Mapping[str, Mapping[Unit, UnitScores]]
    units: tuple[Unit, ...]
    clusters: tuple[Hashable, ...]
    clustered_by: str
    report: JoinReport
    fitted: Mapping[str, Mapping[str, Fit]] = field(default_factory=dict)
    languages: Mapping[str, str] = field(default_factory=dict)

    def beside(
        self, dimension: str, said: Mapping[str, NDArray[np.float64]], fitted: Mapping[str, Fit]
    ) -> JoinedLabels:
        """The same join, in which each score of a dimension has variants beside it: what is ``said`` of the units, in
        [0, 1] (NaN: nothing), and how that is ``fitted`` on labels."""
        scores = dict(self.scores[dimension])
        for place, unit in enumerate(self.units):
            if unit in scores:
                known = {name: float(column[place]) for name, column in said.items()}
                lost = scores[unit].value is None
                more = {name: None if lost or value != value else value for name, value in known.items()}
                scores[unit] = replace(scores[unit], variants={**scores[unit].variants, **more})
        fits = {**self.fitted, dimension: {**self.fitted.get(dimension, {}), **fitted}}
        return replace(self, scores={**self.scores, dimension: scores}, fitted=fits)

    def only(self, items: Collection[str]) -> JoinedLabels:
        """The same join of some items alone, with the scores as they are."""
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
    """Join by item and dimension. ``metrics`` maps dimensions to metrics where the names differ.

    Labels of parts (documents) meet the parts of the measure with the same id.

    Raises:
        DeclarationError: nothing meets.
        UnknownNameError: ``metrics`` names a dimension without labels, or a metric that the judge has not.
    """
    kept = list(judgments)
    judged = {judgment.item: judgment for judgment in kept}
    if not judged:
        raise DeclarationError("there are no judgments to validate")
    counts = Counter(judgment.item for judgment in kept)
    known = list(dict.fromkeys(name for judgment in judged.values() for name in judgment.measures))
    named = _metrics(labels, known, metrics or {})
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
    keys = TopicKeys.of(judged.values())
    topics = {unit: keys[judged[unit.item].topic] for unit in units}
    clusters, kind = unit_clusters(units, topics)
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


def _metrics(labels: LabelSet, known: Sequence[str], metrics: Mapping[str, str]) -> dict[str, str]:
    wanted = {dimension_name(dimension): metric for dimension, metric in metrics.items()}
    check_known("labeled dimension", labels.dimensions, *wanted)
    check_known("metric of the judge", known, *wanted.values())
    wanted = {dimension_name(metric): metric for metric in known} | wanted
    return {name: wanted[name] for name in labels.dimensions if name in wanted}


def _scores(judged: Mapping[str, Judgment], metric: str, parts: bool) -> dict[Unit, UnitScores]:
    scores: dict[Unit, UnitScores] = {}
    for item, judgment in judged.items():
        measure = judgment.measures.get(metric)
        if measure is None:
            continue
        for part in measure.parts if parts else ():
            reason = "" if part.value is not None else "no value"
            scores[Unit(item, part.id)] = UnitScores({"mean": part.value}, part.label, reason)
        if not parts:
            variants = {"mean": measure.value}
            if measure.samples:
                variants["majority"] = measure.majority
                variants |= {
                    f"sample {number}": value for number, value in enumerate(measure.samples, start=1)
                }
            reason = "" if measure.reason is None else measure.reason.value
            scores[Unit(item)] = UnitScores(variants, measure.label, reason, confidences(measure))
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
