"""The plan of a sensitivity run: judges by perturbed versions of the items, each version made once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from conqret.data import Item
from conqret.errors import DeclarationError, number
from conqret.io import CheckedItems
from conqret.judging.cost import expected_judging
from conqret.judging.setup import Setup
from conqret.llm.client_options import ClientOptions
from conqret.llm.expected_cost import ExpectedCost
from conqret.perturb import PERTURBATIONS, SEED, Materials, Perturbation, perturb_items
from conqret.perturb.rewriting import rewrite_items
from conqret.perturb.versions import (
    LeftOutItem,
    Level,
    NoItemChangedError,
    UnreachableLevel,
    at_levels,
    counted_reasons,
    is_level,
    series,
)
from conqret.prompts import Library
from conqret.runs.dry_run import VALUE_TOKENS, CountingClient
from conqret.runs.trials import Loop

Stack = tuple[tuple[str, float], ...]
"""The changes of one version, in order: ``(("hallucinate", 5), ("irrelevant", 20))``; empty: as it is."""

GRID_METRICS = ("context_relevance", "groundedness", "overall_quality")
"""The three metrics of ConQRet, Figure 4."""

GRID_LEVELS: Mapping[str, tuple[Level, ...]] = {
    "irrelevant": (0, 10, 50, 75),
    "hallucinate": ("0%", "16%", "63%"),
}
"""Where no levels are given: those of ConQRet, Figure 4, whose 5 and 20 sentences are 16% and 63% of its arguments
(section 6.4): few arguments cite in twenty."""
CONTRADICTIONS = ("hallucinate", "reverse")
"""The perturbations of sentences that a grid can cross with ``irrelevant``."""


@dataclass(frozen=True)
class PerturbationLevels:
    """A perturbation with its levels in ascending order, starting with 0."""

    perturbation: Perturbation
    levels: tuple[float, ...]

    @classmethod
    def from_name(cls, named: str | Perturbation, levels: Sequence[Level] = ()) -> PerturbationLevels:
        """Return the perturbation of this name with ``levels`` (default: its own); level 0 is added.

        Raises:
            DeclarationError: there is no such perturbation, or it has no such level
                (:func:`conqret.perturb.versions.at_levels`).
        """
        perturbation, chosen = at_levels(PERTURBATIONS.resolve(named), levels)
        return cls(perturbation, tuple(sorted({0.0, *chosen})))


def named_levels(wanted: str | Mapping[str, Iterable[Level]] | Iterable[str]) -> dict[str, list[Level]]:
    """Parse levels by name from text such as ``irrelevant:0,10,50,hallucinate:25%``, several texts, or a
    mapping.

    A level belongs to the name before it. A name without levels gets an empty list.

    Raises:
        DeclarationError: a level has no name before it.
    """
    if isinstance(wanted, Mapping):
        return {name: list(levels) for name, levels in wanted.items()}
    text = wanted if isinstance(wanted, str) else ",".join(wanted)
    levels_by_name: dict[str, list[Level]] = {}
    last = ""
    for part in filter(None, (part.strip() for part in text.replace(":", ",").split(","))):
        if not is_level(part):
            last = part
            levels_by_name.setdefault(last, [])
        elif last:
            levels_by_name[last].append(part)
        else:
            raise DeclarationError(
                f"--perturb begins with the level {part}; write the perturbation before it: irrelevant:{part}"
            )
    return levels_by_name


@dataclass(frozen=True)
class SensitivityPlan:
    """The versions of the items, and the judge configurations (``setups``) that judge them.

    - ``versions``: for each stack of changes, the changed items by original id; the empty stack has the
    original items.
    - ``left_out``: by perturbation, items that it cannot change at every level.
    - ``unreached``: levels that most items cannot reach, so that no curve has them.
    - ``crossed``: the two perturbations of the grid, if any.
    - ``checked``: which items of the file are left out.
    """

    setups: tuple[Setup, ...]
    perturbations: tuple[PerturbationLevels, ...]
    versions: Mapping[Stack, Mapping[str, Item]]
    left_out: Mapping[str, tuple[LeftOutItem, ...]]
    seed: int
    crossed: tuple[PerturbationLevels, ...] = ()
    unreached: tuple[UnreachableLevel, ...] = ()
    checked: CheckedItems | None = None

    @property
    def items(self) -> tuple[Item, ...]:
        """The original items."""
        return tuple(self.versions[()].values())

    @cached_property
    def cells(self) -> Mapping[Stack, Sequence[Item]]:
        """By the changes of a grid's cell, the versions of the items that every cell has.

        Cells that fewer than half of the items reach are left out.
        """
        versions = {stack: self.versions[stack] for stack in grid_stacks(self.crossed)}
        most = max(map(len, versions.values()), default=0)
        kept = {stack: items for stack, items in versions.items() if items and 2 * len(items) >= most}
        common = set.intersection(*map(set, kept.values())) if kept else set[str]()
        return {
            stack: [item for name, item in items.items() if name in common] for stack, items in kept.items()
        }

    def perturbable(self, perturbation: str) -> list[Item]:
        """Return the items that a perturbation can change."""
        return list(_without(self.versions[()], self.left_out.get(perturbation, ())).values())

    @property
    def judgments(self) -> int:
        """The number of judgments that the run needs: every judge configuration judges every version of every
        item once."""
        return len(self.setups) * sum(map(len, self.versions.values()))

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences on the levels and items that are left out."""
        reasons = {name: [out.reason for out in outs] for name, outs in self.left_out.items()}
        return left_out_remarks(self.unreached, reasons)

    def every_item(self) -> Iterable[Item]:
        """Yield every version of every item."""
        for items in self.versions.values():
            yield from items.values()


