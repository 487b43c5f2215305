"""``read_labels``: what people say of items, checked whole, with nothing dropped unsaid.

Every cell becomes a label, a *missing* one or a *cannot judge*; anything else is a fault, and all faults of the file
are listed together. What was read, left out and mapped stands in the notes of the label set.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from conqret.data.gathering import gathered
from conqret.errors import DeclarationError, LabelsError, number
from conqret.io.label_layout import open_labels
from conqret.io.label_reader import LabelReader
from conqret.io.label_scale import CANNOT_JUDGE, LabelLevel, dimension_name, parse_scales
from conqret.io.label_set import Label, LabelSet, Unit
from conqret.io.label_sheets import FOR_ESTIMATION, NOT

__all__ = ["Label", "LabelSet", "LabelsError", "Unit", "read_labels"]

MUCH_MISSING = 0.2
"""The share of missing labels from which a remark warns."""


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
    - ``columns``, ``layout``: as in :func:`conqret.io.label_layout.open_labels`
    - ``dimensions``: the labels to keep; for tables as in :mod:`conqret.io.label_layouts.table`
    - ``cannot_judge``: further texts for a person who would not say
    - ``numbered``: number the rows of one thing as annotators where the file names none

    Raises:
        LabelsError: a cell cannot be read, or a person labels one thing twice; all faults are listed.
        DeclarationError: the file or a setting is wrong as a whole, or labels are marked as not for estimation.
    """
    chosen, file = open_labels(Path(path), layout=layout, columns=columns, dimensions=dimensions)
    settled = parse_scales(scales, words, level, chosen.scales)
    reader = LabelReader(
        file, settled, numbered or chosen.numbered, {*CANNOT_JUDGE, *map(str.casefold, cannot_judge)}
    )
    marked = set()
    for cell in chosen.cells(file):
        reader.take(cell)
        if cell.for_estimation.strip().casefold() == NOT:
            marked.add(cell.item)
    if marked:
        raise DeclarationError(
            f"{path} marks {number(len(marked), 'item')} as not for estimation ({FOR_ESTIMATION}: {NOT}): they are "
            "no sample of all items. Either they were chosen because the judge was unsure of them (conqret label "
            "without --uncertain-first draws a sample), or they are the final labels on which people agree, while of "
            "others nobody has decided (conqret annotate adjudicate)"
        )
    labels, settled = reader.finish()
    wanted = {dimension_name(one) for one in dimensions}
    kept = tuple(label for label in labels if not wanted or label.dimension in wanted)
    if not kept:
        raise DeclarationError(f"{path} holds no labels")
    if all(label.absence == "missing" for label in kept):
        raise DeclarationError(
            f"{path} is not filled in: none of its {number(len(kept), 'cell')} holds a label"
        )
    found = LabelSet(str(path), file.title or chosen.title, kept, settled)
    return replace(found, notes=(*file.notes, *reader.notes, *_notes(found)))


def _notes(found: LabelSet) -> list[str]:
    """What was mapped, and what holds no label; said once for all dimensions that are alike."""
    scales = [(found.scale(dimension), dimension) for dimension in found.dimensions]
    mapped = gathered(
        (f"{scale}; from {scale.source}", dimension)
        for scale, dimension in scales
        if scale.words and scale.source != "the words in the file"
    )
    notes = [f"{_some(names)}: {text}" for text, names in mapped.items()]
    absent, total = found.absent(), len(found.labels)
    if absent:
        notes.append(
            f"{sum(absent.values())} of {total} cells hold no label ({sum(absent.values()) / total:.1%}; "
            f"{absent['missing']} missing, {absent['cannot_judge']} cannot judge)"
        )
    for dimension in found.dimensions:
        lost = sum(found.absent(dimension).values())
        size = sum(label.dimension == dimension for label in found.labels)
        if lost >= MUCH_MISSING * size:
            notes.append(f"much is missing of {dimension}: {lost} of {size} cells ({lost / size:.1%})")
    return notes


def _some(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{names[0]}, {names[1]} and {len(names) - 2} more"
