"""What a sensitivity run is to judge: formats by damaged versions of the items, each version made once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conqret.data import Item
from conqret.errors import DeclarationError
from conqret.judging.base import Ask, Case
from conqret.judging.setup import Setup
from conqret.perturb import PERTURBATIONS, SEED, Materials, Perturbation, perturb_items
from conqret.perturb.base import LeftOut

Stack = tuple[tuple[str, float], ...]
"""The changes of one version, in order: ``(("hallucinate", 5), ("irrelevant", 20))``; empty: as it is."""

GRID_METRICS = ("context_relevance", "groundedness", "overall_quality")
"""The three metrics of ConQRet, Figure 4."""

GRID_LEVELS: Mapping[str, tuple[float, ...]] = {"irrelevant": (0, 10, 50, 75), "hallucinate": (0, 5, 20)}
"""The levels of ConQRet, Figure 4."""


@dataclass(frozen=True)
class Damage:
    """One perturbation at rising levels that begin with 0."""

    perturbation: Perturbation
    levels: tuple[float, ...]

    @classmethod
    def of(cls, name: str, levels: Sequence[float] = ()) -> Damage:
        """The perturbation of this name at ``levels`` (its own where none are given; 0 is added).

        Raises:
            DeclarationError: there is no such perturbation, or a level is out of range.
        """
        perturbation = PERTURBATIONS[name]
        chosen = tuple(sorted({0.0, *map(float, levels or perturbation.levels)}))
        for level in chosen:
            perturbation.check_level(level)
        if len(chosen) < 2:
            raise DeclarationError(f"{name} needs a level above 0")
        return cls(perturbation, chosen)


def damages_of(wanted: str | Mapping[str, Iterable[float]] | Iterable[str]) -> list[Damage]:
    """The perturbations of ``irrelevant:0,10,50,hallucinate`` (a number belongs to the name before it), of several such
    texts, or of levels by name.

    Raises:
        DeclarationError: a name that does not exist, or a level without one.
    """
    if isinstance(wanted, Mapping):
        return [Damage.of(name, tuple(levels)) for name, levels in wanted.items()]
    text = wanted if isinstance(wanted, str) else ",".join(wanted)
    found: dict[str, list[float]] = {}
    last = ""
    for part in filter(None, (part.strip() for part in text.replace(":", ",").split(","))):
        try:
            level = float(part)
        except ValueError:
            last = part
            found.setdefault(last, [])
            continue
        if not last:
            raise DeclarationError(
                f"--perturb begins with a level ({part}); name its perturbation: irrelevant:{part}"
            )
        found[last].append(level)
    return [Damage.of(name, levels) for name, levels in found.items()]


@dataclass(frozen=True)
class Plan:
    """The versions of the items, and who judges them.

    ``versions`` maps each stack of changes to the items so changed, by the ids that they had before; the empty stack
    holds them as they are and is shared by all curves. ``left_out`` says for each perturbation which items it cannot
    change. ``crossed`` are the two damages of the grid, if there is one.
    """

    setups: tuple[Setup, ...]
    damages: tuple[Damage, ...]
    versions: Mapping[Stack, Mapping[str, Item]]
    left_out: Mapping[str, tuple[LeftOut, ...]]
    seed: int
    crossed: tuple[Damage, ...] = ()

    @property
    def items(self) -> tuple[Item, ...]:
        """The items as they are."""
        return tuple(self.versions[()].values())

    @property
    def grid(self) -> tuple[Stack, ...]:
        """The stacks of the grid's cells."""
        return grid_stacks(self.crossed)

    def able(self, perturbation: str) -> list[Item]:
        """The items that a perturbation can change."""
        unable = {out.item for out in self.left_out.get(perturbation, ())}
        return [item for item in self.items if item.id not in unable]

    @property
    def judgments(self) -> int:
        """How many judgments there will be: every format sees every version once."""
        return len(self.setups) * sum(map(len, self.versions.values()))

    def every_item(self) -> Iterable[Item]:
        """Every version of every item."""
        for items in self.versions.values():
            yield from items.values()

    def asked(self, setup: Setup) -> list[tuple[Ask[Any], list[Item]]]:
        """Each question of ``setup`` with the versions about which it is really asked.

        Versions that differ in nothing but the changes of fields that a question does not show make one request,
        for the recordings answer the second; where there is nothing to ask, none is made.
        """
        found = []
        for ask in setup.judge.select(setup.options.metrics):
            distinct: dict[Any, Item] = {}
            for item in self.every_item():
                shown = tuple(hash(getattr(item, need)) for need in sorted(ask.needs | ask.optional))
                distinct.setdefault((item.topic, item.stance, shown), item)
            items = [item for item in distinct.values() if ask.settled(Case(item, setup.options)) is None]
            found.append((ask, items))
        return found


