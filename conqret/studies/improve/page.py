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
    """Agreement before and after with what was gained; the ceiling; and what could be chosen."""
    yield agreement_table(result)
    if result.ceiling is not None:
        yield ceiling_table(result)
    yield choice_table(result.final)
    if result.choices:
        yield folds_table(result)


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
        "The figures are of items whose topics were held out."
        if result.measured == "held out"
        else "The figures are cross-validated: each fold of topics is scored by the judge that was improved and chosen "
        "on the other folds."
    )
    return Table(
        f"Agreement with the mean label, {result.basis.intervals}",
        (Column("", "name"), *_FIGURES),
        rows,
        note=f"{how} “Distance” is the mean absolute difference of score and mean label, in [0, 1]; a gain in distance "
        "is its decrease. For gains, an alpha below 0 of the judge as it is (a) or of a calibration alone (b) "
        "counts as 0, agreement by "
        "chance.",
    )


def ceiling_table(result: ImproveResult) -> Table:
    """One annotator against the others, and the improved judge in that one's place."""
    ceiling = result.ceiling
    assert ceiling is not None  # noqa: S101 - asked for where there is one
    return Table(
        "(c) Agreement of one annotator with the mean label of the others",
        (Column("", "name"), *_FIGURES),
        [
            ("one annotator", *_cells(ceiling.annotator)),
            ("the improved judge in that one's place", *_cells(ceiling.improved)),
            ("difference", *_cells(ceiling.improved_over)),
        ],
        note=f"The figures are means over {words.number(ceiling.annotators, 'annotator')} who labeled {FEWEST_OF_ONE} "
        "items or more, each on the items that this annotator labeled.",
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
        "Candidates for the improved judge",
        (Column("Candidate", "name"), "Squared error", "Over the least", Column("", "text")),
        rows,
        note=f"Squared errors are cross-validated over the {words.number(choice.topics, 'topic')} of the training "
        f"items "
        f"({words.number(choice.items, 'item')}). The simplest candidate within one standard error of the least "
        f"squared "
        "error is chosen.",
    )


def folds_table(result: ImproveResult) -> Table:
    """What was chosen without each fold."""
    return Table(
        "Candidate chosen when a fold is left out",
        (Column("Without fold", "name"), Column("Chosen", "text"), "Squared error", "Items"),
        [
            (str(choice.fold + 1), choice.chosen.name, choice.chosen.squared_error, choice.items)
            for choice in result.choices
        ],
        note="If another candidate is chosen from fold to fold, the labels are too few to tell the candidates apart.",
    )


def remarks(result: ImproveResult) -> list[str]:
    """What is said in words."""
    lines = [f"The model that proposed the wording says: {text}" for text in result.observations]
    if result.unscored:
        lines.append(
            f"{words.capitalised(words.number(result.unscored, 'item'))} that one of the judges gave no score are "
            f"left out."
        )
    if not any(one.calibrated for one in result.final.candidates):
        lines.append(
            "No calibration map could be fitted: there are too few scores, or nearly all scores are the same."
        )
    if result.shown and not result.shown_over_calibration:
        lines.append(
            "The improved judge is not shown to be better than a calibration alone: calibrating the scores is enough."
        )
    if result.final.changes and not result.use:
        lines.append(
            "The improved criterion describes each point of its scale, so it can be used only from Python: "
            "conqret.Criterion(**criterion), with the criterion in summary.json."
        )
    if not result.final.changes:
        lines.append("No change of the judge was chosen, so there is no improved judge to use.")
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
        f"The judge of {words.label(result.metric).lower()} with {result.model}, improved from human labels",
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
