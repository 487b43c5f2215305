"""Human labels (:class:`LabelSet`) as values on their own scales (:class:`LabelScale`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Literal, NamedTuple, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from conqret.data.digest import gathered
from conqret.errors import DeclarationError, FaultsError, check_known
from conqret.text.numbers import number_in
from conqret.text.words import dimension_name

Amount = TypeVar("Amount", float, "NDArray[np.float64]")
LabelLevel = Literal["nominal", "ordinal", "interval", "ratio"]
LABEL_LEVELS: tuple[LabelLevel, ...] = get_args(LabelLevel)

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "nil", "-", "--", "."})
"""Texts that mean a missing label, in any case."""
CANNOT_JUDGE = frozenset(
    {"?", "cannot judge", "can't judge", "cannot_judge", "unable to judge", "unsure", "don't know", "cj"}
)
"""Texts that mean that an annotator cannot judge, in any case."""
YES_NO: Mapping[str, float] = {"yes": 1.0, "true": 1.0, "y": 1.0, "no": 0.0, "false": 0.0, "n": 0.0}
TRUTH: Mapping[str, float] = {
    **YES_NO,
    **dict.fromkeys("pass passed correct supported relevant faithful grounded".split(), 1.0),
    **dict.fromkeys("fail failed incorrect unsupported irrelevant unfaithful ungrounded".split(), 0.0),
    "not supported": 0.0,
}
"""Words for 1 and 0, which are read where the scale is 0 to 1."""


FOR_ESTIMATION, NOT = "for_estimation", "no"
"""The field, and its value, that marks labels of items that were chosen by their judgments."""
COLUMNS = ("item", "annotator", "topic", "stance", "argument", "text")
"""The columns before those of the dimensions in an annotation form of ratings."""
INSTRUCTION, SCALE = "instruction", "scale"
"""The columns with the instruction and with the ends of the scale, as ``1 to 5`` (a spreadsheet takes 1:5
for a time).
"""
FORM_SOURCE = "the sheet"
"""The source of a scale that an annotation form states."""
PROBABILITY = "inclusion_probability"
"""The column with an item's probability of being drawn, where a plan drew it."""
RANDOM_SAMPLE = "the labeled items were drawn at random, each with the same chance (inclusion_probability)"
"""The note on labels with that column, if all probabilities are equal."""


def unequal_chances(chances: Iterable[float]) -> str:
    """Return a sentence that items were drawn with unequal probabilities, with the lowest and highest of
    ``chances``."""
    known = sorted(set(chances))
    ends = f"inclusion_probability from {known[0]:g} to {known[-1]:g}"
    return f"the labeled items were drawn with unequal probabilities ({ends})"


def written_scale(low: float | None, high: float | None) -> str:
    """Return the ends of a scale as label files write them, such as "1 to 5"."""
    return f"{low:g} to {high:g}"


class LabelsError(FaultsError):
    """An error for labels with faults."""

    of = "labels"


