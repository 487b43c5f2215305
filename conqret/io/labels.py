"""``read_labels``: what people say of items, checked whole, with nothing dropped unsaid.

Every cell becomes a label, a *missing* one or a *cannot judge*; anything else is a fault, and all faults of the file
are listed together. What was read, left out and mapped stands in the notes of the label set.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from conqret.data.digest import gathered
from conqret.errors import DeclarationError, LabelsError, UnknownNameError, number
from conqret.io.faults import FaultList
from conqret.io.label_files import annotator_of, label_files
from conqret.io.label_layout import LabelFile, LabelLayout, open_labels
from conqret.io.label_reader import NOBODY, LabelReader
from conqret.io.label_scale import (
    CANNOT_JUDGE,
    LabelLevel,
    Scales,
    dimension_name,
    joined_scales,
    parse_scales,
)
from conqret.io.label_set import Label, LabelSet, Unit
from conqret.io.label_sheets import FOR_ESTIMATION, NOT, RANDOM_SAMPLE, SHEET, unequal_chances

__all__ = ["Label", "LabelSet", "LabelsError", "Unit", "read_labels"]

MUCH_MISSING = 0.2
"""The share of missing labels from which a remark warns."""


Labels = str | Path | Sequence[str | Path] | LabelSet
"""A file, a folder or several files of labels, or labels that were read with :func:`read_labels`."""


def labels_of(labels: Labels) -> LabelSet:
    """The labels, which are read where they are not yet."""
    return labels if isinstance(labels, LabelSet) else read_labels(labels)


def read_labels(
    paths: str | Path | Sequence[str | Path],
    *,
    level: LabelLevel | Sequence[str] | None = None,
    scales: Sequence[str] = (),
    words: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    dimensions: Sequence[str] = (),
    layout: str | None = None,
    cannot_judge: Collection[str] = (),
    numbered: bool = False,
) -> LabelSet:
    """Read labels and check all of them. Several files are joined: what each of them labels, and by whom; where a file
    names no annotator, it is that of its name (``anna.csv``: anna).

    - ``paths``: a file, a folder of files, a pattern such as ``labels/*.csv``, or several of these
    - ``level``: the level of measurement (by default the layout's; ordinal for tables), ``scales``, ``words``: as in
      :func:`conqret.io.label_scale.parse_scales`
    - ``columns``, ``layout``: as in :func:`conqret.io.label_layout.open_labels`
    - ``dimensions``: the labels to read, of which alone all is checked; for tables as in
      :mod:`conqret.io.label_layouts.table`
    - ``cannot_judge``: further texts for a person who would not say
    - ``numbered``: number the rows of one thing as annotators where the file names none

    Raises:
        LabelsError: a cell cannot be read, or a person labels one thing twice; all faults are listed.
        DeclarationError: a file or a setting is wrong as a whole, or labels are marked as not for estimation.
    """
    named = [paths] if isinstance(paths, str | Path) else paths
    places = label_files(Path(path) for path in named)
    faults = FaultList()
    reader = LabelReader(faults, {*CANNOT_JUDGE, *map(str.casefold, cannot_judge)})
    files: dict[str, tuple[LabelLayout, LabelFile]] = {}
    scales_of: dict[str, Scales] = {}
    labelled: dict[str, list[str]] = {}
    marked: dict[str, set[str]] = {}
    left: set[str] = set()
    for path in places:
        chosen, file = open_labels(path, layout=layout, columns=columns, dimensions=dimensions, faults=faults)
        nobody = annotator_of(path) if len(places) > 1 else NOBODY
        labelled_dimensions: dict[str, None] = {}
        for cell in chosen.cells(file):
            if not file.wants(cell.dimension):
                continue
            labelled_dimensions[cell.dimension] = None
            reader.take(cell, file, numbered=numbered or chosen.numbered, nobody=nobody)
            if cell.for_estimation.strip().casefold() == NOT:
                marked.setdefault(file.name, set()).add(cell.item)
        left |= file.unread
        files[file.name], labelled[file.name] = (chosen, file), list(labelled_dimensions)
        scales_of[file.name] = parse_scales(scales, words, level, file.scales or chosen.scales)
    for name, items in marked.items():
        raise DeclarationError(
            f"{name} marks {number(len(items), 'item')} as not for estimation ({FOR_ESTIMATION}: {NOT}): they are "
            "not a random sample of all items. Either they were chosen because the judge was unsure of them (conqret "
            "labels sample "
            "without --uncertain-first draws a sample), or they are the final labels on which annotators agree, while "
            "other items are undecided (conqret labels adjudicate)"
        )
    labels, settled = reader.finish(joined_scales(scales_of, labelled))
    name = _some([path.name for path in places]) if len(places) > 1 else str(places[0])
    _check_there(name, labels, dimensions, left)
    titles = dict.fromkeys(file.title or chosen.title for chosen, file in files.values())
    chances = {item: chance for item, (chance, _) in reader.chances.items()}
    labels_read = LabelSet(name, ", ".join(titles), tuple(labels), settled, chances=chances)
    return replace(
        labels_read,
        notes=(
            *_joined(labels_read, len(places)),
            *_drawn(labels_read),
            *_file_notes(files),
            *reader.notes,
            *_notes(labels_read),
        ),
    )


def _check_there(
    name: str, labels: Sequence[Label], dimensions: Sequence[str], left: Collection[str]
) -> None:
    """Raise DeclarationError where there are no labels, or none of a dimension that the user names."""
    there = {label.dimension for label in labels}
    for dimension in dimensions:
        if (there or left) and dimension_name(dimension) not in there:
            raise UnknownNameError(f"dimension of {name}", dimension, there | set(left))
    if not labels:
        raise DeclarationError(f"{name} contains no labels")
    if all(label.absence == "missing" for label in labels):
        raise DeclarationError(
            f"{name} is not filled in: none of its {number(len(labels), 'cell')} contains a label"
        )


def _joined(label_set: LabelSet, files: int) -> list[str]:
    """That several files are read as one, and whose labels they are."""
    if files == 1:
        return []
    return [f"{files} files are joined; annotators: {_some(label_set.annotators)}"]


def _drawn(label_set: LabelSet) -> list[str]:
    """How the labelled items came to be drawn, where the files say it."""
    chances = label_set.chances
    if not chances:
        return []
    items = {label.unit.item for label in label_set.labels if label.value is not None}
    unknown = number(len(items - set(chances)), "labeled item")
    if label_set.unequal:
        note = (
            f"{unequal_chances(chances.values())}: the corrected means, shares and differences weigh each item by the "
            "inverse of its probability; agreement such as alpha is that of the labeled items alone"
        )
        return [note] if items <= set(chances) else [note, f"{unknown} without inclusion_probability"]
    return [RANDOM_SAMPLE] if items <= set(chances) else [f"{unknown} without inclusion_probability"]


def _file_notes(files: Mapping[str, tuple[LabelLayout, LabelFile]]) -> list[str]:
    """What is to be said of the files: without their names, what is to be said of all of them."""
    notes = gathered((text, name) for name, (_, file) in files.items() for text in dict.fromkeys(file.notes))
    return [text if len(names) == len(files) else f"{_some(names)}: {text}" for text, names in notes.items()]


def _notes(label_set: LabelSet) -> list[str]:
    """What was mapped, and what holds no label; said once for all dimensions that are alike."""
    scales = [(label_set.scale(dimension), dimension) for dimension in label_set.dimensions]
    mapped = gathered(
        (f"{scale}; from {scale.source}", dimension)
        for scale, dimension in scales
        if scale.words and scale.source != "the words in the file"
    )
    notes = [f"{_some(names)}: {text}" for text, names in mapped.items()]
    of_sheet = gathered((str(scale), dimension) for scale, dimension in scales if scale.source == SHEET)
    notes += [f"{_some(names)}: {text}; as stated in the annotation form" for text, names in of_sheet.items()]
    absent, total = label_set.absent(), len(label_set.labels)
    if absent:
        notes.append(
            f"{sum(absent.values())} of {total} cells contain no label ({sum(absent.values()) / total:.1%}; "
            f"{absent['missing']} missing, {absent['cannot_judge']} cannot judge)"
        )
    for dimension in label_set.dimensions:
        lost = sum(label_set.absent(dimension).values())
        size = sum(label.dimension == dimension for label in label_set.labels)
        if lost >= MUCH_MISSING * size:
            notes.append(f"much is missing of {dimension}: {lost} of {size} cells ({lost / size:.1%})")
    return notes


def _some(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{names[0]}, {names[1]} and {len(names) - 2} more"
