"""Scales of people's labels: what a cell may say, which number it stands for, and what it is in [0, 1].

Nothing is mapped silently: words need a map, and numbers need a scale before they are compared with a judge's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

from conqret.errors import DeclarationError, check_known

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Amount = TypeVar("Amount", float, "NDArray[np.float64]")
LabelLevel = Literal["nominal", "ordinal", "interval", "ratio"]
LABEL_LEVELS: tuple[LabelLevel, ...] = get_args(LabelLevel)

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "nil", "-", "--", "."})
"""What stands for no label, in any case."""
CANNOT_JUDGE = frozenset(
    {"?", "cannot judge", "can't judge", "cannot_judge", "unable to judge", "unsure", "don't know", "cj"}
)
"""What stands for a person who looked and would not say, in any case."""
TRUTH: Mapping[str, float] = {"yes": 1.0, "true": 1.0, "y": 1.0, "no": 0.0, "false": 0.0, "n": 0.0}
"""Words that every reader takes for 1 and 0; read where the scale is 0 to 1."""


@dataclass(frozen=True, slots=True)
class LabelScale:
    """The scale of one dimension.

    ``low`` and ``high`` are its ends (None: not known, so that labels have agreement among themselves but no place
    in [0, 1]); ``words`` map what cells say to numbers, in small letters; ``whole`` says that only whole steps
    from ``low`` are labels. ``source`` says where the scale is from, for the reader.
    """

    level: LabelLevel = "ordinal"
    low: float | None = None
    high: float | None = None
    words: Mapping[str, float] = field(default_factory=dict)
    whole: bool = True
    source: str = ""

    def __post_init__(self) -> None:
        check_known("level of measurement", LABEL_LEVELS, self.level)
        if (self.low is None) != (self.high is None):
            raise DeclarationError("a scale has both ends, or neither")
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise DeclarationError(f"a scale rises: its ends are not {self.low:g} and {self.high:g}")

    @property
    def bounded(self) -> bool:
        """Whether the ends are known."""
        return self.low is not None

    @property
    def binary(self) -> bool:
        """Whether there are two labels only."""
        return self.bounded and self.whole and self.level != "nominal" and self.high == (self.low or 0.0) + 1

    def unit(self, value: Amount) -> Amount:
        """``(value - low) / (high - low)``, of a value or an array. Raises DeclarationError where there are no
        ends."""
        low, high = self.ends()
        return (value - low) / (high - low)

    def value(self, unit: float) -> float:
        """``low + unit (high - low)``, a judge's score on this scale. Raises as :meth:`unit`."""
        low, high = self.ends()
        return low + unit * (high - low)

    def nearest(self, unit: float) -> float:
        """The label nearest to a judge's score (halves go up). Raises as :meth:`unit`."""
        low, high = self.ends()
        return min(max(low + math.floor(self.value(unit) - low + 0.5), low), high)

    def ends(self) -> tuple[float, float]:
        """Both ends. Raises DeclarationError where they are not known."""
        if self.low is None or self.high is None:
            raise DeclarationError("the labels' scale is not known: say it, as in --scale 1:3")
        return self.low, self.high

    def read(self, text: str) -> float | str:
        """The number that a cell stands for, or in words why it is none."""
        word = text.strip().casefold()
        if word in self.words:
            return self.words[word]
        if not self.words and self.low == 0 and self.high == 1 and word in TRUTH:
            return TRUTH[word]
        try:
            value = float(word)
        except ValueError:
            return self._no_number(word)
        if not math.isfinite(value):
            return "is no finite number"
        if self.words and value not in self.words.values():
            return f"is none of the labels {', '.join(self.words)} (or their numbers)"
        if self.low is not None and self.high is not None:
            if not self.low <= value <= self.high:
                return f"lies outside the scale from {self.low:g} to {self.high:g}"
            if self.whole and not (value - self.low).is_integer():
                return f"is no whole step of the scale from {self.low:g} to {self.high:g}"
        return value

    def _no_number(self, word: str) -> str:
        if self.words:
            return f"is none of the labels {', '.join(self.words)}"
        if word in TRUTH:
            return "is a word for true or false, and the scale is not 0 to 1"
        return "is a word, and no map says which number it stands for"

    def __str__(self) -> str:
        ends = "ends not known" if self.low is None else f"{self.low:g} to {self.high:g}"
        words = ", ".join(f"{word} = {number:g}" for word, number in self.words.items())
        return f"{self.level}, {ends}" + (f" ({words})" if words else "")


@dataclass(frozen=True, slots=True)
class Scales:
    """The scale of every dimension: its own, or the one for all."""

    default: LabelScale = LabelScale()
    own: Mapping[str, LabelScale] = field(default_factory=dict)

    def __getitem__(self, dimension: str) -> LabelScale:
        return self.own.get(dimension, self.default)


def parse_scales(
    scales: Sequence[str], words: Sequence[str], level: LabelLevel | None, before: Scales
) -> Scales:
    """Scales as a user says them: ``1:3`` for all, ``overall_quality=1:5`` for one dimension; and words such as
    ``low=1,medium=2,high=3`` (their numbers are the scale's ends unless one is given).

    ``before`` is what the layout says, which these settings override one by one.

    Raises:
        DeclarationError: a setting cannot be read.
    """
    default, own = before.default, dict(before.own)
    if level is not None:
        default = replace(default, level=level, whole=level in ("nominal", "ordinal"))
        own = {name: replace(one, level=level, whole=default.whole) for name, one in own.items()}
    if words:
        numbers = _words(words)
        low, high = min(numbers.values()), max(numbers.values())
        default = replace(default, words=numbers, low=low, high=high, source="--map")
        own = {}
    for text in scales:
        name, _, ends = text.rpartition("=")
        low, high = _ends(text, ends)
        if name:
            base = replace(default, words={}) if (default.low, default.high) != (low, high) else default
            own[dimension_name(name)] = replace(base, low=low, high=high, source="--scale")
        else:
            default = replace(default, low=low, high=high, source="--scale")
    return Scales(default, own)


def dimension_name(text: str) -> str:
    """A dimension's name as conqret writes it: small letters, words joined by underscores."""
    return "_".join(text.strip().casefold().replace("-", " ").replace("_", " ").split())


def _ends(text: str, ends: str) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in ends.split(":"))
    except ValueError:
        raise DeclarationError(f"--scale is written 1:3, or overall_quality=1:5, not {text!r}") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise DeclarationError(f"--scale {text} does not rise from one finite number to another")
    return low, high


def _words(settings: Sequence[str]) -> dict[str, float]:
    numbers: dict[str, float] = {}
    for pair in ",".join(settings).split(","):
        word, _, number = pair.rpartition("=")
        try:
            numbers[word.strip().casefold()] = float(number)
        except ValueError:
            raise DeclarationError(f"--map is written low=1,medium=2,high=3, not {pair!r}") from None
    if "" in numbers or len(set(numbers.values())) < 2:
        raise DeclarationError(f"--map needs words for two numbers at least, not {','.join(settings)!r}")
    return numbers
