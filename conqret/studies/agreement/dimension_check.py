"""Compare the judge with people on one dimension."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from conqret.stats.agreement import alphas
from conqret.stats.alternative_annotator import AlternativeAnnotator, alternative_annotator_test
from conqret.stats.estimate import Sampled, undefined, without_value
from conqret.stats.prediction_powered import CorrectedMean, no_correction, prediction_powered_mean
from conqret.stats.resampling import Resamples
from conqret.stats.rogan_gladen import CorrectedShare, rogan_gladen
from conqret.studies.agreement.agreement_settings import AgreementSettings
from conqret.studies.agreement.annotator_agreement import label_counts
from conqret.studies.agreement.dimension_result import DimensionValidation
from conqret.studies.agreement.dimension_view import NO_PAIR, NO_SCALE, View
from conqret.studies.agreement.label_join import Joined
from conqret.studies.agreement.statistics import CALIBRATED, NOT_CALIBRATED, STATISTICS
from conqret.studies.agreement.trivial_judges import over_trivial


@dataclass(frozen=True, slots=True)
class DimensionCheck:
    """The result, with the alphas that averages are made of: the judge's by variant, people's, one person's, and the
    judge's in the place of one."""

    result: DimensionValidation
    judge: Mapping[str, Sampled]
    people: Sampled
    person: Sampled
    as_person: Sampled


def check_dimension(
    joined: Joined, dimension: str, drawn: Resamples, settings: AgreementSettings
) -> DimensionCheck:
    """Everything about one dimension; ``drawn`` resamples the units of ``joined``."""
    view = View(joined, dimension, settings)
    scale, confidence = view.scale, settings.confidence
    judge = {name: view.alpha(name, drawn) for name in view.variants}
    people = alphas(view.table[None], scale.level, drawn)[0]
    person, as_person = view.person(drawn)
    variants = {name: one.estimate(confidence) for name, one in judge.items()}
    absent = joined.labels.absent(dimension)
    labelled, scored = int(view.labelled.sum()), int((view.labelled & view.scored).sum())
    values = [one.value for one in view.found.values()]
    held, lost = sum(value or 0.0 for value in values), values.count(None)
    reasons = Counter(one.reason for one in view.found.values() if one.value is None)
    alternative = _alternative(view)
    result = DimensionValidation(
        dimension=dimension,
        metric=joined.metrics[dimension],
        level=scale.level,
        scale=str(scale),
        target=view.target_words,
        onto=view.onto_words,
        positive=view.positive_words,
        annotators=len(view.names),
        names=list(view.names),
        judged=len(values),
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
        over=over_trivial(judge, confidence),
        alpha_each=view.each(drawn).estimate(confidence),
        people=people.estimate(confidence),
        person=person.estimate(confidence),
        as_person=as_person.estimate(confidence),
        to_person=_difference(as_person, person).estimate(confidence),
        calibrated=variants.get(CALIBRATED, undefined(NOT_CALIBRATED)),
        statistics={name: view.statistic(one, drawn) for name, one in STATISTICS.items()},
        alternative=alternative,
        stands_in=alternative.passed,
        mean=_mean(view),
        share=_share(view),
        worst_case=held / len(values) if values else None,
        best_case=(held + lost) / len(values) if values else None,
    )
    return DimensionCheck(result, judge, people, person, as_person)


def _difference(one: Sampled, other: Sampled) -> Sampled:
    return one.minus(other) if one.defined and other.defined else without_value(one.reason or other.reason)


def _alternative(view: View) -> AlternativeAnnotator:
    epsilon = view.settings.epsilon
    if not view.placed:
        return AlternativeAnnotator(epsilon, None, None, None, reason=NO_SCALE)
    judge = view.judge(rounded=view.scale.whole and view.scale.bounded)
    names = view.names or ("nobody",)
    return alternative_annotator_test(
        judge, view.table, names, view.scale.level, clusters=view.clusters, epsilon=epsilon
    )


def _mean(view: View) -> CorrectedMean:
    """People's mean over all judged units, in [0, 1]."""
    import numpy as np

    if not view.scale.bounded or view.verdicts:
        return no_correction("verdicts in words have no mean" if view.placed else NO_SCALE)
    known = view.judged & ~np.isnan(view.target)
    rest = view.judged & ~view.there.any(axis=0)
    if not view.compared.any():
        return no_correction(NO_PAIR)
    score, target = map(view.scale.unit, (view.judge(rounded=False), view.target))
    return prediction_powered_mean(
        target[known],
        score[known],
        score[rest],
        clusters=view.clusters_of(known),
        unlabelled_clusters=view.clusters_of(rest),
        confidence=view.settings.confidence,
        scale="share",
    )


def _share(view: View) -> CorrectedShare | None:
    """The share of positives among the unlabelled units; None where no label counts as positive, or none is left."""
    if view.positive_from is None or not view.scale.bounded or not view.unlabelled.any():
        return None
    judge, truth = (
        side >= view.positive_from for side in (view.judge(rounded=view.scale.whole), view.target)
    )
    known, rest = view.compared, view.unlabelled
    return rogan_gladen(
        truth[known],
        judge[known],
        judge[rest],
        clusters=view.clusters_of(known),
        unlabelled_clusters=view.clusters_of(rest),
        confidence=view.settings.confidence,
    )
