"""How far a study is, who did what, and how far people agree, all together and each with the others: the dashboard, and
``conqret labels status``."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.debate.two_turn.judge_answers import TASK as JUDGING
from conqret.io.label_set import LabelSet
from conqret.labels.answer_ledger import Ledger
from conqret.labels.collected_labels import against_others, agreement_so_far, label_set
from conqret.labels.page_messages import ENGLISH, PageMessages, worded
from conqret.labels.screens import ScreenResponse
from conqret.labels.written_arguments import TASK as WRITING
from conqret.show.report_page import CollapsedTable, Part, ReportPage, Section
from conqret.show.table import Column, Table
from conqret.stats.estimate import Estimate
from conqret.studies.agreement.page import annotators_answer, annotators_picture, people_table

SLOWEST = 100
"""Items whose time is told."""
TOO_EARLY = "Agreement is computed as soon as two annotators have labeled the same item."
NO_AGREEMENT = {
    JUDGING: "What came of it is told by conqret debate two-turn outcomes, from the export.",
    WRITING: "What it earns its writers is told by conqret debate two-turn outcomes --writers, once it was judged.",
}
"""Why there is none in other studies, by their task."""


def dashboard(ledger: Ledger, t: PageMessages = ENGLISH) -> ReportPage:
    """The page of who runs the study, in the words of ``t`` but for the statistics of agreement; people stand on it by
    their pseudonyms and names."""
    records = list(ledger.given())
    done, wanted = ledger.wanted()
    labels = label_set(records)
    agreement_result, people = agreement_so_far(labels), people_rows(ledger, records, labels)
    right = sum(annotator.right for annotator in people)
    checks = sum(annotator.checks for annotator in people)
    lacking = why_no_agreement(ledger)
    events = Table(
        "Log",
        (Column("When", "name"), Column("What", "name"), Column("Who", "text")),
        [(at[:16].replace("T", " ") + " UTC", what, who) for at, what, who in ledger.events()[-100:][::-1]],
    )
    facts = [
        (t.plain("Screens"), f"{ledger.study.screens:,}"),
        (t.plain("Annotators for each"), str(ledger.study.overlap)),
    ]
    times: list[Part] = []
    if records:
        seconds = median(record.seconds for record in records)
        facts.append((t.plain("Median seconds per screen"), f"{seconds:.0f}"))
        slowest = t.plain("Seconds of each item, the slowest first")
        times.append(CollapsedTable(slowest, worded(time_of_items(records), t)))
    if checks:
        passed = t.plain("{right} of {checks}").format(right=right, checks=checks)
        facts.append((t.plain("Attention checks right"), passed))
    return ReportPage(
        "labels",
        t.plain("Study: {task}").format(task=ledger.study.task),
        [
            Section(t.plain("Annotators"), [worded(people_so_far(people), t).compact()]),
            Section(
                t.plain("Agreement"),
                [people_table(agreement_result)] if agreement_result else [],
                f"In brackets: {agreement_result.basis.intervals}." if agreement_result else "",
            ),
            Section(t.plain("Time"), times),
            Section(t.plain("Who joined, paused or left"), [worded(events, t)] if events.rows else []),
        ],
        answer=[
            t.plain("{done} of {labels} are in.").format(done=f"{done:,}", labels=t.number(wanted, "label"))
            + ("" if agreement_result else f" {t.plain(lacking)}"),
            *(annotators_answer(agreement_result) if agreement_result else []),
        ],
        picture=annotators_picture(agreement_result) if agreement_result else [],
        facts=facts,
    )


def why_no_agreement(ledger: Ledger) -> str:
    """Why agreement is not told."""
    return NO_AGREEMENT.get(ledger.study.task, TOO_EARLY)


class PersonSoFar(Frozen):
    """How far a person is: how practice went (empty before its end), screens answered, screens left at most, the median
    of the seconds that a screen took (None before the first), attention checks passed of how many, and alpha with what
    the others say (None where nobody else has labelled the same)."""

    person: str
    name: str
    state: str
    practised: str
    done: int
    left: int
    seconds: float | None
    right: int
    checks: int
    alpha: Estimate | None


def people_rows(ledger: Ledger, records: Sequence[ScreenResponse], labels: LabelSet) -> list[PersonSoFar]:
    """One for each person, in the order in which they joined; ``labels`` are those of ``records``."""
    rows, alphas = [], against_others(labels)
    by_person = gathered((record.person.number, record) for record in records)
    for person in ledger.people():
        mine = by_person.get(person.number, [])
        done, left = ledger.counts(person)
        checks = [right for record in mine for right in record.screen.right(record.answers).values()]
        rows.append(
            PersonSoFar(
                person=person.pseudonym,
                name=person.name,
                state=person.state,
                practised=person.practised,
                done=done,
                left=left if person.state == "active" else 0,
                seconds=median(record.seconds for record in mine) if mine else None,
                right=sum(checks),
                checks=len(checks),
                alpha=alphas.get(person.pseudonym),
            )
        )
    return rows


def _stands(person: PersonSoFar) -> str:
    return "finished" if person.state == "active" and person.done and not person.left else person.state


def people_so_far(people: Sequence[PersonSoFar]) -> Table:
    """A row for each person."""
    columns = (
        "Person", Column("Name", "name"), Column("State", "name"), "Practice right", "Done", "Left (at most)",
        "Seconds", "Checks right", "Alpha",
    )  # fmt: skip
    rows = [
        (
            annotator.person, annotator.name, _stands(annotator), annotator.practised, annotator.done, annotator.left,
            "" if annotator.seconds is None else f"{annotator.seconds:.0f}",
            f"{annotator.right} of {annotator.checks}" if annotator.checks else "",
            "" if annotator.alpha is None else annotator.alpha,
        )
        for annotator in people
    ]  # fmt: skip
    note = (
        "Exports name annotators by their number (p01) alone. Done, left: screens. Seconds: the median per screen. "
        "Alpha: this annotator with the (lower) median of the others, on what both labeled."
    )
    return Table("Annotators", columns, rows, note=note).compact()


def time_of_items(records: Sequence[ScreenResponse]) -> Table:
    """How long each item took, the slowest first."""
    seconds = gathered((record.screen.item, record.seconds) for record in records)
    slowest = sorted(seconds.items(), key=lambda entry: -median(entry[1]))[:SLOWEST]
    rows = [
        (item, len(item_seconds), f"{median(item_seconds):.0f}", f"{max(item_seconds):.0f}")
        for item, item_seconds in slowest
    ]
    return Table("Time", (Column("Item", "name"), "Labels", "Median, s", "Longest, s"), rows)
