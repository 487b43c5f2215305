"""Fit the confidence thresholds above which few of a judge's scores are wrong, on human labels.

A score is wrong if it is too far from the aggregated label. Thresholds are tested by :mod:`conqret.stats.confidence`,
over topics; the quality of the confidences as probabilities of being right is reported, too.
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
from conqret.judging.judge_folder import FinishedRun, JudgeFolder, folder_of
from conqret.judging.scales import SOURCES
from conqret.stats.confidence import brier, calibration_error
from conqret.stats.estimate import MIN_TOPICS
from conqret.stats.resampling import mean_interval
from conqret.stats.selective import risk_coverage, trusted_from
from conqret.studies.abstain.result import TOGETHER, Abstention, AbstentionRow, ConfidenceQuality
from conqret.studies.agreement.agreement_settings import DEFAULT_SETTINGS, AgreementSettings, Basis
from conqret.studies.agreement.label_join import NO_PAIR, NO_SCALE, DimensionView, JoinedLabels, join_labels
from conqret.studies.validate.result import ValidatedJudge, validated_judge

ROUNDING = 1e-9


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
    delta: float = 0.05,
    tolerance: float = 0.25,
    source: str | None = None,
    together: bool = False,
    metrics: Mapping[str, str] | None = None,
    settings: AgreementSettings = DEFAULT_SETTINGS,
) -> Abstention:
    """Choose the confidence below which a judge abstains, with a risk guarantee for the scores that are
    kept.

    The guarantee: in random samples of topics, more than the share ``error`` of the kept scores is wrong with
    probability ``delta`` at most.

    Args:
        run: a finished run, or its judgments.
        labels: human labels of the items.
        error: the largest share of wrong scores among those kept.
        delta: the probability with which the guarantee may fail.
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
    check_shares(error=error, delta=delta, tolerance=tolerance)
    kept = list(folder_of(run).finished() if isinstance(run, str | Path | JudgeFolder) else run)
    read = random_sample(labels)
    judge = whole_judge(kept)
    joined = join_labels(kept, read, metrics)
    source = confidence_source(joined, source)
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
        by_reason = gathered((reason, name) for name, reason in left_out.items())
        why = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in by_reason.items())
        raise DeclarationError(f"no threshold can be determined: {why}")
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
        rules[name] = _row(metrics_of, every, error, delta)
    return Abstention(
        format=judge.format,
        model=judge.model,
        fingerprint=judge.fingerprint,
        basis=Basis.from_labels(read, joined.clustered_by, joined.units, joined.clusters, settings),
        source=source,
        error=error,
        delta=delta,
        tolerance=tolerance,
        rules={metric: rule.threshold for rule in rules.values() for metric in rule.metrics},
        found=rules,
        left_out=left_out,
    )


def check_shares(*, delta: float, tolerance: float, **allowed: float) -> None:
    """Check the shares of a risk guarantee: ``delta`` between 0 and 0.5, ``tolerance`` from 0 to 1 (a share of the
    labels' scale), and others, by the names of their options, between 0 and 1.

    Raises:
        DeclarationError: a share is out of its range; only ``tolerance`` may be 0 or 1.
    """
    for name, share in allowed.items():
        if not 0 < share < 1:
            raise DeclarationError(f"--{name} must be a share such as 0.05, not {share:g}")
    if not 0 < delta < 0.5:
        raise DeclarationError(f"delta must be a share such as 0.05, not {delta:g}")
    if not 0 <= tolerance <= 1:
        raise DeclarationError(
            f"--tolerance must be a share of the labels' scale, from 0 to 1, not {tolerance:g}"
        )


def random_sample(labels: Labels) -> LabelSet:
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


def whole_judge(judgments: Sequence[Judgment]) -> ValidatedJudge:
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


def confidence_source(joined: JoinedLabels, wanted: str | None) -> str:
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


def no_errors(view: DimensionView) -> str:
    """Return the reason why scores of a dimension cannot be right or wrong; empty where they can."""
    if any(unit.part for unit in view.unit_scores):
        return "documents are labeled one by one, and a judge is not asked how sure it is of each"
    if not view.placed:
        return NO_SCALE
    return "" if view.compared.any() else NO_PAIR


def wrong_scores(view: DimensionView, tolerance: float) -> NDArray[np.float64]:
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
    if reason := no_errors(view):
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
        (wrong_scores(view, tolerance) == 1)[there],
        [view.clusters[place] for place in there.tolist()],
    )


def _row(metrics: tuple[str, ...], answers: ConfidentAnswers, error: float, delta: float) -> AbstentionRow:
    curve = risk_coverage(*answers, error=error, delta=delta)
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
