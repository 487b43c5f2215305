"""Several rankings into one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def round_robin(rankings: Sequence[Sequence[T]], limit: int | None = None) -> list[tuple[T, int]]:
    """The first of each ranking in turn, then the second of each, without what came before (BeRDS, section 6).

    A ranking whose turn gives something that is there already passes that turn. Returns pairs of an entry
    and the number (from 0) of the ranking that brought it, at most ``limit`` of them.
    """
    found: dict[T, int] = {}
    for place in range(max((len(ranking) for ranking in rankings), default=0)):
        for number, ranking in enumerate(rankings):
            if limit is not None and len(found) >= limit:
                return list(found.items())
            if place < len(ranking):
                found.setdefault(ranking[place], number)
    return list(found.items())
