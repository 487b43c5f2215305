"""What is checked of the arguments of every command, before it does anything.

An option that takes one value is given once: of two values, one would be lost without a word. And what a command writes
is no file that it reads, nor a table that no command made: a slip of the ``-o`` would cost the labels or the items.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

from conqret.errors import DeclarationError

WRITTEN = ("output", "to", "page", "svg", "plot", "report", "junit", "markdown")
"""The parameters that name what a command writes."""
HELP_ALL = "--help-all"
RUNS = "runs"
"""The argument that takes several folders of runs."""


class CheckedCommand(TyperCommand):
    """A command whose arguments are checked. Where ``common`` options are named, ``--help`` shows these, and
    ``--help-all`` all of them."""

    common: frozenset[str] = frozenset()

    def show_common(self, names: Iterable[str]) -> None:
        """Have ``--help`` show the options of these names (of parameters), and the arguments.

        Raises:
            ValueError: there is no such option.
        """
        self.common = frozenset(names)
        if unknown := self.common - {param.name for param in self.params}:
            raise ValueError(f"no options of {self.name}: {', '.join(sorted(unknown))}")

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help, without the options that few people use unless all are wanted."""
        shown = self.params
        if self.common and not ctx.meta.get(HELP_ALL):
            self.params = [
                parameter
                for parameter in shown
                if parameter.param_type_name != "option" or parameter.name in self.common
            ]
        left = len(shown) - len(self.params)
        help_text = self.help
        if left:
            self.help = f"{help_text}\n\nThese are the most used options; `--help-all` shows {left} more."
        try:
            super().format_help(ctx, formatter)
        finally:
            self.params, self.help = shown, help_text

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments.

        Raises:
            DeclarationError: an option that takes one value is given twice, or the output is a file that is read.
        """
        if HELP_ALL in itertools.takewhile("--".__ne__, args):
            ctx.meta[HELP_ALL] = True
            typer.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()
        if not ctx.resilient_parsing:
            options, rest, order = self.make_parser(ctx).parse_args(args=list(args))
            _check_repeated(order)
            _check_rest([*(options.get(RUNS) or ()), *rest], self.params)
        left = super().parse_args(ctx, args)
        if not ctx.resilient_parsing:
            _check_written(self.params, ctx.params)
        return left


def _check_repeated(order: Iterable[Any]) -> None:
    """``order`` has the parameters as they come on the command line, each as often as it stands there."""
    for option, times in Counter(
        parameter for parameter in order if parameter.param_type_name == "option"
    ).items():
        switch = getattr(option, "is_flag", False) and not option.secondary_opts
        if times > 1 and not (switch or option.multiple or getattr(option, "count", False)):
            how_often = "twice" if times == 2 else f"{times} times"
            raise DeclarationError(
                f"{_name(option)} is given {how_often} but takes one value: keep one of them"
            )


def _check_rest(rest: Iterable[str], params: Iterable[Any]) -> None:
    """Files that belong to nothing, or stand for runs, are what the shell has made of a pattern, of which an option
    takes the first."""
    several = next(
        (_name(param) for param in params if getattr(param, "multiple", False) and param.name == "labels"),
        None,
    )
    file = next((argument for argument in rest if Path(argument).is_file()), None)
    if several is not None and file is not None:
        raise DeclarationError(
            f"{file} follows no option: write {several} before each file, or put a pattern in "
            f"quotes ({several} 'PATTERN')"
        )


def _check_written(params: Iterable[Any], values: Mapping[str, Any]) -> None:
    from conqret.io.overwriting import check_replaceable  # reads files, which no help does

    options = {param.name: param for param in params}
    for name in (name for name in WRITTEN if isinstance(values.get(name), Path)):
        for other, path in _paths(values):
            if other != name and _same_file(values[name], path):
                raise DeclarationError(
                    f"{_name(options[name])} and {_name(options[other])} both name {path}, and one "
                    "would overwrite the other: "
                    f"give {_name(options[name])} another name"
                )
        if name != "output" or "overwrite" not in options:  # who has that option looks for itself
            check_replaceable(values[name])


def _paths(values: Mapping[str, Any]) -> Iterator[tuple[str, Path]]:
    for name, value in values.items():
        for path in value if isinstance(value, list | tuple) else (value,):
            if isinstance(path, Path):
                yield name, path


def _same_file(written: Path, read: Path) -> bool:
    try:
        return read.is_file() and written.exists() and written.samefile(read)
    except OSError:
        return False


def _name(param: Any) -> str:
    """What a parameter is called on the command line: its longest option, or the name of the argument."""
    if param.param_type_name != "option":
        return str(param.name).upper()
    return str(max(param.opts, key=len))
