"""A task of one's own, from a small TOML file::

shows = ["argument", "documents"]        # or "each document", one screen a document

[[questions]]
name = "persuasive"
asks = "Would this move somebody who is undecided?"
guide = "Go by the text alone."
choices = [
    { value = "1", says = "no" },
    { value = "2", says = "perhaps" },
    { value = "3", says = "yes", meaning = "most undecided readers would lean to its side" },
]
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from conqret.data import Item
from conqret.data.item import Frozen, Identifier, NonEmpty
from conqret.io.toml import read_toml, toml_error
from conqret.labels.screens import Choice, Screen, ScreenQuestion
from conqret.labels.task import AnnotationTask, Wanted, needing, passages, screen_of, where_any

EACH_DOCUMENT = "each document"


class _Asked(Frozen):
    name: Identifier
    asks: NonEmpty
    guide: str = ""
    choices: tuple[Choice, ...] = Field(min_length=2)


class _Custom(Frozen):
    shows: tuple[Literal["argument", "second_argument", "reference", "documents", "each document"], ...] = (
        "argument", "documents",
    )  # fmt: skip
    summary: str = ""
    questions: tuple[_Asked, ...] = Field(min_length=1)


def custom_task(path: Path) -> AnnotationTask:
    """The task that the file declares.

    Raises:
        DeclarationError: the file cannot be read, or declares no task; with the place.
    """
    text, found = read_toml(path, "task")
    try:
        told = _Custom.model_validate(found)
    except ValidationError as error:
        faults = [(one["loc"], one["msg"]) for one in error.errors(include_url=False)]
        raise toml_error(path, text, faults, "task") from None
    questions = tuple(
        ScreenQuestion(
            name=one.name, asks=one.asks, choices=one.choices,
            guide=tuple(line for line in one.guide.splitlines() if line.strip()),
        )
        for one in told.questions
    )  # fmt: skip

    def screens(item: Item, wanted: Wanted) -> Iterator[Screen]:
        if EACH_DOCUMENT not in told.shows:
            yield screen_of(item, passages(item, told.shows), questions)
            return
        for place, document in enumerate(item.documents):
            shown = passages(item, {*told.shows, "documents"}, only=place)
            yield screen_of(item, shown, questions, part=document.id)

    needs = needing("documents") if EACH_DOCUMENT in told.shows else where_any("argument")
    if EACH_DOCUMENT not in told.shows and "argument" not in told.shows:
        needs = needing()
    return AnnotationTask(path.stem, told.summary or f"the questions of {path.name}", screens, needs=needs)
