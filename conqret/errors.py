"""The two families of errors.

A *declaration* error means that the call, the file or the setting was wrong: a retry changes
nothing, so it is never retried, and the command line ends with exit code 2. An *execution* error means
that the outside world failed: a provider, the network, the budget. Execution errors never leave the
client as exceptions; they become judgments with the status ``failed`` (see :mod:`conqret.data.judgment`).
"""

from __future__ import annotations

import difflib
import functools
import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import ParamSpec, TypeVar, get_args, get_type_hints

P = ParamSpec("P")
T = TypeVar("T")

MAX_SHOWN = 50
"""Kinds of faults that the message of an error spells out; the others are counted."""
NEAR = 0.55
"""How alike a name has to be to one that was perhaps meant: 0 to 1, by difflib's ratio."""
EXAMPLES = 3
"""Lines that are named where many have the same fault."""
Elsewhere = Callable[[str, Collection[str]], str]
"""What a name of other tools stands for here, in a sentence, given the names that are known; empty if nothing."""


class ConqretError(Exception):
    """The base class of all errors that conqret raises on purpose."""


class DeclarationError(ConqretError):
    """An error in a call, file or setting; the message says what is wrong, where, and what to do."""


class MissingKeyError(DeclarationError):
    """A provider needs an API key, and none is set."""


class MissingDependencyError(DeclarationError):
    """An error for an optional dependency that is not installed; the message has the command that installs
    it.
    """


class UnknownNameError(DeclarationError):
    """An error for a format, metric, prompt or option that does not exist; the message suggests the closest
    names.

    Args:
        kind: what the name is of, such as ``metric`` or ``option of the judge``.
        name: the unknown name, as it was given.
        known: all names that exist; the message lists them.
        elsewhere: a function that is called with the name and the sorted known names, and returns a hint for names
            that other libraries use. A hint replaces the closest names; an empty text is no hint.
    """

    def __init__(
        self, kind: str, name: str, known: Iterable[str], elsewhere: Elsewhere | None = None
    ) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        hint = elsewhere(name, self.known) if elsewhere is not None else ""
        parts = [part.strip() for part in name.split(",")]
        if len(parts) > 1 and set(parts) <= set(self.known):
            hint = f"give each by itself ({', '.join(map(repr, parts))}), repeating the option"
        hint = f"{hint}; " if hint else did_you_mean(name, self.known, "did you mean {}? ")
        what, of, whose = kind.rpartition(" of ") if " of " in kind else (kind, "", "")
        super().__init__(f"there is no {what} {name!r}{of}{whose}: {hint}known: {', '.join(self.known)}")


def did_you_mean(name: str, known: Iterable[str], words: str = "Did you mean {}?") -> str:
    """Return a question that suggests the closest known names; empty if none is close."""
    near = difflib.get_close_matches(name, list(known), n=2, cutoff=NEAR)
    return words.format(" or ".join(map(repr, near))) if near else ""


def check_known(kind: str, known: Collection[str], *names: str, elsewhere: Elsewhere | None = None) -> None:
    """Check that each of ``names`` is in ``known``.

    Raises:
        UnknownNameError: a name is not known; the message calls it a ``kind``.
    """
    for name in names:
        if name not in known:
            raise UnknownNameError(kind, name, known, elsewhere)


def metric_name(typed: str) -> str:
    """Return the name of a metric (or format) with underscores, which may be typed with hyphens."""
    return typed.replace("-", "_")


@dataclass(frozen=True, slots=True)
class Fault:
    """One error in an input file: its place, its problem and its remedy.

    ``line`` counts from 1 (or records of a Parquet file or a frame); 0 means the whole file.
    """

    file: str
    line: int
    field: str
    problem: str
    remedy: str

    @property
    def kind(self) -> tuple[str, ...]:
        """The properties that similar faults share: all but the line and positions inside lists."""
        return self.file, re.sub(r"\[\d+\]", "[…]", self.field), self.problem, self.remedy

    def __str__(self) -> str:
        return describe_faults([self])


def describe_faults(alike: Sequence[Fault], count: int = 1) -> str:
    """Return a one-line message for ``count`` faults of one kind, with the first three lines of ``alike``."""
    lines = list(dict.fromkeys(fault.line for fault in alike))
    shown = ", ".join(map(str, lines[:EXAMPLES]))
    place = f"{alike[0].file}:{shown}" if lines[0] else alike[0].file
    if count > EXAMPLES:
        place += f" and {count - EXAMPLES:,} more"
    name = alike[0].field if len({fault.field for fault in alike}) == 1 else alike[0].kind[1]
    return f"{place}{f' [{name}]' if name else ''} {alike[0].problem}. {alike[0].remedy}"


