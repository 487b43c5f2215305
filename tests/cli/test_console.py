"""What a command prints: results for people and machines, and a bar where somebody watches."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import cast

import pytest
from pydantic import BaseModel
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from conqret.console import printing as console
from conqret.data import Reason
from conqret.llm.client import Client
from conqret.llm.sender import Progress


class Row(BaseModel):
    name: str


def test_of_many_notes_of_one_kind_two_are_printed_and_the_rest_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    console.note_each(f"fault {place}" for place in range(5))
    assert capsys.readouterr().err.splitlines() == [
        "note: fault 0",
        "note: fault 1",
        "note: 3 further notes like “fault 1” are left out here",
    ]


@pytest.mark.parametrize(
    "letter", ["\x1b", "\x9b", "\x07", "\x08", "\r", "\x00", "\u202e", "\ud800", "\U000e0041"]
)
def test_nothing_that_a_terminal_acts_on_is_printed(letter: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = f"a{letter}b"
    grid = RichTable(letter, title=text)
    grid.add_row(text)
    console.out().print(grid)
    console.out().rule(Text(text))
    console.out().out(text)
    console.result(None, [text, Text(text), *console.entry(text, text, [text])], as_json=False)
    console.say_json({text: text})
    console.say_json(Row(name=text.encode("utf-8", "replace").decode()))
    for say in (console.say, console.tell, console.note, console.complain):
        say(text)
    console.note_all(text, [text])
    done = capsys.readouterr()
    assert letter not in done.out + done.err
    assert f"[U+{ord(letter):04X}]" in done.err


def test_lines_tell_cost_and_failures_where_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()
    elsewhere = Console(file=written, width=200)
    monkeypatch.setattr(console, "err", lambda: elsewhere)
    monkeypatch.setattr(console, "SECONDS", 0)
    counted = Progress(calls=7, cost_usd=0.25)
    counted.failure_limit.count("a", Reason.TIMEOUT, "no")
    with console.progress("judging") as bar:
        bar.start(cast(Client, SimpleNamespace(progress=counted)), 2, 4)
        bar.advance()
    assert written.getvalue().splitlines() == [
        "judging: 2 of 4",
        "judging: 3 of 4 ($0.2500, 1 failed, 7 calls, 0 recorded, 0 retried)",
    ]
