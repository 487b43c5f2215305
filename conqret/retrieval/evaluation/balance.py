"""Does a ranking show both sides? Balance, and alpha-nDCG with the sides as subtopics."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set

ALPHA = 0.5
"""How much a subtopic is worth again after each document that had it (Clarke et al. 2008, section 4)."""


def balance(ranking: Sequence[str], sides: Mapping[str, Set[str]], cut: int) -> float | None:
    """How even the two sides are among the first ``cut`` documents, in [0, 1].

    ``2 min(p, c) / (p + c)``, p and c the documents of either side (one of both counts for both). 1: as many
    of the one as of the other; 0: one side only. None where there is no relevant document at all.
    """
    shown = [sides.get(document, frozenset()) for document in ranking[:cut]]
    pro, con = (sum(side in held for held in shown) for side in ("pro", "con"))
    return 2 * min(pro, con) / (pro + con) if pro + con else None


def alpha_ndcg(ranking: Sequence[str], subtopics: Mapping[str, Set[str]], cut: int) -> float:
    """alpha-nDCG at ``cut``, in [0, 1] (Clarke et al. 2008).

    ``subtopics`` names those that each document has, alpha is :data:`ALPHA`. The gain of the document at rank k is
    ``sum over its subtopics s of (1 - alpha)^(documents above that have s)``, discounted by ``log2(1 + k)``
    and divided by that of the ideal ranking, which takes the document of greatest gain at each rank (an
    exact ideal is NP-hard; greedy is what ndeval does, equals by id). 0 where nothing is relevant.
    """
    best = _gains(_greedy(subtopics, cut), subtopics, cut)
    return _gains(ranking, subtopics, cut) / best if best else 0.0


def _gains(ranking: Sequence[str], subtopics: Mapping[str, Set[str]], cut: int) -> float:
    seen: Counter[str] = Counter()
    total = 0.0
    for rank, document in enumerate(ranking[:cut], start=1):
        held = subtopics.get(document, frozenset())
        total += sum((1 - ALPHA) ** seen[subtopic] for subtopic in held) / math.log2(1 + rank)
        seen.update(held)
    return total


def _greedy(subtopics: Mapping[str, Set[str]], cut: int) -> list[str]:
    left = {document: held for document, held in sorted(subtopics.items()) if held}
    seen: Counter[str] = Counter()
    order: list[str] = []
    while left and len(order) < cut:
        best = max(
            left,
            key=lambda document: sum((1 - ALPHA) ** seen[subtopic] for subtopic in left[document]),
        )
        order.append(best)
        seen.update(left.pop(best))
    return order
