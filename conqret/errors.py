"""The two families of errors.

A *declaration* error means that the call, the file or the setting was wrong: asking again changes
nothing, so it is never retried, and the command line ends with exit code 2. An *execution* error means
that the outside world failed: a provider, the network, the budget. Execution errors never leave the
client as exceptions; they become judgments with the status ``failed`` (see :mod:`conqret.data.judgment`).
"""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

MAX_SHOWN = 50
"""Faults that the message of an error spells out; the others are counted."""


class ConqretError(Exception):
    """Base of everything that conqret raises on purpose."""


class DeclarationError(ConqretError):
    """A wrong call, file or setting; the message says what, where and what to do."""


class MissingDependencyError(DeclarationError):
    """An optional dependency is not installed; the message holds the line that installs it."""


class UnknownNameError(DeclarationError):
    """A format, metric, prompt or option that does not exist, with the nearest ones that do."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        near = difflib.get_close_matches(name, self.known, n=2, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
        super().__init__(f"there is no {kind} {name!r}: {hint}known: {', '.join(self.known)}")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with an input file: where it is, what it is, and how to mend it.

    ``line`` counts from 1 (records of a Parquet file or a frame count as lines); 0 means the whole file.
    """

    file: str
    line: int
    field: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        field = f" [{self.field}]" if self.field else ""
        return f"{place}{field} {self.problem}. {self.remedy}"


class FaultsError(DeclarationError):
    """An input has faults: :attr:`faults` holds them, in file order, and the message the first of them."""

    of = "file"

    def __init__(self, faults: Sequence[Fault], total: int | None = None) -> None:
        self.faults = tuple(faults)
        count = len(faults) if total is None else total
        lines = [f"{count} fault{'s' if count != 1 else ''} in the {self.of}:"]
        lines += [f"  {fault}" for fault in faults[:MAX_SHOWN]]
        if count > MAX_SHOWN:
            lines.append(f"  and {count - MAX_SHOWN} more")
        super().__init__("\n".join(lines))


class ItemsError(FaultsError):
    """The input items have faults."""

    of = "items"


class LabelsError(FaultsError):
    """The labels have faults."""

    of = "labels"


class ExecutionError(ConqretError):
    """The outside world failed; ``reason`` is the code that the judgment will carry."""

    def __init__(self, message: str, *, reason: str, retryable: bool = False) -> None:
        super().__init__(message)
        self.reason, self.retryable = reason, retryable


def shortened(text: str, characters: int) -> str:
    """A text on one line and of at most so many characters, to stand in a message of ours."""
    text = " ".join(text.split())
    return text if len(text) <= characters else text[: characters - 1] + "…"


def first_line(error: BaseException) -> str:
    """The first line of what an error of some library says, to stand in a message of ours; its kind, if nothing."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def strict_options(function: Callable[P, T]) -> Callable[P, T]:
    """The same function, which names what was meant by an option that it does not have.

    Raises (when called):
        UnknownNameError: there is no such option.
    """
    known = inspect.signature(function).parameters

    @functools.wraps(function)
    def strict(*given: P.args, **options: P.kwargs) -> T:
        for name in options:
            if name not in known:
                raise UnknownNameError(f"option of {function.__name__}", name, known)
        return function(*given, **options)

    return strict
