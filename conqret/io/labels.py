"""``read_labels``: what people say of items, checked whole, with nothing dropped unsaid.

Every cell becomes a label, a *missing* one or a *cannot judge*; anything else is a fault, and all faults of the file
are listed together. What was read, left out and mapped stands in :attr:`LabelSet.notes`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from conqret.errors import DeclarationError, Fault
from conqret.io.faults import MAX_SHOWN, FaultList, quoted
from conqret.io.label_layouts import RawLabel, raw_labels
from conqret.io.label_scale import (
    CANNOT_JUDGE,
    MISSING,
    TRUTH,
    LabelLevel,
    LabelScale,
    Scales,
    dimension_name,
    parse_scales,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NOBODY = "labels"
"""What the one annotator is called where the file names none."""
MUCH_MISSING = 0.2
"""The share of missing labels from which a remark warns."""

Absence = Literal["missing", "cannot_judge"]


class LabelsError(DeclarationError):
    """The labels have faults; all of them are listed in :attr:`faults`, in file order."""

    def __init__(self, faults: Sequence[Fault], total: int) -> None:
        self.faults = tuple(faults)
        shown = "\n".join(f"  {fault}" for fault in faults[:MAX_SHOWN])
        more = f"\n  and {total - MAX_SHOWN} more" if total > MAX_SHOWN else ""
        super().__init__(f"{total} fault{'s' if total != 1 else ''} in the labels:\n{shown}{more}")


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
    nominal dimension that had no scale."""

    name: str
    layout: str
    labels: tuple[Label, ...]
    scales: Scales
    notes: tuple[str, ...] = ()

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
        import numpy as np

        columns = {unit: place for place, unit in enumerate(units)}
        found = [
            label
            for label in self.labels
            if label.dimension == dimension and label.value is not None and label.unit in columns
        ]
        rows = {name: place for place, name in enumerate(dict.fromkeys(label.annotator for label in found))}
        table = np.full((len(rows), len(units)), np.nan)
        for label in found:
            table[rows[label.annotator], columns[label.unit]] = label.value
        return tuple(rows), table


def read_labels(
    path: str | Path,
    *,
    level: LabelLevel | None = None,
    scales: Sequence[str] = (),
    words: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    dimensions: Sequence[str] = (),
    layout: str | None = None,
    cannot_judge: Collection[str] = (),
    numbered: bool = False,
) -> LabelSet:
    """Read a file of labels and check all of it.

    - ``level``: the level of measurement (by default the layout's; ordinal for tables)
    - ``scales``, ``words``: as in :func:`conqret.io.label_scale.parse_scales`
    - ``columns``, ``dimensions``, ``layout``: as in :func:`conqret.io.label_layouts.raw_labels`
    - ``cannot_judge``: further texts for a person who would not say
    - ``numbered``: number the rows of one thing as annotators where the file names none

    Raises:
        LabelsError: a cell cannot be read, or a person labels one thing twice; all faults are listed.
        DeclarationError: the file or a setting is wrong as a whole.
    """
    file = Path(path)
    raw = raw_labels(file, layout=layout, columns=columns, dimensions=tuple(dimensions))
    settled = parse_scales(scales, words, level, raw.scales)
    reader = _Reader(
        str(path), settled, numbered or raw.numbered, {*CANNOT_JUDGE, *map(str.casefold, cannot_judge)}
    )
    for cell in raw.cells():
        reader.take(cell)
    labels, settled = reader.finish()
    wanted = {dimension_name(one) for one in dimensions}
    kept = tuple(label for label in labels if not wanted or label.dimension in wanted)
    if not kept:
        raise DeclarationError(f"{path} holds no labels")
    found = LabelSet(str(path), raw.layout, kept, settled)
    return replace(found, notes=(*raw.notes, *reader.notes, *_notes(found)))


