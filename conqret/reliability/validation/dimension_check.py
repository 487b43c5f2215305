"""Compare the judge with people on one dimension."""

from __future__ import annotations

from collections import Counter

from conqret.reliability.validation.dimension import STATISTICS, Checked, DimensionValidation
from conqret.reliability.validation.dimension_view import NO_SCALE, PeopleRule, View
from conqret.reliability.validation.label_join import Joined
from conqret.stats import classification, correlation
from conqret.stats.agreement import Alphas, alphas
from conqret.stats.alternative_annotator import AlternativeAnnotator, alternative_annotator_test
from conqret.stats.confusion import confusion
from conqret.stats.estimate import Estimate, undefined
from conqret.stats.kappa import cohen_kappa, fleiss_kappa
from conqret.stats.prediction_powered import CorrectedMean, no_correction, prediction_powered_mean
from conqret.stats.resampling import Resamples
from conqret.stats.rogan_gladen import CorrectedShare, rogan_gladen


def check_dimension(
    joined: Joined,
    dimension: str,
    drawn: Resamples,
    *,
    people: PeopleRule,
    positive_from: float | None,
    epsilon: float,
    confidence: float,
) -> Checked:
    """Everything about one dimension; ``drawn`` resamples the units of ``joined``."""
    view = View(joined, dimension, people, positive_from)
    scale = view.scale
    judge_alphas = {name: alphas(view.pair(view.judge(name)), scale.level, drawn) for name in view.variants}
    variants = {
        name: undefined(NO_SCALE) if not view.placed else found.estimate(0, confidence=confidence)
        for name, found in judge_alphas.items()
    }
    people_alphas = alphas(view.table[None], scale.level, drawn)
    person = view.person(drawn)
    labels = [label for label in joined.labels.labels if label.dimension == dimension]
    labelled, scored = view.labelled, view.labelled & view.scored
    values = Counter(view.table[:, view.judged][view.there[:, view.judged]].tolist())
    words = {value: word for word, value in scale.words.items()}
    reasons = Counter(one.reason for one in view.found.values() if one.value is None)
    total, lost = len(view.found), sum(one.value is None for one in view.found.values())
    held = sum(one.value for one in view.found.values() if one.value is not None)
    result = DimensionValidation(
        dimension=dimension,
        metric=joined.metrics[dimension],
        level=scale.level,
        scale=str(scale),
        target=view.target_words,
        onto=view.onto_words,
        positive=view.positive_words,
        annotators=list(view.names),
        judged=total,
        labelled=int(labelled.sum()),
        scored=int(scored.sum()),
        compared=int(view.compared.sum()),
        coverage=float(scored.sum() / labelled.sum()) if labelled.any() else 0.0,
        reasons=dict(sorted(reasons.items())),
        values={words.get(value, f"{value:g}"): count for value, count in sorted(values.items())},
        missing_labels=sum(label.absence == "missing" for label in labels),
        cannot_judge=sum(label.absence == "cannot_judge" for label in labels),
        alpha=variants["mean"],
        variants=variants,
        alpha_each=view.each(drawn, confidence),
        people=people_alphas.estimate(0, confidence=confidence),
        person=person.average(list(range(len(person.values))), confidence=confidence)
        if len(view.names) > 1
        else undefined("fewer than two people labelled it"),
        fleiss=fleiss_kappa(view.table, drawn, confidence=confidence),
        statistics=_statistics(view, drawn, confidence),
        alternative=_alternative(view, epsilon),
        mean=_mean(view, confidence),
        share=_share(view, confidence),
        worst_case=held / total if total else None,
        best_case=(held + lost) / total if total else None,
    )
    return Checked(result, judge_alphas, people_alphas, _one(person))


def _one(person: Alphas) -> Alphas:
    """The mean over annotators as one column, for averages over dimensions."""
    import numpy as np

    defined = [place for place, value in enumerate(person.values) if not np.isnan(value)]
    if not defined:
        return Alphas(
            person.values[:1], person.draws[:, :1], person.units[:1], person.ratings[:1], person.reasons[:1]
        )
    value = person.values[defined].mean(keepdims=True)
    draws = person.draws[:, defined].mean(axis=1, keepdims=True)
    return Alphas(value, draws, (max(person.units),), (max(person.ratings),), ("",))


