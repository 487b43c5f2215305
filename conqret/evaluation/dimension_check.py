"""One dimension: the judge beside the people who labelled it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict

from conqret.evaluation.label_join import Joined, Scored
from conqret.io.label_scale import LabelScale
from conqret.io.labels import Unit
from conqret.stats import classification, correlation
from conqret.stats.agreement import Alphas, alphas
from conqret.stats.alternative_annotator import AlternativeAnnotator, alternative_annotator_test
from conqret.stats.confusion import confusion
from conqret.stats.estimate import Estimate, undefined
from conqret.stats.kappa import cohen_kappa, fleiss_kappa
from conqret.stats.prediction_powered import CorrectedMean, no_correction, prediction_powered_mean
from conqret.stats.resampling import Resamples
from conqret.stats.rogan_gladen import CorrectedShare, rogan_gladen

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


class DimensionValidation(BaseModel):
    """The judge on one dimension, beside the people.

    Units: ``judged`` by the judge, ``labelled`` of these by people, ``scored`` of the labelled with a score
    (``coverage`` is their share), ``compared`` in the end (people may have no majority). ``reasons`` say why
    judged units have no score. ``target`` and ``onto`` say in words how several labels became one, and how scores came
    onto the labels' scale. ``values`` counts people's labels.

    ``alpha`` is that of judge and people's one label, ``variants`` the same for the judge's mean, majority and
    single samples; ``alpha_each`` the mean over annotators of the alpha with that one alone. ``people`` is alpha among
    the people, ``person`` what one of them reaches against the one label of the others (mean over them): the
    fair comparison for ``alpha``. ``statistics`` has base_rate, accuracy, kappa, weighted_kappa, f1, mcc, auroc,
    spearman, kendall and pearson, each with a value or a reason. ``mean`` estimates the mean of people's labels over all
    judged units in [0, 1], ``share`` that of positives; ``worst_case`` and ``best_case`` bound the judge's own mean if
    every missing score were 0 or 1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    dimension: str
    metric: str
    level: str
    scale: str
    target: str
    onto: str
    positive: str
    annotators: list[str]
    judged: int
    labelled: int
    scored: int
    compared: int
    coverage: float
    reasons: dict[str, int]
    values: dict[str, int]
    missing_labels: int
    cannot_judge: int
    alpha: Estimate
    variants: dict[str, Estimate]
    alpha_each: Estimate
    people: Estimate
    person: Estimate
    fleiss: Estimate
    statistics: dict[str, Estimate]
    alternative: AlternativeAnnotator
    mean: CorrectedMean
    share: CorrectedShare | None
    worst_case: float | None
    best_case: float | None


@dataclass(frozen=True, slots=True)
class Checked:
    """The result, with the alphas whose resamples averages are made of."""

    result: DimensionValidation
    judge_alphas: Mapping[str, Alphas]
    people_alphas: Alphas
    person_alphas: Alphas


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
        person=person.average(list(range(len(person.values))), confidence=confidence),
        fleiss=fleiss_kappa(view.table, drawn, confidence=confidence),
        statistics=_statistics(view, drawn, confidence),
        alternative=_alternative(view, epsilon),
        mean=_mean(view, confidence),
        share=_share(view, confidence),
        worst_case=held / total if total else None,
        best_case=(held + lost) / total if total else None,
    )
    return Checked(result, judge_alphas, people_alphas, _one(person))


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
    names = (
        "base_rate",
        "accuracy",
        "kappa",
        "weighted_kappa",
        "f1",
        "mcc",
        "auroc",
        "spearman",
        "kendall",
        "pearson",
    )
    if not chosen.any():
        return {name: undefined("no unit has a score and a label") for name in names}
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
    return {name: found[name] for name in names}


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
