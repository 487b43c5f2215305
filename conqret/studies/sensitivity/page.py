"""What is said of a sensitivity run: its page, its plots, and its tables, laid out as those of ConQRet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from conqret.console.printing import spaced
from conqret.data.digest import gathered
from conqret.judging.summary_tables import metric_names
from conqret.perturb import Direction
from conqret.perturb.perturbation import PERTURBATIONS
from conqret.show import words
from conqret.show.charts import Chart, ChartLine, Point
from conqret.show.markup import tables_markdown
from conqret.show.page import write_files
from conqret.show.report_page import PageRemarks, ReportPage, Section, section
from conqret.show.table import Cell, Column, Table
from conqret.stats.estimate import MIN_TOPICS
from conqret.studies.sensitivity.result import (
    INVARIANT,
    RELEVANT_GRADE,
    Curve,
    CurveCell,
    EmptyCurve,
    SensitivityResults,
    StanceCurve,
    verdict_words,
)
from conqret.studies.sensitivity.sensitivity_plan import left_out_remarks

UNDECIDED = "The data do not show whether the judge detects perturbations"
MAX_TOP_CURVES = 3
"""Curves that stand at the top."""
SHOULD: Mapping[str, str] = {"fall": "fall", "rise": "rise", "unchanged": "not change", "no rise": "not rise"}
"""What is expected, behind *should*."""


def write_sensitivity(results: SensitivityResults, folder: Path) -> list[Path]:
    """Write ``report.html``, ``tables.md`` and ``plots/*.svg`` into ``folder``; return their paths."""
    drawn = charts(results.curves) | {
        slug(f"grid-{one.title.partition(chr(58))[0]}"): one for one in grid_charts(results)
    }
    files = {f"plots/{name}.svg": chart.svg() for name, chart in drawn.items()}
    page = sensitivity_page(results).html()
    tables = tables_markdown(all_tables(results))
    return write_files(folder, {"report.html": page, "tables.md": tables, **files})


def sensitivity_page(results: SensitivityResults) -> ReportPage:
    """Return the report page of a sensitivity run: verdicts, curves, and tables in the layout of the paper."""
    judges = results.record.judges
    first, *others = all_tables(results)
    drawn = list(charts(results.curves).values())
    done = dict.fromkeys(curve.perturbation for curve in results.curves)
    items = words.number(results.record.items, "item")
    return ReportPage(
        "sensitivity",
        "Does the judge detect perturbations?",
        [
            Section("Further curves", drawn[MAX_TOP_CURVES:]),
            Section("Both perturbations together (ConQRet, Figure 4)", list(grid_charts(results))),
            section(first, title="Verdicts"),
            Section("Tables", others, "In the layout of the ConQRet paper's tables.", folded=True),
            Section("The run", [PageRemarks(list(_remarks(results)))]),
        ],
        answer=list(answer(results.curves)),
        picture=drawn[:MAX_TOP_CURVES],
        how_to_read=[
            f"{items} were perturbed by known amounts, and every version was judged: scores of what was perturbed "
            "should fall, and no other should rise. Charts show means by level, with 95% intervals over topics, of "
            "scores that should fall or rise, or are not as expected.",
            *(f"{name}: {PERTURBATIONS[name].summary}." for name in done if name in PERTURBATIONS),
        ],
        badges=[
            *words.baseline_badges([bool(judge["baseline"]) for judge in judges]),
            *(("Warning", text) for text in results.warnings),
        ],
        facts=[
            ("Judges", ", ".join(f"{judge['format']} with {judge['model']}" for judge in judges)),
            ("Judgments", words.count(results.judgments)),
            ("Seed", str(results.record.seed)),
        ],
    )


def charts(curves: Sequence[Curve]) -> dict[str, Chart]:
    """Return charts by file name, one for each perturbation and metric, with a line for each judge (ConQRet,
    Figure 13).

    Charts are left out if the score should not change and did not.
    """
    groups = gathered(((curve.perturbation, curve.metric), curve) for curve in curves)
    return {
        slug(f"{perturbation}-{metric}"): chart(group_curves)
        for (perturbation, metric), group_curves in groups.items()
        if any(one.expected not in INVARIANT or one.alarms or one.verdict != "yes" for one in group_curves)
    }


def chart(curves: Sequence[Curve]) -> Chart:
    """Return a chart of means over levels with intervals; all curves share perturbation and metric."""
    first, *others = curves
    several = len({curve.model for curve in curves}) > 1
    metric = words.label(first.metric)
    should = "nothing is expected" if first.expected is None else f"should {SHOULD[first.expected]}"
    return Chart(
        title=f"{metric}: {perturbation_words(first.perturbation)}",
        x=words.capitalised(first.unit),
        y=f"{metric} ({should}{'' if others or first.verdict is None else f': {first.verdict}'})",
        lines=[
            ChartLine(
                f"{curve.format}{f' ({curve.model})' * several}{f': {curve.verdict}' * bool(others and curve.verdict)}",
                [Point(point.level, point.mean, point.low, point.high) for point in curve.points],
            )
            for curve in curves
        ],
    )


def slug(text: str) -> str:
    """Return the text as a safe file name: lowercase letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:80] or "plot"


def answer(curves: Sequence[Curve]) -> Iterator[str]:
    """Yield a sentence on whether the judge detects perturbations, with the counts of verdicts."""
    moving = {
        curve.verdict for curve in curves if curve.verdict is not None and curve.expected not in INVARIANT
    }
    topics = max((curve.topics for curve in curves if curve.expected is not None), default=MIN_TOPICS)
    lead = UNDECIDED
    if topics < MIN_TOPICS:
        few = f"{words.number(topics, 'topic')} {'is' if topics == 1 else 'are'}"
        lead = f"{few} too few for a verdict, at least {MIN_TOPICS} are needed"
    elif "yes" in moving:
        lead = f"The judge detects {'' if moving == {'yes'} else 'some '}perturbations"
    elif "no" in moving:
        lead = "The judge does not detect perturbations"
    if curves:
        yield words.capitalised(
            f"{f'{lead}: ' if moving or topics < MIN_TOPICS else ''}{verdict_words(curves)}."
        )


def missing_remarks(results: SensitivityResults) -> Iterator[str]:
    """Yield sentences on why items have no value at every level, and for which metrics."""
    metrics = gathered((reason, curve.metric) for curve in results.curves for reason in curve.missing)
    for reason, names in metrics.items():
        metrics_left = metric_names(list(dict.fromkeys(names)))
        yield f"The curves of {metrics_left} leave out some items, because {words.reason(reason)}."


def screen(results: SensitivityResults) -> Iterator[Table | str]:
    """Yield what a terminal shows after the answer: the table of verdicts, and why items are left out."""
    yield from spaced([verdicts(results)])
    yield from missing_remarks(results)


def unscored_remarks(results: SensitivityResults) -> Iterator[str]:
    """Yield phrases on the metrics without a curve, with reasons."""
    without = gathered(
        ((empty.format, empty.model, empty.perturbation, words.counts(empty.missing)), empty.metric)
        for empty in results.unscored
    )
    for (name, model, perturbation, reasons), metrics in without.items():
        yield f"no curve: {name} with {model}, {metric_names(metrics)} under {perturbation}: {reasons}"


def _remarks(results: SensitivityResults) -> Iterator[str]:
    """Yield sentences on the requests of the last session and its failures, on responses that a replay lacked, and on
    levels and items that were left out."""
    counts = results.session
    yield (
        f"The last session sent {words.number(counts.sent, 'request')}, took {words.count(counts.recorded)} responses "
        f"from recordings, and kept {words.count(counts.kept)} judgments from earlier sessions."
    )
    yield from words.failed(counts.failures)
    yield from missing_remarks(results)
    yield from left_out_remarks(results.unreached, results.left_out)


YES, NO, NO_ANSWER = "yes", "no", "\u03b3"
"""Strict monotone decrease, or not; gamma, as in Table 17, where the judge gave no valid answers."""


def how_decided(curves: Sequence[Curve]) -> str:
    """Return sentences that explain how verdicts are decided, with the margin."""
    few = ", ".join(map(str, sorted({curve.topics for curve in curves if _few(curve)})))
    margins = ", ".join(f"±{margin:g}" for margin in sorted({curve.margin for curve in curves}))
    return (
        "What should fall or rise passes if its trend over the levels is significant and no step goes significantly "
        "the wrong way; what should not change passes if it is shown to stay within the margin "
        f"({margins or 'none here'}), and fails if it is shown to leave it (corrected after Holm). With fewer than six "
        f"topics{f' (here {few})' * bool(few)} every verdict is inconclusive. Each verdict is wrong with a "
        "probability of at most 5%."
    )


def _few(curve: Curve) -> bool:
    """Whether there is no verdict because of too few topics, which the note below the table says once."""
    return curve.expected is not None and curve.topics < MIN_TOPICS


def perturbation_words(perturbation: str) -> str:
    """Return a short description of a perturbation; its name if it is not registered here."""
    known = perturbation in PERTURBATIONS
    return re.split("[;:]", PERTURBATIONS[perturbation].summary)[0] if known else perturbation


def all_tables(results: SensitivityResults) -> Iterator[Table]:
    """Yield every table that the results have data for: verdicts, curves, stances, models, precision, grid."""
    yield verdicts(results)
    several = len({judge["model"] for judge in results.record.judges}) > 1
    pairs = _pairs(results, Direction.FALL)
    for perturbation, metric in pairs:
        curves = _of(results.curves, perturbation, metric)
        names = [f"{curve.format}{f' ({curve.model})' * several}" for curve in curves]
        yield curve_table(results, curves, names, PUBLISHED.get(metric, ""))
    for first in results.stances[:1]:
        stances = _of(results.stances, first.perturbation, first.metric)
        source = "Table 15" if first.metric == "context_relevance" else ""
        names = [f"{curve.format} {curve.stance}" for curve in stances]
        yield curve_table(results, stances, names, source, ", by stance")
    for perturbation, metric in pairs[:several]:
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
    """Return the table of verdicts, one row for each curve: the expected and the observed change, and the
    verdict.
    """
    rows: dict[str, list[Sequence[Cell]]] = {}
    curves: tuple[Curve | EmptyCurve, ...] = (*results.curves, *results.unscored)
    for curve in curves:
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
        same=("Items", "As expected"),
    )


def _verdict_cells(curve: Curve | EmptyCurve) -> tuple[str, ...]:
    """Return the cells of a curve in the columns of :data:`_VERDICTS` after the metric."""
    if isinstance(curve, EmptyCurve):
        return ("", NO_ANSWER, "", "", "", "", "", "0", words.counts(curve.missing))
    correlations = (None, None) if curve.expected in INVARIANT else (curve.pearson, curve.spearman)
    return (
        str(curve.expected or "–"),
        str(curve.verdict or "–"),
        f"{curve.means[0]:.3f} to {curve.means[-1]:.3f}",
        *map(_signed, correlations),
        f"{curve.fell:.0%} / {curve.rose:.0%}",
        f"{sum(step.significant for step in curve.neighbours)} of {len(curve.neighbours)}"
        if curve.topics >= MIN_TOPICS
        else "–",
        f"{curve.n} of {curve.total}",
        "" if _few(curve) else curve.words,
    )


def curve_table(
    results: SensitivityResults,
    curves: Sequence[Curve | StanceCurve],
    names: Sequence[str],
    source: str,
    lead: str = "",
) -> Table:
    """Return the table of one metric's means under a perturbation (ConQRet, Tables 15, 16 and 18).

    A row is a level, a column a judge, or a judge with the items of one stance. Two closing rows have Pearson's
    correlation of means and levels, and whether the means decrease from each level to the next.

    Args:
        results: the results.
        curves: the curves of the columns.
        names: their names.
        source: the paper's table; may be empty.
        lead: what the title says besides.
    """
    first = curves[0]
    whole = next(one for one in results.curves if one.perturbation == first.perturbation)
    rows: list[Sequence[Cell]] = [
        (f"{point.level:g}", *(curve.means[place] for curve in curves))
        for place, point in enumerate(whole.points)
    ]
    rows.append(("Pearson", *(_signed(curve.pearson) for curve in curves)))
    rows.append(("Monotone decrease", *(YES if curve.falls else NO for curve in curves)))
    title = f"{words.label(first.metric)}: {perturbation_words(first.perturbation)}{lead}"
    return Table(
        f"{title}{f' (ConQRet, {source})' * bool(source)}", (words.capitalised(whole.unit), *names), rows
    )


def monotone_table(results: SensitivityResults, perturbation: str, metric: str) -> Table:
    """Return a table that says whether a metric's means decrease at each level (ConQRet, Table 17).

    A row is a model, a column a format. A judge without valid responses, or that was not requested, has no
    verdict, but a mark that the table's note explains.
    """
    judges = results.record.judges
    formats = list(dict.fromkeys(str(judge["format"]) for judge in judges))
    models = list(dict.fromkeys(str(judge["model"]) for judge in judges))
    curves = _of(results.curves, perturbation, metric)
    cells = {
        (judge["model"], judge["format"]): NO_ANSWER for judge in judges if metric in judge["metrics"]
    } | {(curve.model, curve.format): YES if curve.falls else NO for curve in curves}
    return Table(
        f"Strict monotone decrease of {words.label(metric).lower()}: {perturbation_words(perturbation)} "
        "(ConQRet, Table 17)",
        ("Model", *formats),
        [(model, *(cells.get((model, name), "–") for name in formats)) for model in models],
        note=f"{NO_ANSWER}: no item got a valid response at every level; a dash: nothing was requested.",
    )


def precision_table(results: SensitivityResults) -> Table:
    """Return the table of true precision, context relevance and predicted precision with its error, as in ``.548
    (+.043)`` (ConQRet, Table 7).
    """
    direct = list(dict.fromkeys(name for row in results.precision for name in row.direct))
    predicted = list(dict.fromkeys(name for row in results.precision for name in row.predicted))
    rows = []
    for row in results.precision:
        cells = {name: f"{value:.3f} ({value - row.true:+z.3f})" for name, value in row.predicted.items()}
        figures = [
            *(row.direct.get(name, "") for name in direct),
            *(cells.get(name, "") for name in predicted),
        ]
        rows.append((f"{row.level:g}", row.true, *figures))
    return Table(
        "True and predicted precision (ConQRet, Table 7)",
        (
            *("% irrelevant", f"True precision (grade ≥ {RELEVANT_GRADE})"),
            *(f"Context relevance, {name}" for name in direct),
            *(f"Predicted precision, {name}{rated_from(results, name)}" for name in predicted),
        ),
        rows,
        note="Brackets hold the error, predicted minus true precision; it depends on both thresholds.",
    )


def rated_from(results: SensitivityResults, name: str) -> str:
    """Return the rating from which the judge of this name counts a document as relevant, in brackets; empty
    if unknown.
    """
    for judge in results.record.judges:
        threshold = (judge.get("identity") or {}).get("relevant_from")
        if f"{judge['format']} ({judge['model']})" == name and threshold is not None:
            return f" (rating ≥ {threshold:g})"
    return ""


def grids(results: SensitivityResults) -> Iterator[tuple[str, str, str, Sequence[CurveCell]]]:
    """Yield for each judge and metric a title, the names of both perturbations of the grid (``irrelevant`` first), and
    its cells. None if the grid is not of two perturbations."""
    names = results.record.grid
    judges = gathered(((cell.format, cell.model, cell.metric), cell) for cell in results.grid)
    for (name, model, metric), cells in judges.items() if len(names) == 2 else ():
        down, across = sorted(names, key=lambda each: each != "irrelevant")
        yield (
            f"{words.label(metric)} by {name} ({model}): {down} by {across} (ConQRet, Figure 4)",
            down,
            across,
            cells,
        )


def grid_charts(results: SensitivityResults) -> Iterator[Chart]:
    """Yield ConQRet's Figure 4: a chart for each judge and metric, with a line for each level of hallucination."""
    for title, down, across, cells in grids(results):
        lines = gathered((cell.levels.get(across, 0.0), cell) for cell in cells)
        yield Chart(
            title=title,
            x=words.capitalised(PERTURBATIONS[down].unit),
            y=title.partition(" by ")[0],
            lines=[
                ChartLine(
                    f"{across} {level:g}",
                    [Point(cell.levels.get(down, 0.0), cell.mean) for cell in line],
                )
                for level, line in lines.items()
            ],
        )


def grid_tables(results: SensitivityResults) -> Iterator[Table]:
    """Yield for each judge and metric the means by levels of both perturbations of the grid (ConQRet, Figure
    4).
    """
    for title, down, across, cells in grids(results):
        means = {(cell.levels.get(down, 0.0), cell.levels.get(across, 0.0)): cell.mean for cell in cells}
        columns = sorted({key[1] for key in means})
        rows = [
            (f"{level:g}", *(means.get((level, other), "") for other in columns))
            for level in sorted({key[0] for key in means})
        ]
        note = f"Means over the {words.number(min(cell.n for cell in cells), 'item')} that reach every level."
        yield Table(title, (down, *(f"{across} {level:g}" for level in columns)), rows, note=note)


PUBLISHED: Mapping[str, str] = {"context_relevance": "Table 16", "groundedness": "Table 18"}
"""The paper's table of a metric."""
PAPER = ("context_relevance", "predicted_precision", "groundedness", "citation_precision", "citation_recall")
"""The metrics of the paper's tables."""


def _pairs(results: SensitivityResults, expected: Direction) -> list[tuple[str, str]]:
    pairs = dict.fromkeys((c.perturbation, c.metric) for c in results.curves if c.expected is expected)
    return [pair for pair in pairs if pair[1] in PAPER] or list(pairs)[:1]


C = TypeVar("C", Curve, StanceCurve)


def _of(curves: Sequence[C], perturbation: str, metric: str) -> list[C]:
    return [curve for curve in curves if (curve.perturbation, curve.metric) == (perturbation, metric)]


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+z.3f}"
