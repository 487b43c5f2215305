"""Two groups of items of the same topics, and what people find of them, for comparisons between the groups.

Items that people *called* equally good are not equally good where their labels err: of the better group the unlucky
ones would be matched with the lucky ones of the other. So nothing is matched: what the judge finds of a group beyond
people is what counts (:mod:`conqret.studies.bias.result`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import cycle, islice

from conqret.data import Item
from conqret.perturb.expectations import ANSWER
from conqret.studies.bias.contrast import (
    AS_IS,
    NO_QUALITY,
    OVERALL,
    QUALITY,
    Contrast,
    NotAskedError,
    ProbeContext,
    VersionPair,
)


def compared(
    ground: ProbeContext,
    group: Callable[[Item], bool | None],
    *,
    name: str,
    up: str,
) -> tuple[Contrast, ...]:
    """One contrast a metric: items of the group (``group`` is true) minus others (false) of the same topic.

    Pairs are made without a look at scores or labels; where one group has fewer items on a topic, they take turns. None
    of ``group`` leaves an item out.

    Raises:
        NotAskedError: there are no labels, no metric of quality, or no topic with both groups.
    """
    if not ground.people:
        raise NotAskedError("it needs human labels (conqret bias --labels FILE)")
    contrasts = []
    for metric in ground.among((*QUALITY, *ANSWER), NO_QUALITY):
        if metric not in ground.people and ground.likened(metric) != metric:
            continue  # what people find of the whole says nothing of a criterion of one's own
        known = ground.quality(metric)
        pairs = _pairs(ground, group, known)
        if pairs:
            of = next((dimension for dimension in (metric, OVERALL) if dimension in ground.people), "quality")
            contrasts.append(
                Contrast(
                    name=f"{name}, people's {of.replace('_', ' ')} allowed for",
                    adverse="any",
                    up=up,
                    metrics=(metric,),
                    pairs=tuple(pairs),
                    versions={AS_IS: ground.items},
                    people=known,
                )
            )
    if not contrasts:
        raise NotAskedError("no topic has labeled items of both groups")
    return tuple(contrasts)


def _pairs(
    ground: ProbeContext, group: Callable[[Item], bool | None], known: Mapping[str, float]
) -> list[VersionPair]:
    topics: dict[str, tuple[list[Item], list[Item]]] = {}
    for item in ground.items:
        side = group(item)
        if side is not None and item.id in known:
            topics.setdefault(item.topic, ([], []))[0 if side else 1].append(item)
    pairs = []
    for topic, sides in topics.items():
        if all(sides):
            inside, outside = (islice(cycle(side), max(map(len, sides))) for side in sides)
            pairs += [
                VersionPair((AS_IS, other.id), (AS_IS, inner.id), topic)
                for inner, other in zip(inside, outside, strict=True)
            ]
    return pairs
