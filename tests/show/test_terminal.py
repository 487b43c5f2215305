"""Tables on narrow terminals: no word is broken, and no column lost."""

import io

import pytest
from rich.console import Console

from conqret.show.table import Alarm, Table, fitted

HEADER = (
    "System",
    "Written",
    "Not written",
    "Sentences that cite",
    "Citations out of range",
    "Misquotations",
)
ROWS = [("bm25+stance+extractive", "8 of 8", "refusal (1)", "72 of 96", "0", "7")] * 2


def printed(header: tuple[str, ...], rows: list[tuple[str, ...]], width: int) -> list[str]:
    console = Console(width=width, record=True, file=None, quiet=False, force_terminal=False)
    with console.capture() as capture:
        for table in fitted(Table("", header, rows), width):
            console.print(table)
    return capture.get().splitlines()


@pytest.mark.parametrize("width", [50, 90, 120])
def test_every_word_is_whole_and_every_cell_is_there(width: int) -> None:
    lines = printed(HEADER, ROWS, width)
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    words = text.split()
    for word in " ".join((*HEADER, *ROWS[0])).split():
        assert word in words
    assert text.count("72 of 96") == text.count("refusal (1)") == 2


def test_headings_indent_what_follows_and_sums_stand_apart() -> None:
    table = Table(
        "", ("asked", "calls"), [("one system",), ("judge", 1234)], foot=[("all", 1234)], note="and so on"
    )
    console = Console(width=50, file=io.StringIO())
    console.print(table)
    lines = [line.rstrip() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]
    assert lines[2:] == ["one system", "  judge        1,234", "", "all            1,234", "and so on"]


def test_nothing_is_markup_and_alarms_are_red() -> None:
    table = Table("[b]x[/b]", ("a", "b"), [("[red]y[/red]\x1b", Alarm("no"))])
    console = Console(width=50, file=io.StringIO(), force_terminal=True, color_system="standard")
    console.print(table)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "[b]x[/b]" in text
    assert "[red]y[/red][U+001B]" in text
    assert "\x1b[31mno" in text
