"""The verdicts of one judge next to the annotators' combined label: whether rates can be claimed of the labeled rows,
by how they were drawn, and what each of them stands for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from conqret.errors import number
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
from conqret.stats.verdict_rates import UNEXPLAINED, draw_matters, draw_test, verdict_rates
from conqret.studies.check.answers import (
    NO_SAMPLE,
    ONLY_ERRORS,
    errors_sentence,
    p_remark,
    unexplained_sentence,
    value_words,
    verdicts_differ,
)
from conqret.studies.check.checked_table import CheckedTable, JudgeColumn
from conqret.studies.check.result import DrawGuard

FEW_LEVELS = 10
"""Distinct values up to which each is a level; more are put into bands of about as many rows."""
MANY_ROWS, RANK_GROUPS = 10_000, 20
"""Rows beyond which statistics of ranks leave out so many random groups: their intervals are narrow all the same."""
SUSPICIOUS = 0.04
"""Where labeled rows drawn at random would differ as much in their verdicts with a smaller probability, no rate is
claimed that the draw would change. As mid-p values are a little too small, the error stays at .05."""
MIN_ERRORS = 3
"""Labels, all of which differ from the verdicts, from which on they are taken to be of errors alone."""
HARDLY = "drawn by verdict or by label, they would give nearly the same figures"
ELSE = "if they were chosen in another way, the figures do not hold"
NO_LABEL = "no row has a human label"
NO_COMMON_ROW = "no row has a verdict and a human label"
BY_LABEL = "the rows were drawn by label, so this share of the labeled rows says nothing of all rows"
Drawing = Literal["random", "verdict", "label", "probabilities"]
Values = NDArray[np.float64]
Mask = NDArray[np.bool_]


def combined_labels(table: CheckedTable) -> Values:
    """Return one label for each row: the mean of ratings and scores, else the majority; NaN without a label, and where
    there is no single majority."""
    return combined(table.labels, mean=table.kind in ("ratings", "scores"))


def combined(labels: Values, *, mean: bool) -> Values:
    """Return the mean or the majority of each row of ``labels`` (rows by annotators); NaN without a label or
    a single majority."""
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
    """Return the number, from 0, of each value's level: one for each distinct value, or bands where there are
    more than :data:`FEW_LEVELS`."""
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
    def has_label(self) -> Mask:
        """The rows with a label of any annotator, those without a majority included."""
        return np.asarray((~np.isnan(self.table.labels)).any(axis=1))

    @property
    def groups(self) -> list[int] | None:
        """The number of each row's cluster; None if rows are independent."""
        alone = self.table.clusters is None and self.table.systems is None
        return None if alone else self.clusters.tolist()

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
        """True if scores are compared with labels, all of which are 0 or 1 where both are there (at least one row)."""
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
            return NO_COMMON_ROW if self.has_label.any() else NO_LABEL
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
        """Return the weighted mean of ``part`` over the rows of ``whole`` (default: all), with its interval. Both
        have one entry for each row with a verdict and a label; ``reason`` is why there is no mean without rows."""
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

    def one_annotator_alphas(self) -> tuple[Estimate, ...]:
        """Return alpha of the judge in an annotator's place and the combined label of the others, averaged over
        annotators, that of the annotators themselves, and the difference; on all rows with a verdict and two labels,
        as those on which annotators agree would favor these."""
        rows = ~np.isnan(self.verdicts) & ((~np.isnan(self.table.labels)).sum(axis=1) > 1)
        if not rows.any():
            return (undefined("no row has two labels"),) * 3
        annotator, stand_in = one_annotator_alphas(
            self.table.labels[rows],
            self.verdicts[rows],
            self.level,
            leave_one_out(self.clusters[rows]),
            mean=self.table.kind in ("ratings", "scores"),
        )
        compared = (stand_in, annotator, stand_in.minus(annotator))
        return tuple(replace(each.estimate(self.confidence), n=int(rows.sum())) for each in compared)


def numbered_clusters(table: CheckedTable) -> NDArray[np.intp]:
    """Return the number of each row's cluster: those of ``by``, else of the ids that several systems share, else one a
    row."""
    if table.clusters is not None:
        return cluster_places(table.clusters)
    if table.systems is not None:
        return cluster_places(table.texts["id"])
    return np.arange(len(table.labels))


