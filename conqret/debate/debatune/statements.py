"""``read_statements``: texts that were to take a side of a topic, of one system or of several, as items.

A row has columns ``topic``, ``side`` (affirmative or negative, pro or con) and ``statement`` (or ``response``), perhaps
``id``, and ``system`` (or ``model``) where a file holds several. The published files of DEBATunE are such tables; the
columns of conqret's own items are read as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from conqret.data import Item
from conqret.errors import DeclarationError
from conqret.io import CheckedItems, ItemSource, open_items
from conqret.judging.judge_folder import JudgeFolder
from conqret.runs.run_folder import stem

SYSTEM = "system"
"""Under this key of an item's metadata stands the system that wrote its statement."""

_NEEDS = {
    "argument": "it is the statement that is looked at",
    "stance": "the side that the statement was to take is needed: affirmative or negative, pro or con",
}


def read_statements(
    files: Sequence[Path],
    *,
    blank: bool = False,
    sided: bool = True,
    skip_invalid: bool | None = None,
    language: str | None = None,
    on_check: Callable[[CheckedItems], object] = lambda checked: None,
) -> tuple[Item, ...]:
    """The statements of all files, in their order; a system without a name in the rows has that of its file.

    Of several files, each id begins with the name of its file. With ``blank``, a statement may be missing.
    Where they need not be ``sided``, a row without a side is what was written on some instruction of another kind.
    ``skip_invalid`` leaves out rows that have faults, ``language`` is that of all rows, and ``on_check`` gets what each
    file holds.

    Raises:
        ItemsError: rows have faults (a missing side, an empty statement); all of a file are listed.
        DeclarationError: two files have one name, and rows that do not name their system.
    """
    statements: list[Item] = []
    names: dict[str, Path] = {}
    for file in files:
        name = stem(file)
        twin = names.setdefault(name, file)
        prefix = name if twin is file else f"{file.absolute().parent.name}-{name}"
        source = statements_in(file, blank=blank, sided=sided, skip_invalid=skip_invalid, language=language)
        on_check(source.check())
        for item in source:
            system = item.metadata.get(SYSTEM) or item.metadata.get("model")
            if not system and twin is not file:
                raise DeclarationError(
                    f"{twin} and {file} are both named {name}, and a system without a name in its "
                    "rows gets the name of the file: rename one"
                )
            changed = {
                "id": item.id if len(files) == 1 else f"{prefix}-{item.id}"[:200],
                "metadata": {**item.metadata, SYSTEM: str(system or name)},
            }
            statements.append(item.model_copy(update=changed))
    return tuple(statements)


def statements_in(
    file: Path,
    *,
    blank: bool = False,
    sided: bool = True,
    skip_invalid: bool | None = None,
    language: str | None = None,
) -> ItemSource:
    """The statements of one file; see :func:`read_statements`."""
    wanted = {"argument": not blank, "stance": sided}
    needs = {name: why for name, why in _NEEDS.items() if wanted[name]}
    return replace(open_items(file, skip_invalid=skip_invalid, language=language), needs=needs)


def judged_run(folder: Path, format: str, command: str) -> JudgeFolder:  # noqa: A002 - the word that users know
    """A finished run of a format, as ``command`` leaves it.

    Raises:
        DeclarationError: there is none, or it is one of another format.
    """
    run = JudgeFolder(folder)
    record = run.record()
    run.summary()
    if record.format != format:
        raise DeclarationError(f"{folder} is a run of the format {record.format}: give a run of `{command}`")
    return run


def system_of(item: Item) -> str:
    """The system that wrote a statement; empty where nothing says so."""
    return str(item.metadata.get(SYSTEM, ""))


def instruction_of(item: Item) -> str:
    """What the writer of a statement was told: what the row says, or what is made of topic, side and argument."""
    text, argument = (str(item.metadata.get(name, "")) for name in ("instruction", "argument"))
    return text.strip() or instruction(item.topic, item.stance, argument)


def instruction(topic: str, stance: str, argument: str = "") -> str:
    """What a model is told that is to write a statement: topic, side (``pro`` or ``con``) and the point to be made.

    Without a side (``none``) it is the topic itself.
    """
    if stance == "none":
        return topic
    side = {"pro": "Argue for the affirmative side", "con": "Argue for the negative side"}[stance]
    point = f', with this argument: "{argument}"' if argument else ""
    return f'{side} of the topic "{topic}"{point}.'
