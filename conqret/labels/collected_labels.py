"""The labels of a study as the set that agreement is computed from, with the scales of its questions; and the screens
on which people differ, or people and a judge, for somebody who decides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median_low, mode

from conqret.data import Judgment
from conqret.data.digest import gathered
from conqret.io.label_set import Label, LabelScale, LabelSet, Scales, Unit, dimension_name
from conqret.labels.answer_ledger import Ledger
from conqret.labels.screens import CANNOT_JUDGE, Final, Screen, ScreenQuestion, ScreenResponse
from conqret.stats.estimate import Estimate
from conqret.studies.agreement.annotator_agreement import PeopleAgreement, agreement

NAME = "the labels so far"


def label_set(records: Iterable[ScreenResponse]) -> LabelSet:
    """The labels as ``conqret labels agreement`` reads them from the exported table."""
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
                    record.person.pseudonym,
                    number if isinstance(number, float) else None,
                    "cannot_judge" if number is None else None,
                    record.screen.topic,
                )
            )
    return LabelSet(NAME, NAME, tuple(labels), Scales(own=scales))


def scale_of(question: ScreenQuestion) -> LabelScale:
    """Whole numbers are an ordinal scale from the lowest to the highest choice; words are categories."""
    values = [choice.value for choice in question.choices]
    if all(value.isdecimal() for value in values):
        numbers = [int(value) for value in values]
        return LabelScale(low=min(numbers), high=max(numbers))
    words = {value.casefold(): float(place) for place, value in enumerate(values)}
    return LabelScale("nominal", 0, len(values) - 1, words)


def reading_options(questions: Mapping[str, ScreenQuestion]) -> list[str]:
    """The options with which ``conqret labels agreement`` reads the exported table as :func:`label_set` does; none,
    where the questions are answered in different words."""
    scales = {dimension_name(name): scale_of(question) for name, question in questions.items()}
    worded = [scale for scale in scales.values() if scale.words]
    if not worded and len({(scale.low, scale.high) for scale in scales.values()}) == 1:
        ((low, high),) = {(scale.low, scale.high) for scale in scales.values()}
        return ["--scale", f"{low:g}:{high:g}"]
    if not worded:
        return [
            part
            for name, scale in scales.items()
            for part in ("--scale", f"{name}={scale.low:g}:{scale.high:g}")
        ]
    if any(scale != worded[0] for scale in scales.values()):
        return []
    mapped = ",".join(f"{word}={number:g}" for word, number in worded[0].words.items())
    return ["--level", "nominal", "--map", mapped]


def agreement_so_far(found: LabelSet) -> PeopleAgreement | None:
    """How far people agree so far; None before two of them have labelled one thing."""
    several = any(len({label.annotator for label in labels}) > 1 for labels in _told(found).values())
    return agreement(found) if several else None


def against_others(study_labels: LabelSet) -> dict[str, Estimate]:
    """For each person, by pseudonym, the alpha of what they say and what the others say on the same: the (lower) median
    of these, or the most frequent of words. Who has labelled nothing beside others is not among them."""
    beside: dict[str, list[Label]] = {}
    for (_, dimension), labels in _told(study_labels).items():
        one_of = median_low if study_labels.scale(dimension).level == "ordinal" else mode
        for label in labels:
            others = [other.value for other in labels if other is not label and other.value is not None]
            if others:
                beside.setdefault(label.annotator, []).extend(
                    (label, replace(label, annotator="the others", value=one_of(others)))
                )
    return {
        person: _alpha(agreement(replace(study_labels, labels=tuple(beside[person]))))
        for person in sorted(beside)
    }


def _told(study_labels: LabelSet) -> dict[tuple[Unit, str], list[Label]]:
    """What was said of each unit and dimension."""
    return gathered(
        ((label.unit, label.dimension), label) for label in study_labels.labels if label.value is not None
    )


def _alpha(study_agreement: PeopleAgreement) -> Estimate:
    """Over all dimensions, or of the one that there is."""
    return study_agreement.together if study_agreement.together is not None else study_agreement.average


APART = 1.0
"""Steps of a scale between people's mean and the judge's score from which they differ: less is not another label."""


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """What a judge says of a question, on the question's scale or in its words as they stand on the screen, and why."""

    value: float | str
    reason: str

    @property
    def shown(self) -> str:
        """The value for people."""
        return self.value if isinstance(self.value, str) else f"{self.value:.3g}"


@dataclass(frozen=True, slots=True)
class Dispute:
    """A screen (its ``place`` among all, from 1) with everybody's answers, and the ``questions`` on which they differ.
    ``judge`` has the judge's word on each of these, where there is one; ``final`` what was decided."""

    place: int
    screen: Screen
    given: Sequence[ScreenResponse]
    questions: tuple[str, ...]
    judge: Mapping[str, JudgeAnswer]
    final: Final | None

    @property
    def decided(self) -> bool:
        """Whether each of its questions has a final label."""
        return self.final is not None and set(self.questions) <= set(self.final.answers)


def disputes(ledger: Ledger, judgments: Iterable[Judgment] = ()) -> list[Dispute]:
    """The disputes of a study, in the order of its screens. Only screens all of whose labels are in are among them, so
    that nobody learns what others said, or the judge, before they have answered."""
    judged = {judgment.item: judgment for judgment in judgments}
    last = {final.screen: final for final in ledger.finals()}
    complete = ledger.complete()
    screens = gathered((record.place, record) for record in ledger.given() if record.place in complete)
    dispute_list = []
    for place, records in screens.items():
        screen = records[0].screen
        judge_values = judge_said(screen, judged.get(screen.item))
        names = tuple(
            question.name
            for question in screen.questions
            if _differ(
                question,
                [record.answers[question.name] for record in records],
                judge_values.get(question.name),
            )
        )
        if names:
            dispute_list.append(Dispute(place, screen, records, names, judge_values, last.get(place)))
    return dispute_list


def judge_said(screen: Screen, judgment: Judgment | None) -> dict[str, JudgeAnswer]:
    """The judge's word on the questions of a screen, by question."""
    measures = judgment.measures if judgment is not None else {}
    named = {dimension_name(name): measure for name, measure in measures.items()}
    answers_by_question = {}
    for question in screen.questions:
        measure = named.get(dimension_name(question.name))
        parts = {part.id: part for part in measure.parts} if measure is not None else {}
        judged_part = parts.get(screen.part) if screen.part and not screen.compared else measure
        if (
            judged_part is not None
            and (value := _on_scale(question, judged_part.value, judged_part.label, screen)) is not None
        ):
            answers_by_question[question.name] = JudgeAnswer(value, judged_part.explanation)
    return answers_by_question


def _on_scale(
    question: ScreenQuestion, value: float | None, label: str | None, screen: Screen
) -> float | str | None:
    if label is not None and label in question.values:
        return question.mirrored.get(label, label) if screen.swapped else label
    scale = scale_of(question)
    return None if value is None or scale.words else scale.value(value)


def _differ(question: ScreenQuestion, answers: Sequence[str], judge: JudgeAnswer | None) -> bool:
    values = [value for value in answers if value != CANNOT_JUDGE]
    if len(set(values)) > 1:
        return True
    if judge is None or not values:
        return False
    if isinstance(judge.value, str):
        return judge.value != values[0]
    return abs(judge.value - fmean(map(float, values))) >= APART
