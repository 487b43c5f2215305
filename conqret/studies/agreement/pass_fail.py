"""Labels in a validation as ``conqret check`` sees them: how they were drawn, and the rates of labels of two values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from conqret.data.item import Frozen
from conqret.io.label_set import LabelSet
from conqret.judging.judge_parts import LOWER_IS_BETTER
from conqret.show import words
from conqret.show.table import Table
from conqret.stats.estimate import Estimate
from conqret.stats.resampling import cluster_places
from conqret.stats.verdict_rates import WITHIN
from conqret.studies.agreement.label_join import DimensionView
from conqret.studies.check.answers import SAY_HOW, probability_sentence
from conqret.studies.check.checked_table import CheckedTable, DrawnBy, JudgeColumn
from conqret.studies.check.figures import check_views
from conqret.studies.check.label_view import LabelView, claimable
from conqret.studies.check.result import TITLES, DrawGuard, Usable
from conqret.studies.check.verdict_words import FAILS, PASSES

CUT, CUT_OF_LOWER = "a score of 0.5 or more is a pass", "a score below 0.5 is a pass"
"""How scores become verdicts: they are rounded to the nearest of two labels. The second is for metrics of which lower
is better."""
MOVED = 'another cut: conqret check RUN --labels LABELS --judge METRIC --pass ">=0.8"'
"""How other scores become passes."""
FIGURES = {
    "tnr": TITLES["tnr"],
    "tpr": TITLES["tpr"],
    "kappa": TITLES["kappa"],
    "judge_mean": "pass rate by the judge",
    "corrected": "corrected pass rate",
}
"""What is shown of pass/fail verdicts, by the names of ``conqret check``."""
PROBABILITIES = ("brier", "calibration_error", "calibration_noise")
"""What is shown of a judge's own probabilities of a pass."""
NO_GUARD = DrawGuard()
"""Labeled items that may be a random sample."""


class PassFail(Frozen):
    """The judge's verdicts on a dimension whose labels have two values: the higher is a pass, of metrics of which lower
    is better the lower, or of words without an order the one that says so.

    Attributes:
        passing: how a score or a word of the judge is read as a verdict.
        answer: how good the judge is, in one sentence.
        usable: the verdict behind it, as in ``conqret check``.
        figures: TNR, TPR, kappa, the pass rate by the judge, and the corrected one, by the names of :data:`FIGURES`;
            and those of :data:`PROBABILITIES`, where the model gives probabilities.
        confusion: the number of units with each human label (rows: fail, pass) and verdict (columns).
        more_labels: how many more labels let both rates be known to within 0.10; None if that cannot be computed.
    """

    passing: str
    answer: str
    usable: Usable
    figures: Mapping[str, Estimate]
    confusion: tuple[tuple[int, ...], ...]
    more_labels: int | None


def label_views(
    views: Mapping[str, DimensionView], labels: LabelSet, drawn_by: DrawnBy | None
) -> tuple[DrawGuard, dict[str, LabelView]]:
    """Return whether rates can be claimed of what is labeled, and each dimension as ``conqret check`` sees it.

    Labels that state one and the same probability for all items were drawn at random; unequal probabilities are
    weights.
    """
    stated = drawn_by or ("random" if labels.chances and not labels.unequal else None)
    found = [_label_view(name, view, stated, several=len(views) > 1) for name, view in views.items()]
    guard, claimed = claimable(found)
    return guard, dict(zip(views, claimed, strict=True))


def _label_view(name: str, view: DimensionView, drawn_by: DrawnBy | None, *, several: bool) -> LabelView:
    categories, sides = view.categories, view.sides("categories")
    named = {number: word for word, number in view.scale.words.items()}
    classes = tuple(named.get(value, f"{value:g}") for value in categories)
    lower = view.metric in LOWER_IS_BETTER
    passing = _pass_of(classes, nominal=view.scale.level == "nominal", lower=lower)
    kind, human, judge = "ratings", view.target, view.judge()
    if not isinstance(sides, str) and (passing is not None or view.scale.level == "nominal"):
        kind = "classes" if passing is None else "pass_fail"
        human, judge = (_places(side, categories) for side in sides)
        human, judge = (1 - side if passing == 0 else side for side in (human, judge))
    stated = 1 - view.stated if passing == 0 else view.stated
    clusters = cluster_places(view.clusters)
    chances = np.array([view.inclusion_chances.get(unit.item, np.nan) for unit in view.units], dtype=float)
    judge_name = f"on {words.label(name).lower()}" if several else "the judge"
    cut = CUT_OF_LOWER if lower else CUT
    table = CheckedTable(
        source=name,
        kind=kind,  # type: ignore[arg-type]
        judges=(JudgeColumn(name=judge_name, values=judge, probabilities=stated),),
        labels=human[:, None],
        annotators=("annotators",),
        clusters=None if len(set(view.clusters)) == len(clusters) else tuple(map(str, clusters)),
        chances=chances if view.unequal else None,
        drawn_by=drawn_by,
        classes=classes,
        passing=f'"{classes[passing]}" is a pass' if view.verdicts and passing is not None else cut,
        texts={"id": tuple(map(str, view.units))},
    )
    confidence = view.settings.confidence
    return LabelView(
        table=table, judge=table.judges[0], target=human, clusters=clusters, confidence=confidence
    )


