"""What runs are called beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def told_apart(places: Sequence[Path]) -> list[str]:
    """The shortest ends of the paths of ``places`` by which they are told apart: ``judge`` and ``samples`` of
    ``runs/judge`` and ``runs/samples``, ``a/judge`` and ``b/judge`` of ``runs/a/judge`` and ``runs/b/judge``. The same
    place twice has the same name twice."""
    parts = [place.absolute().parts for place in places]
    return [_shortest(one, [other for other in parts if other != one]) for one in parts]


def _shortest(one: tuple[str, ...], others: Sequence[tuple[str, ...]]) -> str:
    depths = range(1, len(one))
    found = (one[-depth:] for depth in depths if all(other[-depth:] != one[-depth:] for other in others))
    return str(Path(*next(found, one)))
