"""Screens on which people differ, or people and a judge, for somebody who decides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from conqret.data import Judgment
from conqret.data.digest import gathered
from conqret.io.label_scale import dimension_name
from conqret.labels.answer_ledger import Ledger
from conqret.labels.collected_labels import scale_of
from conqret.labels.records import Final, ScreenResponse
from conqret.labels.screens import CANNOT_JUDGE, Screen, ScreenQuestion

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
