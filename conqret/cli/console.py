"""Where messages go: results to standard output, everything else to standard error."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table


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


def plain_table(title: str, columns: Sequence[str]) -> Table:
    """A table without a frame that fits a narrow terminal; its first column is never cut, the others break."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(title), title_justify="left", caption_justify="left", box=box.SIMPLE_HEAD, pad_edge=False,
        show_edge=False, collapse_padding=True,
    )  # fmt: skip
    for place, name in enumerate(columns):
        table.add_column(name, no_wrap=not place)
    return table


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
