"""One label of each question of each screen: what was said in adjudication, else what most people say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conqret.data.digest import gathered
from conqret.labels.records import ScreenResponse
from conqret.labels.screens import CANNOT_JUDGE, Screen

ADJUDICATED, AGREED, MOST = "adjudicated", "all agree", "most"
"""How a final label came about."""


@dataclass(frozen=True, slots=True)
class Final:
    """What somebody said finally of a screen on which others differ: ``answers`` as on the screen, by question. ``by``
    is the name, ``at`` the time in UTC."""

    screen: int
    answers: Mapping[str, str]
    comment: str
    by: str
    at: str


@dataclass(frozen=True, slots=True)
class LabelVerdict:
    """The one label of a question, as it stands in a label file; ``how`` is one of the words above, and ``value`` is
    None where people differ and no one has decided."""

    screen: Screen
    question: str
    value: str | None
    how: str
    by: str = ""
    comment: str = ""


def verdicts(records: Iterable[ScreenResponse], finals: Iterable[Final] = ()) -> Iterator[LabelVerdict]:
    """One for each question of each screen that anybody has answered, in the order of the screens.

    Most are more than half of those who could judge; where people differ otherwise, somebody has to decide.
    """
    last = {final.screen: final for final in finals}
    for place, answers in gathered((record.place, record) for record in records).items():
        screen, final = answers[0].screen, last.get(place)
        for question in screen.questions:
            if final is not None and question.name in final.answers:
                value = screen.written(final.answers)[question.name]
                yield LabelVerdict(screen, question.name, value, ADJUDICATED, final.by, final.comment)
            else:
                yield _of_people(screen, question.name, [answer.answers[question.name] for answer in answers])


def _of_people(screen: Screen, question: str, answers: Sequence[str]) -> LabelVerdict:
    judged = [value for value in answers if value != CANNOT_JUDGE]
    if not judged:
        return LabelVerdict(screen, question, CANNOT_JUDGE, AGREED)
    value, count = Counter(judged).most_common(1)[0]
    if count == len(answers):
        how = AGREED
    elif 2 * count > len(judged):
        how = MOST
    else:
        return LabelVerdict(screen, question, None, "")
    return LabelVerdict(screen, question, screen.written({question: value})[question], how)