def claimable(views: Sequence[LabelView]) -> tuple[DrawGuard, list[LabelView]]:
    """Return whether rates can be claimed of ``views``, and the views with the weights under which they can.

    The views are of the same rows, by several judges or on several dimensions. Where rows were drawn by verdict, it is
    that verdict by which labeled and unlabeled rows differ most, of all views with the same labeled rows. Where some
    were labeled before others were drawn, it is that of the first judge, by which they were drawn.
    """
    views = _joined(views)
    tests = [_draw_p(view) for view in views]
    guard = _guard(views, tests)
    return guard, [_claimed(place, views, tests, guard) for place in range(len(views))]


def _joined(views: Sequence[LabelView]) -> Sequence[LabelView]:
    """Return the views with labels that were drawn together with those that were there before, as one sample by
    verdict. If the latter cannot be a random sample, they stand for their own rows alone. Which of the two it is
    becomes a note of the tables; views without earlier labels are returned unchanged."""
    table = views[0].table
    if table.labeled_before is None:
        return views
    before = table.labeled_before
    drawn = int((~before & ~np.isnan(views[0].target)).sum())
    known = f"the {number(int(before.sum()), 'earlier label')}"
    labels = np.where(before[:, None], table.labels, np.nan)
    alone = replace(table, chances=None, labeled_before=None)
    earlier = [
        replace(view, table=replace(alone, labels=labels), target=np.where(before, view.target, np.nan))
        for view in views
    ]
    guard = _guard(earlier, [_draw_p(view) for view in earlier])
    if table.drawn_by == "label" or guard.fired:
        why = "are no random sample; they" if guard.fired else "were drawn by label, and"
        note = f"{known} {why} stand for themselves alone, and the {drawn:,} drawn later for all other rows"
        if guard.fired and guard.p is not None:
            note += "; if you picked a fixed number of each of the judge's verdicts before, add --drawn-by verdict"
        return [replace(view, table=replace(table, notes=(*table.notes, note))) for view in views]
    note = f"{known} and the {drawn:,} drawn later count together, by verdict"
    if table.drawn_by is None:
        note += (
            f"; {known} are taken as a random sample{p_remark(guard.p)}; if you picked a fixed number of each human "
            "label, add --drawn-by label"
        )
    by_verdict = replace(alone, drawn_by="verdict", labeled_before=before, notes=(*table.notes, note))
    if _stratum_chances(views[0])[1]:
        by_verdict = replace(by_verdict, drawn_by="random")
    return [replace(view, table=by_verdict) for view in views]


def _claimed(
    place: int, views: Sequence[LabelView], tests: Sequence[float | None], guard: DrawGuard
) -> LabelView:
    view, drawing = views[place], _drawing(views[place])
    chances, reason, leading = None, "", place
    if drawing == "probabilities":
        chances = view.table.chances
        reason = _fault(view, chances)
    elif drawing == "verdict":
        missing = np.isnan(view.target)
        alike = [n for n, other in enumerate(views) if np.array_equal(np.isnan(other.target), missing)]
        if view.table.labeled_before is None:
            leading = min(alike, key=lambda n: 1.0 if (p := tests[n]) is None else p)
        else:
            leading = alike[0]
        chances, reason = _stratum_chances(views[leading])
    elif guard.fired and tests[place] is not None:
        reason = ONLY_ERRORS if guard.p is None else UNEXPLAINED if drawing == "label" else NO_SAMPLE
    return replace(view, drawing=drawing, chances=chances, own_strata=place == leading, reason=reason)


def _drawing(view: LabelView) -> Drawing | None:
    """How the labeled rows were drawn, as far as it matters: where all are labeled, it does not."""
    if view.table.chances is not None:
        return "probabilities"
    return view.table.drawn_by if np.isnan(view.target).any() else None


def _draw_p(view: LabelView) -> float | None:
    """Return the p-value of "labeled and unlabeled rows have the same verdicts" (of classes, the smallest of them,
    corrected); None without labels, or if the rows' probabilities are known."""
    table, verdicts = view.table, view.verdicts
    if view.has_label.all() or table.chances is not None:
        return None
    there = np.where(view.has_label, 1.0, np.nan)
    clusters = view.groups if table.kind in ("pass_fail", "classes") else view.clusters.tolist()
    if table.kind != "classes":
        return draw_test(
            there, verdicts, clusters=clusters, balance=0.5 if table.kind == "pass_fail" else None
        )
    known = ~np.isnan(verdicts)
    classes = np.unique(verdicts[known])
    tests = [
        draw_test(
            there, np.where(known, verdicts == place, np.nan), clusters=clusters, balance=1 / len(classes)
        )
        for place in classes
    ]
    return _smallest([p for p in tests if p is not None])