@dataclass(frozen=True, slots=True)
class LabelScale:
    """The scale of the labels of one dimension.

    ``low`` and ``high`` are its ends; without them (None) labels cannot be mapped to [0, 1]. ``words``
    maps lower-case cell texts to numbers. If ``whole`` is true, only whole steps from ``low`` are valid
    labels. ``source`` describes where the scale comes from.
    """

    level: LabelLevel = "ordinal"
    low: float | None = None
    high: float | None = None
    words: Mapping[str, float] = field(default_factory=dict)
    whole: bool = True
    source: str = ""

    @property
    def bounded(self) -> bool:
        """True if the ends of the scale are known."""
        return self.low is not None

    @property
    def binary(self) -> bool:
        """True if the scale has exactly two labels."""
        return self.bounded and self.whole and self.level != "nominal" and self.high == (self.low or 0.0) + 1

    def unit(self, value: Amount) -> Amount:
        """Map labels to [0, 1]: ``(value - low) / (high - low)``, for a number or an array.

        Raises:
            DeclarationError: the scale has no known ends.
        """
        low, high = self.ends()
        return (value - low) / (high - low)

    def value(self, unit: Amount) -> Amount:
        """Map scores in [0, 1] to this scale: ``low + unit (high - low)``, for a number or an array.

        Raises:
            DeclarationError: the scale has no known ends.
        """
        low, high = self.ends()
        return low + unit * (high - low)

    def ends(self) -> tuple[float, float]:
        """Return the low and the high end.

        Raises:
            DeclarationError: they are unknown.
        """
        if self.low is None or self.high is None:
            raise DeclarationError("the labels' scale is unknown: set it, as in --scale 1:3")
        return self.low, self.high

    def read(self, text: str) -> float | str:
        """Parse a cell: return its number, or a text that explains why it is not a valid label."""
        word = text.strip().casefold()
        if word in self.words:
            return self.words[word]
        if not self.words and self.low == 0 and self.high == 1 and word in TRUTH:
            return TRUTH[word]
        try:
            value = number_in(word)
        except ValueError:
            if self.words:
                return f"is none of the labels {', '.join(self.words)}"
            if word in TRUTH:
                return "is a word for 1 or 0, and the scale is not 0 to 1"
            return "is a word without a number"
        if self.words and value not in self.words.values():
            return f"is none of the labels {', '.join(self.words)} (or their numbers)"
        if self.low is not None and self.high is not None:
            if not self.low <= value <= self.high:
                return f"lies outside the scale from {self.low:g} to {self.high:g}"
            if self.whole and not (value - self.low).is_integer():
                return f"is not a whole step of the scale from {self.low:g} to {self.high:g}"
        return value

    def __str__(self) -> str:
        ends = "ends not known" if self.low is None else f"{self.low:g} to {self.high:g}"
        words = ", ".join(f"{word} = {number:g}" for word, number in self.words.items())
        return f"{self.level}, {ends}" + (f" ({words})" if words else "")


@dataclass(frozen=True, slots=True)
class Scales:
    """The scale of each dimension: its entry in ``own``, else ``default``."""

    default: LabelScale = LabelScale()
    own: Mapping[str, LabelScale] = field(default_factory=dict)

    def __getitem__(self, dimension: str) -> LabelScale:
        return self.own.get(dimension, self.default)


def parse_scales(
    scales: Sequence[str], words: Sequence[str], level: str | Sequence[str] | None, before: Scales
) -> Scales:
    """Parse scales, words and levels of measurement as a user writes them on the command line.

    A scale is ``1:3`` for all dimensions, or ``overall_quality=1:5`` for one. Words such as
    ``low=1,medium=2,high=3`` also set the ends of the scale, unless one is given. A level is ``ordinal``
    for all dimensions, or ``overall_quality=ordinal`` for one. ``before`` holds the layout's scales, which
    these settings override one by one.

    Raises:
        DeclarationError: a setting is invalid, or two settings concern the same dimension.
    """
    default, scales_by_name = before.default, dict(before.own)
    levels = _by_dimension("--level", [level] if isinstance(level, str) else level or ())
    check_known("level of measurement", LABEL_LEVELS, *levels.values())
    if "" in levels:
        default = _at_level(default, levels[""])
        scales_by_name = {name: _at_level(scale, levels[""]) for name, scale in scales_by_name.items()}
    if words:
        numbers = _words(words)
        low, high = min(numbers.values()), max(numbers.values())
        default = _at_level(
            replace(default, words=numbers, low=low, high=high, source="--map"), default.level
        )
        scales_by_name = {}
    for name, text in sorted(_by_dimension("--scale", scales).items()):  # the one for all is the first
        low, high = _ends(text, f"{name}={text}" if name else text)
        if name:
            base = replace(default, words={}) if (default.low, default.high) != (low, high) else default
            scales_by_name[name] = replace(base, low=low, high=high, source="--scale")
        else:
            default = replace(default, low=low, high=high, source="--scale")
    for name, text in levels.items():
        if name:
            scales_by_name[name] = _at_level(scales_by_name.get(name, default), text)
    return Scales(default, scales_by_name)


