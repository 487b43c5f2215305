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
    rows = {name: result.agreement[series] for series, name in SERIES.items()}
    how = "Each fold of topics is scored by the judge that was improved and chosen on the others."
    yield _agreements(
        f"Agreement with the mean label, {result.basis.intervals}",
        {**rows, "gain over (a)": result.gain, "gain over (b)": result.over_calibration},
        f"{'These topics were held out.' if result.measured == 'held out' else how} “Distance” is the mean absolute "
        "difference of score and mean label, in [0, 1]; a gain is its decrease. For gains an alpha of (a) or (b) below "
        "0 counts as 0.",
    )
    if (ceiling := result.ceiling) is not None:
        people = words.number(ceiling.annotators, "annotator")
        yield _agreements(
            "(c) Agreement of one annotator with the mean label of the others",
            {
                "one annotator": ceiling.annotator,
                "the improved judge in that one's place": ceiling.improved,
                "difference": ceiling.improved_over,
            },
            f"Means over {people} with {FEWEST_OF_ONE} labeled items or more, each on these items.",
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
        note=f"Cross-validated over {words.number(final.topics, 'topic')} ({words.number(final.items, 'item')}). The "
        "simplest candidate within one standard error of the least squared error is chosen.",
    )
    if result.choices:
        yield Table(
            "Candidate chosen when a fold is left out",
            (Column("Without fold", "name"), Column("Chosen", "text"), "Squared error", "Items"),
            [
                (str(choice.fold + 1), choice.chosen.name, choice.chosen.squared_error, choice.items)
                for choice in result.choices
            ],
            note="If the choice changes from fold to fold, the labels are too few to tell the candidates apart.",
        )


def _agreements(title: str, rows: Mapping[str, VariantAgreement], note: str) -> Table:
    """How each of ``rows`` agrees with labels."""
    cells = [(name, one.alpha, one.spearman, one.distance) for name, one in rows.items()]
    return Table(title, (Column("", "name"), "Alpha", "Spearman", "Distance"), cells, note=note)


def remarks(result: ImproveResult) -> list[str]:
    """What is said in words."""
    final = result.final
    lines = {
        f"Left out, as one of the judges gave no score: {words.number(result.unscored, 'item')}.": result.unscored,
        "No calibration map could be fitted: there are too few scores, or nearly all are the same.": not any(
            one.calibrated for one in final.candidates
        ),
        "Calibrating the scores is enough: the improved judge is not shown to be better than that.": result.shown
        and not result.shown_over_calibration,
        "The improved criterion describes each point of its scale, so it can be used only from Python: "
        "conqret.Criterion(**criterion), with the criterion in summary.json.": final.changes
        and not result.use,
        "No change of the judge was chosen, so there is no improved judge to use.": not final.changes,
    }
    said = [f"The model that proposed the wording says: {text}" for text in result.observations]
    return [*said, *(line for line, holds in lines.items() if holds)]


def improve_sheet(result: ImproveResult) -> ReportPage:
    """The page of a run, and as Markdown its card."""
    improvement = result.improvement
    anchors = [f"{anchor.rating}: {anchor.meaning}" for anchor in improvement.anchors]
    texts = {
        "The wording": [improvement.wording, *anchors] if improvement.wording else [],
        "Examples in the prompt": [
            f"{one.item} ({one.question}): {one.label}" for one in improvement.examples
        ],
        "How to use it": [f"In this folder: {result.command()}"] if result.use else [],
    }
    first, *tables = [Section(table.title, [table]) for table in improve_tables(result)]
    said = remarks(result)
    alphas = [(words.capitalised(name), result.agreement[series].alpha) for series, name in SERIES.items()]
    if result.ceiling is not None:
        alphas.append(("(c) One annotator", result.ceiling.annotator.alpha))
    items, topics = words.number(result.training_items, "item"), words.number(result.training_topics, "topic")
    return ReportPage(
        "improve",
        f"The judge of {words.label(result.metric).lower()} with {result.model}, improved from human labels",
        [
            first,
            Section("In words", [PageRemarks(said)] if said else []),
            *tables,
            *(Section(title, [PageRemarks(lines)]) for title, lines in texts.items() if lines),
        ],
        badges=words.floor_badges([result.baseline]),
        answer=[f"{result.headline}."],
        picture=forests("Agreement with the mean label", "Krippendorff's alpha, 95% intervals", alphas),
        facts=[
            ("Chosen", result.final.chosen.name),
            ("Fingerprint", result.improved_fingerprint),
            ("Before", result.fingerprint),
            ("Learned from", f"{items} on {topics}"),
            (
                "Measured",
                f"{result.measured}, {words.number(result.items, 'item')} on {result.topics} topics",
            ),
        ],
    )
