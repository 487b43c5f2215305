"""What stands behind the measures of one item, as tables: nuggets, criteria, and verdicts on citations."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from conqret.data import Item, Judgment, Measure, Part
from conqret.judging.nugget_measures import BY_SUB_NARRATIVE
from conqret.show import words
from conqret.show.visible_text import cut
from conqret.text.sentences import sentences

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


PART_LIMIT = 400
"""Rows of one table on the page; nuggets are 20, criteria 6, and an argument has as many citations as it has."""

_PAIR = re.compile(r"sentence ([0-9]{1,6}), document ([0-9]{1,6})\Z")

KINDS = {
    "sentence": "Citations",
    "criterion": "Criteria",
    "nugget": "Nuggets",
    "sub-narrative": "Sub-narratives",
}
"""What a table of parts is called."""

WEIGHT = ", weight "
"""What stands in the label of a rubric's criterion between what was found and its weight."""
VERDICTS = {"supports": "supports", "contradicts": "contradicts", "silent": "says nothing"}


@dataclass(frozen=True, slots=True)
class PartRow:
    """One nugget or criterion with a cell for each metric of the table."""

    name: str
    cells: tuple[Cell, ...]
    explanation: str


@dataclass(frozen=True, slots=True)
class PartTable:
    """Parts that one or more metrics share; ``kind`` says what they are, one of :data:`KINDS`."""

    kind: str
    columns: tuple[str, ...]
    rows: tuple[PartRow, ...]
    omitted: int


def is_documents(measure: Measure, item: Item | None) -> bool:
    """Whether the parts of ``measure`` are the item's documents."""
    if item is None or not measure.parts:
        return False
    ids = {document.id for document in item.documents}
    return all(part.id in ids for part in measure.parts)


def pair(part: Part) -> tuple[int, int] | None:
    """Sentence and document of a verdict on a citation; None for any other part."""
    match = _PAIR.match(part.id)
    return (int(match[1]), int(match[2])) if match else None


def tables(judgment: Judgment, item: Item | None) -> Iterator[PartTable]:
    """The verdicts on citations, and a table for all metrics that rate the same parts; documents have their place."""
    verdicts = list(_verdict_rows(judgment, item))
    if verdicts:
        yield _table("sentence", ("Document", "Verdict"), verdicts)
    groups: dict[tuple[str, ...], dict[str, Measure]] = {}
    for metric, measure in judgment.measures.items():
        if measure.parts and not is_documents(measure, item) and pair(measure.parts[0]) is None:
            groups.setdefault(tuple(part.id for part in measure.parts), {})[words.label(metric)] = measure
    for group in groups.values():
        together = list(zip(*(measure.parts for measure in group.values()), strict=True))
        kind = "criterion" if judgment.format in ("static-rubric", "rubric") else "nugget"
        if judgment.format == "rubric":
            yield _table(kind, ("Found", "Weight"), [_weighed(parts[0]) for parts in together])
            continue
        if set(group) == {words.label(BY_SUB_NARRATIVE)}:
            kind = "sub-narrative"
        rows = [
            _row(
                words.label(parts[0].id) if kind == "criterion" else parts[0].id, map(part_cell, parts), parts
            )
            for parts in together
        ]
        columns = tuple(group)
        given = {} if item is None else {nugget.text: nugget.importance or "–" for nugget in item.nuggets}
        if kind == "nugget" and given and all(row.name in given for row in rows):
            rows = [replace(row, cells=(Cell(given[row.name], None), *row.cells)) for row in rows]
            columns = ("Importance", *columns)
        yield _table(kind, columns, rows)


def _weighed(part: Part) -> PartRow:
    """A criterion of a rubric, what was found, and its weight. A fault that points are taken for has the colour of what
    is left of them."""
    verdict, _, weight = (part.label or "").partition(WEIGHT)
    value = part.value
    if value is not None and weight.startswith("-"):
        value = 1 - value
    found = Cell(cut(verdict, 60), None if value is None else level(value))
    return _row(part.id, (found, Cell(weight, None, verdict="none")), [part])


def _table(kind: str, columns: tuple[str, ...], rows: list[PartRow]) -> PartTable:
    return PartTable(kind, columns, tuple(rows[:PART_LIMIT]), max(len(rows) - PART_LIMIT, 0))


def _row(name: str, cells: Iterable[Cell], parts: Sequence[Part]) -> PartRow:
    explanation = " / ".join(dict.fromkeys(part.explanation for part in parts if part.explanation))
    return PartRow(cut(name, 1000), tuple(cells), cut(explanation, 2000))


def _verdict_rows(judgment: Judgment, item: Item | None) -> Iterator[PartRow]:
    """The verdicts on citations with the sentences that they are about, in the order of the argument."""
    texts = [span.text for span in sentences(item.argument)] if item is not None and item.argument else []
    documents = len(item.documents) if item is not None else 0
    for part, (sentence, document) in _verdicts(judgment):
        text = texts[sentence - 1] if 1 <= sentence <= len(texts) else f"sentence {sentence}"
        cited = Cell(f"[{document}]", None, target=f"d{document}" if 1 <= document <= documents else "")
        verdict_text = VERDICTS.get(part.label or "", cut(part.label or "no verdict", 60))
        verdict_cell = Cell(verdict_text, None, verdict=part.label if part.label in VERDICTS else "none")
        yield _row(text, (cited, verdict_cell), [part])


def citation_verdicts(judgment: Judgment, argument: str) -> Callable[[int, int], str]:
    """What says the verdict on a citation by where its mark stands in the argument, and the number of the document that
    it cites; empty where there is none."""
    verdict_labels = {place: part.label for part, place in _verdicts(judgment) if part.label in VERDICTS}
    starts = [span.start for span in sentences(argument)] if verdict_labels else []
    return lambda start, document: verdict_labels.get((bisect_right(starts, start), document), "")


def _verdicts(judgment: Judgment) -> Iterator[tuple[Part, tuple[int, int]]]:
    for measure in judgment.measures.values():
        for part in measure.parts:
            place = pair(part)
            if place is not None:
                yield part, place