def make_plan(
    items: Iterable[Item],
    setups: Sequence[Setup],
    damages: Sequence[Damage],
    *,
    seed: int = SEED,
    materials: Mapping[str, Materials] | None = None,
    unable: Mapping[str, Sequence[LeftOut]] | None = None,
    grid: Sequence[Damage] = (),
) -> Plan:
    """Make every version of every item.

    Args:
        items: the items as they are.
        setups: the formats, each with its model; an instrument that comes twice is asked once.
        damages: the perturbations with their levels, each a curve.
        seed: draws what is changed.
        materials: by perturbation name, what it draws on.
        unable: by perturbation name, items that are left out beforehand (a model gave no valid rewrite).
        grid: two damages that are also combined with each other at all of their levels (ConQRet, Figure 4).

    Raises:
        DeclarationError: there is nothing to judge, or a perturbation can change none of the items.
    """
    if not setups or not (damages or grid):
        raise DeclarationError("a sensitivity run needs a format and a perturbation, one at least")
    materials, originals = materials or {}, {item.id: item for item in items}
    clash = [damage.perturbation.name for damage in damages]
    if len(set(clash)) != len(clash):
        raise DeclarationError(f"each perturbation once, please, not {', '.join(clash)}")
    versions: dict[Stack, dict[str, Item]] = {(): originals}
    left_out: dict[str, list[LeftOut]] = {name: list(outs) for name, outs in (unable or {}).items()}
    stacks: list[Stack] = [
        ((damage.perturbation.name, level),) for damage in damages for level in damage.levels if level
    ]
    by_name = {damage.perturbation.name: damage.perturbation for damage in (*damages, *grid)}
    for stack in (*stacks, *grid_stacks(grid)):
        if stack in versions:
            continue
        name, level = stack[-1]
        outs = left_out.setdefault(name, [])
        known = {out.item for out in outs}
        base = {
            original: item
            for original, item in versions.get(stack[:-1], originals).items()
            if item.id not in known
        }
        found, more = perturb_items(
            base.values(), by_name[name], [level], seed=seed, materials=materials.get(name)
        )
        outs += more
        unchanged = {out.item for out in more}
        able = (original for original, item in base.items() if item.id not in unchanged)
        made = dict(zip(able, found[level], strict=True))
        if not made:
            reason = outs[0].reason if outs else "there are no items"
            raise DeclarationError(f"{name} can change none of the items: {reason}")
        versions[stack] = made
    lost = {name: tuple(outs) for name, outs in left_out.items() if outs}
    return Plan(together(setups), tuple(damages), versions, lost, seed, tuple(grid))


def together(setups: Iterable[Setup]) -> tuple[Setup, ...]:
    """Each instrument once, with all the metrics that any of its setups asks for."""
    found: dict[str, Setup] = {}
    for setup in setups:
        before = found.setdefault(setup.fingerprint, setup)
        metrics = tuple(one for one in setup.judge.metrics if one in {*before.metrics, *setup.metrics})
        if metrics != before.metrics:
            found[setup.fingerprint] = replace(setup, options=replace(setup.options, metrics=metrics))
    return tuple(found.values())


def grid_stacks(grid: Sequence[Damage]) -> tuple[Stack, ...]:
    """All combinations of the levels of two damages, without the changes of level 0.

    The argument is changed before the documents, so that what is contradicted is what was cited; a stack comes
    after the shorter one that it builds on.
    """
    if not grid:
        return ()
    if len(grid) != 2:
        raise DeclarationError("a grid crosses two perturbations")
    first, second = sorted(
        grid, key=lambda damage: "documents" in damage.perturbation.needs and damage.perturbation.pool
    )
    return tuple(
        tuple((damage.perturbation.name, level) for damage, level in ((first, one), (second, other)) if level)
        for one in first.levels
        for other in second.levels
    )
