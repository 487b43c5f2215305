"""How far does the judge agree with annotators? Judgments compared with human labels, in one typed result.

ConQRet, sections 5.1 and 6.1: Krippendorff's alpha between judge and annotators on each dimension, averaged without
overall quality, and on overall quality (Table 5), for the samples singly, their mean and their majority (Tables 6,
13, 14). Each comes with inter-annotator agreement, the base rate, and an interval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import not_

import numpy as np
from pydantic import Field

from conqret.data import Item, Judgment
from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.errors import DeclarationError
from conqret.io.label_set import LabelSet
from conqret.stats.agreement import AlternativeAnnotator, alphas, alternative_annotator_test
from conqret.stats.estimate import too_few, undefined
from conqret.stats.jackknife import JackknifedEstimate, without_value
from conqret.stats.prediction_powered import (
    CorrectedMean,
    ProbabilitySample,
    no_correction,
    prediction_powered_mean,
    weighted_mean,
)
from conqret.stats.resampling import Resamples, leave_one_out
from conqret.studies.agreement.agreement_settings import DEFAULT_SETTINGS, AgreementSettings, Basis
from conqret.studies.agreement.annotator_agreement import averaged_alphas, averaged_dimensions, label_counts
from conqret.studies.agreement.judge_agreement import (
    ANNOTATOR_ALPHAS,
    Average,
    DimensionValidation,
    LanguageAgreement,
    Missingness,
    missingness,
)
from conqret.studies.agreement.judge_baselines import differences_from_baselines, with_baselines
from conqret.studies.agreement.label_join import (
    NO_PAIR,
    NO_SCALE,
    DimensionView,
    JoinedLabels,
    JoinReport,
    join_labels,
)
from conqret.studies.agreement.level_probabilities import level_figures
from conqret.studies.agreement.pass_fail import NO_GUARD, PassFail, label_views, pass_fail, wrong_verdicts
from conqret.studies.agreement.statistics import CALIBRATED, NOT_CALIBRATED, STATISTICS
from conqret.studies.calibrate.result import Calibration
from conqret.studies.check.checked_table import DrawnBy
from conqret.studies.check.figures import dispute_note
from conqret.studies.check.label_view import BY_LABEL, LabelView
from conqret.studies.check.result import DrawGuard

SCHEMA = "conqret.validation/4"


class ValidatedJudge(Frozen):
    """The judge configuration of the judgments: format, model and fingerprint.

    ``baseline`` is True for the offline model.
    """

    format: str
    model: str
    fingerprint: str
    baseline: bool


class Validation(Frozen):
    """The result of comparing one judge with human labels.

    ``coverage`` is the share of judged and labeled units that have a score, over all dimensions.
    ``languages`` has the agreement by dimension and language, if labeled items are in several languages. ``guard`` says
    whether the labeled items can be a random sample of the judged ones, ``drawn_by`` how the user says they were drawn.
    """

    schema_name: str = SCHEMA
    judge: ValidatedJudge
    basis: Basis
    join: JoinReport
    coverage: float
    dimensions: dict[str, DimensionValidation]
    average: Average
    missing: Missingness
    languages: tuple[LanguageAgreement, ...] = Field(default=(), exclude_if=not_)
    guard: DrawGuard = Field(default=NO_GUARD, exclude_if=lambda guard: guard == NO_GUARD)
    drawn_by: DrawnBy | None = Field(default=None, exclude_if=not_)


def _check_dimension(
    joined: JoinedLabels,
    dimension: str,
    drawn: Resamples,
    view: DimensionView,
    claimed: LabelView,
    rates: PassFail | None,
) -> tuple[DimensionValidation, dict[str, JackknifedEstimate]]:
    """Return all results on one dimension, and the jackknifed alphas, by name, from which averages are made. ``drawn``
    leaves out one cluster of units at a time, and ``claimed`` says which rates the drawing of labels permits."""
    scale, confidence = view.scale, view.settings.confidence
    judge = {name: view.alpha(name, drawn) for name in view.variants}
    inter_annotator = alphas(view.table[None], scale.level, drawn)[0]
    one_annotator, judge_as_annotator = view.one_annotator_alphas(drawn)
    difference = judge_as_annotator.minus(one_annotator)
    variants = {name: statistic.estimate(confidence) for name, statistic in judge.items()}
    absent, (target, onto) = joined.labels.absent(dimension), view.in_words
    labelled, scored = int(view.labelled.sum()), int((view.labelled & view.scored).sum())
    reasons = Counter(score.reason for score in view.unit_scores.values() if score.value is None)
    statistics = {name: view.statistic(statistic, drawn) for name, statistic in STATISTICS.items()}
    passes, fails = wrong_verdicts(claimed) if rates else ([], [])
    if rates:
        statistics |= {"kappa": rates.figures["kappa"], "accuracy": rates.figures["agreement"]}
    result = DimensionValidation(
        dimension=dimension,
        metric=joined.metrics[dimension],
        level=scale.level,
        scale=str(scale),
        target=target,
        onto=onto,
        annotators=len(view.names),
        names=list(view.names),
        judged=len(view.unit_scores),
        labelled=labelled,
        scored=scored,
        compared=int(view.compared.sum()),
        coverage=scored / labelled if labelled else 0.0,
        reasons=dict(sorted(reasons.items())),
        values=label_counts(view.table[:, view.judged], scale),
        missing_labels=absent["missing"],
        cannot_judge=absent["cannot_judge"],
        alpha=variants["mean"],
        variants=variants,
        over=differences_from_baselines(judge, confidence),
        inter_annotator_alpha=inter_annotator.estimate(confidence),
        one_annotator_alpha=one_annotator.estimate(confidence),
        judge_as_annotator_alpha=judge_as_annotator.estimate(confidence),
        judge_minus_annotator=difference.estimate(confidence),
        calibrated=variants.get(CALIBRATED, undefined(NOT_CALIBRATED)),
        statistics=statistics,
        pass_fail=rates,
        alternative=_alternative(view),
        mean=_mean(view, claimed),
        probabilities=level_figures(view),
        false_passes=passes,
        false_failures=fails,
    )
    annotators = {
        "inter_annotator_alpha": inter_annotator,
        "one_annotator_alpha": one_annotator,
        "judge_as_annotator_alpha": judge_as_annotator,
    }
    return result, {**judge, **annotators}


def _alternative(view: DimensionView) -> AlternativeAnnotator:
    epsilon, names = view.settings.epsilon, view.names or ("nobody",)
    if not view.placed:
        return AlternativeAnnotator(epsilon, None, None, None, reason=NO_SCALE)
    judge = view.judge(rounded=view.scale.whole and view.scale.bounded)
    level, clusters = view.scale.level, view.clusters
    return alternative_annotator_test(judge, view.table, names, level, clusters=clusters, epsilon=epsilon)


def _mean(view: DimensionView, claimed: LabelView) -> CorrectedMean:
    """Return the human mean over all judged units, in [0, 1]. Where the drawing of the labeled units does not permit
    it, only the judge's mean has a value; all are undefined without a scale or a pair of score and label."""
    if not view.scale.bounded or view.verdicts:
        return no_correction("verdicts in words have no mean" if view.placed else NO_SCALE)
    known = view.judged & ~np.isnan(view.target)
    rest = view.judged & ~view.there.any(axis=0)
    if not view.compared.any():
        return no_correction(NO_PAIR)
    score, target = map(view.scale.unit, (view.judge(rounded=False), view.target))
    by_verdict, confidence = claimed.drawing == "verdict", view.settings.confidence
    if claimed.chances is not None:
        at = view.scored if by_verdict else known | rest
        items = ProbabilitySample(target[at], score[at], claimed.chances[at])
        mean = weighted_mean(items, view.clusters_of(at), confidence=confidence, scale="share")
    else:
        mean = prediction_powered_mean(
            target[known],
            score[known],
            score[rest],
            clusters=view.clusters_of(known),
            unlabelled_clusters=view.clusters_of(rest),
            confidence=confidence,
            scale="share",
        )
    reason = BY_LABEL if claimed.drawing == "label" else claimed.reason
    if not reason or claimed.drawing == "probabilities":
        return mean
    return replace(mean, labels=undefined(reason), corrected=undefined(reason), power=None)


