"""What people say of things, as values on their own scales."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from conqret.io.label_scale import LabelScale, Scales

Absence = Literal["missing", "cannot_judge"]


class Unit(NamedTuple):
    """What a label is of: an item, or a part of it (a document's id); ``part`` is empty for the whole item."""

    item: str
    part: str = ""

    def __str__(self) -> str:
        return f"{self.item} [{self.part}]" if self.part else self.item


@dataclass(frozen=True, slots=True)
class Label:
    """What one person said: ``value`` on the labels' own scale, or None with the kind of absence."""

    unit: Unit
    dimension: str
    annotator: str
    value: float | None
    absence: Absence | None = None
    topic: str = ""


@dataclass(frozen=True, slots=True)
class LabelSet:
    """All labels of a file. ``scales`` say what they mean; ``categories`` are the words behind the numbers of a
    nominal dimension that had no scale. ``chances`` has how likely each item was to be drawn for labeling, where the
    file says it."""

    name: str
    layout: str
    labels: tuple[Label, ...]
    scales: Scales
    notes: tuple[str, ...] = ()
    chances: Mapping[str, float] = field(default_factory=dict)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """In the order of their first label."""
        return tuple(dict.fromkeys(label.dimension for label in self.labels))

    @property
    def annotators(self) -> tuple[str, ...]:
        """In the order of their first label."""
        return tuple(dict.fromkeys(label.annotator for label in self.labels))

    @property
    def units(self) -> tuple[Unit, ...]:
        """In the order of their first label."""
        return tuple(dict.fromkeys(label.unit for label in self.labels))

    @property
    def topics(self) -> dict[Unit, str]:
        """The topic of each unit that the file gives one."""
        return {label.unit: label.topic for label in self.labels if label.topic}

    @property
    def unequal(self) -> bool:
        """Whether items were drawn for labeling with several probabilities."""
        return len(set(self.chances.values())) > 1

    def scale(self, dimension: str) -> LabelScale:
        """The scale of a dimension."""
        return self.scales[dimension]

    def absent(self, dimension: str | None = None) -> Counter[str]:
        """How many cells are missing, and how many people said that they cannot judge."""
        return Counter(
            label.absence
            for label in self.labels
            if label.absence is not None and dimension in (None, label.dimension)
        )

    def table(self, dimension: str, units: Sequence[Unit]) -> tuple[tuple[str, ...], NDArray[np.float64]]:
        """The annotators of ``dimension`` on ``units``, and their labels (annotators by units, NaN for none)."""
        columns = {unit: place for place, unit in enumerate(units)}
        labels = [
            label
            for label in self.labels
            if label.dimension == dimension and label.value is not None and label.unit in columns
        ]
        rows = {name: place for place, name in enumerate(dict.fromkeys(label.annotator for label in labels))}
        table = np.full((len(rows), len(units)), np.nan)
        for label in labels:
            table[rows[label.annotator], columns[label.unit]] = label.value
        return tuple(rows), table
