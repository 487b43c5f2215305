"""What came of improving a judge: in a terminal, on its page, and on its card."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.show.report_page import PageRemarks, ReportPage, Section
from conqret.show.table import Cell, Column, Table
from conqret.studies.improve.result import FEWEST_OF_ONE, ImproveResult, VariantAgreement, VariantChoice

SERIES = {
    "as_it_is": "(a) the judge as it is",
    "calibrated": "(b) a calibration alone",
    "improved": "the improved judge",
}
_FIGURES = ("Alpha", "Spearman", "Distance")


def improve_tables(result: ImproveResult) -> Iterator[Table]:
    """Agreement before and after with what was gained; the ceiling; what could be chosen; and features."""
    yield agreement_table(result)
    if result.ceiling is not None:
        yield ceiling_table(result)
    yield choice_table(result.final)
    if result.choices:
        yield folds_table(result)
    if result.features:
        yield feature_table(result)


def agreement_table(result: ImproveResult) -> Table:
    """Agreement with the mean label of the judge as it is, of a calibration alone, and of the improved judge."""
    rows: list[tuple[Cell, ...]] = [
        (name, *_cells(result.agreement[series]))  # type: ignore[index]
        for series, name in SERIES.items()
    ]
    rows += [
        ("gain over (a)", *_cells(result.gain)),
        ("gain over (b)", *_cells(result.over_calibration)),
    ]
    how = (
        "Items of topics that were held out."
        if result.measured == "held out"
        else "Each fold of topics by what was learned and chosen on the others."
    )
    return Table(
        f"Agreement with the mean label, {result.basis.intervals}",
        (Column("", "name"), *_FIGURES),
        rows,
        note=f"{how} Distance: the mean distance in [0, 1]; a gain in it is what it is less. In gains an alpha of "
        "(a) or (b) below 0 counts as 0, agreement by chance.",
    )


def ceiling_table(result: ImproveResult) -> Table:
    """One annotator against the others, and the improved judge in that one's place."""
    ceiling = result.ceiling
    assert ceiling is not None  # noqa: S101 - asked for where there is one
    return Table(
        "(c) One annotator against the mean of the others",
        (Column("", "name"), *_FIGURES),
        [
            ("one annotator", *_cells(ceiling.annotator)),
            ("the improved judge in that one's place", *_cells(ceiling.improved)),
            ("difference", *_cells(ceiling.improved_over)),
        ],
        note=f"Means over {words.number(ceiling.annotators, 'annotator')} with {FEWEST_OF_ONE} items or more, each on "
        "the items that this one labeled.",
    )


def choice_table(choice: VariantChoice) -> Table:
    """What could be chosen, with its error."""
    rows: list[tuple[Cell, ...]] = [
        (
            one.name,
            one.squared_error,
            f"{one.worse:+.4f} ± {one.error_of_worse:.4f}",
            "chosen" if one is choice.chosen else "",
        )
        for one in choice.candidates
    ]
    return Table(
        "What could be chosen",
        (Column("Candidate", "name"), "Squared error", "Over the least", Column("", "text")),
        rows,
        note=f"Cross-fitted over {words.number(choice.topics, 'topic')} that are learned from "
        f"({words.number(choice.items, 'item')}). The simplest within one standard error of the least is taken.",
    )


def folds_table(result: ImproveResult) -> Table:
    """What was chosen without each fold."""
    return Table(
        "Chosen without each fold",
        (Column("Without fold", "name"), Column("Chosen", "text"), "Squared error", "Items"),
        [
            (str(choice.fold + 1), choice.chosen.name, choice.chosen.squared_error, choice.items)
            for choice in result.choices
        ],
        note="Choices that differ from fold to fold say that the labels do not decide between them.",
    )


def feature_table(result: ImproveResult) -> Table:
    """What goes with the difference between annotators and the judge as it is."""
    return Table(
        "Where annotators and the judge as it is differ, found without a model",
        (Column("Feature", "name"), "With the difference", "With labels", Column("In words", "text")),
        [
            (
                one.feature.replace("_", " "),
                one.residual,
                one.labels.value,
                one.words if one.shown else "not shown",
            )
            for one in result.features
        ],
        note="Spearman's correlations, over the items that are learned from; the intervals hold for all features "
        "together.",
    )


def remarks(result: ImproveResult) -> list[str]:
    """What is said in words."""
    lines = [one.words + "." for one in result.features if one.shown]
    lines += [f"The model that proposed the wording says: {text}" for text in result.observations]
    if result.unscored:
        lines.append(f"{words.number(result.unscored, 'item')} without a score by one of them are left out.")
    if not any(one.calibrated for one in result.final.candidates):
        lines.append(
            "No map onto the labels could be fitted: the scores are too few, or nearly all the same."
        )
    if result.shown and not result.shown_over_calibration:
        lines.append("Over a calibration alone no gain is shown: a map of the scores does as much.")
    if result.final.changes and not result.use:
        lines.append(
            "The criterion has anchors of its own: use it from Python, conqret.Criterion(**criterion), with the "
            "criterion in summary.json."
        )
    if not result.final.changes:
        lines.append("The judge as it is was chosen: there is nothing to use.")
    return lines


def improve_sheet(result: ImproveResult) -> ReportPage:
    """The page of a run, and as Markdown its card."""
    tables = list(improve_tables(result))
    improvement = result.improvement
    sections = [Section(table.title, [table]) for table in tables]
    if said := remarks(result):
        sections.insert(1, Section("In words", [PageRemarks(said)]))
    if improvement.wording:
        anchors = [f"{anchor.rating}: {anchor.meaning}" for anchor in improvement.anchors]
        sections.append(Section("The wording", [PageRemarks([improvement.wording, *anchors])]))
    if improvement.examples:
        shown = [f"{example.item} ({example.question}): {example.label}" for example in improvement.examples]
        sections.append(Section("Examples in the prompt", [PageRemarks(shown)]))
    if result.use:
        sections.append(Section("How to use it", [PageRemarks([f"In this folder: {result.command()}"])]))
    return ReportPage(
        "improve",
        f"{words.label(result.metric)} by {result.model}, improved from labels",
        sections,
        badges=words.floor_badges([result.baseline]),
        answer=[f"{result.headline}."],
        picture=_picture(result),
        facts=[
            ("Chosen", result.final.chosen.name),
            ("Fingerprint", result.improved_fingerprint),
            ("Before", result.fingerprint),
            (
                "Learned from",
                f"{words.number(result.training_items, 'item')} on {words.number(result.training_topics, 'topic')}",
            ),
            (
                "Measured",
                f"{result.measured}, {words.number(result.items, 'item')} on {result.topics} topics",
            ),
        ],
    )


def _picture(result: ImproveResult) -> list[Forest]:
    """Alpha before and after, and that of one annotator, below each other."""
    rows = [(words.capitalised(name), result.agreement[series].alpha) for series, name in SERIES.items()]  # type: ignore[index]
    if result.ceiling is not None:
        rows.append(("(c) One annotator", result.ceiling.annotator.alpha))
    return forests("Agreement with the mean label", "Krippendorff's alpha, 95% intervals", rows)


def _cells(agreement: VariantAgreement) -> tuple[Cell, ...]:
    return agreement.alpha, agreement.spearman, agreement.distance
