"""A validation for people: a page, and the same as Markdown, beside ``validation.json`` for machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conqret.data.gathering import gathered
from conqret.judging.requirements import RequirementOutcome
from conqret.reliability.validation.statistics import STATISTICS
from conqret.reliability.validation.trivial import TRIVIAL
from conqret.reliability.validation.validate import Validation
from conqret.reliability.validation.variants import CALIBRATED
from conqret.report import words
from conqret.report.agreement_tables import agreement_table, beside_table
from conqret.report.sensitivity import FLOOR
from conqret.report.sheet import Sheet, section
from conqret.report.table import Alarm, Cell, Column, Table

MOST_NAMED = 10
"""Names without a partner that the page spells out; all are in the JSON."""
REMARK = Column("remark", "text")


def validation_sheet(validation: Validation, outcomes: Sequence[RequirementOutcome] = ()) -> Sheet:
    """The page."""
    judge, basis = validation.judge, validation.basis
    return Sheet(
        "validation",
        f"Does {judge.format} with {judge.model} agree with people?",
        list(map(section, _tables(validation, outcomes))),
        lede=[
            f"Scores of {words.number(validation.join.items, 'item')} beside people's labels of the same items: "
            "agreement, what agrees as well for nothing, and what people would say of the mean."
        ],
        badges=[("Offline baseline", FLOOR)] if judge.baseline else [],
        facts=[
            ("Fingerprint", judge.fingerprint),
            ("Labels", f"{basis.labels}, read as {basis.layout}"),
            ("Seed", str(basis.settings.seed)),
        ],
    )


def _tables(validation: Validation, outcomes: Sequence[RequirementOutcome]) -> Iterator[Table]:
    if outcomes:
        met = [
            (one.requirement, "met" if one.met else Alarm("not met"), one.value, one.reason) for one in outcomes
        ]  # fmt: skip
        yield Table("Requirements", ("requirement", "", "value", REMARK), met)
    yield agreement_table(validation)
    yield beside_table(validation)
    yield _ways(validation)
    if any(name.startswith("sample") for name in validation.average.judge):
        yield _samples(validation)
    yield from _statistics(validation)
    yield _replacing(validation)
    yield _means(validation)
    yield from _shares(validation)
    yield _missing(validation)
    yield _join(validation)


def _ways(validation: Validation) -> Table:
    ways = gathered(((row.scale, row.target, row.onto), name) for name, row in validation.dimensions.items())
    heads = ("dimensions", "scale", "people's one label", "the judge on that scale")
    rows = [(", ".join(names), *how) for how, names in ways.items()]
    notes = " ".join(f"{note}." for note in validation.basis.notes)
    return Table(
        "How scores met the scale of the labels",
        [Column(head, "text") for head in heads],
        rows,
        note=notes,
    )


def _samples(validation: Validation) -> Table:
    average = {
        name: one for name, one in validation.average.judge.items() if name not in (CALIBRATED, *TRIVIAL)
    }
    rows = [[dimension, *map(row.variants.get, average)] for dimension, row in validation.dimensions.items()]
    title = "Samples, their mean and their majority"
    return Table(title, ("dimension", *average), rows, foot=[("average", *average.values())])


def _statistics(validation: Validation) -> Iterator[Table]:
    rows = validation.dimensions
    used = [
        name for name in STATISTICS if any(row.statistics[name].value is not None for row in rows.values())
    ]
    if used:
        cells: list[tuple[Cell, ...]] = [
            (dimension, *(row.statistics[name] for name in used)) for dimension, row in rows.items()
        ]
        titles = [STATISTICS[name].title for name in used]
        yield Table("Other statistics, beside the base rate", ("dimension", *titles), cells)


def _replacing(validation: Validation) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for dimension, row in validation.dimensions.items():
        test = row.alternative
        verdict = "no test" if test.passed is None else "yes" if test.passed else "no"
        rows.append((dimension, verdict, test.winning_rate, test.advantage, test.reason))
    title = f"Can the judge stand in for one of the people? (epsilon {validation.basis.settings.epsilon:g})"
    return Table(title, ("dimension", "passed", "winning rate", "advantage probability", REMARK), rows)


def _means(validation: Validation) -> Table:
    rows = [
        (dimension, row.mean.naive, row.mean.labels, row.mean.corrected, row.mean.power, row.worst_case, row.best_case)
        for dimension, row in validation.dimensions.items()
    ]  # fmt: skip
    sources = (
        "judge alone",
        "labels alone",
        "both (prediction-powered)",
        "weight",
        "worst case",
        "best case",
    )
    note = (
        "Labels alone, and both, speak for all items only if the labelled ones are a random sample of them. Weight 0: "
        "the labels alone, as there are no further judgments or the judge tells nothing of the labels. Worst and best "
        "case: the judge's mean if every missing score were 0 or 1."
    )
    return Table("The system's mean, in [0, 1]", ("dimension", *sources), rows, note=note)


def _shares(validation: Validation) -> Iterator[Table]:
    rows = [
        (dimension, row.positive, row.share.naive, row.share.corrected)
        for dimension, row in validation.dimensions.items()
        if row.share is not None
    ]
    if rows:
        columns = ("dimension", "positive", "judge alone", "corrected (Rogan and Gladen)")
        yield Table("The share of positives among unlabelled units", columns, rows)


def _missing(validation: Validation) -> Table:
    missing = validation.missing
    reasons = ", ".join(f"{count} {reason}" for reason, count in missing.reasons.items()) or "none"
    rows = [
        (one.covariate, one.effect, words.p_value(p), one.reason)
        for one, p in zip(missing.associations, missing.p_holm, strict=True)
    ]
    return Table(
        "What has no score",
        ("missing scores and", "effect", "p (Holm)", REMARK),
        rows,
        note=f"{missing.scored} of {missing.total} judgments are whole, {missing.unscored} unscored, "
        f"{missing.failed} failed (reasons: {reasons}).",
    )


def _join(validation: Validation) -> Table:
    join = validation.join
    rows = []
    for title, names in (
        ("judged, not labelled", join.unlabelled),
        ("labelled, not judged", join.unjudged),
        ("labelled parts that the judgments do not have", join.unknown_parts),
        ("dimensions without a metric", join.unknown_dimensions),
        ("metrics without labels", list(map(words.label, join.unlabelled_metrics))),
        ("items with several judgments (the last counts)", join.duplicate_judgments),
    ):
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        rows.append((title, len(names), ", ".join(names[:MOST_NAMED]) + more))
    return Table(
        "What was matched",
        ("without a partner", "count", Column("names", "text")),
        rows,
        note=f"Judged and labelled: {words.number(join.items, 'item')}, of {join.judged} judged and {join.labelled} "
        "labelled.",
    )