def joined_scales(files: Mapping[str, Scales], dimensions: Mapping[str, Collection[str]]) -> Scales:
    """Merge the scales of several files into one.

    ``files`` maps file names to scales, and ``dimensions`` maps them to the dimensions that each file
    labels. A dimension without a scale in one file takes it from another.

    Raises:
        DeclarationError: two files have different scales for a dimension.
    """
    first = next(iter(files.values()))
    by_dimension: dict[str, LabelScale] = {}
    source: dict[str, str] = {}
    for name, scales in files.items():
        for dimension in dimensions[name]:
            scale = scales[dimension]
            before = by_dimension.get(dimension)
            if before is None or not (before.bounded or before.words):
                by_dimension[dimension], source[dimension] = scale, name
            elif (scale.bounded or scale.words) and replace(scale, source="") != replace(before, source=""):
                raise DeclarationError(
                    f"{source[dimension]} and {name} have {dimension} on different scales ({before}; {scale}): set "
                    f"the right one, as in --scale {dimension}=1:5"
                )
    return Scales(first.default, {**first.own, **by_dimension})


def _by_dimension(option: str, settings: Sequence[str]) -> dict[str, str]:
    """Parse settings ``value`` and ``dimension=value`` to a mapping from dimension to value; a value for all dimensions
    is under the empty name. ``option`` is named in messages.

    Raises:
        DeclarationError: two settings are for the same dimension.
    """
    by_dimension: dict[str, str] = {}
    for setting in settings:
        name, _, value = setting.rpartition("=")
        name = dimension_name(name)
        if name in by_dimension:
            raise DeclarationError(
                f"{option} is given twice for {name or 'all dimensions'} ({by_dimension[name]} and {value}): "
                "keep one of them"
            )
        by_dimension[name] = value.strip()
    return by_dimension


def _at_level(scale: LabelScale, level: str) -> LabelScale:
    """Return ``scale`` at a level of measurement. Nominal and ordinal scales have whole steps only, unless a word of an
    ordinal one stands for a fraction.

    Raises:
        DeclarationError: words of nominal labels stand for fractions.
    """
    known = next(label_level for label_level in LABEL_LEVELS if label_level == level)
    steps = all((number - (scale.low or 0)) % 1 == 0 for number in scale.words.values())
    if known == "nominal" and not steps:
        numbers = ", ".join(f"{number:g}" for number in scale.words.values())
        raise DeclarationError(
            f"nominal labels must be whole numbers, but --map has {numbers}: number them 0, 1, 2 …"
        )
    return replace(scale, level=known, whole=known in ("nominal", "ordinal") and steps)


def _ends(ends: str, written: str) -> tuple[float, float]:
    try:
        low, high = (number_in(part) for part in ends.split(":"))
    except ValueError:
        raise DeclarationError(f"--scale takes 1:3 or overall_quality=1:5, not {written!r}") from None
    if not low < high:
        raise DeclarationError(f"--scale {written} must rise from one number to another")
    return low, high


def _words(settings: Sequence[str]) -> dict[str, float]:
    numbers: dict[str, float] = {}
    for pair in ",".join(settings).split(","):
        word, _, number = pair.rpartition("=")
        word = word.strip().casefold()
        try:
            value = number_in(number)
        except ValueError:
            raise DeclarationError(f"--map takes words such as low=1,medium=2, not {pair!r}") from None
        if numbers.setdefault(word, value) != value:
            raise DeclarationError(
                f"--map gives {word!r} two numbers, {numbers[word]:g} and {value:g}: keep one"
            )
    if "" in numbers or len(set(numbers.values())) < 2:
        raise DeclarationError(f"--map needs words for at least two numbers, not {','.join(settings)!r}")
    return numbers


