"""The tables of a sensitivity run, laid out as those of ConQRet: 7, 15, 16, 17, 18, and the grid of Figure 4."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeVar

from conqret.data.digest import gathered
from conqret.perturb import Direction
from conqret.perturb.perturbation import PERTURBATIONS
from conqret.show import words
from conqret.show.table import Cell, Column, Table
from conqret.studies.sensitivity.curves import Curve, EmptyCurve, StanceCurve
from conqret.studies.sensitivity.result import SensitivityResults
from conqret.studies.sensitivity.verdict import STILL

YES, NO, NO_ANSWER = "yes", "no", "\u03b3"
"""Strict monotone decrease, or not; gamma, as in Table 17, where the judge gave no valid answers."""


def how_decided(curves: Sequence[Curve]) -> str:
    """How verdicts come about, with the margin: said wherever they stand."""
    margins = ", ".join(f"±{margin:g}" for margin in sorted({curve.margin for curve in curves}))
    return (
        "What should fall or rise passes if its trend over the levels is significant and no step goes significantly "
        "the wrong way; what should not change passes if it is shown to stay within the margin "
        f"({margins or 'none here'}), and fails if it is shown to leave it (corrected after Holm). With fewer than six "
        "topics every verdict is inconclusive. Each verdict is wrong with a probability of at most 5%."
    )


def damage(perturbation: str) -> str:
    """What a perturbation does, in a few words; its name, where another installation has it."""
    known = perturbation in PERTURBATIONS
    return re.split("[;:]", PERTURBATIONS[perturbation].summary)[0] if known else perturbation


def all_tables(results: SensitivityResults) -> Iterator[Table]:
    """Every table that the results have data for: verdicts, curves, stances, models, precision, grid."""
    yield verdicts(results)
    for perturbation, metric in _pairs(results, Direction.FALL):
        yield curve_table(results, perturbation, metric)
    if results.stances:
        first = results.stances[0]
        yield stance_table(results, first.perturbation, first.metric)
    if len({judge["model"] for judge in results.record.judges}) > 1:
        for perturbation, metric in _pairs(results, Direction.FALL)[:1]:
            yield monotone_table(results, perturbation, metric)
    if results.precision:
        yield precision_table(results)
    yield from grid_tables(results)


_VERDICTS = (
    *("Metric", Column("Expected", "name"), Column("As expected", "name"), "First to last mean"),
    *("Pearson", "Spearman", "Items that fell / rose", "Adjacent levels that differ", "Items"),
    Column("Why", "text"),
)


def verdicts(results: SensitivityResults) -> Table:
    """One row a curve, under its perturbation and judge: what was expected, what came, and whether the judge passes."""
    rows: dict[str, list[Sequence[Cell]]] = {}
    for curve in (*results.curves, *results.unscored):
        group = rows.setdefault(f"{curve.perturbation}: {curve.format} ({curve.model})", [])
        group.append((words.label(curve.metric), *_verdict_cells(curve)))
    symmetry = words.symmetry_note(min((curve.topics for curve in results.curves), default=0))
    return Table(
        "Does the judge detect perturbations?",
        _VERDICTS,
        [line for heading, row_group in rows.items() for line in ((heading,), *row_group)],
        note="A judge that gives the same score to everything passes every test in which scores should not change. "
        "Pearson and Spearman: correlations of the level with the mean score, where it should fall or rise. Adjacent "
        "levels differ if a t-test over topics has p < .05 after Holm's correction. Only items that have a score at "
        f"every level count. {how_decided(results.curves)} {symmetry}".rstrip(),
    ).varying("Items", "As expected")


def _verdict_cells(curve: Curve | EmptyCurve) -> tuple[str, ...]:
    """What came of a curve, as :data:`_VERDICTS` is titled."""
    if isinstance(curve, EmptyCurve):
        return ("", NO_ANSWER, "", "", "", "", "", "0", words.counts(curve.missing))
    still = curve.expected in STILL
    return (
        str(curve.expected or "–"),
        str(curve.verdict or "–"),
        f"{curve.means[0]:.3f} to {curve.means[-1]:.3f}",
        "–" if still else _signed(curve.pearson),
        "–" if still else _signed(curve.spearman),
        f"{curve.fell:.0%} / {curve.rose:.0%}",
        f"{curve.told_apart} of {len(curve.neighbours)}",
        f"{curve.n} of {curve.total}",
        curve.words,
    )


def curve_table(results: SensitivityResults, perturbation: str, metric: str) -> Table:
    """Levels by judges, with Pearson's correlation and strict monotone decrease (Tables 16 and 18)."""
    curves = _of(results.curves, perturbation, metric)
    return Table(
        f"{words.label(metric)}: {damage(perturbation)} (ConQRet, Tables 16 and 18)",
        (unit(curves[0]), *(_judge(curve, results) for curve in curves)),
        _levels([point.level for point in curves[0].points], curves),
    )


def stance_table(results: SensitivityResults, perturbation: str, metric: str) -> Table:
    """Levels by judges and stances (Table 15)."""
    curves = _of(results.stances, perturbation, metric)
    return Table(
        f"{words.label(metric)}: {damage(perturbation)}, by stance (ConQRet, Table 15)",
        (
            next((unit(curve) for curve in results.curves if curve.perturbation == perturbation), "Level"),
            *(f"{curve.format} {curve.stance}" for curve in curves),
        ),
        _levels(curves[0].levels, curves),
    )


