"""What stands in a folder of ours, declared by its name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from conqret.io.regular import only_regular


class _Folder(Protocol):
    @property
    def path(self) -> Path: ...


class InFolder:
    """``items_file = InFolder("items.jsonl")`` in a class with a ``path``: what has this name there. ``kept`` says that
    it stays where the others are made anew. A pipe or a device of this name is refused.
    """

    def __init__(self, name: str, *, kept: bool = False) -> None:
        self.name, self.kept = name, kept

    def __get__(self, folder: _Folder, kind: type) -> Path:
        return only_regular(folder.path / self.name)

    @staticmethod
    def of(kind: type) -> Iterator[InFolder]:
        """All that a class and its bases declare."""
        for one in kind.__mro__:
            yield from (file for file in vars(one).values() if isinstance(file, InFolder))
