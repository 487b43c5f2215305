"""What every layout gives: cells as text, with who said it of what, and where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from conqret.errors import Fault
from conqret.io.label_scale import Scales


@dataclass(frozen=True, slots=True)
class RawLabel:
    """One cell. ``annotator`` is empty where the file names none; ``text`` None where the cell is empty."""

    line: int
    item: str
    dimension: str
    text: str | None
    annotator: str = ""
    part: str = ""
    topic: str = ""


@dataclass(frozen=True, slots=True)
class RawLabels:
    """A file as cells: what its layout is called, the scales that the layout states, and remarks.

    ``numbered`` says that rows of one thing are to be numbered as annotators: the layout names nobody.
    """

    layout: str
    cells: Callable[[], Iterator[RawLabel | Fault]]
    scales: Scales = field(default_factory=Scales)
    numbered: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelLayout:
    """A layout: its name, how a user recognises it, and the function that reads it if the columns are its own."""

    name: str
    summary: str
    fits: Callable[[Path, tuple[str, ...]], bool]
    read: Callable[[Path, str, tuple[str, ...]], RawLabels]