def validate(
    judgments: Iterable[Judgment],
    labels: LabelSet,
    *,
    items: Iterable[Item] = (),
    metrics: Mapping[str, str] | None = None,
    settings: AgreementSettings = DEFAULT_SETTINGS,
    baseline: bool = False,
    calibration: Calibration | None = None,
    offline: Iterable[Judgment] | None = None,
    drawn_by: DrawnBy | None = None,
) -> Validation:
    """Compare the judgments of one judge with human labels.

    Args:
        judgments: the judgments of a run.
        labels: the human labels.
        items: the run's items, for the length baseline.
        metrics: the metric of each dimension, where the names differ.
        settings: how labels are aggregated and how intervals are computed.
        baseline: True if the judge is the offline model.
        calibration: calibration maps; agreement of calibrated scores is then computed, too.
        offline: judgments of the offline model, for the offline baseline.
        drawn_by: how the labeled items were chosen: at ``random``, or a fixed number of each ``verdict`` or ``label``.

    Raises:
        DeclarationError: no judgment has a label, the judgments are of several judge configurations, or
            ``calibration`` is of another one.
        UnknownNameError: ``metrics`` has an unknown name.
    """
    kept = list(judgments)
    judge = validated_judge(kept, baseline)
    joined = with_baselines(join_labels(kept, labels, metrics), items, offline, settings)
    if calibration is not None:
        formats = dict.fromkeys(name for judgment in kept for _, name in judgment.formats.values())
        calibration.check(judge.format, judge.model, [judge.fingerprint, *formats])
        joined = calibration.apply_to(joined, settings)
    drawn = leave_one_out(joined.clusters)
    views = {name: DimensionView(joined, name, settings) for name in joined.metrics}
    guard, claimed = label_views(views, joined.labels, drawn_by)
    checked = {
        name: _check_dimension(
            joined, name, drawn, view, claimed[name], rates=pass_fail(claimed[name], guard)
        )
        for name, view in views.items()
    }
    rows = {name: row for name, (row, _) in checked.items()}
    units = sum(row.labelled for row in rows.values())
    ties = [(name, dispute_note(claimed[name], view.labelled)) for name, view in views.items()]
    basis = Basis.from_labels(joined.labels, joined.clustered_by, joined.units, joined.clusters, settings)
    notes = [f"{name}: {note}" for name, note in ties if note]
    return Validation(
        judge=judge,
        basis=basis.model_copy(update={"notes": (*basis.notes, *notes)}),
        join=joined.report,
        coverage=sum(row.scored for row in rows.values()) / units if units else 0.0,
        dimensions=rows,
        average=_average({name: every for name, (_, every) in checked.items()}, settings.confidence),
        missing=missingness(kept),
        languages=tuple(_by_language(joined, settings)),
        guard=guard,
        drawn_by=drawn_by,
    )