def left_out_remarks(
    unreached: Iterable[UnreachableLevel], left_out: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """Return sentences on the levels that are left out, and on the items left out by each perturbation, with
    reasons.
    """
    return (
        *map(str, unreached),
        *(
            f"{name} leaves out {number(len(reasons), 'item')}: {counted_reasons(reasons)}"
            for name, reasons in left_out.items()
        ),
    )


def make_plan(
    items: Iterable[Item],
    setups: Sequence[Setup],
    perturbations: Sequence[PerturbationLevels],
    *,
    seed: int = SEED,
    materials: Mapping[str, Materials] | None = None,
    unable: Mapping[str, Sequence[LeftOutItem]] | None = None,
    grid: Sequence[PerturbationLevels] = (),
) -> SensitivityPlan:
    """Create every version of every item, and return the plan.

    Args:
        items: the original items.
        setups: the judge configurations; one given twice is used once.
        perturbations: the perturbations with their levels, one curve each.
        seed: the seed of the changes.
        materials: by perturbation name, the texts that it draws on.
        unable: by perturbation name, items to leave out (a model gave no valid rewrite).
        grid: two perturbations to combine at all of their levels (ConQRet, Figure 4).

    Raises:
        DeclarationError: there is nothing to judge, or a perturbation can change none of the items.
    """
    if not setups or not (perturbations or grid):
        raise DeclarationError("a sensitivity run needs at least one format and one perturbation")
    materials, originals = materials or {}, {item.id: item for item in items}
    versions: dict[Stack, Mapping[str, Item]] = {(): originals}
    left_out: dict[str, list[LeftOutItem]] = {name: list(outs) for name, outs in (unable or {}).items()}
    unreached: list[UnreachableLevel] = []
    drawn = []
    impossible: NoItemChangedError | None = None
    for entry in perturbations:
        name = entry.perturbation.name
        outs = left_out.setdefault(name, [])
        able, drawn_on = list(_without(originals, outs).values()), materials.get(name)
        try:
            made = series(able, entry.perturbation, entry.levels, seed=seed, materials=drawn_on)
        except NoItemChangedError as error:
            outs += error.left_out
            impossible = impossible or error
            continue
        versions |= {((name, level),): changed for level, changed in made.versions.items() if level}
        outs += made.left_out
        unreached += made.unreached
        drawn.append(PerturbationLevels(entry.perturbation, tuple(made.versions)))
    if impossible is not None and not drawn and not grid:
        raise impossible
    by_name = {entry.perturbation.name: entry.perturbation for entry in grid}
    for stack in grid_stacks(grid):
        if stack in versions:
            continue
        name, level = stack[-1]
        outs = left_out.setdefault(name, [])
        can, drawn_on = _without(versions.get(stack[:-1], originals), outs), materials.get(name)
        made_items, more = perturb_items(can.values(), by_name[name], [level], seed=seed, materials=drawn_on)
        outs += [out for out in more if out.level is None]
        missing_remarks = {out.item for out in more}
        kept = (original for original, item in can.items() if item.id not in missing_remarks)
        versions[stack] = dict(zip(kept, made_items[level], strict=True))
    for name in by_name:
        if not any(made for stack, made in versions.items() if stack and stack[-1][0] == name):
            reasons = [omission.reason for omission in left_out[name]]
            reason = counted_reasons(reasons) if reasons else "its levels are out of reach"
            raise DeclarationError(f"{name} can change none of the items: {reason}")
    lost = {name: tuple(outs) for name, outs in left_out.items() if outs}
    asked = {setup.fingerprint: setup for setup in setups}
    return SensitivityPlan(
        tuple(asked.values()), tuple(drawn), versions, lost, seed, tuple(grid), tuple(unreached)
    )


def _without(items: Mapping[str, Item], left_out: Iterable[LeftOutItem]) -> dict[str, Item]:
    gone = {out.item for out in left_out}
    return {name: item for name, item in items.items() if name not in gone}


def grid_stacks(grid: Sequence[PerturbationLevels]) -> tuple[Stack, ...]:
    """Return all combinations of the levels of two perturbations as stacks of changes; level 0 is no change.

    The argument is changed before the documents, so that cited sentences are contradicted.
    """
    if not grid:
        return ()
    first, second = sorted(
        grid, key=lambda one: "documents" in one.perturbation.needs and one.perturbation.pool
    )
    names = (first.perturbation.name, second.perturbation.name)
    crossed = ((level, other) for level in first.levels for other in second.levels)
    return tuple(
        tuple(change for change in zip(names, levels, strict=True) if change[1]) for levels in crossed
    )


def estimate(plan: SensitivityPlan, rewriter: ClientOptions) -> list[ExpectedCost]:
    """Return the expected costs of judging by each judge configuration, then of rewrites by ``rewriter``."""
    estimates = [expected_judging(setup, plan.every_item()) for setup in plan.setups]
    every = {entry.perturbation.name: entry for entry in (*plan.perturbations, *plan.crossed)}
    for name, entry in every.items():
        library = plan.setups[0].library
        estimates += rewriting(plan.perturbable(name), entry, rewriter, library, seed=plan.seed)
    return estimates


def rewriting(
    items: Iterable[Item],
    entry: PerturbationLevels,
    options: ClientOptions,
    library: Library,
    *,
    seed: int = SEED,
    system: str = "",
) -> Iterator[ExpectedCost]:
    """Yield the expected cost of rewriting sentences by a model, once per item for all levels of a
    perturbation.

    Nothing is yielded if the perturbation needs no rewriting, or the rewriter is offline. ``system`` is the name of
    the system whose items these are, for the list of costs.
    """
    perturbation, client = entry.perturbation, CountingClient(options)
    if perturbation.rewriting is None or client.baseline:
        return
    client.work = ("rewrite", perturbation.name, system)
    client.written = lambda request: sum(
        VALUE_TOKENS + client.count_tokens(sentence) for sentence in request.context["sentences"].values()
    )
    with Loop() as loop:
        loop.run(rewrite_items(items, perturbation, entry.levels, client, seed=seed, library=library))
    yield from client.costs()
