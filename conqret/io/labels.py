"""Read human labels of items (:func:`read_labels`), all checked before any is used, with notes on all that
is left out.

Every cell becomes a label, a *missing* one or a *cannot judge*; anything else is a fault, and all faults of the file
are listed together. What was read, left out and mapped stands in the notes of the label set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from conqret.data.digest import gathered
from conqret.errors import DeclarationError, UnknownNameError, number
from conqret.io.label_files import (
    WIDE,
    LabelFile,
    LabelLayout,
    RawLabel,
    label_files,
    open_labels,
)
from conqret.io.label_set import (
    CANNOT_JUDGE,
    FOR_ESTIMATION,
    FORM_SOURCE,
    MISSING,
    NOT,
    PROBABILITY,
    RANDOM_SAMPLE,
    TRUTH,
    Absence,
    Label,
    LabelLevel,
    LabelScale,
    LabelsError,
    LabelSet,
    Scales,
    Unit,
    joined_scales,
    parse_scales,
    unequal_chances,
)
from conqret.io.rows import FaultList, quoted
from conqret.text.numbers import is_number, number_in
from conqret.text.words import dimension_name

Place = tuple[LabelFile, int]
"""A file, and a line in it."""
Words = dict[str, list[Place]]
"""The texts of a dimension's labels in lower case, and where each occurs."""
MIN_CHANCE = 1e-9
"""The smallest valid probability of being drawn for labeling."""
NOBODY = "labels"
"""The name of the one annotator of a file that names none."""


