"""A jury, as tables and as a page."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.judging.summary_tables import metric_names
from conqret.llm.client_options import OFFLINE_MODEL
from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.show.report_page import ReportPage, section
from conqret.show.table import Column, Table
from conqret.stats.effects import ALPHA
from conqret.studies.compare.result import chosen_words
from conqret.studies.jury.jury_run import RESULT
from conqret.studies.jury.result import Jury, JuryCheck


def jury_tables(jury_result: Jury) -> Iterator[Table]:
    """Jury and members with annotators, errors by pairs, and where members differ most."""
    checked = jury_result.checked
    if checked is not None:
        reached, best, basis, beaten = checked.reached, checked.best, checked.basis, ""
        if reached.shown in ("each", "average"):
            shown = sum(p is not None and p < ALPHA for p in reached.over.values())
            beaten = f"{shown} of {len(reached.over)}"
        figures = (reached.alpha, reached.over_average, words.p_value(reached.p), beaten, reached.gain)
        yield Table(
            f"What the jury gains, {basis.intervals}",
            ("Jury by", "Alpha", "Over the average", "p", "Over each", "Gain"),
            [(jury_result.rule, *figures)],
            foot=[(words.label(_chosen(checked)), best.alpha, "", "", "", "")],
            note="“Alpha” is of the units that all members scored, averaged over dimensions without overall quality. "
            "“Over the average” is the jury's alpha minus its members' mean alpha, with p (t-test over "
            f"{basis.clustered_by}s); “Over each” counts the members that it agrees significantly better than, where "
            f"it is better than their average. “Gain” is over the member {_chosen(checked)}. "
            f"{words.symmetry_note(basis.clusters)}".rstrip(),
        )
        yield Table(
            "Its members",
            {
                "Member": "name",
                Column("Judge", "text"): lambda member: f"{member.format} with {member.model}",
                Column("Fingerprint", "name"): "fingerprint",
                "Alpha": "alpha",
                "Chosen": lambda member: f"{best.chosen[member.name]} of {best.folds}",
            },
            jury_result.members,
            note=chosen_words(best, basis),
        )
        counted = ""
        if checked.independent is not None and checked.errors:
            counted = f" Together the members count as {checked.independent:.1f} independent judges."
        yield Table(
            "Do the members make the same errors?",
            {"Judge": "first", Column("And", "name"): "second", "Correlation of errors": "correlation"},
            checked.errors,
            note=f"An error is a score minus the human label, compared within dimensions.{counted}",
        )
    if jury_result.disagreements:
        yield Table(
            "Items on which the members differ most",
            (
                "Item",
                Column("Metric", "name"),
                *(member.name for member in jury_result.members),
                "Jury",
                "Label",
            ),
            [
                (row.item, words.label(row.metric), *map(words.score, (*row.values, row.jury, row.people)))
                for row in jury_result.disagreements
            ],
            note=f"Each item stands with the metric on which its members differ most. {RESULT} has all numbers.",
        )


def jury_sheet(jury_result: Jury) -> ReportPage:
    """The page, with alphas as a picture."""
    checked = jury_result.checked
    sentences = (f"{jury_result.verdict}.", jury_result.chance)
    return ReportPage(
        "jury",
        f"Is a jury of {len(jury_result.members)} better than its best judge?",
        list(map(section, jury_tables(jury_result))),
        badges=words.floor_badges([member.model == OFFLINE_MODEL for member in jury_result.members]),
        answer=[words.capitalised(text) for text in sentences if text],
        picture=[] if checked is None else _picture(jury_result, checked),
        facts=[
            ("Rule", jury_result.rule),
            ("Metrics", metric_names(jury_result.metrics).replace("_", " ")),
            (
                "Items",
                f"{words.count(jury_result.scored)} of {words.count(jury_result.items)} judged by all members",
            ),
            *([("Labels", checked.basis.labels)] if checked is not None else []),
        ],
    )


def _chosen(checked: JuryCheck) -> str:
    return f"chosen on other {checked.basis.clustered_by}s"


def _picture(jury_result: Jury, checked: JuryCheck) -> list[Forest]:
    alphas = [
        *((member.name, member.alpha) for member in jury_result.members),
        (f"Member {_chosen(checked)}", checked.best.alpha),
        (f"Jury: {jury_result.rule}", checked.reached.alpha),
    ]
    return forests("Mean Krippendorff's alpha with annotators", "Alpha", alphas)
