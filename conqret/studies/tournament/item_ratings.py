"""What is known of items before they are compared: their scores in a run of a judge, or a field of their metadata."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from conqret.errors import DeclarationError
from conqret.judging.judge_folder import JudgeFolder
from conqret.studies.tournament.item_groups import ItemGroup, check_field

SEPARATOR = re.compile(r"[/\\]")
"""What only a path has."""


def item_ratings(groups: Sequence[ItemGroup], where: str) -> dict[str, float]:
    """The rating of each item that has one, by its id: the mean of its scores in the run ``where``, or what its
    metadata have in the field of that name.

    Raises:
        DeclarationError: the run is none, is not finished or has no score of these items, or a rating is no number.
        UnknownNameError: there is neither such a run nor such a field, and items have others.
    """
    items = [item for group in groups for item in group.items]
    if Path(where).is_dir():
        ids = {item.id for item in items}
        scores = {
            judgment.item: fmean(judgment.values.values())
            for judgment in JudgeFolder(Path(where)).finished()
            if judgment.item in ids and judgment.values
        }
        if not scores:
            raise DeclarationError(f"{where} has no score of any of these items (--ratings)")
        return scores
    if SEPARATOR.search(where):
        raise DeclarationError(f"there is no run {where} (--ratings)")
    check_field(items, where, "ratings")
    ratings: dict[str, float] = {}
    for item in items:
        value = item.metadata.get(where)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise DeclarationError(
                f"item {item.id} has {str(value)[:60]!r} as its {where}, but it must be a number"
            )
        ratings[item.id] = float(value)
    return ratings
