"""Pairs of items of one topic that people found equally good, for comparisons between groups of items."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conqret.data import Item
from conqret.perturb.expectations import ANSWER
from conqret.reliability.bias.contrast import AS_IS, OVERALL, QUALITY, Contrast, Ground, NotAskedError, Pair

EQUAL = 0.1
"""People's quality in [0, 1] counts as equal up to this distance: less than half a step of a scale from 1 to 5."""


def matched(
    ground: Ground,
    group: Callable[[Item], bool | None],
    *,
    name: str,
    up: str,
) -> tuple[Contrast, ...]:
    """One contrast a metric: items of the group (``group`` is true) minus others (false) of the same topic.

    Pairs are made from the closest in people's quality outwards, each item once, and none that people find more
    than :data:`EQUAL` apart. None of ``group`` leaves an item out.

    Raises:
        NotAskedError: there are no labels, no metric of quality, or no pair.
    """
    if not ground.people:
        raise NotAskedError("people's labels are needed to hold the quality equal: give labels")
    metrics = [metric for metric in ground.metrics if metric in (*QUALITY, *ANSWER)]
    if not metrics:
        raise NotAskedError("the judge has no metric of the argument's quality")
    found = []
    for metric in metrics:
        pairs = _pairs(ground, group, ground.quality(metric))
        if pairs:
            of = next((one for one in (metric, OVERALL) if one in ground.people), "quality")
            found.append(
                Contrast(
                    name=f"{name}, equal in people's {of.replace('_', ' ')}",
                    adverse="any",
                    up=up,
                    metrics=(metric,),
                    pairs=tuple(pairs),
                    versions={AS_IS: ground.items},
                )
            )
    if not found:
        raise NotAskedError(
            f"no two items of one topic and of both groups are within {EQUAL:g} of each other"
        )
    return tuple(found)


def _pairs(ground: Ground, group: Callable[[Item], bool | None], known: Mapping[str, float]) -> list[Pair]:
    topics: dict[str, tuple[list[Item], list[Item]]] = {}
    for item in ground.items:
        side = group(item)
        if side is not None and item.id in known:
            topics.setdefault(item.topic, ([], []))[0 if side else 1].append(item)
    pairs = []
    for topic, (inside, outside) in topics.items():
        near = sorted(
            (abs(known[one.id] - known[other.id]), one.id, other.id) for one in inside for other in outside
        )
        used: set[str] = set()
        for distance, one, other in near:
            if distance <= EQUAL and not used & {one, other}:
                used |= {one, other}
                pairs.append(Pair((AS_IS, other), (AS_IS, one), topic))
    return pairs
