"""``controllability`` and ``response_quality``: statements in, what a judge says of each system out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar, Unpack

from conqret.data import Item
from conqret.debate.debatune import controllability_scores as keeping
from conqret.debate.debatune import quality_scores as comparing
from conqret.debate.debatune.controllability_scores import GOOD_FROM, Controllability
from conqret.debate.debatune.quality_scores import Quality
from conqret.debate.debatune.statements import read_statements, system_of
from conqret.errors import DeclarationError
from conqret.judging.judge import judge
from conqret.judging.judge_settings import JudgeSettings
from conqret.judging.judgments import Judgments
from conqret.runs.session import SessionCounts

S = TypeVar("S", Controllability, Quality)

Statements = str | Path | Iterable[str | Path | Item]
"""A file, several files (each a system), or items with a stance."""


@dataclass(frozen=True, slots=True)
class Systems(Generic[S]):
    """What a judge says of each system, in the order in which they first come, and the judgments behind it."""

    systems: tuple[S, ...]
    judgments: Judgments

    @property
    def session(self) -> SessionCounts:
        """What was asked now, and what came from before."""
        return self.judgments.session

    @property
    def missing(self) -> Sequence[str]:
        """The answers that a replay lacked."""
        return self.judgments.missing


def controllability(
    statements: Statements, *, good_from: int = GOOD_FROM, **settings: Unpack[JudgeSettings]
) -> Systems[Controllability]:
    """How often each system's statements are wholly on the side that they were to take (DEBATunE, section 4.1).

    Args:
        statements: files with columns ``topic``, ``side`` and ``statement``, or items.
        good_from: per cent on the assigned side from which a statement is good, above 50 and up to 100.
        settings: those of :func:`conqret.judge`, without ``format``.

    Raises:
        DeclarationError: anything wrong with the call or the statements.
    """
    keeping.check_good_from(good_from)
    items = _items(statements)
    judgments = _judged(items, keeping.FORMAT, settings)
    return Systems(tuple(keeping.controllability(items, judgments, good_from=good_from)), judgments)


def response_quality(
    statements: Statements, *, against: str | None = None, **settings: Unpack[JudgeSettings]
) -> Systems[Quality]:
    """How good each system's statements are beside those of one system to the same instructions (DEBATunE, section
    4.1, Equation 5).

    Args:
        statements: files with columns ``topic``, ``side`` and ``statement``, or items; of two systems at least.
        against: the system that all others are held against; by default the first.
        settings: those of :func:`conqret.judge`, without ``format``.

    Raises:
        DeclarationError: anything wrong with the call or the statements.
    """
    items = _items(statements)
    pairs = comparing.pair(items, against or system_of(items[0]))
    judgments = _judged(pairs, comparing.FORMAT, settings)
    return Systems(tuple(comparing.quality(pairs, judgments)), judgments)


def _items(statements: Statements) -> tuple[Item, ...]:
    sources = [statements] if isinstance(statements, str | Path) else list(statements)
    items = tuple(source for source in sources if isinstance(source, Item))
    files = [Path(source) for source in sources if not isinstance(source, Item)]
    if not sources or (items and files):
        raise DeclarationError("give at least one file of statements, or items")
    return items or read_statements(files)


def _judged(items: tuple[Item, ...], format: str, settings: JudgeSettings) -> Judgments:  # noqa: A002 - as in settings
    if "format" in settings:
        raise DeclarationError(f"the format is {format}: leave out 'format', or use conqret.judge")
    named: JudgeSettings = {**settings, "format": format}
    judgments: Judgments = judge(items, **named)
    return judgments.whole()
