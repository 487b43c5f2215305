"""A validation for people: a page, and the same as Markdown, beside ``validation.json`` for machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conqret.console.conditions import RequirementOutcome
from conqret.data.digest import gathered
from conqret.judging.summary_tables import judge_name, requirement_table
from conqret.show import words
from conqret.show.report_page import PageRemarks, ReportPage, Section, section
from conqret.show.table import Cell, Column, Table
from conqret.studies.agreement.dimension_result import missing_words
from conqret.studies.agreement.statistics import CALIBRATED, STATISTICS
from conqret.studies.agreement.trivial_judges import TRIVIAL
from conqret.studies.agreement_answer import agreement_answer, agreement_picture
from conqret.studies.agreement_tables import (
    agreement_table,
    beside_table,
    language_tables,
)
from conqret.studies.validate.result import Validation

MOST_NAMED = 10
"""Names without a partner that the page spells out; all are in the JSON."""
REMARK = Column("Remark", "text")


def validation_sheet(validation: Validation, outcomes: Sequence[RequirementOutcome] = ()) -> ReportPage:
    """The page."""
    judge, basis, rows = validation.judge, validation.basis, validation.dimensions.values()
    return ReportPage(
        "validation",
        f"Does {judge_name(judge.format, judge.model)} agree with annotators?",
        [table if isinstance(table, Section) else section(table) for table in _tables(validation, outcomes)],
        answer=agreement_answer(rows, basis, validation.average),
        picture=agreement_picture(rows, basis, validation.average),
        how_to_read=[
            f"This page compares the judge's scores of {words.number(validation.join.items, 'item')} with human labels "
            "of the same items. Krippendorff's alpha is 1 where scores and labels always agree, 0 where they agree as "
            "often as by chance, and below 0 where they agree less than that. Brackets hold the confidence interval of "
            "alpha, the alphas that the data are compatible with; if it contains 0, agreement beyond chance is not "
            "shown. If a baseline without a model (the length of the text, or a constant) agrees with annotators as "
            "well as the judge does, the judge adds nothing.",
        ],
        badges=words.floor_badges([judge.baseline]),
        lede=_unlabeled(validation),
        facts=[
            ("Labels", f"{basis.labels} ({basis.layout})"),
            ("Annotators", words.count(max((row.annotators for row in rows), default=0))),
            ("Fingerprint", judge.fingerprint),
            ("Seed", str(basis.settings.seed)),
        ],
    )


def _unlabeled(validation: Validation) -> list[str]:
    """Which metrics of the judge nobody labeled, in a sentence; empty where each has labels."""
    names = [words.label(name).lower() for name in validation.join.unlabelled_metrics]
    if not names:
        return []
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return [f"Nothing is known of metrics without labels: {', '.join(names[:MOST_NAMED])}{more}."]


def _tables(validation: Validation, outcomes: Sequence[RequirementOutcome]) -> Iterator[Table | Section]:
    if outcomes:
        yield requirement_table(outcomes)
    yield agreement_table(validation)
    yield from language_tables(validation)
    yield beside_table(validation)
    yield _ways(validation)
    if any(name.startswith("sample") for name in validation.average.judge):
        yield _samples(validation)
    yield from _statistics(validation)
    yield _replacing(validation)
    yield _means(validation)
    yield Section("Missing scores", [PageRemarks([missing_words(validation.missing)])])
    yield _join(validation)


def _ways(validation: Validation) -> Table:
    ways = gathered(((row.scale, row.target, row.onto), name) for name, row in validation.dimensions.items())
    heads = ("Dimensions", "Scale", "One label from several", "The judge on that scale")
    rows = [(", ".join(map(words.label, names)), *how) for how, names in ways.items()]
    notes = " ".join(f"{note}." for note in validation.basis.notes)
    return Table(
        "How scores and labels were put on one scale",
        [Column(head, "text") for head in heads],
        rows,
        note=notes,
    )


def _samples(validation: Validation) -> Table:
    beside = (CALIBRATED, *TRIVIAL)
    average = {name: value for name, value in validation.average.judge.items() if name not in beside}
    rows = [[dimension, *map(row.variants.get, average)] for dimension, row in validation.dimensions.items()]
    heads = ("Dimension", *map(str.capitalize, average))
    return Table("Samples, their mean and their majority", heads, rows, foot=[("Average", *average.values())])


def _statistics(validation: Validation) -> Iterator[Table]:
    rows = validation.dimensions
    used = [
        name for name in STATISTICS if any(row.statistics[name].value is not None for row in rows.values())
    ]
    if used:
        cells: list[tuple[Cell, ...]] = [
            (words.label(dimension), *(row.statistics[name] for name in used))
            for dimension, row in rows.items()
        ]
        titles = [STATISTICS[name].title for name in used]
        note = " ".join(filter(None, (STATISTICS[name].about for name in used)))
        yield Table("Other statistics", ("Dimension", *titles), cells, note=note)


def _replacing(validation: Validation) -> Section:
    title = "Can the judge replace an annotator?"
    note = (
        "The alternative annotator test (Calderon, Reichart and Dror 2025) compares the judge with each annotator: "
        "which of the two is closer to the labels of the other annotators? As the judge is cheaper, it may lose to the "
        f"annotator on up to {validation.basis.settings.epsilon:.0%} more of the items than it wins (epsilon)."
    )
    tests = [row.alternative for row in validation.dimensions.values()]
    reasons = {test.reason for test in tests}
    if len(reasons) == 1 and all(test.passed is None for test in tests):
        (reason,) = reasons
        remark = f"This test is not possible on any dimension ({reason.removeprefix('no test: ')})."
        return Section(title, [PageRemarks([remark])], note)
    rows: list[tuple[Cell, ...]] = []
    for dimension, row in validation.dimensions.items():
        test = row.alternative
        verdict = "no test" if test.passed is None else "yes" if test.passed else "no"
        rows.append((words.label(dimension), verdict, test.winning_rate, test.advantage, test.reason))
    table = Table(
        title,
        ("Dimension", "Passed", "Winning rate", "Advantage probability", REMARK),
        rows,
        note="“Winning rate” is the share of annotators to whom the judge is shown to lose by less than epsilon "
        "(one-sided tests, corrected for the number of annotators after Benjamini and Yekutieli); the judge passes "
        "with 0.5 or more, which does not show that it equals them. “Advantage probability” is the share of items on "
        "which the judge is at least as close to the other annotators as the annotator whom it replaces. "
        f"{words.symmetry_note(validation.basis.clusters)}".rstrip(),
    )
    return Section(title, [table], note)


def _means(validation: Validation) -> Table:
    rows = validation.dimensions.values()
    both = any(row.mean.power for row in rows)
    note = (
        "The table has estimates of the mean label of all items. “Mean score” is the mean of the judge's scores "
        "of all "
    )
    note += "items. “Mean label” is the mean human label of the labeled items."
    if both:
        note += (
            " “Both” combines the labels with the judge's scores of the unlabeled items, corrected by the judge's "
            "error "
            "on labeled items (prediction-powered inference); “Weight” is how much the judge's scores count in it."
        )
    note += (
        f" {'The last two estimate' if both else '“Mean label” estimates'} the mean of all items only if the "
        f"labeled "
    )
    note += "items are a random sample of them, or are weighted by an inclusion_probability that their labels state."
    return Table(
        "Mean human label over all judged items, in [0, 1]",
        (
            "Dimension",
            "Mean score",
            "Mean label",
            *both * ("Both", "Weight"),
        ),
        [
            (
                words.label(row.dimension),
                row.mean.naive,
                row.mean.labels,
                *both * (row.mean.corrected, row.mean.power),
            )
            for row in rows
        ],
        note=note,
    )


def _join(validation: Validation) -> Table | Section:
    join = validation.join
    rows = []
    for title, names in (
        ("Judged, not labeled", join.unlabelled),
        ("Labeled, not judged", join.unjudged),
        ("Labeled parts that the judgments do not have", join.unknown_parts),
        ("Dimensions without a metric", join.unknown_dimensions),
        ("Metrics without labels", list(map(words.label, join.unlabelled_metrics))),
        ("Items with several judgments (the last counts)", join.duplicate_judgments),
    ):
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        if names:
            rows.append((title, len(names), ", ".join(names[:MOST_NAMED]) + more))
    if not rows:
        all_of = f"All {words.number(join.items, 'item')}, with every part and metric, are both judged and labeled."
        return Section("Which items have both a judgment and a label", [PageRemarks([all_of])])
    return Table(
        "Which items have both a judgment and a label",
        ("What is not matched", "Count", Column("Names", "text")),
        rows,
        note=f"{words.capitalised(words.number(join.items, 'item'))} are both judged and labeled, of {join.judged} "
        f"judged "
        f"and {join.labelled} labeled items.",
    )