class LabelReader:
    """Collects label cells and converts them to labels.

    Item, annotator and topic are checked as cells come; values are checked at the end, when all cells of a
    dimension are known. Faults are collected and raised together. Cells of several files can share one
    list of ``faults``.
    """

    def __init__(self, faults: FaultList, cannot_judge: Collection[str]) -> None:
        self.faults, self.cannot_judge = faults, cannot_judge
        self.scales = Scales()
        self.notes: list[str] = []
        self.cells: list[tuple[Place, Unit, str, RawLabel]] = []
        self.seen: dict[tuple[Unit, str, str], Place] = {}
        self.topics: dict[str, tuple[str, Place]] = {}
        self.chances: dict[str, tuple[float, Place]] = {}
        self.numbered = False

    def take(self, cell: RawLabel, file: LabelFile, *, numbered: bool = False, nobody: str = NOBODY) -> None:
        """Add one cell of a file.

        A cell without annotator belongs to ``nobody``, or, if ``numbered``, to an annotator numbered by
        the order of the item's rows.
        """
        unit, place = Unit(cell.item, cell.part), (file, cell.line)
        annotator = self._annotator(cell, unit, place, numbered, nobody)
        if annotator is not None and self._same_topic(cell, place) and self._same_chance(cell, place):
            self.cells.append((place, unit, annotator, cell))

    def finish(self, scales: Scales) -> tuple[list[Label], Scales]:
        """Return all labels, and the scales completed by those inferred from the words in the cells.

        Raises:
            LabelsError: there are faults.
        """
        self.scales = scales
        words_by_dimension: dict[str, Words] = {}
        for place, _, _, cell in self.cells:
            word = _word(cell)
            if self._absence(word) is None:
                words_by_dimension.setdefault(cell.dimension, {}).setdefault(word, []).append(place)
        scales_found = dict(self.scales.own)
        meaning: dict[tuple[str, str], float] = {}
        unmapped = Counter[str]()
        strange: dict[str, dict[str, str]] = {}
        for dimension, words in words_by_dimension.items():
            scales_found[dimension] = scale = self._settle(dimension, words)
            if not (scale.words or scale.bounded or any(map(is_number, words))):
                unmapped.update({word: len(lines) for word, lines in words.items()})
                continue
            read = {word: scale.read(word) for word in words}
            meaning |= {
                (dimension, word): value for word, value in read.items() if not isinstance(value, str)
            }
            wrong = {word: value for word, value in read.items() if isinstance(value, str)}
            file = next(iter(words.values()))[0][0]
            if len(wrong) == len(words) and file.title == WIDE and not file.dimensions:
                strange[dimension] = wrong
                continue
            for word, problem in wrong.items():
                self._complain(dimension, word, problem, words)
        self._complain_of_columns(strange, words_by_dimension, sorted({name for name, _ in meaning}))
        if unmapped:
            self._complain_of_words(
                unmapped, [name for name, words in words_by_dimension.items() if set(words) & set(unmapped)]
            )
        if self.numbered:
            self.notes.append(
                "the labels name no annotators: the rows of one item are numbered as annotators, in file order"
            )
        self.faults.raise_any(LabelsError)
        return [self._label(*cell, meaning) for cell in self.cells], Scales(self.scales.default, scales_found)

    def _annotator(self, cell: RawLabel, unit: Unit, place: Place, numbered: bool, nobody: str) -> str | None:
        """Return the annotator of a cell, and remember that this annotator labeled the thing; None, with a fault, if
        the annotator has already labeled it. With ``numbered``, unnamed ones are numbered in each thing ("annotator
        1"), else all of them are ``nobody``."""
        name = cell.annotator or nobody
        if not cell.annotator and numbered:
            self.numbered = True
            number = 1
            while (unit, cell.dimension, f"annotator {number}") in self.seen:
                number += 1
            name = f"annotator {number}"
        before = self.seen.get((unit, cell.dimension, name))
        if before is None:
            self.seen[unit, cell.dimension, name] = place
            return name
        first = _where(before, place)
        problem = f"{quoted(str(unit))} has a second label for {quoted(cell.dimension)}"
        if cell.annotator:
            problem = f"{problem} by {quoted(name)}; the first is in {first}"
            remedy = "Keep one of them"
        else:
            problem = f"{problem}, and no annotator is named; the first is in {first}"
            remedy = "Add a column annotator, or number the rows with --number-annotators"
        place[0].fault(cell.line, "annotator", problem, remedy)
        return None

    def _same_topic(self, cell: RawLabel, place: Place) -> bool:
        if not cell.topic:
            return True
        topic, first = self.topics.setdefault(cell.item, (cell.topic, place))
        if topic == cell.topic:
            return True
        problem = (
            f"{quoted(cell.item)} stands under {quoted(cell.topic)}, and under {quoted(topic)} in "
            f"{_where(first, place)}"
        )
        place[0].fault(cell.line, "topic", problem, "Give all labels of an item the same topic")
        return False

    def _same_chance(self, cell: RawLabel, place: Place) -> bool:
        """Remember the item's probability of being drawn; return False, with a fault, if it is no probability or
        differs from an earlier one of the same item. A cell without a probability is fine."""
        text = cell.inclusion_probability.strip()
        if not text:
            return True
        try:
            chance = number_in(text)
        except ValueError:
            chance = 0.0
        known, first = self.chances.get(cell.item, (chance, place))
        if not MIN_CHANCE <= chance <= 1:
            problem = (
                f"is {quoted(text)}, and a probability is above 0 ({MIN_CHANCE:g} at least) and 1 at most"
            )
            remedy = (
                "Write how likely the item was to be drawn for labeling; leave out items that could not be drawn, "
                "here and in the run"
            )
        elif known != chance:
            problem = f"is {text} for {quoted(cell.item)}, and {known:g} in {_where(first, place)}"
            remedy = "Give all labels of an item the same probability"
        else:
            self.chances[cell.item] = known, first
            return True
        place[0].fault(cell.line, PROBABILITY, problem, remedy)
        return False

    def _settle(self, dimension: str, words: Words) -> LabelScale:
        """Return the scale of a dimension: as declared, or read from its words if these leave no choice (nominal
        categories, numbered by the alphabet; words for true and false as 1 and 0), or from labels that are all 0 and 1.
        What was read is noted."""
        scale = self.scales[dimension]
        if scale.bounded or scale.words:
            return scale
        shown = ", ".join(sorted(words))
        if scale.level == "nominal" and not any(map(is_number, words)):
            self.notes.append(f"{dimension}: the words {shown} are its categories")
            codes = {word: float(place) for place, word in enumerate(sorted(words))}
            return replace(scale, words=codes, source="the words in the file")
        if set(words) <= set(TRUTH):
            numbers = ", ".join(f"{word} = {TRUTH[word]:g}" for word in sorted(words))
            self.notes.append(f"{dimension}: {numbers}, on a scale from 0 to 1")
            return replace(scale, low=0.0, high=1.0, source="the words in the file")
        numbers_read = set(map(number_in, words)) if all(map(is_number, words)) else set()
        if scale.level != "nominal" and numbers_read == {0.0, 1.0}:
            self.notes.append(f"{dimension}: all labels are 0 or 1, taken as a scale from 0 to 1")
            return replace(scale, low=0.0, high=1.0, source="the labels in the file")
        return scale

    def _complain(self, dimension: str, word: str, problem: str, words: Words) -> None:
        scale, lines = self.scales[dimension], words[word]
        times = f", {len(lines)} times" if len(lines) > 1 else ""
        complaint, remedy = f"says {quoted(word)}{times}: it {problem}", "Correct the label"
        number = next(filter(is_number, words), None)
        if scale.words:
            remedy = "Correct the label, or add the word to --map"
        elif scale.bounded and not is_number(word):
            remedy = "Correct the label, or give each word a number: --map low=1,medium=2,high=3"
        elif scale.bounded:
            remedy = f"Correct the label, or set the scale: --scale {dimension}=LOW:HIGH"
        elif number is not None:
            first = _where(words[number][0], lines[0])
            complaint = f"{complaint}, and other labels of {dimension} are numbers (first: {first})"
            remedy = "Write all labels of a dimension alike"
        file, line = lines[0]
        file.fault(line, dimension, complaint, remedy)

    def _complain_of_columns(
        self,
        strange: Mapping[str, Mapping[str, str]],
        words_by_dimension: Mapping[str, Words],
        others: list[str],
    ) -> None:
        """Record the faults of words that are no labels, by dimension and word (``strange``). A column of a wide table
        without any label gets a single fault if ``others`` have labels: it may be no dimension."""
        for dimension, wrong in strange.items():
            if not others:
                for word, problem in wrong.items():
                    self._complain(dimension, word, problem, words_by_dimension[dimension])
                continue
            word, problem = next(iter(wrong.items()))
            named = " ".join(f"--dimension {quoted(name)}" for name in others[:5])
            file, line = words_by_dimension[dimension][word][0]
            file.fault(
                line,
                dimension,
                f"contains no label, but {number(len(wrong), 'other thing')}: {quoted(word)} {problem}",
                f"If it is not a dimension, name those that are: {named}. If it is one, correct it, or map words to "
                "numbers: --map low=1,high=3",
            )

    def _complain_of_words(self, words: Mapping[str, int], dimensions: list[str]) -> None:
        """Record one fault for all labels that are words without a number; ``words`` maps each to its count."""
        shown = ", ".join(f"{quoted(word)} ({count} times)" for word, count in sorted(words.items())[:20])
        where = ", ".join(dimensions[:5]) + (
            f" and {len(dimensions) - 5} more" if len(dimensions) > 5 else ""
        )
        problem = f"the labels of {where} are words without a number: {shown}"
        remedy = "Give their order, as in --map low=1,medium=2,high=3, or --level nominal if they have none"
        next(file for (file, _), *_ in self.cells).fault(0, "", problem, remedy)

    def _label(
        self,
        place: Place,
        unit: Unit,
        annotator: str,
        cell: RawLabel,
        meaning: Mapping[tuple[str, str], float],
    ) -> Label:
        word = _word(cell)
        topic = self.topics[cell.item][0] if cell.item in self.topics else ""
        value = meaning.get((cell.dimension, word))
        return Label(unit, cell.dimension, annotator, value, self._absence(word), topic)

    def _absence(self, word: str) -> Absence | None:
        if word in MISSING:
            return "missing"
        return "cannot_judge" if word in self.cannot_judge else None


