"""What the offline baseline hands out: a value or a verdict, always with the evidence for it in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Which = Literal["argument", "second_argument"]
By = Literal["documents", "argument", "second_argument"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A value in [0, 1] and one or two short sentences that name the evidence behind it."""

    value: float
    explanation: str


@dataclass(frozen=True, slots=True)
class PreferenceFinding:
    """Which of two arguments is the stronger, by how much (0 to 1), and why."""

    label: Literal["first", "second", "tie"]
    strength: float
    explanation: str


@dataclass(frozen=True, slots=True)
class CitationVerdict:
    """What one cited document says of the sentence that cites it; both are numbered from 1.

    ``label`` is None where the item has no document of that number.
    """

    sentence: int
    document: int
    label: Literal["supports", "contradicts", "silent"] | None
    explanation: str


def clip(value: float) -> float:
    """``value``, held within [0, 1]."""
    return 0.0 if value < 0 else 1.0 if value > 1 else value


def quoted(words: list[str] | tuple[str, ...], limit: int = 5) -> str:
    """The first ``limit`` words in quotation marks, with commas."""
    return ", ".join(f"\u201c{word}\u201d" for word in words[:limit])
