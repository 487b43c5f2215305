"""A jury, as tables and as a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from conqret.data.digest import gathered
from conqret.judging.summary_tables import metric_names
from conqret.llm.client_options import OFFLINE_MODEL
from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.show.page import write_file
from conqret.show.report_page import PageRemarks, ReportPage, Section, section
from conqret.show.table import Column, Table
from conqret.studies.agreement_tables import chosen_words
from conqret.studies.jury.jury_run import PAGE, RESULT
from conqret.studies.jury.result import Jury, JuryCheck, RuleOn

GAINS, DIFFER = "What the jury gains", "Where the members differ most"


def jury_tables(found: Jury) -> Iterator[Table]:
    """Rules and members beside people, errors by pairs, and where members differ most."""
    checked = found.checked
    if checked is not None:
        yield _rules(checked)
        yield _members(found, checked)
        yield _errors(checked)
    if found.disagreements:
        yield _differences(found)


def jury_sheet(found: Jury) -> ReportPage:
    """The page, with alphas and gains as pictures."""
    tables = list(jury_tables(found))
    pictures = [] if found.checked is None else list(_pictures(found, found.checked))
    first = [Section(GAINS, [*pictures, tables[0]])] if pictures else list(map(section, tables[:1]))
    missed = [f"Left out: {why}." for why in found.missed.values()]
    return ReportPage(
        "jury",
        f"{words.number(len(found.members), 'judge')} as one",
        [*first, *map(section, tables[1:]), Section("Remarks", [PageRemarks(missed)] if missed else [])],
        badges=words.floor_badges([one.model == OFFLINE_MODEL for one in found.members]),
        lede=[words.capitalised(one) for one in (f"{found.verdict}.", found.beside, found.chance) if one],
        facts=[
            ("Rule", found.rule),
            ("Metrics", metric_names(found.metrics).replace("_", " ")),
            ("Items", f"{words.count(found.scored)} of {words.count(found.items)} judged by all members"),
            *([("Labels", found.checked.basis.labels)] if found.checked is not None else []),
        ],
    )


def write_jury(found: Jury, folder: Path) -> Path:
    """Write the page of the jury into its folder."""
    return write_file(folder / PAGE, jury_sheet(found).html())


def _rules(checked: JuryCheck) -> Table:
    topics = f"{checked.basis.clustered_by}s"
    return Table(
        f"{GAINS}, {checked.basis.intervals}",
        ("Jury by", "Alpha", "Gain", "p"),
        [(rule, one.alpha, one.gain, words.p_value(one.p)) for rule, one in _alike(checked)],
        foot=[(words.label(_chosen(checked)), checked.best.alpha, "", "")],
        note="Krippendorff's alpha with people, the mean over the labelled dimensions without overall quality "
        "(that one, where it is the only one), on what all scored. "
        f"Gain: alpha less that of the member {_chosen(checked)}, before rounding; p is of that gain (signs of whole "
        f"{topics} are flipped). The first rule is the one that was asked for; the others are exploratory.",
    )


def _members(found: Jury, checked: JuryCheck) -> Table:
    best = checked.best
    weighted = any(one.weight is not None for one in found.members)
    return Table(
        "Its members",
        ("Member", Column("Judge", "text"), Column("Fingerprint", "name"), "Alpha", "Chosen", "Weight"),
        [
            (
                one.name,
                f"{one.format} with {one.model}",
                one.fingerprint,
                one.alpha,
                f"{best.chosen[one.name]} of {best.folds}",
                "" if one.weight is None else one.weight,
            )
            for one in found.members
        ],
        note=f"{chosen_words(best, checked.basis)}{_WEIGHTS.format(checked.basis.clustered_by) * weighted}",
    ).compact()


_WEIGHTS = (
    " Weight: fitted so that the weighted mean follows people's labels within each dimension with the least squared "
    "error, which is not the highest alpha. Shown are the weights by all labels; the jury is made by those of other "
    "{}s."
)


def _alike(checked: JuryCheck) -> list[tuple[str, RuleOn]]:
    """The rules, those in one that are one: of two members the median is the mean."""
    found = gathered(((one.alpha, one.gain), (rule, one)) for rule, one in checked.rules.items())
    return [(", ".join(rule for rule, _ in same), same[0][1]) for same in found.values()]


def _chosen(checked: JuryCheck) -> str:
    return f"chosen by other {checked.basis.clustered_by}s"


def _errors(checked: JuryCheck) -> Table:
    pairs = len(checked.errors)
    counted = (
        "" if checked.independent is None else f" They count as {checked.independent:.1f} independent judges."
    )
    return Table(
        "Do they err alike?",
        (Column("Judge", "name"), Column("And", "name"), "Correlation of errors"),
        [(one.first, one.second, one.correlation) for one in checked.errors],
        note="Errors are scores minus people's label, within dimensions. The less they correlate, the more a jury "
        f"gains.{counted if pairs else ''}",
    )


def _differences(found: Jury) -> Table:
    names = [one.name for one in found.members]
    return Table(
        DIFFER,
        ("Item", Column("Metric", "name"), *names, "Jury", "People"),
        [
            (one.item, words.label(one.metric), *map(words.score, (*one.values, one.jury, one.people)))
            for one in found.disagreements
        ],
        note="Each item once, by the metric on which they are furthest apart; all in [0, 1]. All numbers are in "
        f"{RESULT}.",
    )


def _pictures(found: Jury, checked: JuryCheck) -> Iterator[Forest]:
    alphas = [
        *((one.name, one.alpha) for one in found.members),
        (f"Member {_chosen(checked)}", checked.best.alpha),
        *((f"Jury: {rule}", one.alpha) for rule, one in _alike(checked)),
    ]
    gains = [(f"Jury: {rule}", one.gain) for rule, one in _alike(checked)]
    yield from forests("Agreement with people", "Alpha", alphas)
    yield from forests(f"Gain over the member {_chosen(checked)}", "Gain", gains)
