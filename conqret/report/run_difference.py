"""Two runs beside each other, as tables and as a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from conqret.data import Item, Judgment
from conqret.judging.folder import JudgeFolder
from conqret.reliability.validation.run_difference import Changed, RunDifference
from conqret.report import words
from conqret.report.page import Ways, write_file
from conqret.report.sheet import Sheet, section
from conqret.report.table import Cell, Column, Table

PARTS, CHANGED = "Documents and other parts rated differently", "What changed most"
IN_FULL = (PARTS, CHANGED)
"""What stands on the page with texts, and not as a table."""
TEXT = 3_000
"""Characters of an argument that the page shows."""


def difference_tables(found: RunDifference) -> Iterator[Table]:
    """The differences by metric, corrected by labels where there are some, and what changed most."""
    rows: list[tuple[Cell, ...]] = [
        (words.label(name), row.pairs, row.first.value, row.second.value, row.difference, words.p_value(row.p_holm))
        for name, row in found.metrics.items()
    ]  # fmt: skip
    corrected = any(row.corrected is not None for row in found.metrics.values())
    favour = " The judge may favour one of the two systems: what people would find needs --labels."
    yield Table(
        "Second minus first",
        ("metric", "pairs", "first", "second", "difference", "p (Holm)"),
        rows,
        note=f"{found.confidence:.0%} jackknife-t intervals over {found.clusters} {found.clustered_by}s; "
        "p by a t-test over them, where there are six or more. Means are of what both scored, and which run is right "
        "they do not say." + (favour if not found.same_items and not corrected else ""),
    )
    if corrected:
        yield Table(
            "People's difference, second minus first",
            ("metric", "judge alone", "labels alone", "both (prediction-powered)", "labels"),
            [
                (
                    words.label(name),
                    row.corrected.naive,
                    row.corrected.labels,
                    row.corrected.corrected,
                    row.corrected.labels.n,
                )
                for name, row in found.metrics.items()
                if row.corrected is not None
            ],
            note="The labelled pairs must be a random sample. Not corrected over metrics.",
        )
    lost: list[tuple[Cell, ...]] = [
        ("items", len(found.missing_first), len(found.missing_second)),
        *(
            (words.label(name), row.only_second, row.only_first)
            for name, row in found.metrics.items()
            if row.only_first or row.only_second
        ),
    ]
    if len(lost) > 1 or found.missing_first or found.missing_second:
        yield Table("Missing in one of the two", ("", "in the first", "in the second"), lost)
    if found.changed_parts:
        yield Table(
            PARTS,
            ("item", Column("part", "name"), Column("metric", "name"), "first", "second"),
            [
                (one.item, one.part, words.label(one.metric), one.first, one.second)
                for one in found.changed_parts
            ],
            note=_parts_note(found),
        )
    if found.changed:
        yield Table(
            CHANGED,
            ("item", Column("metric", "text"), "first", "second"),
            [(_name(one), words.label(one.metric), one.first, one.second) for one in found.changed],
        )


def write_difference(found: RunDifference, first: JudgeFolder, second: JudgeFolder, file: Path) -> Path:
    """Write the page; returns its place."""
    return write_file(file, difference_page(found, first, second))


def difference_page(
    found: RunDifference, first: JudgeFolder, second: JudgeFolder, around: Ways = ()
) -> Iterator[str]:
    """The page, piece by piece: the tables, and what changed most side by side; ``around`` is what else there is."""
    left = _texts(first, {one.first_item for one in found.changed})
    right = _texts(second, {one.second_item for one in found.changed})
    tables = [table for table in difference_tables(found) if table.title not in IN_FULL]
    sheet = Sheet(
        "diff",
        "What differs between two runs",
        list(map(section, tables)),
        lede=[f"First: {found.first}.", f"Second: {found.second}.", _met(found)],
    )
    return sheet.html(
        "run_difference.html.j2",
        around=around,
        beside=[(one, _name(one), left[one.first_item], right[one.second_item]) for one in found.changed],
        parts=found.changed_parts,
        parts_title=PARTS,
        parts_note=_parts_note(found),
        longest=TEXT,
    )


def _parts_note(found: RunDifference) -> str:
    return (
        f"{words.count(found.parts_moved)} of {words.number(found.parts, 'part')} that both rated; shown are the "
        f"{len(found.changed_parts)} furthest apart."
    )


def _met(found: RunDifference) -> str:
    """How the two met, and whether it can be said what made the difference."""
    judges = "the same judge" if found.same_judge else "two judges"
    items = "the same texts" if found.same_items else "other texts"
    said = (
        f"{words.number(found.pairs, 'pair')}, matched by {found.paired_by}: {judges}, {items}. "
        f"{words.count(found.moved)} of them differ on some metric."
    )
    if found.same_judge or found.same_items:
        return said
    return f"{said} Judge and items both differ, so it cannot be said which of them made the difference."


def _name(one: Changed) -> str:
    return one.first_item if one.first_item == one.second_item else f"{one.first_item} / {one.second_item}"


def _texts(run: JudgeFolder, wanted: set[str]) -> dict[str, tuple[Item, Judgment]]:
    items = {item.id: item for item in run.items() if item.id in wanted}
    return {one.item: (items[one.item], one) for one in run.judgments() if one.item in wanted}
