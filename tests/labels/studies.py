"""Small studies for the tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from conqret.data import Document, Item
from conqret.labels.answer_ledger import Ledger
from conqret.labels.screens import study_of
from conqret.labels.task import TaskRequest
from conqret.labels.task_choice import screens_of, task_of

TOPICS = ("Should cars leave the centre?", "Should school begin later?", "Should zoos close?")


def items(count: int) -> list[Item]:
    """Items on three topics, with two documents, an argument that cites the first, and another argument."""
    return [
        Item(
            id=f"item-{n}",
            topic=TOPICS[n % 3],
            stance="pro",
            documents=(
                Document(
                    id=f"doc-{n}-a",
                    title="A report",
                    text=f"In year {n} the number of accidents fell by half.",
                ),
                Document(id=f"doc-{n}-b", text="Shops fear for their customers."),
            ),
            argument=f"Accidents fell by half in year {n} [1]. So it should be done.",
            second_argument="It has always been so, and always worked.",
        )
        for n in range(count)
    ]


def begun(
    folder: Path,
    count: int = 6,
    people: Sequence[str] = ("anna", "ben", "carl"),
    *,
    task: str = "rating",
    overlap: int = 2,
    open_to: int = 0,
    consent: str = "",
    clock: Callable[[], float] | None = None,
) -> Ledger:
    """A study in ``folder``."""
    screens = screens_of(task_of(task), items(count), TaskRequest())
    study = study_of(task, screens, people, overlap=overlap, open_to=open_to, consent=consent)
    return Ledger.open(folder, study, screens, people, **({"clock": clock} if clock else {}))
