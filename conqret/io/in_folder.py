"""What stands in a folder of ours, declared by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class _Folder(Protocol):
    @property
    def path(self) -> Path: ...


class InFolder:
    """``items_file = InFolder("items.jsonl")`` in a class with a ``path``: what has this name there."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, folder: _Folder, kind: type) -> Path:
        return folder.path / self.name
