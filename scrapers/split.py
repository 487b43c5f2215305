"""The topicwise split: no topic, and no document, in both parts (ConQRet, section 4.3)."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence

from conqret.data.corpus import Split
from conqret.data.digest import gathered

TRAIN_SHARE = 0.7
"""ConQRet, section 4.3: 70% for train; of its 98 topics, 68."""


def groups(links: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Topics that must not be parted, because they share something.

    Args:
        links: For each topic, what it may share with others (documents, its question).

    Returns:
        Groups of topics, sorted within and among each other: topics of two groups share nothing, directly
        or through others.
    """
    parent = {topic: topic for topic in links}

    def root(topic: str) -> str:
        while parent[topic] != topic:
            parent[topic] = parent[parent[topic]]
            topic = parent[topic]
        return topic

    owner: dict[str, str] = {}
    for topic, things in links.items():
        for thing in things:
            parent[root(topic)] = root(owner.setdefault(thing, topic))
    return sorted(gathered((root(topic), topic) for topic in sorted(links)).values())


def split_topics(
    parts: Sequence[Sequence[str]], *, seed: int, share: float = TRAIN_SHARE
) -> dict[str, Split]:
    """Divide groups of topics, each as a whole, into train and test.

    The groups are shuffled by ``seed``, and those are taken for train whose sizes add up to the number
    nearest to ``share`` of all topics (rounded down, as 68 of 98). With two groups or more, both parts get one.

    Args:
        parts: The groups, as :func:`groups` gives them.
        seed: The same seed and groups give the same split, on every machine.
        share: The share of train, in (0, 1).

    Raises:
        ValueError: ``share`` is outside (0, 1).
    """
    if not 0 < share < 1:
        raise ValueError(f"the share of train must lie between 0 and 1, not at {share}")
    order = sorted(sorted(part) for part in parts)
    random.Random(f"split/{seed}").shuffle(order)
    total = sum(map(len, order))
    target = math.floor(total * share + 1e-9)  # 0.7 × 90 is 62.999…
    reached = {
        0: -1
    }  # a sum of sizes -> the last group in it; the rest of the sum is made of groups before it
    for index, part in enumerate(order):
        for size in sorted(reached, reverse=True):
            reached.setdefault(size + len(part), index)
    sizes = [size for size in reached if 0 < size < total] or list(reached)
    size = min(sizes, key=lambda one: (abs(one - target), one))
    train: set[str] = set()
    while size:
        part = order[reached[size]]
        train.update(part)
        size -= len(part)
    return {topic: "train" if topic in train else "test" for part in order for topic in part}
