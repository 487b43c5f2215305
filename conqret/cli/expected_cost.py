"""What is shown of expected calls, tokens and prices; the same for every command with a dry run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conqret.judging.expected_cost import Expected, Total
    from conqret.report.table import Cell, Table


def cost_facts(found: Sequence[Expected]) -> Mapping[str, Any]:
    """The same for a machine: ``stages``, one each, and their sums (``cost_usd`` null where a price is unknown)."""
    from conqret.judging.expected_cost import Total

    return {"stages": [{"stage": one.stage, **asdict(one)} for one in found], **asdict(Total.of(found))}


def cost_table(found: Sequence[Expected]) -> Table:
    """A line for each piece of work, under the system whose it is, and the sums."""
    from conqret.judging.expected_cost import Total
    from conqret.report.table import Column, Table

    rows: list[tuple[Cell, ...]] = []
    for system, parts in groupby(found, key=lambda one: one.of):
        rows += [(system,)] if system else []
        rows += [(_words(one), *_figures(one)) for one in parts]
    columns = (Column("what is asked", "text"), "calls", "prompt tokens", "answer tokens", "price")
    return Table("", columns, rows, foot=[("all", *_figures(Total.of(found)))])


def _figures(one: Expected | Total) -> tuple[Cell, ...]:
    from conqret.report.words import money

    return one.calls, one.prompt_tokens, one.completion_tokens, money(one.cost_usd)


def _words(one: Expected) -> str:
    """``judge by direct with gpt-4o``; a judge whose label ends with the model's name needs no second mention."""
    words = one.stage.replace(f" {one.of}", "", 1) if one.of else one.stage
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", one.model).strip("-.")
    return words if one.by.endswith(f"-{slug}") else f"{words} with {one.model}"