class _Reader:
    """Cells in, labels out. Who, what and on which topic is checked as cells come, what they say at the end, when
    it is known what the other cells of a dimension say. Faults are put aside, and all are raised together."""

    def __init__(self, name: str, scales: Scales, numbered: bool, cannot_judge: Collection[str]) -> None:
        self.name, self.scales, self.numbered, self.cannot_judge = name, scales, numbered, cannot_judge
        self.faults = FaultList()
        self.notes: list[str] = []
        self.cells: list[tuple[int, Unit, str, RawLabel]] = []
        self.seen: dict[tuple[Unit, str, str], int] = {}
        self.topics: dict[str, tuple[str, int]] = {}

    def take(self, cell: RawLabel | Fault) -> None:
        """Take one cell of the file."""
        if isinstance(cell, Fault):
            self.faults.add(cell)
            return
        unit = Unit(cell.item, cell.part)
        annotator = self._annotator(cell, unit)
        if annotator is not None and self._same_topic(cell):
            self.cells.append((cell.line, unit, annotator, cell))

    def finish(self) -> tuple[list[Label], Scales]:
        """All labels, and the scales with those that were read off the words.

        Raises:
            LabelsError: there are faults.
        """
        said: dict[str, dict[str, tuple[int, int]]] = {}
        for line, _, _, cell in self.cells:
            word = _word(cell)
            if word not in MISSING and word not in self.cannot_judge:
                words = said.setdefault(cell.dimension, {})
                words[word] = (words.get(word, (line, 0))[0], words.get(word, (line, 0))[1] + 1)
        own = dict(self.scales.own)
        meaning: dict[tuple[str, str], float] = {}
        for dimension, words in said.items():
            own[dimension] = scale = self._settle(dimension, words)
            for word, (line, count) in words.items():
                value = scale.read(word)
                if isinstance(value, str):
                    self._complain(dimension, word, line, count, value, words)
                else:
                    meaning[dimension, word] = value
        if self.numbered and any(not cell.annotator for *_, cell in self.cells):
            self.notes.append(
                "nobody is named: the rows of one thing are numbered as annotators, in file order"
            )
        if self.faults.total:
            raise LabelsError(self.faults.kept, self.faults.total)
        return [self._label(*cell, meaning) for cell in self.cells], Scales(self.scales.default, own)

    def _annotator(self, cell: RawLabel, unit: Unit) -> str | None:
        """Who said it; None (and a fault) where somebody says it twice."""
        name = cell.annotator or NOBODY
        if not cell.annotator and self.numbered:
            number = 1
            while (unit, cell.dimension, f"annotator {number}") in self.seen:
                number += 1
            name = f"annotator {number}"
        before = self.seen.setdefault((unit, cell.dimension, name), cell.line)
        if before == cell.line and not self._twice_in_line(cell, unit, name):
            return name
        problem = f"{quoted(unit)} has a second label for {quoted(cell.dimension)}"
        if cell.annotator:
            problem, remedy = (
                f"{problem} by {quoted(name)}; the first is in line {before}",
                "Keep one of them",
            )
        else:
            problem = f"{problem}, and nobody is named; the first is in line {before}"
            remedy = "Add a column annotator, or number the rows with --number-annotators"
        self.faults.add(Fault(self.name, cell.line, "annotator", problem, remedy))
        return None

    def _twice_in_line(self, cell: RawLabel, unit: Unit, name: str) -> bool:
        """Whether two columns of one line have the same dimension and person."""
        for line, other, person, one in reversed(self.cells):
            if line != cell.line or other != unit:
                return False
            if person == name and one.dimension == cell.dimension:
                return True
        return False

    def _same_topic(self, cell: RawLabel) -> bool:
        if not cell.topic:
            return True
        topic, line = self.topics.setdefault(cell.item, (cell.topic, cell.line))
        if topic == cell.topic:
            return True
        problem = (
            f"{quoted(cell.item)} stands under {quoted(cell.topic)}, and under {quoted(topic)} in line {line}"
        )
        self.faults.add(
            Fault(self.name, cell.line, "topic", problem, "Give all labels of an item the same topic")
        )
        return False

    def _settle(self, dimension: str, words: Mapping[str, tuple[int, int]]) -> LabelScale:
        """The scale of a dimension: as declared, or read off its words where they leave no choice."""
        scale = self.scales[dimension]
        if scale.bounded or scale.words:
            return scale
        numbers = [word for word in words if _is_number(word)]
        if scale.level == "nominal" and not numbers:
            codes = {word: float(place) for place, word in enumerate(sorted(words))}
            self.notes.append(f"{dimension}: the words {', '.join(sorted(words))} are its categories")
            return replace(scale, words=codes, source="the words in the file")
        if set(words) <= set(TRUTH):
            self.notes.append(
                f"{dimension}: {', '.join(sorted(words))} are read as 1 and 0 on a scale from 0 to 1"
            )
            return replace(scale, low=0.0, high=1.0, source="the words in the file")
        return scale

    def _complain(
        self,
        dimension: str,
        word: str,
        line: int,
        count: int,
        problem: str,
        words: Mapping[str, tuple[int, int]],
    ) -> None:
        scale = self.scales[dimension]
        times = f", {count} times" if count > 1 else ""
        said = f"says {quoted(word)}{times}: it {problem}"
        numbers = [other for other in words if _is_number(other)]
        if scale.words:
            remedy = "Mend the label, or add the word to --map"
        elif scale.bounded:
            remedy = f"Mend the label, or say the scale: --scale {dimension}=LOW:HIGH"
        elif numbers:
            first = words[numbers[0]][0]
            said = f"{said}, and other labels of {dimension} are numbers (first: line {first})"
            remedy = "Write all labels of a dimension alike"
        else:
            remedy = f"Say the order, as in --map {','.join(f'{one}={n}' for n, one in enumerate(sorted(words)[:3], 1))}"
            remedy += ", or --level nominal"
        self.faults.add(Fault(self.name, line, dimension, said, remedy))

    def _label(
        self, line: int, unit: Unit, annotator: str, cell: RawLabel, meaning: Mapping[tuple[str, str], float]
    ) -> Label:
        word = _word(cell)
        absence: Absence | None = (
            "missing" if word in MISSING else "cannot_judge" if word in self.cannot_judge else None
        )
        topic = self.topics.get(cell.item, ("", 0))[0]
        return Label(unit, cell.dimension, annotator, meaning.get((cell.dimension, word)), absence, topic)


def _word(cell: RawLabel) -> str:
    return (cell.text or "").strip().casefold()


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _notes(found: LabelSet) -> list[str]:
    notes = []
    for dimension in found.dimensions:
        scale = found.scale(dimension)
        if scale.words and scale.source != "the words in the file":
            notes.append(f"{dimension}: {scale} ({scale.source})")
        total = sum(label.dimension == dimension for label in found.labels)
        absent = found.absent(dimension)
        if absent:
            lost = sum(absent.values())
            much = ": much is missing" if lost / total >= MUCH_MISSING else ""
            notes.append(
                f"{dimension}: {lost} of {total} cells hold no label ({lost / total:.1%}; "
                f"{absent['missing']} missing, {absent['cannot_judge']} cannot judge){much}"
            )
    return notes
