"""The screens of a study: of all items that have any, or of those of a plan, in its order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from conqret.annotation.choosing import screens_of, task_of
from conqret.annotation.screens import Screen
from conqret.annotation.task import Wanted
from conqret.data import Item
from conqret.errors import DeclarationError, number


@dataclass(frozen=True)
class Planned:
    """Screens in their order, with what is to be said of them. ``estimates`` is false where the plan chose the items
    for what a judge said of them."""

    screens: list[Screen]
    notes: list[str]
    estimates: bool = True


def planned_screens(
    items: Iterable[Item],
    task: str,
    *,
    metrics: Sequence[str] = (),
    scale: tuple[int, int] | None = None,
    seed: int = 13,
    plan: Path | None = None,
) -> Planned:
    """The screens of ``task`` for ``items``, or for those of ``plan`` (what ``conqret label`` wrote beside its sheet).

    Raises:
        DeclarationError: there is no such task or metric; the plan cannot be read, or names items that are not there.
    """
    chosen = list(items)
    estimates = True
    if plan is not None:
        order, estimates = _read(plan)
        known = {item.id: item for item in chosen}
        lacking = [name for name in order if name not in known]
        if lacking:
            raise DeclarationError(
                f"{plan} names {number(len(lacking), 'item')} that are not among the items, {lacking[0]!r} for one; "
                "give the items that it was made of"
            )
        chosen = [known[name] for name in order]
    wanted = Wanted(tuple(name.replace("-", "_") for name in metrics), scale, seed)
    screens = screens_of(task_of(task), chosen, wanted)
    shown = {screen.item for screen in screens}
    without = [item.id for item in chosen if item.id not in shown]
    notes = []
    if without and shown:
        notes.append(
            f"{number(len(without), 'item')} lack what the task shows and are left out, {without[0]!r} for one"
        )
    return Planned(screens, notes, estimates)


def _read(plan: Path) -> tuple[list[str], bool]:
    try:
        found = json.loads(plan.read_text(encoding="utf-8"))
        return [str(one["item"]) for one in found["chosen"]], found["probability"] is not None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DeclarationError(
            f"{plan} is no plan of conqret label ({type(error).__name__}: {error}); "
            "give the .plan.json beside its sheet"
        ) from None
