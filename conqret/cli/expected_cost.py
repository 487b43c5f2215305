"""What is shown of expected calls, tokens and prices; the same for every command with a dry run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from conqret.cli.console import out
from conqret.cli.fitted_table import GAP

if TYPE_CHECKING:
    from conqret.judging.expected_cost import Expected, Total

LEAST_ROOM = 20
"""Characters for what is asked, on the narrowest terminal."""

TITLES = ("calls", "prompt\ntokens", "answer\ntokens", "price")


def cost_facts(found: Sequence[Expected]) -> Mapping[str, Any]:
    """The same for a machine: ``stages``, one each, and their sums (``cost_usd`` null where a price is unknown)."""
    from conqret.judging.expected_cost import Total

    return {"stages": [{"stage": one.stage, **asdict(one)} for one in found], **asdict(Total.of(found))}


def show_cost(found: Sequence[Expected]) -> None:
    """A line for each piece of work, under the system whose it is, and the sums."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from conqret.judging.expected_cost import Total

    sums = _figures(Total.of(found))
    taken = sum(
        GAP + max(len(sum_), *map(len, title.split())) for title, sum_ in zip(TITLES, sums, strict=True)
    )
    room = max(LEAST_ROOM, out().width - taken)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column(Text("what is asked"), overflow="fold")
    for title in TITLES:
        table.add_column(title, justify="right", no_wrap=True, vertical="bottom")
    for system, parts in groupby(found, key=lambda one: one.of):
        indent = "  " if system else ""
        if system:
            table.add_row(Text(system, style="bold"))
        for one in parts:
            table.add_row(Text(_broken(_words(one), room, indent)), *map(Text, _figures(one)))
    table.add_section()
    table.add_row(Text("all", style="bold"), *map(Text, sums))
    out().print(table)


def _broken(words: str, room: int, indent: str) -> str:
    """``words`` in lines of ``room`` characters, broken at spaces, and within a longer name at its hyphens."""
    lines = []
    wrapped = wrap(
        words, room, initial_indent=indent, subsequent_indent=f"{indent}  ", break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
    for line in wrapped:
        lines += [line] if len(line) <= room else wrap(line, room, subsequent_indent=f"{indent}  ")
    return "\n".join(lines)


def dollars(cost: float | None) -> str:
    """A price; below a cent that it is so, and "unknown" where it is."""
    if cost is None:
        return "unknown"
    return "<$0.01" if 0 < cost < 0.005 else f"${cost:,.2f}"


def _figures(one: Expected | Total) -> tuple[str, ...]:
    return (
        f"{one.calls:,}", f"{one.prompt_tokens:,}", f"{one.completion_tokens:,}", dollars(one.cost_usd),
    )  # fmt: skip


def _words(one: Expected) -> str:
    """``judge by direct with gpt-4o``; a judge whose label ends with the model's name needs no second mention."""
    words = one.stage.replace(f" {one.of}", "", 1) if one.of else one.stage
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", one.model).strip("-.")
    return words if one.by.endswith(f"-{slug}") else f"{words} with {one.model}"