def _where(place: Place, other: Place) -> str:
    """A line, with its file where that is not the one of the ``other`` place."""
    file, line = place
    return f"line {line}" if file is other[0] else f"line {line} of {file.name}"


def _word(cell: RawLabel) -> str:
    return (cell.text or "").strip().casefold()


Labels = str | Path | Sequence[str | Path] | LabelSet
"""A file, a folder or several files of labels, or labels that were read with :func:`read_labels`."""


def labels_of(labels: Labels) -> LabelSet:
    """Return ``labels`` as a LabelSet, reading them from files if necessary.

    Raises:
        LabelsError: as :func:`read_labels`.
        DeclarationError: as :func:`read_labels`.
    """
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
    """Read and check labels of one or several files, which are merged.

    If a file names no annotator and there are several files, its name is the annotator (``anna.csv``:
    anna).

    Args:
        paths: a file, a folder of files, a pattern such as ``labels/*.csv``, or several of these.
        level: the level of measurement; by default the layout's, or ordinal for tables.
        scales: the scales, as in :func:`conqret.io.label_set.parse_scales`.
        words: the numbers of words, as in the same function.
        columns: the columns by field, as in :func:`conqret.io.label_files.open_labels`.
        dimensions: the dimensions to read; others are not checked. For tables see
            :mod:`conqret.io.label_layouts.label_tables`.
        layout: the name of the layout; by default it is detected.
        cannot_judge: further texts that mean "cannot judge".
        numbered: number the rows of one item as annotators if the file names none.

    Returns:
        The labels with their scales.

    Raises:
        LabelsError: a cell is invalid, or an annotator labels one thing twice; all faults are listed.
        DeclarationError: a file or a setting is invalid as a whole, or labels are marked as not for
            estimation.
    """
    named = [paths] if isinstance(paths, str | Path) else paths
    places = label_files(Path(path) for path in named)
    faults = FaultList()
    reader = LabelReader(faults, {*CANNOT_JUDGE, *map(str.casefold, cannot_judge)})
    files: dict[str, tuple[LabelLayout, LabelFile]] = {}
    scales_of: dict[str, Scales] = {}
    labeled: dict[str, list[str]] = {}
    marked: dict[str, set[str]] = {}
    left: set[str] = set()
    for path in places:
        chosen, file = open_labels(path, layout=layout, columns=columns, dimensions=dimensions, faults=faults)
        nobody = Path(path.name.removesuffix(".gz")).stem if len(places) > 1 else NOBODY
        file_dimensions: dict[str, None] = {}
        for cell in chosen.cells(file):
            if not file.wants(cell.dimension):
                continue
            file_dimensions[cell.dimension] = None
            reader.take(cell, file, numbered=numbered or chosen.numbered, nobody=nobody)
            if cell.for_estimation.strip().casefold() == NOT:
                marked.setdefault(file.name, set()).add(cell.item)
        left |= file.unread
        files[file.name], labeled[file.name] = (chosen, file), list(file_dimensions)
        scales_of[file.name] = parse_scales(scales, words, level, file.scales or chosen.scales)
    for name, items in marked.items():
        raise DeclarationError(
            f"{name} marks {number(len(items), 'item')} as not for estimation ({FOR_ESTIMATION}: {NOT}): they are not "
            "a random sample of all items. Either they were chosen because the judge was unsure of them (conqret "
            "labels sample without --uncertain-first draws a sample), or they are the final labels on which annotators "
            "agree, while other items are undecided (conqret labels adjudicate)"
        )
    labels, settled = reader.finish(joined_scales(scales_of, labeled))
    name = _some([path.name for path in places]) if len(places) > 1 else str(places[0])
    _check_there(name, labels, dimensions, left)
    titles = dict.fromkeys(file.title or chosen.title for chosen, file in files.values())
    chances = {item: chance for item, (chance, _) in reader.chances.items()}
    labels_read = LabelSet(name, ", ".join(titles), tuple(labels), settled, chances=chances)
    files_by_note = gathered(
        (text, name) for name, (_, file) in files.items() for text in dict.fromkeys(file.notes)
    )
    of_files = [
        text if len(names) == len(files) else f"{_some(names)}: {text}"
        for text, names in files_by_note.items()
    ]  # what is to be said of all files, without their names
    joined = [f"{len(places)} files are joined; annotators: {_some(labels_read.annotators)}"]
    return replace(
        labels_read,
        notes=(
            *(joined if len(places) > 1 else ()),
            *_drawn(labels_read),
            *of_files,
            *reader.notes,
            *_notes(labels_read),
        ),
    )


