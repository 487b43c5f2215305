"""The coloured cells of a page: a value from 0 to 1, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from conqret.data import Measure, Part
from conqret.show import words
from conqret.show.visible_text import cut

PREFERRED = {"first": "1st", "second": "2nd", "tie": "tie"}
"""Which of two arguments is better, for a narrow cell."""
LEVELS = 10
"""Steps of the colour scale above 0: a value v has level round(10 v)."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell says, its level (None: nothing to colour), what else there is to say, where it leads, and, where it
    is one of :data:`VERDICTS` on a citation, which."""

    text: str
    level: int | None
    title: str = ""
    target: str = ""
    verdict: str = ""

    @property
    def shade(self) -> str:
        """The class of its colour in ``page.css``."""
        return "gap-cell" if self.level is None else f"l{self.level}"


def level(value: float) -> int:
    """The step of the colour scale, 0 to 10."""
    return min(max(round(value * LEVELS), 0), LEVELS)


def cell(value: float | None, text: str = "", title: str = "", target: str = "") -> Cell:
    """A cell of the value's colour that says ``text``, or the value itself with two places, or a dash."""
    return Cell(text or words.score(value), None if value is None else level(value), title, target)


def measure_cell(measure: Measure) -> Cell:
    """A measure as one cell: its score with its verdict; a dash and the reason where it has none."""
    if measure.value is None:
        return cell(None, title=f"{measure.status.value}: {words.reason(measure.reason)}")
    verdict = PREFERRED.get(measure.label or "", "")
    return cell(measure.value, verdict, f"score {words.score(measure.value)}" if verdict else "")


def part_cell(part: Part) -> Cell:
    """A part as one rating: its label, else its rating, else its value."""
    value_text = "" if part.value is None else words.score(part.value)
    label = (part.label or "").replace("_", " ")
    return cell(part.value, cut(label, 60) or words.rating(part.raw), value_text)
