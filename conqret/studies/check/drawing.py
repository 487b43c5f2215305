"""How labeled rows were drawn: whether rates can be claimed of them, and what each of them stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from conqret.stats.prediction_powered import ProbabilitySample
from conqret.stats.verdict_rates import draw_test
from conqret.studies.check.answers import NO_SAMPLE, ONLY_ERRORS, errors_sentence, guard_sentence, value_words
from conqret.studies.check.label_view import Drawing, LabelView, Values, strata
from conqret.studies.check.result import DrawGuard

SUSPICIOUS = 0.05
"""Where labeled rows drawn at random would differ as much in their verdicts with a smaller probability, no rate is
claimed."""
MIN_ERRORS = 3
"""Labels, all of which differ from the verdicts, from which on they are taken to be of errors alone."""


def claimable(views: Sequence[LabelView]) -> tuple[DrawGuard, list[LabelView]]:
    """Return whether rates can be claimed of ``views``, and the views with the weights under which they can.

    The views are of the same rows, by several judges or on several dimensions. Where rows were drawn by verdict, it is
    that verdict by which labeled and unlabeled rows differ most, of all views with the same labeled rows.
    """
    tests = [_draw_p(view) for view in views]
    guard = _guard(views, tests)
    return guard, [_claimed(place, views, tests, guard) for place in range(len(views))]


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
        leading = min(alike, key=lambda n: 1.0 if (p := tests[n]) is None else p)
        chances, reason = _stratum_chances(views[leading])
    elif guard.fired and tests[place] is not None:
        reason = ONLY_ERRORS if guard.p is None else NO_SAMPLE
    return replace(view, drawing=drawing, chances=chances, own_strata=place == leading, reason=reason)


def _drawing(view: LabelView) -> Drawing | None:
    """How the labeled rows were drawn, as far as it matters: where all are labeled, it does not."""
    if view.table.chances is not None:
        return "probabilities"
    return view.table.drawn_by if np.isnan(view.target).any() else None


def _draw_p(view: LabelView) -> float | None:
    """The p-value of "labeled and unlabeled rows have the same verdicts"."""
    table, target, verdicts = view.table, view.target, view.verdicts
    if not np.isnan(target).any() or table.chances is not None:
        return None
    independent = table.clusters is None and table.systems is None
    clusters = None if independent and table.kind in ("pass_fail", "classes") else view.clusters.tolist()
    if table.kind != "classes":
        return draw_test(target, verdicts, clusters=clusters)
    known = ~np.isnan(verdicts)
    tests = [
        draw_test(
            np.where(np.isnan(target), np.nan, 1.0),
            np.where(known, verdicts == place, np.nan),
            clusters=clusters,
        )
        for place in np.unique(verdicts[known])
    ]
    return _smallest([p for p in tests if p is not None])


def _smallest(p_values: Sequence[float]) -> float | None:
    """The smallest of several p-values, corrected for their number."""
    return min(1.0, min(p_values) * len(p_values)) if p_values else None


def _guard(views: Sequence[LabelView], tests: Sequence[float | None]) -> DrawGuard:
    """Whether the labeled rows can be random, where nothing says how they were drawn."""
    known = [p for p in tests if p is not None]
    if not known or views[0].table.drawn_by is not None:
        return DrawGuard(p=min(known, default=None))
    several = len(views) > 1
    for view, test in zip(views, tests, strict=True):
        if test is not None and _only_errors(view):
            name = f"the judge {view.judge.name}" if several else "the judge"
            return DrawGuard(fired=True, sentence=errors_sentence(int(view.both.sum()), name))
    p = _smallest(known)
    if p is None or p >= SUSPICIOUS:
        return DrawGuard(p=p)
    view = views[tests.index(min(known))]
    labeled, verdicts = ~np.isnan(view.target), view.verdicts
    means = (float(np.nanmean(verdicts[labeled])), float(np.nanmean(verdicts[~labeled])))
    name = f"the judge {view.judge.name}" if several else "the judge"
    rows = int(labeled.sum()), int((~labeled).sum())
    return DrawGuard(p=p, fired=True, sentence=guard_sentence(view.table.kind, name, means, rows, p))


def _only_errors(view: LabelView) -> bool:
    """Whether every label differs from the verdict, as where errors of the judge are edited and nothing else."""
    human, judge, _ = view.sides
    return view.table.kind in ("pass_fail", "classes") and len(human) >= MIN_ERRORS and (human != judge).all()


def _stratum_chances(view: LabelView) -> tuple[Values, str]:
    """The share of labeled rows among those with each verdict, and why it permits no weights."""
    values, table = view.verdicts, view.table
    known, labeled = ~np.isnan(values), ~np.isnan(view.target)
    chances = np.full(len(values), np.nan)
    places = strata(values[known])
    share = np.bincount(places, labeled[known]) / np.bincount(places)
    chances[known] = share[places]
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
