"""What is checked of the arguments of every command, before it does anything, and what is said of wrong ones.

What a command writes is no file that it reads, nor a table that no command made: a slip of the ``-o`` would cost the
labels or the items.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args, get_origin

from cyclopts.exceptions import (
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    RepeatArgumentError,
    ValidationError,
)

from conqret.errors import DeclarationError, did_you_mean

if TYPE_CHECKING:
    from cyclopts.argument import Argument

    from conqret.cli.commands import Command

WRITTEN = ("output", "to", "page", "svg", "plot", "report", "junit", "markdown")
"""The parameters that name what a command writes."""

BUILD = ("junit", "markdown")
"""Those that are files at any rate, for a build."""
RUNS = "runs"
"""The argument that takes several folders of runs."""
KINDS: Final[Mapping[Any, str]] = {int: "a whole number", float: "a number"}


def read_arguments(command: Command, words: Sequence[str]) -> Callable[[], None]:
    """What a command does with these arguments and options.

    Raises:
        DeclarationError: they are wrong, or the output is a file that is read.
    """
    try:
        function, bound, _ = command.parse_args(words, print_error=False, exit_on_error=False)
    except CycloptsError as error:
        raise DeclarationError(
            f"{_fault(error, command, words).strip()} {command.name[0]} --help lists the options"
        ) from None
    bound.apply_defaults()
    if function is command.default_command:  # and not its help
        given = {
            argument.field_info.name: argument for argument in command.arguments if not argument.children
        }
        _check_rest(given, [token.value for token in given[RUNS].tokens] if RUNS in given else [])
        _check_written(given)
    return functools.partial(function, *bound.args, **bound.kwargs)


def _fault(error: CycloptsError, command: Command, words: Sequence[str]) -> str:
    """What is wrong, and what is perhaps meant."""
    typed = getattr(error, "token", None)
    keyword = typed and (typed.keyword or typed.value)
    argument = error.argument or next((one for one in command.arguments if keyword in one.names), None)
    if argument is None:
        rest = error.unused_tokens or [str(keyword)]
        options = [name for one in command.arguments for name in one.names if name.startswith("--")]
        if wrong := next((word.partition("=")[0] for word in rest if word.startswith("-")), None):
            return f"No such option: {wrong}. {did_you_mean(wrong, options)}"
        _check_rest({one.field_info.name: one for one in command.arguments}, rest)
        return f"Got unexpected extra arguments: {' '.join(rest)}."
    name = argument.name
    if isinstance(error, RepeatArgumentError):
        times = sum(word.partition("=")[0] in argument.names for word in words)
        how_often = "twice" if times == 2 else f"{times} times"
        return f"{name} is given {how_often} but takes one value: keep one of them."
    if isinstance(error, MissingArgumentError):
        if error.keyword or argument.tokens:
            return f"{name} requires a value."
        return f"Missing {'option' if name.startswith('-') else 'argument'} {name}."
    if isinstance(error, ValidationError):
        return f"{argument.tokens[-1].keyword or name} is {argument.value}, but it m{error.exception_message[1:]}"
    if isinstance(error, CoercionError) and typed is not None:
        if error.target_type is bool:
            return f"{name} takes no value."
        kinds = get_args(error.target_type) or (error.target_type,)
        one_of = f"one of {', '.join(map(repr, kinds))}"
        wanted = next((words for kind, words in KINDS.items() if kind in kinds), one_of)
        return f"{name} is {typed.value!r}, which is not {wanted}."
    return str(error)


def _check_rest(given: Mapping[str, Argument], rest: Iterable[str]) -> None:
    """Files that belong to nothing, or stand for runs, are what the shell has made of a pattern, of which an option
    takes the first."""
    labels = given.get("labels")
    if labels is None or labels.index is not None or get_origin(labels.hint) is not list:
        return
    if file := next((word for word in rest if Path(word).is_file()), None):
        raise DeclarationError(
            f"{file} follows no option: write {labels.name} before each file, or put a pattern in "
            f"quotes ({labels.name} 'PATTERN')"
        )


def _check_written(given: Mapping[str, Argument]) -> None:
    from conqret.io.safe_files import check_replaceable  # reads files, which no help does

    values = {name: one.value if one.tokens else one.field_info.default for name, one in given.items()}
    for name in WRITTEN:
        written = values.get(name)
        if not isinstance(written, Path):
            continue
        output = given[name].name
        if name in BUILD and written.is_dir():
            raise DeclarationError(f"{output} is {written}, which is a directory: name a file in it")
        for other, value in values.items():
            for path in value if isinstance(value, list | tuple) else (value,):
                if other != name and isinstance(path, Path) and _same_file(written, path):
                    raise DeclarationError(
                        f"{output} and {given[other].name} both name {path}, and one would overwrite the other: "
                        f"give {output} another name"
                    )
        if name != "output" or "overwrite" not in values:  # who has that option looks for itself
            check_replaceable(written)


def _same_file(written: Path, read: Path) -> bool:
    try:
        return read.is_file() and written.exists() and written.samefile(read)
    except OSError:
        return False