def _statistics(view: View, drawn: Resamples, confidence: float) -> dict[str, Estimate]:
    chosen = view.compared
    if not chosen.any():
        return {name: undefined("no unit has a score and a label") for name in STATISTICS}
    some = Resamples(drawn.weights, drawn.cluster[chosen])
    target, score = view.target[chosen], view.judge("mean", rounded=False)[chosen]
    found = _as_categories(view, drawn, confidence)
    found["auroc"] = undefined("no label counts as positive: say --positive-from")
    if view.positive_from is not None:
        found["auroc"] = classification.auroc(
            target >= view.positive_from, score, some, confidence=confidence
        )
    for name, compute in (
        ("spearman", correlation.spearman), ("kendall", correlation.kendall), ("pearson", correlation.pearson),
    ):  # fmt: skip
        ordered = view.scale.level != "nominal" or view.scale.binary
        found[name] = (
            compute(target, score, some, confidence=confidence)
            if ordered
            else undefined("nominal labels have no order")
        )
    return {name: found[name] for name in STATISTICS}


def _as_categories(view: View, drawn: Resamples, confidence: float) -> dict[str, Estimate]:
    """Base rate, accuracy, kappa, F1 and Matthews' correlation, of positives where they are declared."""
    import numpy as np

    names = ("base_rate", "accuracy", "kappa", "weighted_kappa", "f1", "mcc")
    if not view.placed or not view.steps:
        reason = "the labels are no few whole steps" if view.placed else NO_SCALE
        return {name: undefined(reason) for name in names}
    judge, people = view.judge("mean", rounded=True), view.target
    if view.rule == "mean" and not view.verdicts:
        low, high = view.scale.ends()
        people = np.clip(low + np.floor(people - low + 0.5), low, high)
    if view.positive_from is not None and not view.scale.binary:
        judge, people = (
            np.where(np.isnan(side), np.nan, (side >= view.positive_from).astype(float))
            for side in (judge, people)
        )
    chosen = ~np.isnan(judge) & ~np.isnan(people)
    if not chosen.any():
        return {name: undefined("no unit has a score and a label") for name in names}
    table = confusion(people[chosen], judge[chosen], Resamples(drawn.weights, drawn.cluster[chosen]))
    return {
        "base_rate": classification.base_rate(table, confidence=confidence),
        "accuracy": classification.accuracy(table, confidence=confidence),
        "kappa": cohen_kappa(table, confidence=confidence),
        "weighted_kappa": undefined("nominal labels have no order")
        if view.scale.level == "nominal"
        else cohen_kappa(table, "quadratic", confidence=confidence),
        "f1": classification.f1(table, confidence=confidence),
        "mcc": classification.matthews(table, confidence=confidence),
    }


def _alternative(view: View, epsilon: float) -> AlternativeAnnotator:
    if not view.placed:
        return AlternativeAnnotator(epsilon, None, None, None, reason=NO_SCALE)
    rounded = view.scale.whole and view.scale.bounded
    judge = view.judge("mean", rounded=rounded)
    names = view.names or ("nobody",)
    return alternative_annotator_test(judge, view.table, names, view.scale.level, epsilon=epsilon)


def _mean(view: View, confidence: float) -> CorrectedMean:
    """People's mean over all judged units, in [0, 1]."""
    import numpy as np

    if not view.scale.bounded or view.verdicts:
        return no_correction(NO_SCALE if not view.placed else "verdicts in words have no mean")
    low, high = view.scale.ends()
    score = (view.judge("mean", rounded=False) - low) / (high - low)
    known = view.compared
    rest = view.scored & ~view.there.any(axis=0)
    if not known.any():
        return no_correction("no unit has a score and a label")
    target = (view.target - low) / (high - low)
    clusters = np.empty(len(view.clusters), dtype=object)
    clusters[:] = list(view.clusters)
    return prediction_powered_mean(
        target[known],
        score[known],
        score[rest],
        clusters=clusters[known].tolist(),
        unlabelled_clusters=clusters[rest].tolist(),
        confidence=confidence,
    )


def _share(view: View, confidence: float) -> CorrectedShare | None:
    """The share of positives among the unlabelled units; None where no label counts as positive, or none is left."""
    if view.positive_from is None or not view.scale.bounded:
        return None
    judge = view.judge("mean", rounded=view.scale.whole) >= view.positive_from
    rest = view.scored & ~view.there.any(axis=0)
    if not rest.any():
        return None
    truth = view.target >= view.positive_from
    ups, downs = view.compared & truth, view.compared & ~truth
    return rogan_gladen(
        int((judge & rest).sum()), int(rest.sum()), int((judge & ups).sum()), int(ups.sum()),
        int((~judge & downs).sum()), int(downs.sum()), confidence=confidence,
    )  # fmt: skip
