"""The writing of counter-arguments, as in Parrish et al. 2022 (sections 2.1 and A.2): who writes which,
and what was written.

Two writers write on each passage. Either answers the argument for the first option at half of its questions, and the
argument for the second at the others, so that both arguments of a question are answered, by two annotators.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from conqret.data.digest import gathered
from conqret.debate.two_turn.judge_answers import QUESTION, debated
from conqret.debate.two_turn.two_turn_files import SideArgument, TwoTurnQuestion, quoted_in
from conqret.errors import DeclarationError
from conqret.labels.answer_ledger import Ledger
from conqret.labels.screens import Screen, ScreenResponse, Study
from conqret.labels.study_screens import to_practise

TASK = "counter-arguments"
TEXT, SNIPPETS = "text", "snippets"
"""The names of the fields with the text, and with its quotations as a JSON list."""
MAX_TEXT = 5_000
"""The most characters of a counter-argument; those of the paper have some hundred."""
MAX_SNIPPETS = 10
_CITED = re.compile(r"#([0-9]+)")


@dataclass(frozen=True, slots=True)
class Draft:
    """An unfinished counter-argument: its text and the snippets that it quotes."""

    text: str = ""
    snippets: tuple[str, ...] = ()

    @classmethod
    def from_answers(cls, answers: Mapping[str, str]) -> Draft:
        """Create a draft from the answers stored in a study."""
        return cls(answers.get(TEXT, ""), tuple(json.loads(answers.get(SNIPPETS, "[]"))))

    def answers(self) -> dict[str, str]:
        """Return the draft as a mapping from field to answer: its text, and its snippets as JSON."""
        return {TEXT: self.text, SNIPPETS: json.dumps(self.snippets, ensure_ascii=False)}

    def quoting(self, passage: str, words: str) -> Draft:
        """Return the draft with one more snippet, quoted from the passage.

        Raises:
            DeclarationError: the words are not in the passage, or there are too many snippets.
        """
        quote = quoted_in(passage, words)
        if quote is None:
            raise DeclarationError("these words are not in the text: mark them there, or copy them exactly")
        if len(self.snippets) >= MAX_SNIPPETS:
            raise DeclarationError(f"{MAX_SNIPPETS} snippets is the most; remove one first")
        return replace(self, snippets=(*self.snippets, quote))

    def check(self) -> None:
        """Check that the draft is complete.

        Raises:
            DeclarationError: the draft has no text, or cites a snippet that does not exist.
        """
        if not self.text:
            raise DeclarationError("write your counter-argument")
        there = {str(number) for number in range(1, len(self.snippets) + 1)}
        for number in _CITED.findall(self.text):
            if number.lstrip("0") not in there:
                raise DeclarationError(f"your text cites #{number[:20]}, but there is no such snippet")


def writing_study(
    questions: Sequence[TwoTurnQuestion],
    writers: Sequence[str],
    *,
    consent: str = "",
    practice: Sequence[TwoTurnQuestion] = (),
) -> tuple[Study, list[Screen], dict[str, str]]:
    """Create a writing study: return its settings, its screens and the texts of its questions.

    These are the arguments of :meth:`Ledger.open`. Each writer first writes on the questions of
    ``practice``, against both arguments.

    Raises:
        DeclarationError: there are fewer than two writers, names repeat, a question has no passage, or one is
            practiced and in the study, too.
    """
    if len(writers) < 2:
        raise DeclarationError("each passage needs two writers: give at least two, --annotators ann,bob")
    asked = [*questions, *practice]
    bare = next((question.id for question in asked if not question.passage), None)
    if bare is not None:
        raise DeclarationError(f"writers quote from the passage, but question {bare!r} has none: add it")
    screens = planned_writing(questions, len(writers))
    first = [
        _screen(question, against, annotator)
        for annotator in range(1, len(writers) + 1)
        for against in (1, 2)
        for question in practice
    ]
    return debated(TASK, asked, screens + to_practise(first, screens), writers, consent=consent)


def planned_writing(questions: Sequence[TwoTurnQuestion], writers: int) -> list[Screen]:
    """Return the screens of all writers, by passage.

    A writer's screens against the first option's argument come before those against the second's. Two writers
    share a passage (the next two in turn): each writes against the first argument in one half of its
    questions, and against the second in the other.
    """
    passages = gathered((question.passage_id, question) for question in questions)
    screens: list[Screen] = []
    for place, passage_tasks in enumerate(passages.values()):
        half = (len(passage_tasks) + 1) // 2
        for nth, (first, second) in enumerate(
            ((passage_tasks[:half], passage_tasks[half:]), (passage_tasks[half:], passage_tasks[:half]))
        ):
            annotator = (2 * place + nth) % writers + 1
            screens += [
                _screen(question, against, annotator)
                for against, some in ((1, first), (2, second))
                for question in some
            ]
    return screens


def written(ledger: Ledger) -> tuple[list[TwoTurnQuestion], list[str]]:
    """Return the questions with both counter-arguments, and the ids of questions that lack one.

    Writers are identified by pseudonym, under the option that they argue for, which is not the one that they
    write against.
    """
    parts = gathered((record.screen.item, record) for record in ledger.finished_answers())
    whole, lacking = [], []
    for name, text in ledger.texts():
        if len(parts.get(name, ())) == 2:
            whole.append(_countered(QUESTION.validate_json(text), parts[name]))
        else:
            lacking.append(name)
    return whole, lacking


def practised(ledger: Ledger) -> list[TwoTurnQuestion]:
    """Return each writer's practice: questions with both counter-arguments by the same writer.

    The writer's pseudonym is the end of the question's id.
    """
    texts = dict(ledger.texts(practice=True))
    parts = gathered(
        ((record.annotator.pseudonym, record.screen.item), record)
        for record in ledger.finished_answers(practice=True)
    )
    return [
        replace(_countered(QUESTION.validate_json(texts[item]), records), id=f"{item}-{writer}")
        for (writer, item), records in sorted(parts.items())
        if len(records) == 2
    ]


def _countered(question: TwoTurnQuestion, records: Sequence[ScreenResponse]) -> TwoTurnQuestion:
    """Return the question with both of its counter-arguments, and the pseudonyms of who wrote for either option: the
    writer for option 1 is the one who wrote against option 2.

    Raises:
        KeyError: the records lack one of the two.
    """
    against = {
        record.screen.against: (record.annotator.pseudonym, Draft.from_answers(record.answers))
        for record in records
    }
    first, second = (
        replace(side, counter=SideArgument(against[n][1].text, against[n][1].snippets))
        for n, side in enumerate(question.sides, start=1)
    )
    return replace(question, sides=(first, second), writers=(against[2][0], against[1][0]))


def _screen(question: TwoTurnQuestion, against: int, annotator: int) -> Screen:
    return Screen(
        item=question.id,
        part=f"against {against}",
        heading=question.question,
        person=annotator,
        against=against,
    )
