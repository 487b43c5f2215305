"""Where messages go: results to standard output, everything else to standard error."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


@functools.cache
def out() -> Console:
    """The console for results."""
    from rich.console import Console

    return Console(highlight=False)


@functools.cache
def err() -> Console:
    """The console for progress, notes and errors."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def complain(message: str) -> None:
    """Print an error; texts from outside are shown as they are, never as markup."""
    from rich.text import Text

    err().print(Text.assemble(("error: ", "bold red"), _printable(message)), soft_wrap=True)


def note(message: str) -> None:
    """Print a remark."""
    from rich.text import Text

    err().print(Text.assemble(("note: ", "bold"), _printable(message)), soft_wrap=True)


def _printable(message: str) -> str:
    """Without control characters that a terminal would act on."""
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in message)
