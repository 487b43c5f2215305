"""The types of a study: its settings, its screens with their questions and texts, its annotators and their
answers.
"""

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
"""The value, in label files too, of an annotator who cannot judge."""


class Choice(Frozen):
    """One choice of a question: the stored ``value``, the button's text (``says``; the value if empty), a
    ``meaning``, and the ``key`` that chooses it.
    """

    value: str
    says: str = ""
    meaning: str = ""
    key: str = Field(default="", exclude_if=not_)


def _paragraphs(guide: Any) -> Any:
    """The lines of a text."""
    return tuple(filter(str.strip, guide.splitlines())) if isinstance(guide, str) else guide


class ScreenQuestion(Frozen):
    """One question about a dimension (``name``), with its wording (``asks``) and its choices.

    ``guide`` explains it in paragraphs; a text of several lines is split into them. ``mirrored`` maps each
    value to the one that is stored if the two compared texts were shown in reverse order.
    """

    name: Identifier
    asks: NonEmpty
    choices: tuple[Choice, ...] = Field(min_length=2)
    guide: Annotated[tuple[str, ...], BeforeValidator(_paragraphs)] = ()
    mirrored: Mapping[str, str] = {}

    @property
    def values(self) -> frozenset[str]:
        """The values of all choices, without "cannot judge"."""
        return frozenset(choice.value for choice in self.choices)

    def answer_text(self, value: str) -> str:
        """Return the button text of an answer."""
        return next((choice.says or choice.value for choice in self.choices if choice.value == value), value)


class ScreenPassage(Frozen):
    """One text on a screen with its title.

    ``lit`` has the highlighted parts as (start, end) in characters of ``text``, end exclusive. ``url`` is
    the document's address, ``images`` are the URLs of its images.
    """

    title: str
    text: str
    lit: tuple[tuple[int, int], ...] = ()
    url: str = ""
    images: tuple[str, ...] = Field(default=(), exclude_if=not_)


class JudgingScreen(Frozen):
    """One judgment of a two-turn debate: its condition, its turn number of ``turns``, and its
    instruction.

    See :mod:`conqret.debate.two_turn.slider_answers` for the values. ``swapped`` is true if the second
    option is shown first. ``limit`` is the time limit in seconds; 0 is no limit.
    """

    condition: str
    turn: int
    turns: int
    instruction: str
    swapped: bool
    limit: int = 0


class Stratum(Frozen):
    """The rows among which a row was drawn, for example those that the judge passes: the stratum's name
    and number of rows.
    """

    name: str
    rows: int


class Screen(Frozen):
    """One screen of an annotation study: it shows an item, or a ``part`` of it (a document's id, a
    sentence's number).

    ``swapped`` is true if the two compared texts are shown in reverse order; ``compared`` are their names.
    ``gold`` maps questions to their correct answers, if known, as an attention check. ``practice`` screens
    come first for all annotators, who are then shown the correct answers and ``why``. ``person`` is the
    number of the only annotator who gets the screen; 0 means any. ``judging`` is the design of a debate
    judgment. ``against`` is the option (1 or 2) whose argument a writer counters. ``turns`` are the
    messages before the question, titled by role. ``stratum`` is that of a table's row, and never shown.
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
    stratum: Stratum | None = Field(default=None, exclude_if=not_)

    @property
    def one_key(self) -> bool:
        """True if one key answers and saves the screen: all choices of its one question have keys."""
        return len(self.questions) == 1 and all(choice.key for choice in self.questions[0].choices)

    @property
    def pictured(self) -> bool:
        """True if the screen shows images."""
        return any(passage.images for passage in (*self.turns, *self.passages))

    def about(self, names: Collection[str]) -> Screen:
        """Return the screen with only the questions of these names; with all if ``names`` is empty."""
        chosen = tuple(question for question in self.questions if not names or question.name in names)
        return self if chosen == self.questions else self.model_copy(update={"questions": chosen})

    def read(self, form_answers: Mapping[str, str]) -> dict[str, str]:
        """Return the answers to the screen's questions in the fields of a form.

        Raises:
            DeclarationError: a question has no answer, or one that is not among its choices.
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
        """Return True or False for each question with a known answer: whether the answer, in the order of
        the item, is among the correct ones.
        """
        written_answers = self.written(answers)
        return {name: written_answers.get(name) in known for name, known in self.gold.items()}

    def written(self, answers: Mapping[str, str]) -> dict[str, str]:
        """Return a mapping from question to answer as stored in label files: where the two texts were shown
        swapped, answers that name one of them are turned back to the order of the item."""
        if not self.swapped:
            return dict(answers)
        turned = {question.name: question.mirrored for question in self.questions}
        return {name: turned.get(name, {}).get(value, value) for name, value in answers.items()}


