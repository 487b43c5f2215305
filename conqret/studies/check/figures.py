"""From a table of verdicts and labels to all figures of its judges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from conqret.errors import shortened
from conqret.show.words import symmetry_note
from conqret.stats.agreement import AlternativeAnnotator, alphas, alternative_annotator_test
from conqret.stats.estimate import CONFIDENCE, Estimate, Scale, undefined
from conqret.stats.jackknife import JackknifedEstimate, without_value
from conqret.stats.prediction_powered import ProbabilitySample, weighted_difference
from conqret.stats.resampling import leave_one_out
from conqret.stats.verdict_rates import more_labels
from conqret.studies.check.answers import answer, p_remark, probability_sentence, unmeasured, value_words
from conqret.studies.check.checked_table import CheckedTable
from conqret.studies.check.kind_figures import (
    OF_KIND,
    class_checks,
    confusion,
    levels,
    run_checks,
    run_figures,
)
from conqret.studies.check.label_view import (
    LabelView,
    Mask,
    Values,
    claimable,
    combined_labels,
    numbered_clusters,
)
from conqret.studies.check.next_step import next_step
from conqret.studies.check.result import (
    AnnotatorCheck,
    CheckResult,
    DisputedVerdict,
    DrawGuard,
    JudgeCheck,
    JudgeDifference,
    LevelCheck,
    RunCheck,
    SystemCheck,
    SystemDifference,
    Usable,
)

BAR = 0.8
"""The least TNR and TPR of a gate."""
MAX_DISAGREEMENTS = 1_000
"""More are counted, and not shown: a page has to open."""
APART = 0.25
"""The share of the scale from which on a rating or score disagrees with the label (half, with labels of 0 and 1)."""
TEXT_LENGTH = 400
ALL_PAIRS = 10
"""Systems up to which each is compared with each other; with more, each with the highest."""
NO_MEAN = "classes without an order have no mean"
NO_LABEL = "no row of it is labeled"
RANKS: tuple[Usable, ...] = ("not claimed", "not usable", "not shown", "usable")
MEASURES = {"pass_fail": "mean of TNR and TPR", "ratings": "absolute error", "scores": "absolute error"}
"""By what judges are compared; where verdicts are pairs or classes, by their agreement."""


def check_table(table: CheckedTable, *, confidence: float = CONFIDENCE) -> CheckResult:
    """Compute how good the judges of a table are, with intervals of the level ``confidence``."""
    target, clusters = combined_labels(table), numbered_clusters(table)
    views = [
        LabelView(table=table, judge=judge, target=target, clusters=clusters, confidence=confidence)
        for judge in table.judges
    ]
    return check_views(*claimable(views))


def check_views(guard: DrawGuard, views: Sequence[LabelView]) -> CheckResult:
    """Return the figures of several judges (at least one) of one table, with the answer and the next step in words.
    ``guard`` and ``views`` come from :func:`claimable`: the views withhold the rates, and the guard decides what is
    said of it."""
    first, checks = views[0], tuple(map(_judge_check, views))
    table, target = first.table, first.target
    labeled = ~np.isnan(target)
    comparisons = tuple(_judge_differences(views))
    best = _best_place(checks, comparisons)
    differing = _differing(views[best])
    shown = differing[:MAX_DISAGREEMENTS].tolist()
    result = CheckResult(
        source=table.source,
        kind=table.kind,
        answer="",
        best=checks[best].name,
        usable=checks[best].usable,
        bar=BAR,
        confidence=first.confidence,
        next="",
        rows=len(target),
        labeled=int(labeled.sum()),
        unlabeled=int((~views[best].has_label & ~np.isnan(views[best].verdicts)).sum()),
        drawn_by="probabilities" if table.chances is not None else table.drawn_by,
        guard=guard,
        judges=checks,
        comparisons=comparisons,
        annotators=AnnotatorCheck(
            names=table.annotators,
            alpha=_annotator_alpha(first),
            alternative=_alternative(first),
        ),
        classes={"pass_fail": ("fail", "pass"), "pairs": ("B", "tie", "A")}.get(table.kind, table.classes),
        passing=table.passing,
        by=table.by,
        disagreements=tuple(_disagreements(views[best], shown)),
        disagreements_in_all=len(differing),
        notes=(*_draw_notes(first, guard), *_probability_notes(checks), *_notes(views[best], guard)),
        guessed=table.guessed,
        options=table.options,
        drawn=_drawn(table, labeled),
        pages_lack=table.pages_lack,
    )
    return result.model_copy(update={"answer": answer(result), "next": next_step(result)})


def _drawn(table: CheckedTable, labeled: NDArray[np.bool_]) -> int:
    """How many labels are of rows that were drawn with known probabilities."""
    if table.labeled_before is None:
        return int(labeled.sum()) if table.chances is not None else 0
    return int((labeled & ~table.labeled_before).sum())


def _judge_check(view: LabelView) -> JudgeCheck:
    table, judge = view.table, view.judge
    human, verdicts, _ = view.sides
    figures, by_run = OF_KIND[table.kind](view) | run_figures(view), tuple(run_checks(view))
    systems = _system_checks(view)
    judged = int((~np.isnan(view.verdicts)).sum())
    categories = {
        "pass_fail": np.array([0.0, 1.0]),
        "pairs": np.array([0.0, 0.5, 1.0]),
        "classes": np.arange(len(table.classes), dtype=float),
    }.get(table.kind)
    by_human: tuple[LevelCheck, ...] = ()
    by_judge: tuple[LevelCheck, ...] = ()
    if table.kind in ("ratings", "scores") and not view.reason and view.both.any():
        by_human, by_judge = tuple(levels(view, human)), tuple(levels(view, verdicts))
    return JudgeCheck(
        name=judge.name,
        usable=_usable(view, figures, by_run) if table.kind == "pass_fail" else None,
        verdicts=judged,
        compared=int(view.both.sum()),
        failed=judge.failed,
        failures=judge.failures,
        coverage=judged / len(view.target) if len(view.target) else 0.0,
        figures=figures,
        confusion=() if categories is None else confusion(view, categories),
        classes=tuple(class_checks(view)) if table.kind == "classes" else (),
        by_human=by_human,
        by_judge=by_judge,
        runs=1 if judge.runs is None else judge.runs.shape[1],
        by_run=by_run,
        systems=systems,
        differences=tuple(_system_differences(view, systems)),
        more_labels=_more_labels(view, figures) if table.kind == "pass_fail" else None,
    )


def _more_labels(view: LabelView, figures: dict[str, Estimate]) -> int | None:
    """How many more labels let both rates be known; None where one has no label yet, and of rows drawn by label, as
    those drawn later are weighted in another way."""
    if view.drawing == "label":
        return None
    labeled = int(view.both.sum())
    counts = [more_labels(figures[name], labeled, confidence=view.confidence) for name in ("tnr", "tpr")]
    return None if None in counts else max(count or 0 for count in counts)


def _usable(view: LabelView, figures: dict[str, Estimate], by_run: Sequence[RunCheck]) -> Usable:
    if view.refusal(by_label=True):
        return "not claimed"
    both = (figures["tnr"], figures["tpr"])
    steady = all((rate.value or 0) >= BAR for run in by_run for rate in (run.tnr, run.tpr))
    if steady and all(rate.low is not None and rate.low >= BAR for rate in both):
        return "usable"
    missed = any(rate.high is not None and rate.high < BAR for rate in both)
    return "not usable" if missed else "not shown"


def _annotator_alpha(view: LabelView) -> Estimate:
    table = view.table
    if len(table.annotators) < 2:
        return undefined("fewer than two annotators")
    rows = (~np.isnan(table.labels)).sum(axis=1) > 1
    if not rows.any():
        return undefined("no row has two labels")
    drawn = leave_one_out(view.clusters[rows])
    (alpha,) = alphas(table.labels[rows].T[None], view.level, drawn)
    return alpha.estimate(view.confidence)


def _alternative(view: LabelView) -> AlternativeAnnotator | None:
    table = view.table
    if len(table.annotators) < 3:
        return None
    rows = (~np.isnan(table.labels)).any(axis=1)
    return alternative_annotator_test(
        view.verdicts[rows],
        table.labels[rows].T,
        table.annotators,
        view.level,
        clusters=view.clusters[rows].tolist(),
    )


def _differing(view: LabelView) -> NDArray[np.intp]:
    """The rows on which the judge disagrees with the labels, the gravest first; pairs that flip are not among them."""
    off = view.verdicts - view.target
    kind, (low, high) = view.table.kind, view.table.scale
    least = (0.5 if view.binary else APART) * (high - low) if kind in ("ratings", "scores") else 1e-9
    flips = 0 if view.judge.orders is None else np.diff(view.judge.orders, axis=1)[:, 0]
    rows = np.flatnonzero(view.both & (np.abs(off) >= least) & ~(np.abs(flips) > 0))
    gravity = {"pass_fail": off, "classes": np.zeros(len(off))}.get(kind, np.abs(off))
    return rows[np.argsort(-gravity[rows], kind="stable")]


def _disagreements(view: LabelView, rows: Sequence[int]) -> Iterator[DisputedVerdict]:
    table, texts = view.table, view.table.texts
    shown = {} if table.systems is None else {"system": table.systems}
    shown |= {name: column for name, column in texts.items() if name not in ("id", "reason")}
    for row in rows:
        yield DisputedVerdict(
            row=row + 1,
            id=texts["id"][row],
            judge=value_words(table.kind, table.classes, float(view.verdicts[row])),
            human=value_words(table.kind, table.classes, float(view.target[row])),
            reason=shortened(texts["reason"][row], TEXT_LENGTH) if "reason" in texts else "",
            texts={name: shortened(column[row], TEXT_LENGTH) for name, column in shown.items()},
        )


def _probability_notes(checks: Sequence[JudgeCheck]) -> Iterator[str]:
    for judge in checks:
        if sentence := probability_sentence(judge.figures):
            yield f"{judge.name}: {sentence}" if len(checks) > 1 else sentence


def _draw_notes(view: LabelView, guard: DrawGuard) -> Iterator[str]:
    """Yield notes on how figures are weighted by the draw of the labeled rows, and what speaks against that draw."""
    table, (_, verdicts, weights) = view.table, view.sides
    if view.drawing == "verdict" and view.own_strata and table.kind == "pass_fail" and not view.reason:
        stand = [f"{weights[verdicts == side].sum():,.0f}" for side in (1, 0)]
        yield (
            f"figures are weighted by verdict: the {(verdicts == 1).sum():,} labeled rows that the judge passes stand "
            f"for {stand[0]}, the {(verdicts == 0).sum():,} that it fails for {stand[1]}"
        )
    elif view.chances is not None and not view.reason:
        yield "figures are weighted: each labeled row counts by the number of rows that it stands for"
    if guard.sentence and not guard.fired:
        yield guard.sentence


def dispute_note(view: LabelView, has_label: NDArray[np.bool_]) -> str:
    """Return how many rows with a label (marked in ``has_label``) have no majority, and how far this raises the
    agreement; empty without such rows."""
    disputed = has_label & np.isnan(view.target)
    count = int(disputed.sum())
    if not count:
        return ""
    rows = "1 row is" if count == 1 else f"{count:,} rows are"
    note = f"{rows} left out: as many annotators give one label as another"
    human, judge, _ = view.sides
    tied = int((disputed & ~np.isnan(view.verdicts)).sum())
    share = float((human == judge).mean()) if len(human) and not view.reason else 0.0
    if view.table.kind == "pairs" or share <= 0.5 or not tied:
        return note
    halves = (share * len(human) + tied / 2) / (len(human) + tied)
    without = f"its agreement is {share:.2f}, and {halves:.2f} if they count as half right"
    return f"{note}; this flatters the judge: {without}"


def _notes(view: LabelView, guard: DrawGuard) -> Iterator[str]:
    table, unlabeled = view.table, not view.has_label.all()
    yield from table.notes
    yield from filter(None, [dispute_note(view, view.has_label)])
    if view.drawing is None and not view.reason and not guard.sentence and view.both.any() and unlabeled:
        yield (
            f"the labeled rows are taken as a random sample{p_remark(guard.p)}; if you picked a fixed number of each "
            "of the judge's verdicts, add --drawn-by verdict; if a fixed number of each human label, add --drawn-by "
            "label"
        )
    if table.systems is not None and table.clusters is None and view.both.any():
        yield "rows of one id count as one group, as systems share ids"
    if table.by is not None and (note := symmetry_note(len(np.unique(view.clusters[view.both])))):
        yield note


def _best_place(checks: Sequence[JudgeCheck], comparisons: Sequence[JudgeDifference]) -> int:
    """Return the place, from 0, of the best judge: by its rates against the bar, then by how many others it
    is ahead of."""

    def rank(place: int) -> tuple[bool, int, int]:
        name, usable = checks[place].name, checks[place].usable or "not claimed"
        ahead = sum((pair.first == name) * ((pair.difference.value or 0) > 0) for pair in comparisons)
        ahead += sum((pair.second == name) * ((pair.difference.value or 0) < 0) for pair in comparisons)
        return not unmeasured(checks[place]), RANKS.index(usable), ahead

    return max(range(len(checks)), key=rank)


def _system_checks(view: LabelView) -> tuple[SystemCheck, ...]:
    """Return the mean of each system, those with the highest corrected means first; none without systems."""
    if view.table.systems is None:
        return ()
    scale = _scale(view)
    systems = []
    for name, rows in _rows(view).items():
        judged = np.where(rows, view.verdicts, np.nan)
        systems.append(
            SystemCheck(
                name=name,
                rows=int(rows.sum()),
                labeled=int((rows & view.both).sum()),
                judge=undefined(NO_MEAN)
                if view.table.kind == "classes"
                else view.everywhere(judged, scale, "it has no verdict"),
                corrected=_corrected(view, rows),
            )
        )

    def height(system: SystemCheck) -> float:
        mean = system.judge.value if system.corrected.value is None else system.corrected.value
        return -1e9 if mean is None else mean

    return tuple(sorted(systems, key=height, reverse=True))


def _system_differences(view: LabelView, systems: Sequence[SystemCheck]) -> Iterator[SystemDifference]:
    """Yield the paired differences, first minus second, of ``systems`` on the ids that both have a verdict for. With
    more than :data:`ALL_PAIRS` systems only the first is compared with the others. None without systems and for
    classes; pairs without a common id are left out."""
    if view.table.systems is None or view.table.kind == "classes":
        return
    ids = view.table.texts["id"]
    places = {
        name: {ids[row]: row for row in np.flatnonzero(rows & ~np.isnan(view.verdicts)).tolist()}
        for name, rows in _rows(view).items()
    }
    names = [system.name for system in systems]
    pairs = (
        list(combinations(names, 2)) if len(names) <= ALL_PAIRS else [(names[0], name) for name in names[1:]]
    )
    chances, refusal = _label_chances(view), view.refusal()
    for first, second in pairs:
        shared = [name for name in places[first] if name in places[second]]
        if not shared:
            continue
        left, right = (np.array([places[system][name] for name in shared]) for system in (first, second))
        clusters = view.clusters[left].tolist()
        later, earlier = (
            ProbabilitySample(view.target[rows], view.verdicts[rows], chances[rows]) for rows in (left, right)
        )
        means = weighted_difference(earlier, later, clusters, confidence=view.confidence)
        yield SystemDifference(
            first=first,
            second=second,
            pairs=len(shared),
            judge=means.naive,
            corrected=undefined(refusal) if refusal else means.corrected,
        )


def _scale(view: LabelView) -> Scale:
    return "plain" if view.table.kind in ("ratings", "scores") else "share"


def _rows(view: LabelView) -> dict[str, Mask]:
    systems = np.array(view.table.systems)
    return {name: systems == name for name in dict.fromkeys(view.table.systems or ())}


def _corrected(view: LabelView, rows: Mask) -> Estimate:
    if view.table.kind == "classes":
        return undefined(NO_MEAN)
    if not (rows & view.both).any():
        return undefined(NO_LABEL)
    return view.claimed(lambda: view.corrected(rows, _scale(view)).corrected)


def _label_chances(view: LabelView) -> Values:
    """The chance of each row to be labeled: as known, else the labeled share of its system."""
    if view.chances is not None:
        return view.chances
    chances = np.full(len(view.target), np.nan)
    for rows in _rows(view).values():
        judged = rows & ~np.isnan(view.verdicts)
        chances[rows] = (rows & view.both).sum() / max(int(judged.sum()), 1)
    return chances


def _judge_differences(views: Sequence[LabelView]) -> Iterator[JudgeDifference]:
    """Yield how much closer to the labels the first of each two judges is, on the rows that both judged.

    The judge that is ``better`` is shown to be so by an interval that is corrected for the number of pairs
    (Bonferroni).
    """
    every = list(combinations(views, 2))
    for first, second in every:
        both = first.both & second.both
        closer = _closer(first, second, both)
        refusal, sign = first.refusal(by_label=True), 0
        difference = undefined(refusal) if refusal else closer.estimate(first.confidence)
        if difference.value is not None:
            sign = closer.estimate(1 - (1 - first.confidence) / len(every)).sign
        yield JudgeDifference(
            first=first.judge.name,
            second=second.judge.name,
            measure=MEASURES.get(first.table.kind, "agreement"),
            rows=int(both.sum()),
            difference=difference,
            better={1: first.judge.name, -1: second.judge.name}.get(sign, ""),
        )


def _closer(first: LabelView, second: LabelView, both: Mask) -> JackknifedEstimate:
    if not both.any():
        return without_value("no labeled row has verdicts of both")
    human = first.target[both]
    weights = np.ones(len(human)) if first.chances is None else 1 / first.chances[both]
    closer = _closeness(first, both) - _closeness(second, both)
    groups = [human == 0, human == 1] if first.table.kind == "pass_fail" else [np.ones(len(human))]
    columns = [column for group in groups for column in (weights * group * closer, weights * group)]
    drawn = leave_one_out(first.clusters[both])
    sums = drawn.sums(np.column_stack(columns))

    def of_weights(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        totals = rows @ sums
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((totals[:, ::2] / totals[:, 1::2]).mean(axis=1))

    missing = "both passes and failures must be labeled"
    return drawn.sampled(of_weights, len(human), width=len(columns), reason=missing)


def _closeness(view: LabelView, rows: Mask) -> Values:
    """How close each verdict is to its label; a flip counts half."""
    judge, human, orders = view.verdicts[rows], view.target[rows], view.judge.orders
    if view.table.kind in ("ratings", "scores"):
        return -np.abs(judge - human)
    flips = False if orders is None else np.abs(orders[rows, 0] - orders[rows, 1]) > 0
    return np.where(flips, 0.5, judge == human)
