"""When a judge abstains, as tables, charts and a page: error over coverage, and what confidences are worth."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.reliability.validation.abstain import TOGETHER
from conqret.reliability.validation.abstention import AbstainsOn, Abstention
from conqret.report import words
from conqret.report.charts import Chart, Line, Point
from conqret.report.sheet import Section, Sheet
from conqret.report.table import Cell, Column, Table
from conqret.stats.estimate import Estimate, undefined

TITLE = "What can be kept"
WORTH = "What the confidences are worth"
SEVERAL = undefined("no map could be fitted without one of the folds")


def abstention_tables(found: Abstention) -> Iterator[Table]:
    """What each threshold keeps and how often that is wrong, and what the confidences are worth."""
    ends = f"{1 - 2 * found.delta:.0%}"
    rows: list[tuple[Cell, ...]] = []
    for name, one in found.found.items():
        taken = one.taken
        kept: tuple[Cell, ...] = ("–", "nothing", undefined(one.why_none(found.error)))
        if taken is not None:
            kept = (f"{taken.threshold:.3f}", f"{taken.share:.0%}", taken.error)
        rows.append((_name(name, one), one.units, f"{one.wrong.value:.0%}", *kept))
    yield Table(
        TITLE,
        ("dimension", "labels", "wrong", "from", "kept", "wrong of kept"),
        rows,
        note=f"Promised: {found.promise} ({found.bound}). Wrong: further than {found.tolerance:.0%} of the scale from "
        "people's label, or where labels have no order, another. From: the confidence "
        f"({found.source}) from which on scores are kept. In brackets: {ends} intervals over "
        f"{found.basis.clustered_by}s.",
    )
    yield Table(
        WORTH,
        ("dimension", "Brier", "constant", "mapped", "ECE", "ECE, mapped"),
        [
            (
                _name(name, one),
                one.stated.brier.value,
                one.constant,
                SEVERAL if one.mapped is None else one.mapped.brier.value,
                one.stated.error,
                SEVERAL if one.mapped is None else one.mapped.error.value,
            )
            for name, one in found.found.items()
        ],
        note="As probabilities of not being wrong; 0 is best. ECE: the expected calibration error. Constant: the "
        "Brier score of saying one thing of everything. Mapped: by isotonic regression on other "
        f"{found.basis.clustered_by}s.",
    )


def abstention_sheet(found: Abstention) -> Sheet:
    """The page: a section a rule, with the curve of error over what is kept and the reliability diagram."""
    kept, worth = abstention_tables(found)
    sections = [Section(kept.title, [kept]), Section(worth.title, [worth])]
    sections += [
        Section(words.label(_name(name, one)), [*_charts(one), _curve(one)])
        for name, one in found.found.items()
    ]
    return Sheet(
        "abstention",
        "When the judge abstains",
        sections,
        lede=[f"Promised: {found.promise}."],
        facts=[
            ("Judge", f"{found.format} with {found.model}"),
            ("Confidence", found.source),
            ("Labels", found.basis.labels),
            (found.basis.clustered_by.capitalize() + "s", words.count(found.basis.clusters)),
        ],
    )


def _charts(one: AbstainsOn) -> Iterator[Chart]:
    yield Chart(
        "Error of what is kept",
        "share that is kept",
        "share of errors",
        [
            Line(
                "error of what is kept",
                [_point(step.share, step.error) for step in one.curve if step.labelled],
            )
        ],
    )
    trusts = {"as it is": one.stated, "mapped": one.mapped}
    ends = (one.curve[-1].threshold, one.curve[0].threshold)
    yield Chart(
        "Reliability of the confidences",
        "confidence",
        "share that is right",
        [
            Line(name, [_point(band.said.value or 0.0, band.people) for band in trust.bands])
            for name, trust in trusts.items()
            if trust is not None
        ]
        + [Line("as often as it says", [Point(end, end) for end in ends])],
    )


def _curve(one: AbstainsOn) -> Table:
    said = {True: "kept", False: "not shown", None: ""}
    return Table(
        "Thresholds",
        (Column("from"), "kept", "labels", "topics", "wrong of kept", Column("promise", "text")),
        [
            (
                f"{step.threshold:.3f}",
                f"{step.share:.0%}",
                step.labelled,
                step.topics,
                step.error,
                said[step.holds],
            )
            for step in one.curve
        ],
        note="Tested one after the other, from the first that keeps enough; the first that is not shown to keep the "
        "promise ends it.",
    )


def _point(x: float, y: Estimate) -> Point:
    return Point(x, y.value or 0.0, y.low, y.high)


def _name(name: str, one: AbstainsOn) -> str:
    return f"all {len(one.metrics)} together" if name == TOGETHER and len(one.metrics) > 1 else name
