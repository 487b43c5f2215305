"""Draw rows to label from a table of judge verdicts, and make the screens or the form that annotators see of them.

Drawn at random, labels hold few of the rows that the judge fails; drawn half by half, few of the many that it passes,
on which TNR rests. So each verdict gets the mean of its share of the rows and of an equal share: 60 labels of 1,000
rows, of which the judge passes 850, are 40 passes and 20 failures. Estimates are weighted by the probabilities.
Annotators see texts and the question, never verdict or reason.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from conqret.console.shared_options import column_map
from conqret.data import Document, Item
from conqret.data.digest import gathered
from conqret.errors import ConqretError, DeclarationError, check_known
from conqret.io import CheckedItems
from conqret.io.files import file_rows
from conqret.labels.annotators import BLOCK
from conqret.labels.answer_ledger import VERDICT, Ledger
from conqret.labels.database import FILE
from conqret.labels.sampling import BANDS, SEED
from conqret.labels.screens import Choice, Screen, ScreenPassage, ScreenQuestion, Stratum, rating
from conqret.labels.study_screens import practice_screens
from conqret.labels.task import QUESTIONS, AnnotationForm
from conqret.studies.check.checked_table import COMPARED, MAX_KEYS, SHOWN, CheckedTable
from conqret.studies.check.read_table import read_checked_table
from conqret.studies.check.verdict_words import TEXTS

SAMPLE = 60
"""The default number of rows to label."""
TABLE_COLUMNS = "judge=verdict,human=label,id=ticket,output=summary"
"""An example of --columns for a table of verdicts."""


@dataclass(frozen=True, slots=True)
class DrawnRow:
    """A row that was drawn: its ``place`` in the table, and the stratum in which it was drawn."""

    place: int
    stratum: Stratum


def table_of_verdicts(
    file: Path, task: str | None, columns: str | None = None, *, wanted: bool = False, **options: Any
) -> CheckedTable | None:
    """Return a file as a table of a judge's verdicts; None if it is none or holds items, or another task is
    named.

    Args:
        file: the file.
        task: the annotation task; None if none is named.
        columns: the columns of ``judge``, ``human``, and of texts; with a judge's or an output's, the file must be a
            table.
        wanted: whether the file must be a table in any case.
        options: how it is read, as :func:`read_checked_table` takes it; with any, it must be a table.

    Raises:
        DeclarationError: the file must be a table, and is none.
    """
    if task not in (None, VERDICT):
        return None
    roles = column_map(columns, TABLE_COLUMNS)
    wanted = wanted or bool(options) or not roles.keys().isdisjoint(("judge", "output", "answer_a"))
    if wanted:
        check_known("field of a table of verdicts", ("judge", "human", *TEXTS), *roles)
    elif not roles.keys() <= {"human", *TEXTS}:
        return None
    header = set[str]()
    with suppress(ConqretError):  # results of other tools are no tables
        header.update(getattr(next(iter(file_rows(file)), None), "record", ()))
    if not wanted and "topic" in header and header & {"argument", "documents"}:
        return None
    try:
        judge, human = ([roles.pop(role)] if role in roles else [] for role in ("judge", "human"))
        read = partial(read_checked_table, file, columns=roles, **{"judge": judge, "human": human} | options)
        try:
            return read()
        except DeclarationError as error:
            if "--pass answers" not in str(error):
                raise
            table = read(passing="answers")  # what swapped preferences name matters only to labels
            return replace(table, options=tuple(pair for pair in table.options if pair[0] != "--pass"))
    except ConqretError as error:
        if not wanted:
            return None
        remedy = (
            "; with conqret labels: --columns judge=COLUMN,human=COLUMN" if "--judge" in str(error) else ""
        )
        raise DeclarationError(f"{error}{remedy}") from None


def draw_rows(table: CheckedTable, wanted: int, seed: int = SEED) -> list[DrawnRow]:
    """Draw rows that have no label yet, and return them in the order in which annotators get them.

    Each verdict of the first judge is a stratum (of scores, each of a few bands), and its part of the sample is the
    mean of its share of the rows and of an equal share, until it has no row left. A larger sample of the same table
    contains the smaller one, and any beginning holds all verdicts in their proportion; within :data:`BLOCK` rows the
    order is random. Where fewer rows are wanted than there are strata, they are drawn from all rows together.

    Args:
        table: the table; rows with a label, and rows on which the judge failed, are left out.
        wanted: how many rows; all that there are, if fewer.
        seed: the seed of the draw.

    Raises:
        DeclarationError: no row is left to label.
    """
    rng = random.Random(seed)
    strata = dict(sorted(_strata(table).items()))
    if not strata:
        raise DeclarationError(f"{table.source} has no row left to label: each has a label, or no verdict")
    if wanted < len(strata):
        strata = {"all": [place for places in strata.values() for place in places]}
    for places in strata.values():
        rng.shuffle(places)
    total = sum(map(len, strata.values()))
    weights = {name: len(places) / total + 1 / len(strata) for name, places in strata.items()}
    drawn: list[DrawnRow] = []
    taken = Counter[str]()
    for _ in range(min(wanted, total)):
        left = (name for name in strata if taken[name] < len(strata[name]))
        name = min(left, key=lambda name: taken[name] / weights[name])
        drawn.append(DrawnRow(strata[name][taken[name]], Stratum(name=name, rows=len(strata[name]))))
        taken[name] += 1
    blocks = [drawn[start : start + BLOCK] for start in range(0, len(drawn), BLOCK)]
    for block in blocks:  # in turn, they would tell the verdict
        rng.shuffle(block)
    return [row for block in blocks for row in block]


def _strata(table: CheckedTable) -> dict[str, list[int]]:
    """Return the places of the rows that have a verdict of the first judge and no label, by verdict ("pass", "rated 3",
    the class); scores are in :data:`BANDS` bands of equally many rows. A stratum without such rows is left out."""
    verdicts = table.judges[0].values
    free = ~np.isnan(verdicts) & np.isnan(table.labels).all(axis=1)
    places = np.flatnonzero(free)
    if table.kind == "scores":
        ranks = np.argsort(np.argsort(verdicts[places], kind="stable"), kind="stable")
        names = [f"band {rank * BANDS // len(places) + 1}" for rank in ranks.tolist()]
    elif table.kind == "classes":
        names = [table.classes[int(value)] for value in verdicts[places]]
    elif table.kind == "ratings":
        names = [f"rated {value:g}" for value in verdicts[places].tolist()]
    else:
        low, middle, high = ("second", "tie", "first") if table.kind == "pairs" else ("fail", "", "pass")
        names = [
            high if value > 0.5 else low if value < 0.5 else middle for value in verdicts[places].tolist()
        ]
    return gathered(zip(names, places.tolist(), strict=True))


def verdict_plan(
    table: CheckedTable,
    folder: Path,
    sample: int | None,
    practice: Path | None,
    on_check: Callable[[CheckedItems], None],
    question: str = "",
) -> tuple[list[Screen], str]:
    """Return the screens for labeling rows of a table, and how many rows of each verdict they show.

    Of a study that has begun, these are the rows that were drawn then.

    Args:
        table: the table.
        folder: the folder of the study.
        sample: how many rows; by default those of the study, or :data:`SAMPLE`.
        practice: the file of practice items.
        on_check: called with the practice items, after checking them.
        question: the question to annotators; by default a general question.

    Raises:
        DeclarationError: no row is left to label, or the folder holds another study or the same with another
            question.
    """
    screens = drawn_before(folder, table)
    wanted = sample or len(screens) or SAMPLE
    wording = next((question.asks for screen in screens for question in screen.questions), question)
    if question not in ("", wording):
        raise DeclarationError(f'{folder} has the question "{wording}": leave --question out')
    if len(screens) < wanted:
        screens = table_screens(table, draw_rows(table, wanted), wording)
    drawn = strata_line(screen.stratum for screen in screens if screen.stratum is not None)
    shown = len(screens)
    if practice is not None:
        screens = screens + practice_screens(practice, VERDICT, screens, on_check=on_check)
    fewer = f"; {wanted:,} were to be drawn, and no more rows are without a label" if shown < wanted else ""
    return screens, f"{drawn} (seed {SEED}){fewer}"


def drawn_in_bands(folder: Path) -> bool:
    """Return whether a folder holds a study whose rows were drawn by bands of scores, before a cut was stated."""
    if not (folder / FILE).is_file():
        return False
    with closing(Ledger(folder)) as ledger:
        return any(screen.stratum and screen.stratum.name.startswith("band ") for screen in ledger.screens())


def drawn_before(folder: Path, table: CheckedTable) -> list[Screen]:
    """Return the screens of the study that a folder holds of this table; none if it holds none yet.

    Raises:
        DeclarationError: the folder holds another study.
    """
    if not (folder / FILE).is_file():
        return []
    with closing(Ledger(folder)) as ledger:
        screens = ledger.screens()
    if not {screen.item for screen in screens} <= set(table.texts["id"]) or not all(
        screen.stratum for screen in screens
    ):
        raise DeclarationError(f"{folder} contains labels of another file; give another folder with -o")
    return screens


def strata_line(drawn: Iterable[Stratum]) -> str:
    """Return a line that says how many rows of each verdict were drawn, of how many."""
    counts = sorted(Counter(drawn).items(), key=lambda entry: entry[0].name)
    parts = [f"{count} of {stratum.rows:,} {stratum.name}" for stratum, count in counts]
    return f"drawn by the judge's verdict: {', '.join(parts)}"


def table_screens(table: CheckedTable, rows: Sequence[DrawnRow], wording: str = "") -> list[Screen]:
    """Return the screens of rows, without the judge's verdicts and reasons; ``wording`` replaces the general question.

    Raises:
        DeclarationError: :attr:`CheckedTable.pages_lack` says why.
    """
    if table.pages_lack:
        raise DeclarationError(f"{table.source} has {table.pages_lack}")
    parts = table.systems or [""] * len(table.texts["id"])
    question = _question(table)
    if wording not in ("", question.asks):
        question = question.model_copy(update={"asks": wording, "guide": ()})
    screens = []
    for row in rows:
        texts = _texts(table, row)
        name, part = table.texts["id"][row.place], parts[row.place]
        swapped = set(COMPARED) <= set(texts) and random.Random(f"{SEED} {name} {part}").random() < 0.5
        sides = [texts[name] for name in COMPARED if name in texts]
        compared = zip("AB", reversed(sides) if swapped else sides, strict=False)
        shown = [(title, texts[name]) for name, title in SHOWN.items() if name in texts]
        screens.append(
            Screen(
                item=name,
                part=part,
                heading=name,
                passages=tuple(ScreenPassage(title=title, text=text) for title, text in (*compared, *shown)),
                questions=(question,),
                swapped=swapped,
                stratum=row.stratum,
            )
        )
    return screens


def shown_notes(table: CheckedTable, screens: Sequence[Screen]) -> Iterator[str]:
    """Yield notes on what annotators are not shown: what a pass is, and what the output is about."""
    wording = next(question.asks for screen in screens for question in screen.questions)
    if wording == _question(table).asks:
        example = '--question "Is every claim supported?"'
        yield f'annotators read the question "{wording}": say what to judge by, as in {example}'
    if table.kind != "pairs" and {"input", "context"}.isdisjoint(table.texts):
        yield "annotators see the output alone; show what it is about with --columns input=COLUMN,context=COLUMN"


def _texts(table: CheckedTable, row: DrawnRow) -> dict[str, str]:
    return {name: values[row.place] for name, values in table.texts.items() if values[row.place].strip()}


def _question(table: CheckedTable) -> ScreenQuestion:
    """Return the question to annotators, on the scale of the verdicts; scores are labeled as pass or fail.

    Raises:
        DeclarationError: ratings are no whole numbers from 0 to :data:`MAX_KEYS`.
    """
    if table.kind == "pairs":
        return QUESTIONS["output-preference"][0]
    if table.kind in ("pass_fail", "scores"):
        return QUESTIONS[VERDICT][0]
    words = table.levels if table.kind == "ratings" else table.classes
    asks = "How good is the output?" if table.kind == "ratings" else "Which class is it?"
    if words:
        keys = map(str, range(1, len(words) + 1)) if len(words) <= MAX_KEYS else [""] * len(words)
        choices = tuple(Choice(value=word, key=key) for word, key in zip(words, keys, strict=True))
        return ScreenQuestion(name=VERDICT, asks=asks, choices=choices)
    low, high = map(int, table.scale)
    meanings = {low: "lowest", high: "highest"}
    choices = tuple(choice.model_copy(update={"key": choice.value}) for choice in rating(low, high, meanings))
    return ScreenQuestion(name=VERDICT, asks=asks, choices=choices)


def table_form(table: CheckedTable, rows: Sequence[DrawnRow]) -> AnnotationForm:
    """Return the form in which rows are labeled outside of conqret, with their probabilities.

    Raises:
        DeclarationError: as :func:`table_screens`, or rows are of several systems.
    """
    if table.systems is not None:
        raise DeclarationError(f"{table.source} has several systems: use labels collect")
    question = table_screens(table, rows)[0].questions[0]
    drawn = Counter(row.stratum for row in rows)
    items, chances = [], {}
    for row in rows:
        name, texts = table.texts["id"][row.place], _texts(table, row)
        context = texts.get("context")
        items.append(
            Item(
                id=name,
                topic=texts.get("input", name),
                argument=texts.get("answer_a") or texts.get("output"),
                second_argument=texts.get("answer_b"),
                reference=texts.get("expected"),
                documents=(Document(id=SHOWN["context"], text=context),) if context else (),
            )
        )
        chances[name] = drawn[row.stratum] / row.stratum.rows
    values = [choice.value for choice in question.choices]
    numbers = [int(value) for value in values if value.isdecimal()]
    words = values if len(numbers) < len(values) else []
    low, high = (min(numbers), max(numbers)) if not words else (0, 1)
    return AnnotationForm(question.asks.rstrip("?"), items, (VERDICT,), low, high, True, chances, words)