def _check_there(
    name: str, labels: Sequence[Label], dimensions: Sequence[str], left: Collection[str]
) -> None:
    """Raise an error if there are no labels, or none of a dimension that the user names.

    Raises:
        UnknownNameError: a named dimension has no labels; ``left`` are the dimensions that were not read.
        DeclarationError: there are no labels, or all cells are empty.
    """
    there = {label.dimension for label in labels}
    for dimension in dimensions:
        if (there or left) and dimension_name(dimension) not in there:
            raise UnknownNameError(f"dimension of {name}", dimension, there | set(left))
    if not labels:
        raise DeclarationError(f"{name} contains no labels")
    if all(label.absence == "missing" for label in labels):
        raise DeclarationError(f"{name} is not filled in: no label in its {number(len(labels), 'cell')}")


def _drawn(label_set: LabelSet) -> list[str]:
    """Return notes on how the labeled items were drawn, from the probabilities in the files; none if no file states
    any. Labeled items without a probability are counted."""
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


def _notes(label_set: LabelSet) -> list[str]:
    """Return notes on what was mapped to numbers and how many cells have no label; dimensions that are alike
    share one.
    """
    scales = [(label_set.scale(dimension), dimension) for dimension in label_set.dimensions]
    mapped = gathered(
        (f"{scale}; from {scale.source}", dimension)
        for scale, dimension in scales
        if scale.words and scale.source != "the words in the file"
    )
    notes = [f"{_some(names)}: {text}" for text, names in mapped.items()]
    of_sheet = gathered((str(scale), dimension) for scale, dimension in scales if scale.source == FORM_SOURCE)
    notes += [f"{_some(names)}: {text}; as stated in the annotation form" for text, names in of_sheet.items()]
    absent, total = label_set.absent(), len(label_set.labels)
    if absent:
        notes.append(
            f"{sum(absent.values())} of {total} cells contain no label ({sum(absent.values()) / total:.1%}; "
            f"{absent['missing']} missing, {absent['cannot_judge']} cannot judge)"
        )
    return notes


def _some(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{names[0]}, {names[1]} and {len(names) - 2} more"
