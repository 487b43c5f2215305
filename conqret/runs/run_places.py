"""Where results go that were given no place: ``runs/``, and a name that tells one run from another."""

from __future__ import annotations

import re
from pathlib import Path

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
