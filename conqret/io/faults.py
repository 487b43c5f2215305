"""Gathering the faults of an input, and wording values for people: short, escaped, typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conqret.errors import Fault, ItemsError

MAX_SHOWN = 50
"""Faults that the message of an error spells out; the others are counted."""
MAX_KEPT = 1000
"""Faults that stay in memory (and in ``ItemsError.faults``); the others are counted."""


class FaultList:
    """Faults in file order. All are counted, the first :data:`MAX_KEPT` are kept."""

    def __init__(self) -> None:
        self.kept: list[Fault] = []
        self.total = 0

    def add(self, fault: Fault) -> None:
        """Count one more fault, and keep it while there is room."""
        self.total += 1
        if len(self.kept) < MAX_KEPT:
            self.kept.append(fault)

    def raise_any(self) -> None:
        """Raise an :class:`~conqret.errors.ItemsError` with the faults, if there are any."""
        if self.total:
            raise items_error(self.kept, self.total)


def items_error(faults: Sequence[Fault], total: int | None = None) -> ItemsError:
    """Return the error for ``faults``, of which ``total`` were found (more than are kept, perhaps).

    The message spells out the first :data:`MAX_SHOWN` and says how many more there are.
    """
    count = len(faults) if total is None else total
    error = ItemsError(faults)
    if count > MAX_SHOWN:
        shown = "\n".join(f"  {fault}" for fault in faults[:MAX_SHOWN])
        error.args = (f"{count} faults in the items:\n{shown}\n  and {count - MAX_SHOWN} more",)
    return error


def quoted(value: object, limit: int = 60) -> str:
    """Return ``value`` as a short, escaped literal that is safe to print on a terminal."""
    text = value if isinstance(value, str) else str(value)
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return f"'{short}'" if short.isprintable() else ascii(short)


def kind(value: object) -> str:
    """Return in a word or two what a value is, in the terms of JSON."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    return f"a {type(value).__name__}"
