"""The command line in this process: arguments in, exit code and both streams out."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from unittest.mock import patch

from cyclopts.argument import Argument

from conqret.cli.commands import HOMES, Command, Parts, find
from conqret.cli.main import main
from conqret.console import printing as console


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def output(self) -> str:
        return self.out + self.err


Cli = Callable[..., Done]


def run_conqret(*words: object) -> Done:
    """What a command comes to."""
    console.out.cache_clear()  # a console keeps the width that it found first
    console.err.cache_clear()
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        patch.object(sys, "argv", ["conqret", *map(str, words)]),
    ):
        try:
            main()
        except SystemExit as end:
            code = int(str(end.code or 0))
    assert "Traceback" not in err.getvalue()
    return Done(code, out.getvalue(), err.getvalue())


def leaves(parts: Parts = HOMES, *path: str) -> Iterator[tuple[str, Command]]:
    """Every command that does something, by what is typed, with all its options."""
    for name, home in parts.items():
        if isinstance(home, str):
            yield " ".join((*path, name)), find((*path, name), everything=True)[0]
        else:
            yield from leaves(home, *path, name)


def options_of(command: Command) -> list[Argument]:
    """The arguments and options of a command."""
    return [argument for argument in command.assemble_argument_collection() if not argument.children]