def _by_language(joined: JoinedLabels, settings: AgreementSettings) -> Iterator[LanguageAgreement]:
    """Yield the agreement on the items of each language, the largest first; none if all labels are of one language.
    Languages with few topics have an alpha with a warning as its reason."""
    labelled = {unit.item for unit in joined.labels.units} & {unit.item for unit in joined.units}
    items = gathered((joined.languages.get(item, ""), item) for item in labelled)
    if len(items) < 2:
        return
    for language, of_language in sorted(items.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        part = joined.only(set(of_language))
        drawn = leave_one_out(part.clusters)
        for dimension in part.metrics:
            view = DimensionView(part, dimension, settings)
            topics = len(set(view.clusters_of(view.compared)))
            alpha = view.alpha("mean", drawn).estimate(settings.confidence)
            annotators = alphas(view.table[None], view.scale.level, drawn)[0].estimate(settings.confidence)
            if (few := too_few(topics)) and alpha.value is not None:
                alpha = replace(alpha, reason=few)
            yield LanguageAgreement(
                language=language,
                dimension=dimension,
                units=int(view.compared.sum()),
                topics=topics,
                alpha=alpha,
                inter_annotator_alpha=annotators,
            )


def validated_judge(judgments: Sequence[Judgment], baseline: bool = False) -> ValidatedJudge:
    """Return the judge configuration of the judgments.

    Raises:
        DeclarationError: there are no judgments, or they are of several judge configurations.
    """
    judges = {(judgment.format, judgment.model, judgment.fingerprint) for judgment in judgments}
    if not judges:
        raise DeclarationError("there are no judgments to validate")
    if len(judges) > 1:
        raise DeclarationError(
            f"the judgments come from {len(judges)} judge configurations (format, model, fingerprint): validate one"
        )
    name, model, fingerprint = judges.pop()
    return ValidatedJudge(format=name, model=model, fingerprint=fingerprint, baseline=baseline)


def _average(alphas: Mapping[str, Mapping[str, JackknifedEstimate]], confidence: float) -> Average:
    means = averaged_alphas(alphas)
    gain = means[CALIBRATED].minus(means["mean"]) if CALIBRATED in means else without_value(NOT_CALIBRATED)
    found = {name: mean.estimate(confidence) for name, mean in means.items()}
    return Average(
        dimensions=averaged_dimensions({name: row["mean"].defined for name, row in alphas.items()}),
        **{name: found.pop(name) for name in ANNOTATOR_ALPHAS},
        judge=found,
        gain=gain.estimate(confidence),
    )
