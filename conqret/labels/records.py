"""Who labels, what they were given, and what they said, as the ledger of a study hands it out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from conqret.errors import ConqretError
from conqret.labels.screens import Screen


class StaleAnswerError(ConqretError):
    """Another answer was given meanwhile, in another window; what stands there is kept."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who labels. ``state`` is active, paused, dropped, whose labels are in no export, or one in which practice ends
    (:mod:`conqret.labels.practice`); ``practised`` says in words how that went, once it is over."""

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
    """A screen that a person was given, and what they answered last: ``answers`` is empty where nothing stands.
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
    """One screen's last answer by one person, for exports. Values are those that the person chose, on the screen as it
    was; :meth:`Screen.written` puts them into the order of the item. ``place`` is the screen's among all, from 1."""

    person: Person
    place: int
    screen: Screen
    answers: Mapping[str, str]
    comment: str
    at: str
    seconds: float
    revision: int


@dataclass(frozen=True, slots=True)
class Final:
    """What somebody said finally of a screen on which others differ: ``answers`` as on the screen, by question. ``by``
    is the name, ``at`` the time in UTC."""

    screen: int
    answers: Mapping[str, str]
    comment: str
    by: str
    at: str