def _draw_matters(view: LabelView) -> bool:
    return draw_matters(view.target, view.verdicts, clusters=view.groups)


def _smallest(p_values: Sequence[float]) -> float | None:
    """The smallest of several p-values, corrected for their number."""
    return min(1.0, min(p_values) * len(p_values)) if p_values else None


def _guard(views: Sequence[LabelView], tests: Sequence[float | None]) -> DrawGuard:
    """Return whether the labeled rows can be drawn as stated, or at random where nothing is stated. It fires if only
    errors of a judge are labeled (then without a p-value), if one of the ``tests`` of the ``views`` is significant
    after correction, or if no pass rate explains verdicts whose labels are said to be drawn by label."""
    known, drawn_by, kind = [p for p in tests if p is not None], views[0].table.drawn_by, views[0].table.kind
    least = min(known, default=None)
    if least is None or drawn_by == "verdict":
        return DrawGuard(p=least)
    names = [f"the judge {view.judge.name}" if len(views) > 1 else "the judge" for view in views]
    if drawn_by == "label":
        for view, name in zip(views, names, strict=True) if kind == "pass_fail" else ():
            rates = verdict_rates(view.target, view.verdicts, clusters=view.groups, drawn_by="label")
            if rates.corrected.reason == UNEXPLAINED:
                return DrawGuard(p=least, fired=True, sentence=unexplained_sentence(rates, name))
        return DrawGuard(p=least)
    for view, test, name in zip(views, tests, names, strict=True):
        if drawn_by is None and test is not None and _only_errors(view):
            return DrawGuard(fired=True, sentence=errors_sentence(int(view.both.sum()), name))
    p = _smallest(known)
    if p is None or p >= SUSPICIOUS:
        return DrawGuard(p=p)
    place = tests.index(least)
    suspicious = [
        view
        for view, test in zip(views, tests, strict=True)
        if test is not None and test * len(known) < SUSPICIOUS
    ]
    judged, labeled = ~np.isnan(views[place].verdicts), views[place].has_label
    sides = [views[place].verdicts[judged & rows] for rows in (labeled, ~labeled)]
    means, rows = (float(sides[0].mean()), float(sides[1].mean())), f"{len(sides[0]):,} labeled rows"
    seen = verdicts_differ(kind, names[place], means, len(sides[1]), p)
    if drawn_by is None and kind == "pass_fail" and not any(map(_draw_matters, suspicious)):
        return DrawGuard(p=p, sentence=f"the {rows} may be no random sample, as {seen}; {HARDLY}")
    if drawn_by is None:
        sentence = f"The {rows} are not a random sample: {seen}, so no rate is claimed."
        return DrawGuard(p=p, fired=True, sentence=sentence)
    return DrawGuard(p=p, sentence=f"the {rows} count as random, as stated, but {seen}: {ELSE}")


def _only_errors(view: LabelView) -> bool:
    """Whether every label differs from the verdict, as where errors of the judge are edited and nothing else."""
    human, judge, _ = view.sides
    return view.table.kind in ("pass_fail", "classes") and len(human) >= MIN_ERRORS and (human != judge).all()


def _stratum_chances(view: LabelView) -> tuple[Values, str]:
    """Return for each row the share of labeled rows among those with its verdict, and a text that names a verdict
    without any label, as then no weights are possible (empty if all have one). Rows without a verdict, of which other
    judges may have one, are a group of their own (NaN if none of them is labeled)."""
    values, table = view.verdicts, view.table
    known, labeled = ~np.isnan(values), ~np.isnan(view.target)
    chances = np.full(len(values), np.nan)
    places = strata(values[known])
    share = np.bincount(places, labeled[known]) / np.bincount(places)
    chances[known] = share[places]
    if labeled[~known].any():
        chances[~known] = labeled[~known].mean()
    missing = ""
    if not share.all():
        example = values[known][places == int(np.argmin(share))][0]
        missing = (
            f"no row with the verdict {value_words(table.kind, table.classes, float(example))} is labeled"
        )
    return chances, missing


def _fault(view: LabelView, chances: Values | None) -> str:
    judged = ~np.isnan(view.verdicts)
    if chances is None or not view.both.any():
        return ""
    return ProbabilitySample(view.target[judged], view.verdicts[judged], chances[judged]).fault()