def _levels(levels: Sequence[float], curves: Sequence[Curve | StanceCurve]) -> Iterator[Sequence[Cell]]:
    """The means of each level, the correlation with it, and whether they fall."""
    for place, level in enumerate(levels):
        yield f"{level:g}", *(curve.means[place] for curve in curves)
    yield "Pearson", *(_signed(curve.pearson) for curve in curves)
    yield "Monotone decrease", *(YES if curve.falls else NO for curve in curves)


def monotone_table(results: SensitivityResults, perturbation: str, metric: str) -> Table:
    """Models by formats: strict monotone decrease, or not, or no valid answers (Table 17)."""
    judges = results.record.judges
    formats = list(dict.fromkeys(str(judge["format"]) for judge in judges))
    models = list(dict.fromkeys(str(judge["model"]) for judge in judges))
    curves = _of(results.curves, perturbation, metric)
    falls_by_judge = {(curve.model, curve.format): curve.falls for curve in curves}
    asked = {(str(judge["model"]), str(judge["format"])) for judge in judges if metric in judge["metrics"]}

    def cell(model: str, name: str) -> str:
        if (model, name) not in asked:
            return "–"
        falls = falls_by_judge.get((model, name))
        return NO_ANSWER if falls is None else YES if falls else NO

    return Table(
        f"Strict monotone decrease of {words.label(metric).lower()}: {damage(perturbation)} (ConQRet, Table 17)",
        ("Model", *formats),
        [(model, *(cell(model, name) for name in formats)) for model in models],
        note=f"{NO_ANSWER}: no item got a valid response at every level; a dash: nothing was requested.",
    )


def precision_table(results: SensitivityResults) -> Table:
    """True precision beside context relevance and predicted precision, with the error (Table 7)."""
    direct = list(dict.fromkeys(name for row in results.precision for name in row.direct))
    predicted = list(dict.fromkeys(name for row in results.precision for name in row.predicted))
    grade = "" if results.relevant_grade is None else f" (grade ≥ {results.relevant_grade:g})"
    rows = [
        (
            f"{row.level:g}",
            row.true,
            *(row.direct.get(name, "") for name in direct),
            *(precision_cell(row.true, row.predicted.get(name)) for name in predicted),
        )
        for row in results.precision
    ]
    return Table(
        "True and predicted precision (ConQRet, Table 7)",
        (
            *("% irrelevant", f"True precision{grade}"),
            *(f"Context relevance, {name}" for name in direct),
            *(f"Predicted precision, {name}{rated_from(results, name)}" for name in predicted),
        ),
        rows,
        note="Brackets hold the error, predicted minus true precision; it depends on both thresholds.",
    )


def rated_from(results: SensitivityResults, name: str) -> str:
    """From which rating the judge of this name counts a document, in brackets; empty where its record says nothing."""
    for judge in results.record.judges:
        threshold = (judge.get("identity") or {}).get("relevant_from")
        if f"{judge['format']} ({judge['model']})" == name and threshold is not None:
            return f" (rating ≥ {threshold:g})"
    return ""


def precision_cell(true: float, predicted: float | None) -> str:
    """``.548 (+.043)``: a prediction with its error, of the rounded numbers as the paper has it."""
    if predicted is None:
        return ""
    error = round(predicted, 3) - round(true, 3)
    return f"{predicted:.3f} ({error:+.3f})"


def grid_tables(results: SensitivityResults) -> Iterator[Table]:
    """For each judge and metric the levels of one perturbation by those of the other (Figure 4)."""
    names = results.record.grid
    if len(names) != 2:
        return
    down, across = sorted(names, key=lambda name: name != "irrelevant")
    judges = gathered(((cell.format, cell.model, cell.metric), cell) for cell in results.grid)
    for (name, model, metric), cells in judges.items():
        means = {(cell.levels.get(down, 0.0), cell.levels.get(across, 0.0)): cell.mean for cell in cells}
        columns = sorted({key[1] for key in means})
        yield Table(
            f"{words.label(metric)} by {name} ({model}): {down} by {across} (ConQRet, Figure 4)",
            (down, *(f"{across} {level:g}" for level in columns)),
            [
                (f"{level:g}", *(means.get((level, other), "") for other in columns))
                for level in sorted({key[0] for key in means})
            ],
        )


PAPER = ("context_relevance", "predicted_precision", "groundedness", "citation_precision", "citation_recall")
"""The metrics of the paper's tables."""


def _pairs(results: SensitivityResults, expected: Direction) -> list[tuple[str, str]]:
    pairs = dict.fromkeys((c.perturbation, c.metric) for c in results.curves if c.expected is expected)
    return [pair for pair in pairs if pair[1] in PAPER] or list(pairs)[:1]


C = TypeVar("C", Curve, StanceCurve)


def _of(curves: Sequence[C], perturbation: str, metric: str) -> list[C]:
    return [curve for curve in curves if (curve.perturbation, curve.metric) == (perturbation, metric)]


def _judge(curve: Curve, results: SensitivityResults) -> str:
    several = len({judge["model"] for judge in results.record.judges}) > 1
    return f"{curve.format} ({curve.model})" if several else curve.format


def unit(curve: Curve) -> str:
    """What the levels of a curve are, as a heading."""
    return words.capitalised(curve.unit)


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f}"