Absence = Literal["missing", "cannot_judge"]


class Unit(NamedTuple):
    """The object of a label: an item, or a part of it such as a document's id; ``part`` is empty for the
    whole item."""

    item: str
    part: str = ""

    def __str__(self) -> str:
        return f"{self.item} [{self.part}]" if self.part else self.item


@dataclass(frozen=True, slots=True)
class Label:
    """One annotator's label of one unit: ``value`` on the labels' own scale, or None with ``absence`` as
    the reason."""

    unit: Unit
    dimension: str
    annotator: str
    value: float | None
    absence: Absence | None = None
    topic: str = ""


@dataclass(frozen=True, slots=True)
class LabelSet:
    """All labels of a file, with their scales.

    ``name`` is the file's, ``layout`` the name of its layout, and ``notes`` say what was left out.
    ``chances`` maps each item to its probability of being drawn for labeling, if the file states it.
    """

    name: str
    layout: str
    labels: tuple[Label, ...]
    scales: Scales
    notes: tuple[str, ...] = ()
    chances: Mapping[str, float] = field(default_factory=dict)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The names of the dimensions, in the order of their first label."""
        return tuple(dict.fromkeys(label.dimension for label in self.labels))

    @property
    def annotators(self) -> tuple[str, ...]:
        """The names of the annotators, in the order of their first label."""
        return tuple(dict.fromkeys(label.annotator for label in self.labels))

    @property
    def units(self) -> tuple[Unit, ...]:
        """The labeled units, in the order of their first label."""
        return tuple(dict.fromkeys(label.unit for label in self.labels))

    @property
    def topics(self) -> dict[Unit, str]:
        """A mapping from each unit to its topic, for units whose topic the file states."""
        return {label.unit: label.topic for label in self.labels if label.topic}

    @property
    def unequal(self) -> bool:
        """True if items were drawn for labeling with different probabilities."""
        return len(set(self.chances.values())) > 1

    def scale(self, dimension: str) -> LabelScale:
        """Return the scale of a dimension."""
        return self.scales[dimension]

    def of_whole_items(self, dimensions: Collection[str]) -> LabelSet:
        """Return the labels in which, for ``dimensions``, each annotator's labels of an item's parts (documents) become
        one label of the item, their mean.

        Parts without a value are dropped. The scales of these dimensions become interval scales, and a note is added.
        """
        kept = [label for label in self.labels if label.dimension not in dimensions or not label.unit.part]
        parts = gathered(
            ((label.dimension, label.unit.item, label.annotator), label)
            for label in self.labels
            if label.dimension in dimensions and label.unit.part and label.value is not None
        )
        kept += [
            replace(label, unit=Unit(item), value=fmean(part.value or 0.0 for part in (label, *others)))
            for (_, item, _), (label, *others) in parts.items()
        ]
        scales = {name: replace(self.scale(name), level="interval", whole=False) for name in dimensions}
        note = f"{', '.join(dimensions)}: the mean of an item's parts, as a judge scores whole items"
        return replace(
            self,
            labels=tuple(kept),
            scales=replace(self.scales, own={**self.scales.own, **scales}),
            notes=(*self.notes, note),
        )

    def absent(self, dimension: str | None = None) -> Counter[str]:
        """Count absent labels by kind (``missing``, ``cannot_judge``), for one dimension or for all if
        None.
        """
        return Counter(
            label.absence
            for label in self.labels
            if label.absence is not None and dimension in (None, label.dimension)
        )

    def table(self, dimension: str, units: Sequence[Unit]) -> tuple[tuple[str, ...], NDArray[np.float64]]:
        """Return the annotators of ``dimension``, and their labels on ``units``, on the labels' own scale,
        as an array.

        The array has one row per annotator and one column per unit, in the given order; NaN marks an absent
        label. Annotators without a value on these units are not included.
        """
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
