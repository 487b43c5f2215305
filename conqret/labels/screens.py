"""A study: its screens, its annotators, and how many labels each screen is to get; and what an annotator sees and is
rates at once: a document, an argument with its documents, two arguments, a sentence."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import not_
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from conqret.data.item import Frozen, Identifier, NonEmpty
from conqret.errors import ConqretError, DeclarationError

CANNOT_JUDGE = "cannot judge"
"""What a label file has in the place of a value that an annotator would not give."""


class Choice(Frozen):
    """One answer of a question: the ``value`` that is written down, what the button says (the value, where ``says`` is
    empty), and what it means."""

    value: str
    says: str = ""
    meaning: str = ""


def _paragraphs(guide: Any) -> Any:
    """The lines of a text."""
    return tuple(filter(str.strip, guide.splitlines())) if isinstance(guide, str) else guide


class ScreenQuestion(Frozen):
    """One question, under the name of its dimension. ``guide`` says what is meant, paragraph by paragraph;
    a text of several lines is taken, too.

    ``mirrored`` maps values to those that are written down where the two things compared stood the other way round.
    """

    name: Identifier
    asks: NonEmpty
    choices: tuple[Choice, ...] = Field(min_length=2)
    guide: Annotated[tuple[str, ...], BeforeValidator(_paragraphs)] = ()
    mirrored: Mapping[str, str] = {}

    @property
    def values(self) -> frozenset[str]:
        """What may be answered, apart from "cannot judge"."""
        return frozenset(choice.value for choice in self.choices)

    def answer_text(self, value: str) -> str:
        """An answer as its button says it."""
        return next((choice.says or choice.value for choice in self.choices if choice.value == value), value)


class ScreenPassage(Frozen):
    """One text on the screen under its title. ``lit`` are places of characters in it, from and to, that are marked.
    ``images`` are URLs of images that belong to it."""

    title: str
    text: str
    lit: tuple[tuple[int, int], ...] = ()
    url: str = ""
    images: tuple[str, ...] = Field(default=(), exclude_if=not_)


class JudgingScreen(Frozen):
    """One judgment of a two-turn debate: its condition, its number among so many ``turns``, and its instruction, as
    :mod:`conqret.debate.two_turn.slider_answers` has them.

    ``swapped`` says that the second option stands first; ``limit`` is the time for the answer in seconds, 0 without
    end.
    """

    condition: str
    turn: int
    turns: int
    instruction: str
    swapped: bool
    limit: int = 0


class Screen(Frozen):
    """One screen, of an item or of a ``part`` of it (a document's id, a sentence's number).

    ``swapped`` says that the two things compared stand the other way round than in the item, ``compared`` what they are
    called there, where they have names. ``gold`` holds the answers that are right, by question, where they are known:
    an attention check. ``practice`` says that all annotators have the screen before the others, and are then told which
    answers are right, and ``why``. ``person`` is the number of the annotator for whom alone it is, in the order of
    their screens; 0 is any annotator. ``judging`` says what is shown where the item is a question that is debated, and
    ``against`` for which of its options (1 or 2) an argument is to be answered. ``turns`` are the messages before the
    question, each under who wrote it.
    """

    item: Identifier
    part: str = ""
    topic: str = ""
    heading: str = ""
    passages: tuple[ScreenPassage, ...] = ()
    questions: tuple[ScreenQuestion, ...] = ()
    swapped: bool = False
    compared: tuple[str, ...] = ()
    gold: Mapping[str, tuple[str, ...]] = {}
    practice: bool = False
    why: str = ""
    person: int = 0
    judging: JudgingScreen | None = None
    against: int = 0
    turns: tuple[ScreenPassage, ...] = Field(default=(), exclude_if=not_)

    @property
    def pictured(self) -> bool:
        """Whether it shows images."""
        return any(passage.images for passage in (*self.turns, *self.passages))

    def about(self, names: Collection[str]) -> Screen:
        """The screen with the questions of these names alone; all, where there are none."""
        chosen = tuple(question for question in self.questions if not names or question.name in names)
        return self if chosen == self.questions else self.model_copy(update={"questions": chosen})

    def read(self, form_answers: Mapping[str, str]) -> dict[str, str]:
        """The answers to its questions among ``form_answers``, as they are written down.

        Raises:
            DeclarationError: a question is not answered, or with something that is none of its choices.
        """
        answers = {}
        for question in self.questions:
            value = form_answers.get(question.name, "")
            if value != CANNOT_JUDGE and value not in question.values:
                raise DeclarationError(
                    f"{question.asks} is not answered; choose one of the answers, or state that you cannot judge"
                )
            answers[question.name] = value
        return answers

    def right(self, answers: Mapping[str, str]) -> dict[str, bool]:
        """Whether the answers are right, by the questions whose answer is known."""
        written_answers = self.written(answers)
        return {name: written_answers.get(name) in known for name, known in self.gold.items()}

    def written(self, answers: Mapping[str, str]) -> dict[str, str]:
        """The answers as they stand in a label file: of what is compared, in the order of the item."""
        if not self.swapped:
            return dict(answers)
        turned = {question.name: question.mirrored for question in self.questions}
        return {name: turned.get(name, {}).get(value, value) for name, value in answers.items()}


def rating(low: int, high: int, meanings: Mapping[int, str] | None = None) -> tuple[Choice, ...]:
    """The whole numbers from ``low`` to ``high``, with what each means where that is said."""
    meaning_of = meanings or {}
    return tuple(Choice(value=str(n), meaning=meaning_of.get(n, "")) for n in range(low, high + 1))


class StaleAnswerError(ConqretError):
    """Another answer was given meanwhile, in another window; what stands there is kept."""


@dataclass(frozen=True, slots=True)
class Annotator:
    """Who labels. ``state`` is active, paused, dropped, whose labels are in no export, or one in which practice ends
    (:mod:`conqret.labels.study_screens`); ``practised`` says in words how that went, once it is over."""

    number: int
    name: str
    state: str
    agreed: str
    practised: str = ""

    @property
    def pseudonym(self) -> str:
        """The name in every export."""
        return f"p{self.number:02}"


@dataclass(frozen=True, slots=True)
class ScreenTurn:
    """A screen that an annotator was given, and what they answered last: ``answers`` is empty where nothing stands.
    ``revision`` counts what was written, withdrawals included; ``shown`` is when it was first given (Unix seconds), and
    ``started`` when its time began to run, where it has."""

    number: int
    screen: Screen
    state: str
    shown: float
    revision: int
    answers: Mapping[str, str]
    comment: str
    started: float | None = None


@dataclass(frozen=True, slots=True)
class ScreenResponse:
    """One screen's last answer by one annotator, for exports. Values are those that the annotator chose, on the screen
    as it was; :meth:`Screen.written` puts them into the order of the item. ``place`` is the screen's among all, from
    1."""

    annotator: Annotator
    place: int
    screen: Screen
    answers: Mapping[str, str]
    comment: str
    at: str
    seconds: float
    revision: int


@dataclass(frozen=True, slots=True)
class Final:
    """What an annotator said finally of a screen on which others differ: ``answers`` as on the screen, by question.
    ``by`` is the name, ``at`` the time in UTC."""

    screen: int
    answers: Mapping[str, str]
    comment: str
    by: str
    at: str


OVERLAP = 3
"""Labels of each screen: two agree or do not, and three have a majority."""
MAX_ANNOTATORS = 500
MAX_NAME = 60

_RESERVED = re.compile(r"\A\s*+(?:[pa]\d++$|deleted\b|final$)", re.IGNORECASE)
"""Names that no annotator may have: commands take pseudonyms, too, and would mean an annotator else."""


class Study(Frozen):
    """What stays the same for as long as labels are collected.

    ``overlap`` is the number of annotators who get each screen, ``open_to`` how many may join who are not named;
    ``items`` is a digest of what is shown. ``estimates`` is false where the items were chosen for what a judge said of
    them, so that their labels say nothing of others; ``probability`` is that of each item to be drawn, where they were.
    Everybody has ``practice`` screens first, which are not counted among ``screens``; who has fewer than a share of
    ``passing`` right gets no others.
    """

    task: Identifier
    overlap: int = OVERLAP
    open_to: int = 0
    items: str
    screens: int
    seed: int = 13
    consent: str = ""
    estimates: bool = True
    probability: float | None = None
    practice: int = 0
    passing: float = 0.0


def study_of(
    task: str,
    screens: Sequence[Screen],
    annotators: Sequence[str],
    *,
    overlap: int = OVERLAP,
    open_to: int = 0,
    **design: Any,
) -> Study:
    """The study of ``screens``, those to practice among them, checked; ``design`` are further fields of it.

    Raises:
        DeclarationError: there is no annotator or no question, there are fewer annotators than labels wanted
            of a screen, or names repeat.
    """
    labelled = [screen for screen in screens if not screen.practice]
    if not labelled:
        raise DeclarationError("there is nothing to label: no item can be shown in this task")
    names = check_names(annotators)
    if not names and not open_to:
        raise DeclarationError(
            "name the annotators (--annotators anna,ben,carl), or admit everyone who has the link (--open)"
        )
    able = len(names) + open_to
    if not 1 <= overlap <= able:
        raise DeclarationError(
            f"--overlap is the number of annotators who label each item, from 1 to the number of annotators "
            f"({able}), not {overlap}"
        )
    return Study(
        task=task,
        overlap=overlap,
        open_to=open_to,
        items=digest(screens),
        screens=len(labelled),
        practice=max(Counter(screen.person for screen in screens if screen.practice).values(), default=0),
        **design,
    )


def check_names(annotators: Sequence[str]) -> list[str]:
    """The names, without the white space around them.

    Raises:
        DeclarationError: one is empty, too long or not printable, or stands twice.
    """
    names = [name.strip() for name in annotators]
    if len(names) > MAX_ANNOTATORS:
        raise DeclarationError(f"{len(names)} annotators are named, and {MAX_ANNOTATORS} is the most")
    for name in names:
        if not name or len(name) > MAX_NAME or not name.isprintable():
            raise DeclarationError(
                f"{name[:MAX_NAME]!r} is not a name of 1 to {MAX_NAME} printable characters"
            )
        if _RESERVED.match(name):
            raise DeclarationError(f"{name!r} looks like a pseudonym in exports; choose another name")
        if names.count(name) > 1:
            raise DeclarationError(f"two annotators have the name {name!r}; give each a name of their own")
    return names


def digest(screens: Iterable[Screen]) -> str:
    """What tells other screens apart."""
    sha = hashlib.sha256()
    for screen in screens:
        sha.update(screen.model_dump_json().encode("utf-8", "backslashreplace") + b"\n")
    return sha.hexdigest()[:32]
