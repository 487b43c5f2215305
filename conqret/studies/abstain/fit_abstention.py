"""Fit the confidence thresholds above which few of a judge's scores are wrong, on human labels; and that of a cascade:
from there on the first judge's scores are kept, the last judge gives the others, and the cascade makes hardly more
errors than the last judge alone.

A score is wrong if it is too far from the aggregated label. Thresholds are tested by :mod:`conqret.stats.selective`,
over topics; the quality of the confidences as probabilities of being right is reported, too. In a cascade an item is
kept as a whole, so it has one confidence: the lowest of its metrics where the guarantee is for each of them, and their
mean where it is for all together.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from conqret.data import Judgment, Reason
from conqret.data.digest import gathered
from conqret.errors import DeclarationError, UnknownNameError, strict_options
from conqret.errors import number as counted
from conqret.io.label_set import LabelSet, unequal_chances
from conqret.io.labels import Labels, labels_of
from conqret.judging.cascade import item_confidence
from conqret.judging.judge_folder import FinishedRun, JudgeFolder, folder_of
from conqret.judging.recorded_call import OF_A_MODEL
from conqret.judging.scales import SOURCES
from conqret.stats.confidence import brier, calibration_error
from conqret.stats.estimate import MIN_TOPICS, Estimate
from conqret.stats.resampling import mean_interval
from conqret.stats.selective import cascade_curve, risk_coverage, trusted_from
from conqret.studies.abstain.result import (
    GATE,
    TOGETHER,
    Abstention,
    AbstentionRow,
    Cascade,
    CascadeErrors,
    ConfidenceQuality,
    LastJudge,
)
from conqret.studies.agreement.agreement_settings import DEFAULT_SETTINGS, AgreementSettings, Basis
from conqret.studies.agreement.label_join import NO_PAIR, NO_SCALE, DimensionView, JoinedLabels, join_labels
from conqret.studies.validate.result import ValidatedJudge, validated_judge

ROUNDING = 1e-9
DELTA = 0.05
"""The probability with which a guarantee may fail."""


class ConfidentAnswers(NamedTuple):
    """All scores that one abstention rule covers, as arrays with one entry for each score.

    ``sure`` is the confidence (NaN: none), ``labelled`` is True where a score has a human label, ``wrong`` is
    True where it is wrong, and ``topics`` has its topic.
    """

    sure: NDArray[np.float64]
    labelled: NDArray[np.bool_]
    wrong: NDArray[np.bool_]
    topics: Sequence[Hashable]


@strict_options
def abstain(
    run: FinishedRun | Iterable[Judgment],
    labels: Labels,
    *,
    error: float = 0.2,
    tolerance: float = 0.25,
    source: str | None = None,
    together: bool = False,
    metrics: Mapping[str, str] | None = None,
    settings: AgreementSettings = DEFAULT_SETTINGS,
) -> Abstention:
    """Choose the confidence below which a judge abstains, with a risk guarantee for the scores that are
    kept.

    The guarantee: in random samples of topics, more than the share ``error`` of the kept scores is wrong with
    probability :data:`DELTA` at most.

    Args:
        run: a finished run, or its judgments.
        labels: human labels of the items.
        error: the largest share of wrong scores among those kept.
        tolerance: the distance from the human label, as a share of the scale, beyond which a score is wrong.
        source: one of :data:`conqret.judging.scales.SOURCES`; None takes the first that any score has.
        together: fit one rule for all metrics instead of one for each.
        metrics: the metric of each dimension, where the names differ.
        settings: how labels are aggregated and how intervals are computed.

    Returns:
        The thresholds with the risk-coverage curves behind them.

    Raises:
        DeclarationError: no judgment has a label, labeled items were sampled with unequal probabilities, the
            judgments come from several judge configurations or already abstain, no score has a confidence,
            there are too few topics, or a share is out of range.
        UnknownNameError: ``metrics`` has an unknown name, or no score has a confidence of this ``source``.
    """
    _check_shares(error=error, tolerance=tolerance)
    kept = list(folder_of(run).finished() if isinstance(run, str | Path | JudgeFolder) else run)
    read = _random_sample(labels)
    judge = _whole_judge(kept)
    joined = join_labels(kept, read, metrics)
    source = _confidence_source(joined, source)
    answers: dict[str, ConfidentAnswers] = {}
    left_out: dict[str, str] = {}
    for dimension in joined.metrics:
        confident = _confident_answers(
            DimensionView(joined, dimension, settings), source, tolerance, joined.clustered_by
        )
        if isinstance(confident, str):
            left_out[dimension] = confident
        else:
            answers[dimension] = confident
    if not answers:
        raise _no_threshold(left_out)
    groups = {TOGETHER: list(answers)} if together else {name: [name] for name in answers}
    rules = {}
    for name, of in groups.items():
        some = [answers[dimension] for dimension in of]
        every = ConfidentAnswers(
            np.concatenate([one.sure for one in some]),
            np.concatenate([one.labelled for one in some]),
            np.concatenate([one.wrong for one in some]),
            [topic for one in some for topic in one.topics],
        )
        metrics_of = tuple(joined.metrics[dimension] for dimension in of)
        rules[name] = _row(metrics_of, every, error)
    return Abstention(
        format=judge.format,
        model=judge.model,
        fingerprint=judge.fingerprint,
        basis=Basis.from_labels(read, joined.clustered_by, joined.units, joined.clusters, settings),
        source=source,
        error=error,
        delta=DELTA,
        tolerance=tolerance,
        rules={metric: rule.threshold for rule in rules.values() for metric in rule.metrics},
        found=rules,
        left_out=left_out,
    )


def _check_shares(*, tolerance: float, **allowed: float) -> None:
    """Check the shares of a risk guarantee: ``tolerance`` from 0 to 1 (a share of the labels' scale), and others, by
    the names of their options, between 0 and 1.

    Raises:
        DeclarationError: a share is out of its range; only ``tolerance`` may be 0 or 1.
    """
    for name, share in allowed.items():
        if not 0 < share < 1:
            raise DeclarationError(f"--{name} must be a share such as 0.05, not {share:g}")
    if not 0 <= tolerance <= 1:
        raise DeclarationError(
            f"--tolerance must be a share of the labels' scale, from 0 to 1, not {tolerance:g}"
        )


def _random_sample(labels: Labels) -> LabelSet:
    """Return the labels, of items that were sampled with equal probabilities as far as is known.

    Raises:
        DeclarationError: the probabilities are unequal.
    """
    read = labels_of(labels)
    if read.unequal:
        chances = read.chances.values()
        raise DeclarationError(
            f"no guarantee can be given: {unequal_chances(chances)}. Keep each labeled item with the probability "
            f"{min(chances):g} divided by its own, drawn by a fixed seed; what is left is a random sample"
        )
    return read


def _whole_judge(judgments: Sequence[Judgment]) -> ValidatedJudge:
    """Return the judge configuration of judgments that lack no score because of an abstention.

    Raises:
        DeclarationError: some do, there are no judgments, or they are of several judge configurations.
    """
    judge = validated_judge(judgments)
    if any(measure.reason is Reason.UNSURE for judged in judgments for measure in judged.measures.values()):
        raise DeclarationError(
            "this run was judged with --abstain, so some of its scores are missing: judge again without --abstain"
        )
    return judge


def _confidence_source(joined: JoinedLabels, wanted: str | None) -> str:
    """Return the source of confidence: the ``wanted`` one, or the first that the scores have.

    Raises:
        DeclarationError: no score has a confidence.
        UnknownNameError: no score has one of this source.
    """
    every = (score for scores in joined.scores.values() for score in scores.values())
    there = {source for score in every for source in score.confidence}
    if not there:
        raise DeclarationError(
            "no score of this run has a confidence: judge with --samples 5 (agreement between samples), with "
            "--confidence (the judge states it), with g-eval on a model that gives log-probabilities, or compare two "
            "arguments (both orders)"
        )
    if wanted is not None and wanted not in there:
        raise UnknownNameError("source of confidence in this run", wanted, sorted(there))
    return wanted or next(source for source in (*SOURCES, *sorted(there)) if source in there)


def _no_errors(view: DimensionView) -> str:
    """Return the reason why scores of a dimension cannot be right or wrong; empty where they can."""
    if any(unit.part for unit in view.unit_scores):
        return "documents are labeled one by one, and a judge is not asked how sure it is of each"
    if not view.placed:
        return NO_SCALE
    return "" if view.compared.any() else NO_PAIR


def _wrong_scores(view: DimensionView, tolerance: float) -> NDArray[np.float64]:
    """Return for each unit 1 where its score is too far from the label, 0 where it is not, and NaN without both."""
    low, high = (0.0, 1.0) if view.verdicts else view.scale.ends()
    exact = view.verdicts or view.scale.level == "nominal" or view.scale.binary
    allowed = 0.0 if exact else tolerance * (high - low)
    apart = np.abs(view.judge(rounded=exact) - view.target)
    return np.where(view.compared, apart > allowed + ROUNDING, np.nan)


def _confident_answers(
    view: DimensionView, source: str, tolerance: float, clustered_by: str
) -> ConfidentAnswers | str:
    """Return the scored units of a dimension with their confidence, which of them have a label and which are wrong, or
    the reason why no threshold can be fitted (too few topics, say)."""
    if reason := _no_errors(view):
        return reason
    scored = [view.unit_scores.get(unit) for unit in view.units]
    sure = np.array([np.nan if score is None else score.confidence.get(source, np.nan) for score in scored])
    labelled = view.compared & ~np.isnan(sure)
    topics = len(set(view.clusters_of(labelled)))
    if topics < MIN_TOPICS:
        number = counted(topics, clustered_by)
        return f"scores with a confidence and labels of {number}, and {MIN_TOPICS} are needed"
    there = np.flatnonzero(view.scored)
    return ConfidentAnswers(
        sure[there],
        labelled[there],
        (_wrong_scores(view, tolerance) == 1)[there],
        [view.clusters[place] for place in there.tolist()],
    )


def _row(metrics: tuple[str, ...], answers: ConfidentAnswers, error: float) -> AbstentionRow:
    curve = risk_coverage(*answers, error=error, delta=DELTA)
    at = np.flatnonzero(answers.labelled)
    topics = [answers.topics[place] for place in at.tolist()]
    sure, right = answers.sure[at], 1 - answers.wrong[at].astype(np.float64)
    return AbstentionRow(
        metrics=metrics,
        units=len(at),
        topics=len(set(topics)),
        unsaid=int(np.isnan(answers.sure).sum()),
        wrong=mean_interval(1 - right, topics, scale="share"),
        threshold=trusted_from(curve),
        curve=curve,
        stated=ConfidenceQuality(
            brier=brier(sure, right, topics).estimate(),
            error=calibration_error(sure, right, topics).estimate(),
        ),
        constant=float(right.mean() * (1 - right.mean())),
    )


@strict_options
def fit_cascade(
    run: FinishedRun,
    labels: Labels,
    *,
    against: FinishedRun,
    margin: float = 0.03,
    tolerance: float = 0.25,
    source: str | None = None,
    together: bool = False,
    metrics: Mapping[str, str] | None = None,
    settings: AgreementSettings = DEFAULT_SETTINGS,
) -> Cascade:
    """Choose the confidence from which the judge of ``run`` is trusted instead of the judge of ``against``.

    The guarantee: in random samples of topics, with probability :data:`DELTA` at most, the cascade of both makes more
    than ``margin`` more errors than the last judge alone, as a share of all scores.

    Args:
        run: a finished run of the first, cheap judge, whose scores have a confidence.
        labels: human labels of the items.
        against: a finished run of the last judge, with the same format, on the labeled items.
        margin: how many more errors the cascade may make, as a share of all scores.
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
    _check_shares(margin=margin, tolerance=tolerance)
    folders = folder_of(run), folder_of(against)
    judgments, others = (list(folder.finished()) for folder in folders)
    read = _random_sample(labels)
    judge, other = _whole_judge(judgments), _whole_judge(others)
    if judge.format != other.format or judge.fingerprint == other.fingerprint:
        raise DeclarationError(
            f"{folders[0].path} is of {judge.format} with {judge.model}, and {folders[1].path} of {other.format} with "
            f"{other.model}: a cascade needs runs of two judges with the same format"
        )
    joined, joined_last = join_labels(judgments, read, metrics), join_labels(others, read, metrics)
    source = _confidence_source(joined, source)
    places = {judgment.item: place for place, judgment in enumerate(judgments)}
    errors: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
    left_out: dict[str, str] = {}
    unpaired = 0
    for dimension in joined.metrics:
        view = DimensionView(joined, dimension, settings)
        reason = _no_errors(view)
        if not reason and dimension not in joined_last.metrics:
            reason = f"{other.model} did not judge it"
        if reason:
            left_out[dimension] = reason
            continue
        sides = [np.full(len(judgments), np.nan) for _ in range(2)]
        for side, view_of in zip(sides, (view, DimensionView(joined_last, dimension, settings)), strict=True):
            for unit, wrong in zip(view_of.units, _wrong_scores(view_of, tolerance), strict=True):
                if unit.item in places:
                    side[places[unit.item]] = wrong
        unpaired += int((~np.isnan(sides[0]) & np.isnan(sides[1])).sum())
        errors[dimension] = sides[0], sides[1]
    if not errors:
        raise _no_threshold(left_out)
    covered = tuple(joined.metrics[dimension] for dimension in errors)
    sure = [item_confidence(judgment, source, covered, together=together) for judgment in judgments]
    confidence = np.array(sure, dtype=float)
    topic_of = {unit.item: cluster for unit, cluster in zip(joined.units, joined.clusters, strict=True)}
    topics = [topic_of.get(judgment.item, judgment.item) for judgment in judgments]
    first, last = (np.stack([each[side] for each in errors.values()], axis=1) for side in (0, 1))
    labelled = np.flatnonzero((~np.isnan(first) & ~np.isnan(last)).any(axis=1)).tolist()
    if (count := len({topics[place] for place in labelled})) < MIN_TOPICS:
        both = f"scores of both judges with labels are of {counted(count, joined.clustered_by)}"
        raise _no_threshold({"": f"{both}, and {MIN_TOPICS} are needed", **left_out})
    # without a score of the first judge, the last one judges
    tested, names, kept, escalated = confidence, topics, np.where(np.isnan(first), last, first), last
    if together:
        tested, names = np.repeat(tested, len(covered)), [name for name in names for _ in covered]
        kept, escalated = kept.reshape(-1, 1), escalated.reshape(-1, 1)
    curve = cascade_curve(tested, kept, escalated, names, margin=margin, delta=DELTA)
    threshold = trusted_from(curve)
    columns = {name: [place] for place, name in enumerate(errors)} | {TOGETHER: [*range(len(covered))]}
    record = folders[1].record()
    return Cascade(
        format=judge.format,
        model=judge.model,
        fingerprint=judge.fingerprint,
        last=LastJudge(
            model=record.model,
            fingerprint=record.fingerprint,
            options={name: value for name, value in record.judging.items() if name != "metrics"},
            model_options={
                name: record.model_options[name] for name in OF_A_MODEL if name in record.model_options
            },
        ),
        basis=Basis.from_labels(read, joined.clustered_by, joined.units, joined.clusters, settings),
        source=source,
        margin=margin,
        delta=DELTA,
        tolerance=tolerance,
        together=together,
        metrics=covered,
        threshold=threshold,
        curve=curve,
        errors={
            name: _errors(
                tuple(covered[place] for place in places),
                confidence,
                topics,
                first[:, places],
                last[:, places],
                threshold,
            )
            for name, places in columns.items()
        },
        gate_share=float((confidence >= GATE).mean()),
        left_out=left_out,
        unpaired=unpaired,
    )


def _errors(
    metrics: tuple[str, ...],
    confidence: NDArray[np.float64],
    topics: Sequence[Hashable],
    first: NDArray[np.float64],
    last: NDArray[np.float64],
    threshold: float | None,
) -> CascadeErrors:
    """Return the errors of each judge, the cascade and the gate, over the scores with a label and a score of the last
    judge. ``first`` and ``last`` are 1 where that judge is wrong, 0 where it is right, else NaN (items by metrics);
    without a ``threshold`` there are no errors of the cascade."""
    there = ~np.isnan(last)
    rows = np.nonzero(there)[0]
    places = {topic: place for place, topic in enumerate(dict.fromkeys(topics))}
    sure, names = confidence[rows], np.array([places[topics[row]] for row in rows.tolist()])
    first, last = first[there], last[there]

    def share(wrong: NDArray[np.float64]) -> Estimate:
        known = ~np.isnan(wrong)
        return mean_interval(wrong[known], names[known].tolist(), confidence=1 - 2 * DELTA, scale="share")

    return CascadeErrors(
        metrics=metrics,
        units=len(rows),
        topics=len(set(names.tolist())),
        first=share(first),
        last=share(last),
        cascade=None if threshold is None else share(np.where(sure >= threshold, first, last)),
        gate=share(np.where(sure >= GATE, first, last)),
    )


def _no_threshold(reasons: Mapping[str, str]) -> DeclarationError:
    """Return the error that no threshold can be determined, with the reason of each dimension (none: of all)."""
    by_reason = gathered((reason, name) for name, reason in reasons.items())
    why = [f"{', '.join(names)}: {reason}".removeprefix(": ") for reason, names in by_reason.items()]
    return DeclarationError(f"no threshold can be determined: {'; '.join(why)}")
