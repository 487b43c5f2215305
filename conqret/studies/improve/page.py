"""What came of improving a judge: in a terminal, on its page, and on its card."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conqret.show import words
from conqret.show.forest import forests
from conqret.show.report_page import PageRemarks, ReportPage, Section
from conqret.show.table import Column, Table
from conqret.studies.improve.result import FEWEST_OF_ONE, ImproveResult, Series, VariantAgreement

SERIES: dict[Series, str] = {
    "as_it_is": "(a) the judge as it is",
    "calibrated": "(b) a calibration alone",
    "improved": "the improved judge",
}


def improve_tables(result: ImproveResult) -> Iterator[Table]:
    """Agreement before and after with what was gained; the ceiling; and what could be chosen."""
    how = (
        "The figures are of items whose topics were held out."
        if result.measured == "held out"
        else "The figures are cross-validated: each fold of topics is scored by the judge that was improved and chosen "
        "on the other folds."
    )
    yield _agreements(
        f"Agreement with the mean label, {result.basis.intervals}",
        {
            **{name: result.agreement[series] for series, name in SERIES.items()},
            "gain over (a)": result.gain,
            "gain over (b)": result.over_calibration,
        },
        f"{how} “Distance” is the mean absolute difference of score and mean label, in [0, 1]; a gain in distance "
        "is its decrease. For gains, an alpha below 0 of the judge as it is (a) or of a calibration alone (b) "
        "counts as 0, agreement by chance.",
    )
    if (ceiling := result.ceiling) is not None:
        yield _agreements(
            "(c) Agreement of one annotator with the mean label of the others",
            {
                "one annotator": ceiling.annotator,
                "the improved judge in that one's place": ceiling.improved,
                "difference": ceiling.improved_over,
            },
            f"The figures are means over {words.number(ceiling.annotators, 'annotator')} who labeled {FEWEST_OF_ONE} "
            "items or more, each on the items that this annotator labeled.",
        )
    final = result.final
    yield Table(
        "Candidates for the improved judge",
        (Column("Candidate", "name"), "Squared error", "Over the least", Column("", "text")),
        [
            (
                one.name,
                one.squared_error,
                f"{one.worse:+.4f} ± {one.error_of_worse:.4f}",
                "chosen" if one is final.chosen else "",
            )
            for one in final.candidates
        ],
        note=f"Squared errors are cross-validated over the {words.number(final.topics, 'topic')} of the training "
        f"items ({words.number(final.items, 'item')}). The simplest candidate within one standard error of the "
        "least squared error is chosen.",
    )
    if result.choices:
        yield Table(
            "Candidate chosen when a fold is left out",
            (Column("Without fold", "name"), Column("Chosen", "text"), "Squared error", "Items"),
            [
                (str(choice.fold + 1), choice.chosen.name, choice.chosen.squared_error, choice.items)
                for choice in result.choices
            ],
            note="If another candidate is chosen from fold to fold, the labels are too few to tell the candidates "
            "apart.",
        )


def _agreements(title: str, rows: Mapping[str, VariantAgreement], note: str) -> Table:
    """How each of ``rows`` agrees with labels."""
    return Table(
        title,
        (Column("", "name"), "Alpha", "Spearman", "Distance"),
        [(name, one.alpha, one.spearman, one.distance) for name, one in rows.items()],
        note=note,
    )


def remarks(result: ImproveResult) -> list[str]:
    """What is said in words."""
    lines = [f"The model that proposed the wording says: {text}" for text in result.observations]
    if result.unscored:
        lines.append(
            f"{words.capitalised(words.number(result.unscored, 'item'))} that one of the judges gave no score are left "
            "out."
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
    improvement = result.improvement
    sections = [Section(table.title, [table]) for table in improve_tables(result)]
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
    alphas = [(words.capitalised(name), result.agreement[series].alpha) for series, name in SERIES.items()]
    if result.ceiling is not None:
        alphas.append(("(c) One annotator", result.ceiling.annotator.alpha))
    training = words.number(result.training_topics, "topic")
    return ReportPage(
        "improve",
        f"The judge of {words.label(result.metric).lower()} with {result.model}, improved from human labels",
        sections,
        badges=words.floor_badges([result.baseline]),
        answer=[f"{result.headline}."],
        picture=forests("Agreement with the mean label", "Krippendorff's alpha, 95% intervals", alphas),
        facts=[
            ("Chosen", result.final.chosen.name),
            ("Fingerprint", result.improved_fingerprint),
            ("Before", result.fingerprint),
            ("Learned from", f"{words.number(result.training_items, 'item')} on {training}"),
            (
                "Measured",
                f"{result.measured}, {words.number(result.items, 'item')} on {result.topics} topics",
            ),
        ],
    )
