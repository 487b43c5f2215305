"""The page of a sensitivity run: one HTML file that asks nothing of any network, and its tables and plots."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from conqret.data.digest import gathered
from conqret.judging.summary_tables import metric_names
from conqret.perturb.perturbation import PERTURBATIONS
from conqret.show import words
from conqret.show.charts import Chart, ChartLine, Point
from conqret.show.markdown import tables_markdown
from conqret.show.page import write_files
from conqret.show.report_page import PageRemarks, ReportPage, Section, section
from conqret.studies.sensitivity.curves import Curve
from conqret.studies.sensitivity.result import SensitivityResults, verdict_words
from conqret.studies.sensitivity.sensitivity_plan import left_out_remarks
from conqret.studies.sensitivity.sensitivity_tables import all_tables, damage, unit
from conqret.studies.sensitivity.verdict import STILL

UNDECIDED = "The data do not show whether the judge detects perturbations"
FIRST = 3
"""Curves that stand at the top."""
SHOULD: Mapping[str, str] = {"fall": "fall", "rise": "rise", "unchanged": "not change", "no rise": "not rise"}
"""What is expected, behind *should*."""


def write_sensitivity(results: SensitivityResults, folder: Path) -> list[Path]:
    """Write ``report.html``, ``tables.md`` and ``plots/*.svg``; returns what was written."""
    files = {f"plots/{name}.svg": chart.svg() for name, chart in charts(results.curves).items()}
    page = sensitivity_sheet(results).html()
    tables = tables_markdown(all_tables(results))
    return write_files(folder, {"report.html": page, "tables.md": tables, **files})


def sensitivity_sheet(results: SensitivityResults) -> ReportPage:
    """The page: verdicts, curves, and the tables laid out as the paper's."""
    judges = results.record.judges
    first, *others = all_tables(results)
    drawn = list(charts(results.curves).values())
    done = dict.fromkeys(curve.perturbation for curve in results.curves)
    items = words.number(results.record.items, "item")
    return ReportPage(
        "sensitivity",
        "Does the judge detect perturbations?",
        [
            Section("Further curves", drawn[FIRST:]),
            section(first, title="Verdicts"),
            Section(
                "Tables", others, "Mean scores, in the layout of the ConQRet paper's tables.", folded=True
            ),
            Section("The run", [PageRemarks(list(_remarks(results)))]),
        ],
        answer=list(answer(results.curves)),
        picture=drawn[:FIRST],
        how_to_read=[
            f"{items} were perturbed by known amounts, and every version was judged: scores of what was perturbed "
            "should fall, and no other should rise. Charts show means by level, with 95% intervals over topics, of "
            "scores that should fall or rise, or are not as expected.",
            *(f"{name}: {PERTURBATIONS[name].summary}." for name in done if name in PERTURBATIONS),
        ],
        badges=[
            *words.floor_badges([bool(judge["baseline"]) for judge in judges]),
            *(("Warning", text) for text in results.warnings),
        ],
        facts=[
            ("Judges", ", ".join(f"{judge['format']} with {judge['model']}" for judge in judges)),
            ("Judgments", words.count(results.judgments)),
            ("Seed", str(results.record.seed)),
        ],
    )


def charts(curves: Sequence[Curve]) -> dict[str, Chart]:
    """By file name (without ending) a chart of each perturbation and metric that should fall or rise, alarms, or is not
    as expected: a line for each judge (ConQRet, Figure 13)."""
    groups = gathered(((curve.perturbation, curve.metric), curve) for curve in curves)
    return {
        slug(f"{perturbation}-{metric}"): chart(group_curves)
        for (perturbation, metric), group_curves in groups.items()
        if any(
            curve.expected not in STILL or curve.alarms or curve.verdict != "yes" for curve in group_curves
        )
    }


def chart(curves: Sequence[Curve]) -> Chart:
    """Means over levels with their intervals; all curves share perturbation and metric."""
    first, *others = curves
    several = len({curve.model for curve in curves}) > 1
    metric = words.label(first.metric)
    should = "nothing is expected" if first.expected is None else f"should {SHOULD[first.expected]}"
    return Chart(
        title=f"{metric}: {damage(first.perturbation)}",
        x=unit(first),
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
    """A name that is safe as a file's."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:80] or "plot"


def answer(curves: Sequence[Curve]) -> Iterator[str]:
    """Whether the judge notices, with the counts that say so; the counts alone where no score should move."""
    moving = {curve.verdict for curve in curves if curve.verdict is not None and curve.expected not in STILL}
    lead = UNDECIDED
    if "yes" in moving:
        lead = f"The judge detects {'' if moving == {'yes'} else 'some '}perturbations"
    elif "no" in moving:
        lead = "The judge does not detect perturbations"
    if curves:
        yield words.capitalised(f"{f'{lead}: ' if moving else ''}{verdict_words(curves)}.")


def lacking(results: SensitivityResults) -> Iterator[str]:
    """Why items have no value at every level, and of which metrics."""
    metrics = gathered((reason, curve.metric) for curve in results.curves for reason in curve.missing)
    for reason, names in metrics.items():
        metrics_left = metric_names(list(dict.fromkeys(names)))
        yield f"The curves of {metrics_left} leave out some items, because {words.reason(reason)}."


def _remarks(results: SensitivityResults) -> Iterator[str]:
    """What was sent, and what is not there."""
    counts = results.session
    yield (
        f"The last session sent {words.number(counts.sent, 'request')}, took {words.count(counts.recorded)} responses "
        f"from recordings, and kept {words.count(counts.kept)} judgments from earlier sessions."
    )
    yield from words.failed(counts.failures)
    yield from lacking(results)
    yield from left_out_remarks(results.unreached, results.left_out)
