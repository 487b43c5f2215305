"""A jury, as tables and as a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from conqret.judging.summary_tables import metric_names
from conqret.llm.client_options import OFFLINE_MODEL
from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.show.page import write_file
from conqret.show.report_page import ReportPage, section
from conqret.show.table import Column, Table
from conqret.stats.effects import ALPHA
from conqret.studies.compare.page import chosen_words
from conqret.studies.jury.jury_run import PAGE, RESULT
from conqret.studies.jury.result import Jury, JuryCheck, RuleOn

GAINS, DIFFER = "What the jury gains", "Items on which the members differ most"


def jury_tables(jury_result: Jury) -> Iterator[Table]:
    """Jury and members with annotators, errors by pairs, and where members differ most."""
    checked = jury_result.checked
    if checked is not None:
        yield _gains(jury_result.rule, checked)
        yield _members(jury_result, checked)
        yield _errors(checked)
    if jury_result.disagreements:
        yield _differences(jury_result)


def jury_sheet(jury_result: Jury) -> ReportPage:
    """The page, with alphas as a picture."""
    tables = list(jury_tables(jury_result))
    pictures = [] if jury_result.checked is None else list(_pictures(jury_result, jury_result.checked))
    return ReportPage(
        "jury",
        f"Is a jury of {len(jury_result.members)} better than its best judge?",
        list(map(section, tables)),
        badges=words.floor_badges([member.model == OFFLINE_MODEL for member in jury_result.members]),
        answer=jury_answer(jury_result),
        picture=pictures,
        facts=[
            ("Rule", jury_result.rule),
            ("Metrics", metric_names(jury_result.metrics).replace("_", " ")),
            (
                "Items",
                f"{words.count(jury_result.scored)} of {words.count(jury_result.items)} judged by all members",
            ),
            *([("Labels", jury_result.checked.basis.labels)] if jury_result.checked is not None else []),
        ],
    )


def jury_answer(jury_result: Jury) -> list[str]:
    """What the jury gains, the alphas behind that, and whether any agrees beyond chance, in sentences."""
    sentences = (f"{jury_result.verdict}.", jury_result.beside, jury_result.chance)
    return [words.capitalised(sentence) for sentence in sentences if sentence]


def write_jury(jury_result: Jury, folder: Path) -> Path:
    """Write the page of the jury into its folder."""
    return write_file(folder / PAGE, jury_sheet(jury_result).html())


def _gains(rule: str, checked: JuryCheck) -> Table:
    topics, reached = f"{checked.basis.clustered_by}s", checked.reached
    p = words.p_value(reached.p)
    return Table(
        f"{GAINS}, {checked.basis.intervals}",
        ("Jury by", "Alpha", "Over the average", "p", "Over each", "Gain"),
        [(rule, reached.alpha, reached.over_average, p, _beaten(reached), reached.gain)],
        foot=[(words.label(_chosen(checked)), checked.best.alpha, "", "", "", "")],
        note="“Alpha” is Krippendorff's alpha with annotators on the units that all members scored, averaged over the "
        "labeled dimensions without overall quality (unless it is the only one). "
        "“Over the average” is the jury's alpha minus the mean of its members' alphas, and p is the p-value of this "
        f"difference (t-test over {topics}). "
        "“Over each” is the number of members that the jury agrees significantly better than (p < .05 each); it is "
        "tested only if the jury is better than their average. "
        f"“Gain” is the jury's alpha minus that of the member {_chosen(checked)}. "
        f"{words.symmetry_note(checked.basis.clusters)}".rstrip(),
    ).compact()


def _beaten(rule: RuleOn) -> str:
    """How many members are shown to agree less, where the jury is shown to be better than their average."""
    if rule.shown not in ("each", "average"):
        return ""
    beaten = sum(p is not None and p < ALPHA for p in rule.over.values())
    return f"{beaten} of {len(rule.over)}"


def _members(jury_result: Jury, checked: JuryCheck) -> Table:
    best = checked.best
    return Table(
        "Its members",
        ("Member", Column("Judge", "text"), Column("Fingerprint", "name"), "Alpha", "Chosen"),
        [
            (
                member.name,
                f"{member.format} with {member.model}",
                member.fingerprint,
                member.alpha,
                f"{best.chosen[member.name]} of {best.folds}",
            )
            for member in jury_result.members
        ],
        note=chosen_words(best, checked.basis),
    ).compact()


def _chosen(checked: JuryCheck) -> str:
    return f"chosen on other {checked.basis.clustered_by}s"


def _errors(checked: JuryCheck) -> Table:
    pairs = len(checked.errors)
    counted = (
        ""
        if checked.independent is None
        else f" Together the members count as {checked.independent:.1f} independent judges."
    )
    return Table(
        "Do the members make the same errors?",
        (Column("Judge", "name"), Column("And", "name"), "Correlation of errors"),
        [(error.first, error.second, error.correlation) for error in checked.errors],
        note="An error is a score minus the human label; the correlation of errors is computed within dimensions. "
        "The less the errors "
        f"of the members correlate, the more a jury gains.{counted if pairs else ''}",
    )


def _differences(jury_result: Jury) -> Table:
    names = [member.name for member in jury_result.members]
    return Table(
        DIFFER,
        ("Item", Column("Metric", "name"), *names, "Jury", "Label"),
        [
            (
                disagreement.item,
                words.label(disagreement.metric),
                *map(words.score, (*disagreement.values, disagreement.jury, disagreement.people)),
            )
            for disagreement in jury_result.disagreements
        ],
        note="Each item is listed once, with the metric on which its members' scores differ most; scores are in [0, "
        "1]. "
        f"The file {RESULT} has all numbers.",
    )


def _pictures(jury_result: Jury, checked: JuryCheck) -> Iterator[Forest]:
    alphas = [
        *((member.name, member.alpha) for member in jury_result.members),
        (f"Member {_chosen(checked)}", checked.best.alpha),
        (f"Jury: {jury_result.rule}", checked.reached.alpha),
    ]
    yield from forests("Mean Krippendorff's alpha with annotators", "Alpha", alphas)