def rating(low: int, high: int, meanings: Mapping[int, str] | None = None) -> tuple[Choice, ...]:
    """Return the integers from ``low`` to ``high`` (both included) as choices, with their meanings where
    there are any.
    """
    meaning_of = meanings or {}
    return tuple(Choice(value=str(n), meaning=meaning_of.get(n, "")) for n in range(low, high + 1))


class StaleAnswerError(ConqretError):
    """Raised when another answer was stored meanwhile, for example in another window; that answer is
    kept."""


@dataclass(frozen=True, slots=True)
class Annotator:
    """An annotator of a study.

    ``state`` is active, paused, dropped (labels are not exported), deleted, or an outcome of practice
    (:mod:`conqret.labels.study_screens`). ``agreed`` is the time of consent (empty: none yet). ``practised``
    describes the outcome of practice.
    """

    number: int
    name: str
    state: str
    agreed: str
    practised: str = ""

    @property
    def pseudonym(self) -> str:
        """The annotator's name in exports, such as ``p02``."""
        return f"p{self.number:02}"


@dataclass(frozen=True, slots=True)
class ScreenTurn:
    """A screen given to an annotator, with their last answers (empty if there are none).

    ``number`` identifies the turn, and ``state`` is given, done, free or dropped. ``revision`` counts the
    stored versions, including withdrawals. ``shown`` is the time when it was first given (Unix seconds), and
    ``started`` the start of its timer, or None.
    """

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
    """One annotator's last answer to one screen, for exports.

    The values are as chosen on the screen; :meth:`Screen.written` puts them into the order of the item.
    ``place`` is the screen's number among all (from 1), ``at`` the time of the answer (UTC), and ``seconds``
    how long it took since the start of the timer, or else since the screen was first given.
    """

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
    """The adjudicator's decision on a screen on which annotators differ: ``answers`` by question, as on
    the screen.

    ``by`` is the adjudicator's name, and ``at`` the time in UTC.
    """

    screen: int
    answers: Mapping[str, str]
    comment: str
    by: str
    at: str


OVERLAP = 3
"""The default number of annotators for each screen: two agree or do not, and three have a majority."""
MAX_ANNOTATORS = 500
MAX_NAME = 60

_RESERVED = re.compile(r"\A\s*+(?:[pa]\d++$|deleted\b|final$)", re.IGNORECASE)
"""Names that no annotator may have: commands take pseudonyms, too, and would mean an annotator else."""


class Study(Frozen):
    """The fixed settings of an annotation study.

    ``overlap`` is the number of annotators for each screen, ``open_to`` how many may join by the open
    link, and ``items`` a digest of the screens. ``estimates`` is false if items were selected by a judge's
    scores, so that labels are no random sample. ``probability`` is that of each item being drawn.
    ``practice`` screens come first and are not counted in ``screens``; annotators with a share below
    ``passing`` correct get no others.
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
    """Create the study of ``screens``, including practice screens, after checking its settings.

    Args:
        task: the name of the task.
        screens: all screens.
        annotators: the names of the annotators.
        overlap: how many annotators label each screen.
        open_to: how many more may join by the open link.
        design: further fields of the study.

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
            f"--overlap is the number of annotators who label each item, from 1 to {able}, not {overlap}"
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
    """Return the names without surrounding whitespace, after checking them.

    Raises:
        DeclarationError: a name is empty, too long, not printable, or repeated.
    """
    names = [name.strip() for name in annotators]
    if len(names) > MAX_ANNOTATORS:
        raise DeclarationError(f"{len(names)} annotators are named, and {MAX_ANNOTATORS} is the most")
    for name in names:
        if not name or len(name) > MAX_NAME or not name.isprintable():
            raise DeclarationError(f"{name[:MAX_NAME]!r} is no name of 1 to {MAX_NAME} printable characters")
        if _RESERVED.match(name):
            raise DeclarationError(f"{name!r} looks like a pseudonym in exports; choose another name")
        if names.count(name) > 1:
            raise DeclarationError(f"two annotators have the name {name!r}; give each a name of their own")
    return names


def digest(screens: Iterable[Screen]) -> str:
    """Return a digest of screens (32 hexadecimal digits of the SHA-256), which differs if any screen or
    their order differs.
    """
    sha = hashlib.sha256()
    for screen in screens:
        sha.update(screen.model_dump_json().encode("utf-8", "backslashreplace") + b"\n")
    return sha.hexdigest()[:32]
