"""Fit the confidence threshold of a cascade: from there on the first judge's scores are kept, the last judge gives the
others, and the cascade makes hardly more errors than the last judge alone.

Both judges are held against the same human labels, pair by pair. Thresholds are tested by
:mod:`conqret.stats.selective`, over topics. An item is kept as a whole, so it has one confidence: the lowest of its
metrics where the guarantee is for each of them, and their mean where it is for all together.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conqret.errors import DeclarationError, strict_options
from conqret.errors import number as counted
from conqret.io.labels import Labels
from conqret.judging.cascade import item_confidence
from conqret.judging.judge_folder import FinishedRun, JudgeRecord, folder_of
from conqret.judging.setup import OF_A_MODEL
from conqret.stats.estimate import MIN_TOPICS, Estimate
from conqret.stats.resampling import mean_interval
from conqret.stats.selective import CascadeStep, cascade_curve, trusted_from
from conqret.studies.abstain.fit_abstention import (
    check_shares,
    confidence_source,
    no_errors,
    random_sample,
    whole_judge,
    wrong_scores,
)
from conqret.studies.abstain.result import GATE, TOGETHER, Cascade, CascadeErrors, LastJudge
from conqret.studies.agreement.agreement_settings import DEFAULT_SETTINGS, AgreementSettings, Basis
from conqret.studies.agreement.label_join import DimensionView, join_labels


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The items of the first judge: confidence, topic, and by dimension the errors of both judges (NaN: no label)."""

    confidence: NDArray[np.float64]
    topics: list[Hashable]
    first: NDArray[np.float64]
    last: NDArray[np.float64]

    @property
    def labelled_topics(self) -> list[Hashable]:
        """The topic of each item with a label and scores of both judges."""
        there = (~np.isnan(self.first) & ~np.isnan(self.last)).any(axis=1)
        return [self.topics[place] for place in np.flatnonzero(there).tolist()]


@strict_options
def fit_cascade(
    run: FinishedRun,
    labels: Labels,
    *,
    against: FinishedRun,
    margin: float = 0.03,
    delta: float = 0.05,
    tolerance: float = 0.25,
    source: str | None = None,
    together: bool = False,
    metrics: Mapping[str, str] | None = None,
    settings: AgreementSettings = DEFAULT_SETTINGS,
) -> Cascade:
    """Choose the confidence from which the judge of ``run`` is trusted instead of the judge of ``against``.

    The guarantee: in random samples of topics, with probability ``delta`` at most, the cascade of both makes more than
    ``margin`` more errors than the last judge alone, as a share of all scores.

    Args:
        run: a finished run of the first, cheap judge, whose scores have a confidence.
        labels: human labels of the items.
        against: a finished run of the last judge, with the same format, on the labeled items.
        margin: how many more errors the cascade may make, as a share of all scores.
        delta: the probability with which the guarantee may fail.
        tolerance: the distance from the human label, as a share of the scale, beyond which a score is wrong.
        source: one of :data:`conqret.judging.scales.SOURCES`; None takes the first that any score has.
        together: give one guarantee for all metrics together instead of one for each.
        metrics: the metric of each dimension, where the names differ.
        settings: how labels are aggregated and how intervals are computed.

    Returns:
        The threshold with the errors and the curve behind it.

    Raises:
        DeclarationError: the runs are of different formats or of one judge, no item has a label and scores of both,
            labeled items were sampled with unequal probabilities, no score has a confidence, there are too few
            topics, or a share is out of range.
        UnknownNameError: ``metrics`` has an unknown name, or no score has a confidence of this ``source``.
    """
    check_shares(margin=margin, delta=delta, tolerance=tolerance)
    folders = folder_of(run), folder_of(against)
    judgments, others = (list(folder.finished()) for folder in folders)
    read = random_sample(labels)
    judge, other = whole_judge(judgments), whole_judge(others)
    if judge.format != other.format or judge.fingerprint == other.fingerprint:
        raise DeclarationError(
            f"{folders[0].path} is of {judge.format} with {judge.model}, and {folders[1].path} of {other.format} with "
            f"{other.model}: a cascade needs runs of two judges with the same format"
        )
    joined, joined_last = join_labels(judgments, read, metrics), join_labels(others, read, metrics)
    source = confidence_source(joined, source)
    places = {judgment.item: place for place, judgment in enumerate(judgments)}
    errors: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
    left_out: dict[str, str] = {}
    unpaired = 0
    for dimension in joined.metrics:
        view = DimensionView(joined, dimension, settings)
        reason = no_errors(view)
        if not reason and dimension not in joined_last.metrics:
            reason = f"{other.model} did not judge it"
        if reason:
            left_out[dimension] = reason
            continue
        sides = [np.full(len(judgments), np.nan) for _ in range(2)]
        for side, view_of in zip(sides, (view, DimensionView(joined_last, dimension, settings)), strict=True):
            for unit, wrong in zip(view_of.units, wrong_scores(view_of, tolerance), strict=True):
                if unit.item in places:
                    side[places[unit.item]] = wrong
        unpaired += int((~np.isnan(sides[0]) & np.isnan(sides[1])).sum())
        errors[dimension] = sides[0], sides[1]
    if not errors:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise DeclarationError(f"no threshold can be determined: {reasons}")
    covered = tuple(joined.metrics[dimension] for dimension in errors)
    sure = [item_confidence(judgment, source, covered, together=together) for judgment in judgments]
    topic_of = {unit.item: cluster for unit, cluster in zip(joined.units, joined.clusters, strict=True)}
    pairs = _Pairs(
        np.array([np.nan if one is None else one for one in sure], dtype=float),
        [topic_of.get(judgment.item, judgment.item) for judgment in judgments],
        *(np.array([each[side] for each in errors.values()]).reshape(len(errors), -1).T for side in range(2)),
    )
    if (topics := len(set(pairs.labelled_topics))) < MIN_TOPICS:
        reasons = "".join(f"; {name}: {reason}" for name, reason in left_out.items())
        raise DeclarationError(
            f"no threshold can be determined: scores of both judges with labels are of "
            f"{counted(topics, joined.clustered_by)}, and {MIN_TOPICS} are needed{reasons}"
        )
    curve = _tested(pairs, margin=margin, delta=delta, together=together)
    threshold = trusted_from(curve)
    return Cascade(
        format=judge.format,
        model=judge.model,
        fingerprint=judge.fingerprint,
        last=_last_judge(folders[1].record()),
        basis=Basis.from_labels(read, joined.clustered_by, joined.units, joined.clusters, settings),
        source=source,
        margin=margin,
        delta=delta,
        tolerance=tolerance,
        together=together,
        metrics=covered,
        threshold=threshold,
        curve=curve,
        errors=dict(_errors(pairs, dict(zip(errors, covered, strict=True)), threshold, delta)),
        gate_share=float((pairs.confidence >= GATE).mean()),
        left_out=left_out,
        unpaired=unpaired,
    )


