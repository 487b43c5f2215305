"""Labeled arguments as examples in the prompt of the format ``listwise`` (ConQRet, Table 14: 5-shot)."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import TYPE_CHECKING, Any

from conqret.data import Item
from conqret.data.digest import gathered
from conqret.errors import DeclarationError, number
from conqret.judging.dimensions import DIMENSIONS
from conqret.judging.judge_options import ShownExample

if TYPE_CHECKING:
    from conqret.io.label_set import LabelSet

FORMAT = "listwise"
"""The format whose prompt can have examples."""
PROMPT = "examples"
"""The prompt file that shows them."""
LOW, HIGH = 1, 3
"""The scale of the format."""


def draw_shots(items: Iterable[Item], labels: LabelSet, count: int, *, seed: int) -> tuple[ShownExample, ...]:
    """Draw examples from the labeled items, as few as give every topic ``count`` examples on other topics.

    Several annotators' ratings are averaged, and rounded to the scale of the prompt. Labels of parts of an
    item, and items without an argument, are ignored.

    Raises:
        DeclarationError: there are too few labeled items, or labels are not on a scale that is known.
    """
    known = [dimension.name for dimension in DIMENSIONS if dimension.name in labels.dimensions]
    values = gathered(
        ((label.unit.item, label.dimension), label.value)
        for label in labels.labels
        if label.value is not None and label.dimension in known and not label.unit.part
    )
    ends = {name: _ends(labels, name) for name in known}
    examples = []
    for item in items:
        rated = [(name, values[item.id, name]) for name in known if (item.id, name) in values]
        if item.argument and rated:
            ratings = tuple((name, _rating(fmean(found), *ends[name])) for name, found in rated)
            examples.append(ShownExample(item.id, item.topic, item.stance, item.argument, ratings))
    examples.sort(key=lambda example: example.item)
    random.Random(f"shots/{seed}").shuffle(examples)
    drawn: list[ShownExample] = []
    for example in examples:
        if _fewest(drawn) >= count:
            break
        drawn.append(example)
    if _fewest(drawn) < count:
        raise DeclarationError(
            f"--shots {count} needs as many labeled arguments on topics other than the judged one, and "
            f"{number(len(examples), 'argument')} of the items have labels in {labels.name}: lower --shots"
        )
    return tuple(drawn)


def _fewest(drawn: list[ShownExample]) -> int:
    """The number of examples that an item has whose topic has the most of them."""
    topics = gathered((example.topic, example) for example in drawn)
    return len(drawn) - max(map(len, topics.values()), default=0)


def _ends(labels: LabelSet, dimension: str) -> tuple[float, float]:
    """Return the ends of a dimension's scale: as the labels state them, or the format's if all labels lie within these.

    Raises:
        DeclarationError: no scale is stated, and labels lie outside of the format's.
    """
    scale = labels.scale(dimension)
    if scale.bounded:
        return scale.ends()
    values = [
        label.value for label in labels.labels if label.dimension == dimension and label.value is not None
    ]
    if all(LOW <= value <= HIGH for value in values):
        return LOW, HIGH
    raise DeclarationError(
        f"{labels.name}: {dimension} goes from {min(values):g} to {max(values):g} on a scale that is not stated, and "
        f"examples are rated from {LOW} to {HIGH}: write the labels on that scale"
    )


def _rating(mean: float, low: float, high: float) -> int:
    return LOW + math.floor((mean - low) / (high - low) * (HIGH - LOW) + 0.5)


def shots_for(
    item: Item, examples: Iterable[ShownExample], count: int, dimensions: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the first ``count`` examples (or fewer) on other topics than the item's, with ratings of these
    dimensions in this order.
    """
    others = [example for example in examples if example.topic != item.topic]
    shots = []
    for example in others[:count]:
        ratings = dict(example.ratings)
        shots.append({**asdict(example), "ratings": [(n, ratings[n]) for n in dimensions if n in ratings]})
    return shots
