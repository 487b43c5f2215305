"""Removing as few texts as possible so that no two similar ones are left: a greedy minimum vertex cover."""

from __future__ import annotations

import heapq
from collections.abc import Iterable


def vertex_cover(pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Texts, in rising order, of which at least one stands in every pair; removed together, they leave no pair.

    The text that stands in most of the pairs left is taken again and again, the later one of equals; then those whose
    partners are all taken are put back. A minimum cover is NP-hard to find; this one has at most
    ``H(D) = 1 + 1/2 + … + 1/D`` times its size, D being the most pairs of one text (Chvátal 1979).
    """
    partners: dict[int, set[int]] = {}
    for first, second in pairs:
        if first != second:
            partners.setdefault(first, set()).add(second)
            partners.setdefault(second, set()).add(first)
    left = {text: len(others) for text, others in partners.items()}
    queue = [(-count, -text) for text, count in left.items()]
    heapq.heapify(queue)
    taken: list[int] = []
    inside: set[int] = set()
    while queue:
        count, text = (-one for one in heapq.heappop(queue))
        if text in inside or not left[text]:
            continue
        if count != left[text]:  # some of its partners were taken since
            heapq.heappush(queue, (-left[text], -text))
            continue
        taken.append(text)
        inside.add(text)
        left[text] = 0
        for other in partners[text] - inside:
            left[other] -= 1
    for text in reversed(taken):
        if partners[text] <= inside:
            inside.remove(text)
    return sorted(inside)