def by_kind(faults: Iterable[Fault], counts: Mapping[tuple[str, ...], int]) -> list[tuple[int, str]]:
    """Return, for each kind of fault, the number of faults and a one-line message.

    ``counts`` has the total number by kind, if there are more faults than are given.
    """
    kinds: dict[tuple[str, ...], list[Fault]] = {}
    for fault in faults:
        kinds.setdefault(fault.kind, []).append(fault)
    numbers = {kind: max(counts.get(kind, 0), len(alike)) for kind, alike in kinds.items()}
    return [(numbers[kind], describe_faults(alike, numbers[kind])) for kind, alike in kinds.items()]


class FaultsError(DeclarationError):
    """An error for an input with faults: :attr:`faults` lists them in file order, and the message has a line
    per kind.

    ``total`` and ``counts`` are the number of all faults and of each kind, if more exist than are listed.
    """

    of = "file"

    def __init__(
        self,
        faults: Sequence[Fault],
        total: int | None = None,
        counts: Mapping[tuple[str, ...], int] | None = None,
    ) -> None:
        self.faults = tuple(faults)
        count = len(faults) if total is None else total
        kinds = by_kind(faults, counts or {})[:MAX_SHOWN]
        lines = [f"{number(count, 'fault')} in the {self.of}:", *(f"  {line}" for _, line in kinds)]
        if rest := count - sum(number for number, _ in kinds):
            lines.append(f"  and {rest} more")
        super().__init__("\n".join(lines))


class ItemsError(FaultsError):
    """An error for input items with faults."""

    of = "items"


class AnswersAwaited(ConqretError):  # noqa: N818 - nothing is wrong
    """An exception for a run that waits for a provider's batch: ``outstanding`` of ``total`` trials have no
    answer yet.

    Repeat the same call to collect the answers and to send requests that depend on them.
    """

    def __init__(self, outstanding: int, total: int) -> None:
        self.outstanding, self.total = outstanding, total
        super().__init__(
            f"{outstanding:,} of {total:,} answers wait for a batch; the same command again collects them, and hands "
            "in what follows from them"
        )


class ExecutionError(ConqretError):
    """An error of an external service or the network; ``reason`` is the code that a judgment records."""

    def __init__(self, message: str, *, reason: str, retryable: bool = False) -> None:
        super().__init__(message)
        self.reason, self.retryable = reason, retryable


def number(count: int, what: str) -> str:
    """Return a count with its noun in the singular or plural: ``1 item``, ``12 items``, ``2 queries``."""
    many = f"{what[:-1]}ies" if what.endswith("y") and what[-2:-1] not in "aeiou" else f"{what}s"
    return f"{count:,} {what if count == 1 else many}"


def check_positive(numbers: Mapping[str, int | None]) -> None:
    """Check that numbers, given by option name, are at least 1; None is allowed.

    Raises:
        DeclarationError: a number is below 1.
    """
    for name, value in numbers.items():
        if value is not None and value < 1:
            raise DeclarationError(f"{name} is {value}, but it must be at least 1")


def shortened(text: str, characters: int) -> str:
    """Return a text on one line, cut to at most ``characters`` characters, for use in a message."""
    text = " ".join(text.split())
    return text if len(text) <= characters else text[: characters - 1] + "…"


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, or the name of its type if the message is empty."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def strict_options(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function so that unknown keyword options raise an error that suggests the correct name.

    The decorated function raises UnknownNameError for an unknown option.
    """
    known = inspect.signature(function).parameters
    rest = next(
        (name for name, parameter in known.items() if parameter.kind is inspect.Parameter.VAR_KEYWORD), None
    )

    @functools.wraps(function)
    def strict(*arguments: P.args, **options: P.kwargs) -> T:
        names = {*known}
        if rest is not None and options.keys() - names:
            only = SimpleNamespace(__annotations__={rest: known[rest].annotation})
            hints = get_type_hints(only, inspect.unwrap(function).__globals__)
            (declared,) = get_args(hints[rest])  # Unpack[a typed dictionary]
            names = {*names - {rest}, *declared.__annotations__}
        check_known(f"option of {function.__name__}", names, *options.keys())
        return function(*arguments, **options)

    return strict
