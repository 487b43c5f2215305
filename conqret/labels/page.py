"""The dashboard of a study and the tables of ``conqret labels manage``: progress, annotators, and their
agreement.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median, median_low, mode

from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.debate.two_turn.judge_answers import TASK as JUDGING
from conqret.io.label_set import Label, LabelScale, LabelSet, Scales, Unit
from conqret.labels.answer_ledger import Ledger
from conqret.labels.exporting import scale_of
from conqret.labels.page_messages import ENGLISH, PageMessages, worded
from conqret.labels.screens import CANNOT_JUDGE, ScreenResponse
from conqret.labels.written_arguments import TASK as WRITING
from conqret.show.report_page import ReportPage, Section
from conqret.show.table import Column, Table
from conqret.stats.estimate import Estimate
from conqret.studies.agreement.annotator_agreement import (
    AnnotatorAgreement,
    agreement,
    annotators_answer,
    annotators_picture,
    annotators_table,
)
from conqret.text.words import dimension_name

TOO_EARLY = "Agreement is computed as soon as two annotators have labeled the same item."
NO_AGREEMENT = {
    JUDGING: "For the results, export the answers, and give them to conqret debate two-turn outcomes.",
    WRITING: "When the debates are judged, conqret debate two-turn outcomes --writers shows what each writer earned.",
}
"""Why other studies show no agreement, by task."""


def dashboard(ledger: Ledger, t: PageMessages = ENGLISH) -> ReportPage:
    """Return the dashboard page of a study, translated by ``t`` except for agreement statistics.

    It lists annotators by pseudonym and name.
    """
    records = list(ledger.finished_answers())
    done, wanted = ledger.wanted()
    labels = label_set(records)
    agreement_result, annotators = agreement_so_far(labels), progress_rows(ledger, records, labels)
    checks = sum(annotator.checks for annotator in annotators)
    log = [(at[:16].replace("T", " ") + " UTC", what, who) for at, what, who in ledger.events()[-100:][::-1]]
    events = Table("Log", (Column("When", "name"), Column("What", "name"), Column("Who", "text")), log)
    screens, overlap = f"{ledger.study.screens:,}", str(ledger.study.overlap)
    facts = [(t.plain("Screens"), screens), (t.plain("Annotators for each"), overlap)]
    if records:
        seconds = median(record.seconds for record in records)
        facts.append((t.plain("Median seconds per screen"), f"{seconds:.0f}"))
    if checks:
        right = sum(annotator.right for annotator in annotators)
        passed = t.plain("{right} of {checks}").format(right=right, checks=checks)
        facts.append((t.plain("Attention checks right"), passed))
    if surveys := sum(bool(answers) for _, answers in ledger.surveys()):
        facts.append((t.plain("Surveys answered"), f"{surveys:,}"))
    answer = [
        t.plain("{done} of {labels} are in.").format(done=f"{done:,}", labels=t.number(wanted, "label"))
    ]
    if agreement_result is None:
        answer[0] += f" {t.plain(why_no_agreement(ledger))}"
    else:
        answer += annotators_answer(agreement_result)
    return ReportPage(
        "labels",
        t.plain("Study: {task}").format(task=ledger.study.task),
        [
            Section(t.plain("Annotators"), [worded(progress_table(annotators), t)]),
            Section(
                t.plain("Agreement"),
                [annotators_table(agreement_result)] if agreement_result else [],
                f"In brackets: {agreement_result.basis.intervals}." if agreement_result else "",
            ),
            Section(t.plain("Who joined, paused or left"), [worded(events, t)] if events.rows else []),
        ],
        answer=answer,
        picture=annotators_picture(agreement_result) if agreement_result else [],
        facts=facts,
    )


def why_no_agreement(ledger: Ledger) -> str:
    """Return a sentence that explains why no agreement is shown."""
    return NO_AGREEMENT.get(ledger.study.task, TOO_EARLY)


class AnnotatorProgress(Frozen):
    """The progress of one annotator.

    ``practised`` is the outcome of practice (empty before its end). ``done`` and ``left`` are screens
    answered and at most left, and ``seconds`` the median time per screen (None before the first).
    ``right`` of ``checks`` attention checks were passed. ``alpha`` is the agreement with the other
    annotators (None without shared items).
    """

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


def progress_rows(
    ledger: Ledger, records: Sequence[ScreenResponse], labels: LabelSet
) -> list[AnnotatorProgress]:
    """Return the progress of each annotator, in joining order; ``labels`` are those of ``records``."""
    rows, alphas = [], against_others(labels)
    by_annotator = gathered((record.annotator.number, record) for record in records)
    for annotator in ledger.annotators():
        mine = by_annotator.get(annotator.number, [])
        done, left = ledger.counts(annotator)
        checks = [right for record in mine for right in record.screen.right(record.answers).values()]
        rows.append(
            AnnotatorProgress(
                person=annotator.pseudonym,
                name=annotator.name,
                state=annotator.state,
                practised=annotator.practised,
                done=done,
                left=left if annotator.state == "active" else 0,
                seconds=median(record.seconds for record in mine) if mine else None,
                right=sum(checks),
                checks=len(checks),
                alpha=alphas.get(annotator.pseudonym),
            )
        )
    return rows


def progress_table(annotators: Sequence[AnnotatorProgress]) -> Table:
    """Return a table with one row for each annotator."""
    columns = (
        "Person",
        Column("Name", "name"),
        Column("State", "name"),
        "Practice right",
        "Done",
        "Left (at most)",
        "Seconds",
        "Checks right",
        "Alpha",
    )
    rows = []
    for one in annotators:
        state = "finished" if one.state == "active" and one.done and not one.left else one.state
        seconds = "" if one.seconds is None else f"{one.seconds:.0f}"
        checks = f"{one.right} of {one.checks}" if one.checks else ""
        alpha = "" if one.alpha is None else one.alpha
        rows.append((one.person, one.name, state, one.practised, one.done, one.left, seconds, checks, alpha))
    note = (
        "Exports name annotators by their number (p01) alone. Done, left: screens. Seconds: the median per screen. "
        "Alpha: this annotator with the (lower) median of the others, on what both labeled."
    )
    return Table("Annotators", columns, rows, note=note)


NAME = "the labels so far"


def label_set(records: Iterable[ScreenResponse]) -> LabelSet:
    """Return the labels of these responses as ``conqret labels agreement`` reads them from the exported table. Debates
    that were judged or written have no labels and are left out; "cannot judge" is a label without a value."""
    labels: list[Label] = []
    scales: dict[str, LabelScale] = {}
    for record in records:
        if not record.screen.questions:  # a debate that was judged or written: no label
            continue
        questions = {question.name: question for question in record.screen.questions}
        for name, value in record.screen.written(record.answers).items():
            dimension = dimension_name(name)
            scale = scales.setdefault(dimension, scale_of(questions[name]))
            number = None if value == CANNOT_JUDGE else scale.read(value)
            labels.append(
                Label(
                    Unit(record.screen.item, record.screen.part),
                    dimension,
                    record.annotator.pseudonym,
                    number if isinstance(number, float) else None,
                    "cannot_judge" if number is None else None,
                    record.screen.topic,
                )
            )
    return LabelSet(NAME, NAME, tuple(labels), Scales(own=scales))


def agreement_so_far(found: LabelSet) -> AnnotatorAgreement | None:
    """Return the inter-annotator agreement so far; None until two annotators have labeled the same unit in
    the same dimension.
    """
    several = any(len({label.annotator for label in labels}) > 1 for labels in _told(found).values())
    return agreement(found) if several else None


def against_others(study_labels: LabelSet) -> dict[str, Estimate]:
    """Return the Krippendorff's alpha of each annotator, by pseudonym, with the other annotators on the
    same units.

    The others' label of a unit is their lower median, or (where labels are not ordinal) their most frequent
    word. Annotators without shared units are not included.
    """
    beside: dict[str, list[Label]] = {}
    for (_, dimension), labels in _told(study_labels).items():
        one_of = median_low if study_labels.scale(dimension).level == "ordinal" else mode
        for label in labels:
            others = [other.value for other in labels if other is not label and other.value is not None]
            if others:
                beside.setdefault(label.annotator, []).extend(
                    (label, replace(label, annotator="the others", value=one_of(others)))
                )
    alphas = {}
    for annotator in sorted(beside):
        result = agreement(replace(study_labels, labels=tuple(beside[annotator])))
        alphas[annotator] = result.average if result.together is None else result.together
    return alphas


def _told(study_labels: LabelSet) -> dict[tuple[Unit, str], list[Label]]:
    """The labels of each unit and dimension."""
    return gathered(
        ((label.unit, label.dimension), label) for label in study_labels.labels if label.value is not None
    )
