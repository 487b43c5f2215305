"""Where results go that were given no place: ``runs/``, and a name that tells one run from another."""

from __future__ import annotations

import re
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


RUNS = Path("runs")
PACKED = (".gz",)
KINDS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".pq", ".res", ".run", ".trec")
"""Endings of the files that are read; any other dot belongs to a name (Llama-3.1-8B)."""


def stem(file: Path) -> str:
    """A file's name without the endings of a kind of file."""
    name = file.name
    for endings in (PACKED, KINDS):
        found = next((one for one in endings if name.lower().endswith(one) and len(name) > len(one)), "")
        name = name[: len(name) - len(found)]
    return name


def default_folder(*parts: str) -> Path:
    """The folder of what is told apart by ``parts``: the name of what comes in, the instrument's, the model's."""
    return RUNS / "-".join(re.sub(r"[^A-Za-z0-9.]+", "-", part).strip("-.") for part in parts)
