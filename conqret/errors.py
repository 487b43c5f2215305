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
    """Base of everything that conqret raises on purpose."""


class DeclarationError(ConqretError):
    """A wrong call, file or setting; the message says what, where and what to do."""


class MissingDependencyError(DeclarationError):
    """An optional dependency is not installed; the message holds the line that installs it."""


class UnknownNameError(DeclarationError):
    """A format, metric, prompt or option that does not exist, with the nearest ones that do; ``elsewhere`` says in a
    sentence what that is here which others call so, if it knows."""

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
    """A question in these words for the nearest of the known names; empty where none is near."""
    near = difflib.get_close_matches(name, list(known), n=2, cutoff=NEAR)
    return words.format(" or ".join(map(repr, near))) if near else ""


def check_known(kind: str, known: Collection[str], *names: str, elsewhere: Elsewhere | None = None) -> None:
    """Check that there is a ``kind`` of each of these names. Raises UnknownNameError for the first that is not."""
    for name in names:
        if name not in known:
            raise UnknownNameError(kind, name, known, elsewhere)


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

    @property
    def kind(self) -> tuple[str, ...]:
        """What faults share that are the same but for their lines, and their numbers inside a list."""
        return self.file, re.sub(r"\[\d+\]", "[…]", self.field), self.problem, self.remedy

    def __str__(self) -> str:
        return describe_faults([self])


def describe_faults(alike: Sequence[Fault], count: int = 1) -> str:
    """``count`` faults of one kind on one line, with the first three lines of those that are given."""
    lines = list(dict.fromkeys(fault.line for fault in alike))
    shown = ", ".join(map(str, lines[:EXAMPLES]))
    place = f"{alike[0].file}:{shown}" if lines[0] else alike[0].file
    if count > EXAMPLES:
        place += f" and {count - EXAMPLES:,} more"
    name = alike[0].field if len({fault.field for fault in alike}) == 1 else alike[0].kind[1]
    return f"{place}{f' [{name}]' if name else ''} {alike[0].problem}. {alike[0].remedy}"


def by_kind(faults: Iterable[Fault], counts: Mapping[tuple[str, ...], int]) -> list[tuple[int, str]]:
    """How many faults there are of each kind, as ``counts`` says or else the faults, and a line that tells of them."""
    kinds: dict[tuple[str, ...], list[Fault]] = {}
    for fault in faults:
        kinds.setdefault(fault.kind, []).append(fault)
    numbers = {kind: max(counts.get(kind, 0), len(alike)) for kind, alike in kinds.items()}
    return [(numbers[kind], describe_faults(alike, numbers[kind])) for kind, alike in kinds.items()]


class FaultsError(DeclarationError):
    """An input has faults: :attr:`faults` holds them, in file order, and the message a line for each kind of them.

    ``total`` and ``counts`` say how many there are, in all and of each kind, where that is more than are given.
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
    """The input items have faults."""

    of = "items"


class LabelsError(FaultsError):
    """The labels have faults."""

    of = "labels"


class AnswersAwaited(ConqretError):  # noqa: N818 - nothing is wrong
    """Of a run's ``total`` trials ``outstanding`` have no answer yet, as a provider's batch has still to give it: the
    same call again collects what has come, and hands in what follows from it."""

    def __init__(self, outstanding: int, total: int) -> None:
        self.outstanding, self.total = outstanding, total
        super().__init__(
            f"{outstanding:,} of {total:,} answers wait for a batch; the same command again collects them, and hands "
            "in what follows from them"
        )


class ExecutionError(ConqretError):
    """The outside world failed; ``reason`` is the code that the judgment will carry."""

    def __init__(self, message: str, *, reason: str, retryable: bool = False) -> None:
        super().__init__(message)
        self.reason, self.retryable = reason, retryable


def number(count: int, what: str) -> str:
    """So many of a thing: ``1 item``, ``12 items``, ``2 queries``."""
    many = f"{what[:-1]}ies" if what.endswith("y") and what[-2:-1] not in "aeiou" else f"{what}s"
    return f"{count:,} {what if count == 1 else many}"


def check_positive(numbers: Mapping[str, int | None]) -> None:
    """Make sure that numbers, by the names that users know, are 1 or more; None is none.

    Raises:
        DeclarationError: one is less.
    """
    for name, value in numbers.items():
        if value is not None and value < 1:
            raise DeclarationError(f"{name} is {value}, but it must be at least 1")


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