def _pass_of(classes: tuple[str, ...], *, nominal: bool, lower: bool) -> int | None:
    """Which of two classes is a pass: the higher (where lower is better, the lower), or without an order the one whose
    word says so."""
    if len(classes) != 2 or not nominal:
        return int(not lower) if len(classes) == 2 else None
    places = (place for place in (1, 0) if classes[place] in PASSES and classes[1 - place] in FAILS)
    return next(places, None)


def _places(values: NDArray[np.float64], categories: list[float]) -> NDArray[np.float64]:
    return np.where(np.isnan(values), np.nan, np.searchsorted(categories, values))


def pass_fail(view: LabelView, guard: DrawGuard) -> PassFail | None:
    """Return the rates of a dimension; None if its labels are not of two values. Where ``view`` has a reason against
    it, ``guard`` decides whether they can be claimed."""
    if view.table.kind != "pass_fail":
        return None
    result = check_views(guard if view.reason else NO_GUARD, [view])
    judge = result.judges[0]
    return PassFail(
        passing=result.passing,
        answer=result.answer,
        usable=result.usable or "not claimed",
        figures={
            name: judge.figures[name]
            for name in (*FIGURES, "agreement", *PROBABILITIES)
            if name in judge.figures
        },
        confusion=judge.confusion,
        more_labels=judge.more_labels,
    )


def wrong_verdicts(view: LabelView) -> tuple[list[str], list[str]]:
    """Return the units that the judge passes and annotators fail, and those that it fails and annotators pass."""
    off = view.verdicts - view.target
    names = view.table.texts["id"]
    passes, fails = ([names[place] for place in np.flatnonzero(off == sign)] for sign in (1, -1))
    return passes, fails


def pass_fail_answers(rows: Mapping[str, PassFail | None], guard: DrawGuard = NO_GUARD) -> Iterator[str]:
    """Yield how good the judge is, a sentence for each dimension with labels of two values; first, why nothing can be
    claimed, where that is so."""
    if guard.fired:
        yield f"{guard.sentence} Say how they were drawn: {SAY_HOW}."
    for name, row in rows.items():
        if row is not None and row.usable != "not claimed":
            on = f"On {words.label(name).lower()}, " if len(rows) > 1 else ""
            yield f"{on}{row.answer[0].lower()}{row.answer[1:]}" if on else row.answer
            if sentence := probability_sentence(row.figures):
                yield f"{words.capitalised(f'{on.lower()}{sentence}')}."
    if any(row is not None and row.usable != "not claimed" and row.passing == CUT for row in rows.values()):
        yield f"{words.capitalised(CUT)}; {MOVED}."


def probability_table(rows: Mapping[str, PassFail | None]) -> Table | None:
    """Return Brier score and calibration error of the dimensions on which the judge gives probabilities of a pass; None
    without any."""
    known = {name: row for name, row in rows.items() if row is not None and "brier" in row.figures}
    if not known:
        return None
    return Table(
        "Probabilities of a pass",
        ("Dimension", *(words.capitalised(TITLES[name]) for name in PROBABILITIES)),
        [(words.label(name), *map(row.figures.get, PROBABILITIES)) for name, row in known.items()],
        note="The Brier score is the mean squared difference of probability and label, 0 at best. With few labels a "
        "perfectly calibrated judge has an expected calibration error above 0, too: the last column is simulated from "
        "the same probabilities, and an error above its end is beyond noise.",
    )


def pass_fail_table(rows: Mapping[str, PassFail | None]) -> Table | None:
    """Return TNR, TPR, kappa and pass rates of the dimensions with labels of two values; None without any."""
    known = {name: row for name, row in rows.items() if row is not None}
    if not known:
        return None
    lower = [words.label(name).lower() for name, row in known.items() if row.passing == CUT_OF_LOWER]
    mixed = 0 < len(lower) < len(known)
    ways = dict.fromkeys(row.passing for row in known.values() if not (mixed and row.passing == CUT_OF_LOWER))
    human = "the lower label" if lower and not mixed else "the higher label"
    if mixed:
        human += f". On {words.listed(lower)}, where lower is better, a score below 0.5 and the lower label are passes"
    return Table(
        "Pass and fail",
        ("Dimension", *map(words.capitalised, FIGURES.values()), "More labels"),
        [
            (words.label(name), *map(row.figures.__getitem__, FIGURES), row.more_labels)
            for name, row in known.items()
        ],
        note="TNR is the share of human failures that the judge fails, TPR that of human passes that it passes. Of the "
        f"judge, {words.listed(list(ways))}; of annotators, {human}. The corrected pass rate is that of all judged "
        "items as annotators would give it, if the labeled ones were drawn as stated, or at random. So many more "
        f"labels let both rates be known to within {WITHIN:.2f}.",
    )
