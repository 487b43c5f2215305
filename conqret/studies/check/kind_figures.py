"""The figures of one judge, by the kind of its verdicts, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from conqret.stats.agreement import alphas
from conqret.stats.classification import auroc, cohen_kappa
from conqret.stats.confidence import calibration_error, calibration_noise
from conqret.stats.correlation import concordance, spearman
from conqret.stats.estimate import Estimate, undefined
from conqret.stats.verdict_rates import VerdictRates, verdict_rates
from conqret.studies.check.checked_table import Kind
from conqret.studies.check.label_view import LabelView, Mask, Values, strata
from conqret.studies.check.result import ClassCheck, LevelCheck, RunCheck

Figures = dict[str, Estimate]

UNWEIGHTED = "labeled rows stand for different numbers of rows, and this figure takes no weights"
ONE_ORDER = "judged in one order: flips cannot be seen"
NO_PAIR = "no pair was judged in both orders"
ALL_FLIP = "every labeled verdict flips with the order"
NO_VERDICT = "no row has a verdict"


def rates(view: LabelView) -> VerdictRates:
    """Return TNR, TPR, kappa, accuracy and the corrected pass rate of pass/fail verdicts."""
    by_own_verdict = view.drawing == "verdict" and view.own_strata
    chances = None if by_own_verdict or view.reason else view.chances
    return verdict_rates(
        view.target,
        view.verdicts,
        clusters=view.groups,
        chances=chances,
        drawn_by="label" if view.drawing == "label" else "verdict" if by_own_verdict else "random",
        confidence=view.confidence,
    )


def pass_fail(view: LabelView) -> Figures:
    """Return the rates of both classes, the pass rate, kappa and others, by name; those that cannot be claimed from
    these labels have a reason in place of a value."""
    found, (human, _, _) = rates(view), view.sides
    figures = {
        "tnr": view.claimed(lambda: found.tnr, by_label=True),
        "tpr": view.claimed(lambda: found.tpr, by_label=True),
        "judge_mean": found.judged,
        "corrected": view.claimed(lambda: found.corrected, by_label=True),
        "kappa": view.claimed(lambda: found.kappa, by_label=True),
        "precision": view.claimed(lambda: found.precision, by_label=True),
        "agreement": view.claimed(lambda: found.accuracy, by_label=True),
        "human_mean": view.claimed(lambda: view.share(human)),
    }
    return {**figures, **_annotators(view), **_probabilities(view)}


def ratings(view: LabelView) -> Figures:
    """Return the figures of ratings and scores by name: bias, means, agreement, rank correlation and mean absolute
    error; AUROC and those of probabilities where labels are 0 and 1."""
    human, judge, weights = view.sides
    figures = {
        "bias": view.claimed(lambda: view.share(judge - human, scale="plain")),
        "judge_mean": view.everywhere(view.verdicts, "plain", NO_VERDICT),
        "human_mean": view.claimed(lambda: view.share(human, scale="plain")),
        "corrected": view.claimed(lambda: view.corrected(scale="plain").corrected),
    }
    if view.table.kind == "ratings":
        figures["weighted_kappa"] = view.claimed(
            lambda: concordance(human, judge, view.drawn, weights=weights, confidence=view.confidence)
        )
    if view.binary:
        figures["auroc"] = view.claimed(
            lambda: auroc(human, judge, view.drawn_for_ranks, confidence=view.confidence), by_label=True
        )
    figures["alpha"] = _unweighted(view, lambda: _alpha(view))
    figures |= _annotators(view)
    figures["spearman"] = _unweighted(
        view, lambda: spearman(human, judge, view.drawn_for_ranks, confidence=view.confidence)
    )
    figures["error"] = view.claimed(lambda: view.share(np.abs(judge - human), scale="plain"))
    return {**figures, **(_probabilities(view) if view.binary else {})}


def pairs(view: LabelView) -> Figures:
    """Return the figures of preferences by name: agreement without flips (pairs whose verdict differs between both
    orders) and with flips as half right, flip rate, share of wins of the first place, and kappa without flips."""
    human, judge, weights = view.sides
    orders = view.judge.orders
    flips = np.zeros(len(view.target), dtype=bool)
    first = view.verdicts
    flip_rate = undefined(ONE_ORDER)
    if orders is not None:
        asked = ~np.isnan(orders).any(axis=1)
        flips = asked & (orders[:, 0] != orders[:, 1])
        flip_rate = view.everywhere(np.where(asked, flips, np.nan), reason=NO_PAIR)
        first = np.where(asked, (orders[:, 0] + 1 - orders[:, 1]) / 2, np.nan)
    steady, equal = ~flips[view.both], judge == human

    def kappa() -> Estimate:
        if not steady.any():
            return undefined(ALL_FLIP)
        return cohen_kappa(
            human[steady],
            judge[steady],
            view.drawn.for_items(steady),
            weights=weights[steady],
            confidence=view.confidence,
        )

    return {
        "agreement": view.claimed(lambda: view.share(equal, steady, ALL_FLIP)),
        "flip_rate": flip_rate,
        "first_share": view.everywhere(first, reason=NO_PAIR),
        "agreement_with_flips": view.claimed(lambda: view.share(np.where(steady, equal, 0.5))),
        "kappa": view.claimed(kappa),
        **_annotators(view),
    }


def classes(view: LabelView) -> Figures:
    """The agreement and kappa of classes without an order."""
    human, judge, weights = view.sides
    return {
        "agreement": view.claimed(lambda: view.share(judge == human)),
        "kappa": view.claimed(
            lambda: cohen_kappa(human, judge, view.drawn, weights=weights, confidence=view.confidence)
        ),
        **_annotators(view),
    }


OF_KIND: Mapping[Kind, Callable[[LabelView], Figures]] = {
    "pass_fail": pass_fail,
    "ratings": ratings,
    "scores": ratings,
    "pairs": pairs,
    "classes": classes,
}


def class_checks(view: LabelView) -> Iterator[ClassCheck]:
    """Yield recall and precision of each class."""
    human, judge, _ = view.sides
    for place, name in enumerate(view.table.classes):
        of_human, of_judge = human == place, judge == place
        recall = partial(view.share, of_human & of_judge, of_human, "no label is of this class")
        precision = partial(view.share, of_human & of_judge, of_judge, "no verdict is of this class")
        yield ClassCheck(
            name=name,
            labeled=int(of_human.sum()),
            recall=view.claimed(recall, by_label=True),
            precision=view.claimed(precision),
        )


def confusion(view: LabelView, values: Values) -> tuple[tuple[int, ...], ...]:
    """Return how many rows have each label (rows) and verdict (columns), among ``values``; a flip between a tie and an
    answer, whose mean is none of them, is a tie."""
    human, judge, _ = view.sides
    judge, size = np.where(np.isin(judge, values), judge, 0.5), len(values)
    cells = np.searchsorted(values, human) * size + np.searchsorted(values, judge)
    return tuple(map(tuple, np.bincount(cells, minlength=size**2).reshape(size, size).tolist()))


def levels(view: LabelView, by: Values) -> Iterator[LevelCheck]:
    """Yield the means of verdicts and labels on the labeled rows of each level (or band) of ``by``."""
    human, judge, _ = view.sides
    places = strata(by) if len(by) else np.zeros(0, dtype=np.intp)

    def mean(values: Values, here: Mask) -> Estimate:
        estimate = view.share(values, here, scale="plain")
        return replace(estimate, reason="") if values is by else estimate  # one level: no interval is missed

    for place in range(int(places.max(initial=-1)) + 1):
        here = places == place
        yield LevelCheck(
            low=float(by[here].min()),
            high=float(by[here].max()),
            rows=int(here.sum()),
            judge=mean(judge, here),
            human=mean(human, here),
            bias=mean(judge - human, here),
        )


def run_figures(view: LabelView) -> Figures:
    """The share of rows whose verdict changes between runs, and the mean SD of ratings; empty with one run."""
    runs = view.judge.runs
    if runs is None:
        return {}
    several = (~np.isnan(runs)).sum(axis=1) > 1
    known = runs[several]
    changed = np.full(len(runs), np.nan)
    changed[several] = np.nanmax(known, axis=1) != np.nanmin(known, axis=1)
    figures = {"changed": view.everywhere(changed, reason="no row has two verdicts")}
    if view.table.kind in ("ratings", "scores"):
        spread = np.full(len(runs), np.nan)
        spread[several] = np.nanstd(known, axis=1, ddof=1)
        figures["run_sd"] = view.everywhere(spread, "plain", "no row has two verdicts")
    return figures


def run_checks(view: LabelView) -> Iterator[RunCheck]:
    """Yield TNR and TPR of each run of pass/fail verdicts; none with one run, and where no rate can be claimed."""
    runs = view.judge.runs
    if runs is None or view.table.kind != "pass_fail" or view.refusal(by_label=True):
        return
    human, _, _ = view.sides
    for run in runs[view.both].T:
        rates = [
            view.share(run == label, (human == label) & ~np.isnan(run), "no such row is labeled")
            for label in (0, 1)
        ]
        yield RunCheck(tnr=rates[0], tpr=rates[1])


def _unweighted(view: LabelView, compute: Callable[[], Estimate]) -> Estimate:
    return undefined(UNWEIGHTED) if view.chances is not None and not view.reason else view.claimed(compute)


def _alpha(view: LabelView) -> Estimate:
    human, judge, _ = view.sides
    (alpha,) = alphas(np.stack([human, judge])[None], view.level, view.drawn)
    return alpha.estimate(view.confidence)


def _annotators(view: LabelView) -> Figures:
    """Alpha of one annotator and of the judge in that place, where rows have labels of several."""
    if (~np.isnan(view.table.labels)).sum(axis=1).max(initial=0) < 2:
        return {}
    names = ("judge_as_annotator", "one_annotator", "judge_minus_annotator")
    if view.reason:
        return dict.fromkeys(names, undefined(view.reason))
    return dict(zip(names, view.one_annotator_alphas(), strict=True))


def _probabilities(view: LabelView) -> Figures:
    """AUROC, Brier score, overconfidence and calibration error (with its noise) of stated probabilities on the labeled
    rows that have one; empty if none has."""
    stated = view.judge.probabilities
    if stated is None:
        return {}
    known: Mask = ~np.isnan(stated[view.both])
    human, _, _ = view.sides
    said, truth = stated[view.both][known], human[known]
    names = view.clusters[view.both][known].tolist()
    if not known.any():
        return {}
    filled = np.nan_to_num(stated[view.both])
    confidence, right = np.maximum(filled, 1 - filled), (filled >= 0.5) == (human == 1)
    return {
        "auroc": view.claimed(
            lambda: auroc(truth, said, view.drawn_for_ranks.for_items(known), confidence=view.confidence),
            by_label=True,
        ),
        "brier": view.claimed(lambda: view.share((filled - human) ** 2, known)),
        "overconfidence": view.claimed(lambda: view.share(confidence - right, known, scale="plain")),
        "calibration_error": _unweighted(
            view,
            lambda: calibration_error(said, truth, names).estimate(view.confidence),
        ),
        "calibration_noise": _unweighted(view, lambda: calibration_noise(said, truth, names)),
    }
