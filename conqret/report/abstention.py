"""When a judge abstains, as tables, charts and a page: error over coverage, and what confidences are worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conqret.llm.options import OFFLINE_MODEL
from conqret.reliability.validation.abstain import TOGETHER
from conqret.reliability.validation.abstention import AbstainsOn, Abstention, Trust
from conqret.report import words
from conqret.report.charts import Chart, Line, Point
from conqret.report.floor import floor_badges
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
        ("Dimension", "Labels", "Wrong", "From", "Kept", "Wrong of kept"),
        rows,
        note=f"Promised: {found.promise} ({found.bound}). Wrong: further than {found.tolerance:.0%} of the scale from "
        "people's label, or where labels have no order, another. From: the confidence "
        f"({found.source}) from which on scores are kept. In brackets: {ends} intervals over "
        f"{found.basis.clustered_by}s, whose upper end is the bound that is passed in {found.delta:.0%} of draws.",
    )
    yield Table(
        WORTH,
        ("Dimension", "Brier", "Constant", "Mapped", "ECE", "ECE, mapped"),
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
        f"{found.basis.clustered_by}s. {_worth(found)}",
    )


def outcome(found: Abstention) -> str:
    """What is kept, in a sentence."""
    taken = [one.taken for one in found.found.values()]
    kept = [step for step in taken if step is not None]
    whole = sum(step.share >= 1 for step in kept)
    if whole == len(taken):
        return "Nothing has to be left out: all scores together keep the promise, so that the judge never abstains."
    if not kept:
        return "Nothing can be kept: no threshold is shown to keep the promise."
    if len(taken) == 1:
        (step,) = kept
        return (
            f"{step.share:.0%} of the scores can be kept, those with a confidence of {step.threshold:.3f} or more; "
            "the others are for people."
        )
    return (
        f"Of {len(taken)} dimensions {whole} keep every score, {len(kept) - whole} a part, and "
        f"{len(taken) - len(kept)} none."
    )


def _worth(found: Abstention) -> str:
    """Of how many confidences are worth nothing as probabilities: their Brier score is no lower than the constant's."""
    rules = found.found.values()
    raw = sum(_lost(one, one.stated) for one in rules)
    mapped = sum(one.mapped is None or _lost(one, one.mapped) for one in rules)
    if len(rules) == 1:
        raw_worth, mapped_worth = ("nothing" if lost else "something" for lost in (raw, mapped))
        return f"Beside the constant they are worth {raw_worth} as they are, and {mapped_worth} mapped."
    return (
        f"Beside the constant they are worth something for {len(rules) - raw} of {len(rules)} dimensions as they are, "
        f"and for {len(rules) - mapped} mapped."
    )


def _lost(one: AbstainsOn, trust: Trust) -> bool:
    return (trust.brier.value or 0.0) >= one.constant


def abstention_sheet(found: Abstention) -> Sheet:
    """The page: a section a rule, with the curve of error over what is kept and the reliability diagram."""
    kept, worth = abstention_tables(found)
    sections = [Section(kept.title, [kept]), Section(worth.title, [worth])]
    sections += [
        Section(_name(name, one), [*_charts(one, found.error), _curve(one)])
        for name, one in found.found.items()
    ]
    return Sheet(
        "abstention",
        "When the judge abstains",
        sections,
        badges=floor_badges([found.model == OFFLINE_MODEL]),
        lede=[outcome(found)],
        facts=[
            ("Judge", f"{found.format} with {found.model}"),
            ("Confidence", found.source),
            ("Labels", found.basis.labels),
            (found.basis.clustered_by.capitalize() + "s", words.count(found.basis.clusters)),
        ],
    )


def _charts(one: AbstainsOn, promised: float) -> Iterator[Chart]:
    kept = [_point(step.share, step.error) for step in one.curve if step.labelled]
    limit = [Point(end, promised) for end in (min((at.x for at in kept), default=0.0), 1.0)]
    yield _chart(
        "Error of what is kept",
        "Share that is kept",
        "Share that is wrong",
        [Line("Wrong of what is kept", kept), Line("Promised at most", limit, marked=False)],
        least=0.0,
    )
    trusts = {"Raw": one.stated, "Mapped": one.mapped}
    ends = (one.curve[-1].threshold, one.curve[0].threshold)
    yield _chart(
        "Reliability of the confidences",
        "Confidence",
        "Share that is right",
        [
            Line(name, [_point(band.said.value or 0.0, band.people) for band in trust.bands])
            for name, trust in trusts.items()
            if trust is not None
        ]
        + [Line("Perfect", [Point(end, end) for end in ends], marked=False)],
        least=1.0,
    )


def _chart(title: str, x: str, y: str, lines: Sequence[Line], *, least: float) -> Chart:
    """Lines on an axis upright that holds what they hold, and ``least``."""
    ends = [end for line in lines for one in line.points for end in (one.low, one.y, one.high)]
    known = [least, *(end for end in ends if end is not None)]
    return Chart(title, x, y, lines, ends=(min(known), max(known)), levels=False)


def _curve(one: AbstainsOn) -> Table:
    said = {True: "kept", False: "not shown", None: ""}
    return Table(
        "Thresholds",
        (Column("From"), "Kept", "Labels", "Topics", "Wrong of kept", Column("Promise", "text")),
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
    return (
        f"All {len(one.metrics)} together" if name == TOGETHER and len(one.metrics) > 1 else words.label(name)
    )
