"""What is wrong with the types in an experiment's file, and the rest of the file, so that all faults show at once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from conqret.experiments.config import ConfigTable, Experiment
from conqret.io.faults import near
from conqret.io.toml import Place

Faults = list[tuple[Place, str]]


def sound_part(table: dict[str, Any]) -> tuple[Experiment | None, Faults, dict[str, list[int]]]:
    """The experiment without what is wrong in it, and what that is.

    A wrong value is taken out, so that its default stands; where it has none, what is around it is. The experiment
    is None where too little is left. The numbers say for each list of tables which of the file's are left.
    """
    faults: Faults = []
    left = {key: list(range(len(part))) for key, part in table.items() if isinstance(part, list)}
    while True:
        try:
            return Experiment.model_validate(table), faults, left
        except ValidationError as error:
            located_errors = [(tuple(problem["loc"]), problem) for problem in error.errors(include_url=False)]
            faults = faults or [(place, _said(place, problem)) for place, problem in located_errors]
            wrong = {_there(table, place) for place, _ in located_errors}
            if () in wrong:
                return None, faults, left
            for place in sorted(wrong, key=_inside_first):
                if not any(place[:end] in wrong for end in range(1, len(place))):
                    _take_out(table, place, left)


def _said(place: Place, error: Any) -> str:
    known = {name for table in _tables(ConfigTable) for name in table.model_fields}
    meant = near(str(place[-1]), sorted(known)) if error["type"] == "extra_forbidden" else None
    return f"{error['msg']}: did you mean {meant!r}?" if meant else str(error["msg"])


def _tables(kind: type[ConfigTable]) -> Iterator[type[ConfigTable]]:
    for table in kind.__subclasses__():
        yield table
        yield from _tables(table)


def _there(table: Any, place: Place) -> Place:
    """The longest beginning of a place that the table has."""
    for depth, part in enumerate(place):
        try:
            table = table[part]
        except (KeyError, IndexError, TypeError):
            return place[:depth]
    return place


def _inside_first(place: Place) -> int:
    """Fields first, then the entries of lists from their ends: so the numbers of all others stay."""
    return 1 - place[-1] if isinstance(place[-1], int) else -sys.maxsize


def _take_out(table: Any, place: Place, left: dict[str, list[int]]) -> None:
    for part in place[:-1]:
        table = table[part]
    del table[place[-1]]
    if len(place) == 2 and place[0] in left:
        del left[str(place[0])][int(place[1])]
