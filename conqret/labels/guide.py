"""What a format's own prompt says of one of its metrics, for people: the question, what is meant, and the points of the
scale."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from conqret.judging.dimensions import DIMENSIONS
from conqret.judging.instrument import filled
from conqret.judging.judge_parts import Ask, Case
from conqret.judging.setup import PROBE
from conqret.prompts import Library

_POINT = re.compile(r"^(?:- )?(\d+)(?: \([^)]*\)|, [^:]*)?: (.+)$")
"""A line of a prompt that says what a point of a scale stands for."""
_BETWEEN = "What a dimension calls the middle"
"""How the line begins that says which points are the middle and the low of a definition."""
_NOTICE = "Everything between the tags"
"""How the paragraph for models about texts from outside begins; people need none."""
_DIMENSIONS = {one.name: one for one in DIMENSIONS}


@dataclass(frozen=True, slots=True)
class Guide:
    """The question of a metric, the paragraphs that explain it, and the meaning of each point that has one."""

    asks: str
    paragraphs: tuple[str, ...]
    points: dict[int, str]


def guide_to(ask: Ask[Any], metric: str, library: Library) -> Guide:
    """What the prompt of ``ask``, asked for ``metric`` alone, says of it."""
    system = filled(library[ask.prompt], ask, Case(PROBE)).system
    blocks = [block.strip() for block in re.split(r"\n\s*\n", system) if block.strip()]
    blocks = [block for block in blocks if not block.startswith(_NOTICE)]
    points = {int(found[1]): found[2] for line in system.splitlines() if (found := _POINT.match(line))}
    plain = metric.replace("_", " ")
    dimension = _DIMENSIONS.get(metric)
    if dimension is not None:
        named = [line for line in system.splitlines() if line.startswith(_BETWEEN)]
        named = named if "In the middle:" in dimension.definition else []
        return Guide(dimension.question, (dimension.definition, *named), points)
    named = [block for block in blocks if block.startswith(f"{metric}:")]
    lines = [line for block in named or blocks for line in block.removeprefix(f"{metric}:").splitlines()]
    paragraphs = tuple(line.strip() for line in lines if line.strip() and not _POINT.match(line))
    return Guide(f"How would you rate the {plain}?", paragraphs, points)