def _last_judge(record: JudgeRecord) -> LastJudge:
    options = {name: value for name, value in record.judging.items() if name != "metrics"}
    known = {name: record.model_options[name] for name in OF_A_MODEL if name in record.model_options}
    return LastJudge(model=record.model, fingerprint=record.fingerprint, options=options, model_options=known)


def _tested(pairs: _Pairs, *, margin: float, delta: float, together: bool) -> tuple[CascadeStep, ...]:
    """Return the thresholds with the result of their test in each metric, or in all metrics as one (``together``).
    Items that the first judge has not scored count as the last judge's."""
    confidence, topics, last = pairs.confidence, pairs.topics, pairs.last
    first = np.where(
        np.isnan(pairs.first), last, pairs.first
    )  # without a score of the first, the last one judges
    if together:
        dimensions = first.shape[1]
        confidence, topics = (
            np.repeat(confidence, dimensions),
            [name for name in topics for _ in range(dimensions)],
        )
        first, last = first.reshape(-1, 1), last.reshape(-1, 1)
    return cascade_curve(confidence, first, last, topics, margin=margin, delta=delta)


def _errors(
    pairs: _Pairs, metrics: Mapping[str, str], threshold: float | None, delta: float
) -> Iterator[tuple[str, CascadeErrors]]:
    """The errors of each judge, the cascade and the gate, by dimension and for all of them."""
    every = tuple(metrics.values())
    for place, name in enumerate(metrics):
        yield name, _errors_in(pairs, [place], every[place : place + 1], threshold, delta)
    yield TOGETHER, _errors_in(pairs, list(range(len(every))), every, threshold, delta)


def _errors_in(
    pairs: _Pairs, columns: list[int], metrics: tuple[str, ...], threshold: float | None, delta: float
) -> CascadeErrors:
    first, last = pairs.first[:, columns], pairs.last[:, columns]
    places = {topic: place for place, topic in enumerate(dict.fromkeys(pairs.topics))}
    there = ~np.isnan(last)
    rows = np.nonzero(there)[0]
    sure, topics = pairs.confidence[rows], np.array([places[pairs.topics[row]] for row in rows.tolist()])
    first, last = first[there], last[there]

    def share(wrong: NDArray[np.float64]) -> Estimate:
        known = ~np.isnan(wrong)
        return mean_interval(wrong[known], topics[known].tolist(), confidence=1 - 2 * delta, scale="share")

    return CascadeErrors(
        metrics=metrics,
        units=len(rows),
        topics=len(set(topics.tolist())),
        first=share(first),
        last=share(last),
        cascade=None if threshold is None else share(np.where(sure >= threshold, first, last)),
        gate=share(np.where(sure >= GATE, first, last)),
    )
