"""From what a user asks for to a plan: which judges measure what, and what the perturbations draw on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from conqret.data import Item
from conqret.errors import DeclarationError
from conqret.io import ItemSource
from conqret.judging.base import JudgeOptions
from conqret.judging.setup import Setup, check_items, set_up
from conqret.llm.client import Client
from conqret.llm.options import ClientOptions
from conqret.perturb import SEED, Materials, Pool
from conqret.perturb.base import LeftOut
from conqret.perturb.rewriting import rewrite_items
from conqret.reliability.sensitivity.plan import Damage
from conqret.runs.session import Session


def sensitivity_setups(
    source: ItemSource,
    formats: Iterable[str],
    clients: Sequence[ClientOptions],
    damages: Sequence[Damage],
    *,
    metrics: Sequence[str] = (),
    prompts: Path | None = None,
) -> list[Setup]:
    """A setup for each format and model, its metrics those that a damage says something about.

    Raises:
        ItemsError: items lack what a format needs.
        DeclarationError: no such format; or a format has none of the metrics that matter here.
    """
    wanted = {metric.replace("-", "_") for metric in metrics}
    found = []
    for name in formats:
        for client in clients:
            _, setup = check_items(source, set_up(name, client, JudgeOptions(), prompts))
            possible = setup.options.metrics or setup.judge.metrics
            chosen = tuple(
                metric
                for metric in possible
                if (metric in wanted if wanted else any(d.perturbation.expected(metric) for d in damages))
            )
            if not chosen:
                raise DeclarationError(
                    f"format {setup.judge.name} has none of the metrics that are asked for or that these "
                    f"perturbations say something about; it has {', '.join(possible)}"
                )
            found.append(replace(setup, options=replace(setup.options, metrics=chosen)))
    return found


def damage_materials(
    items: Sequence[Item],
    damages: Iterable[Damage],
    *,
    pool: Path | None = None,
    rewriter: ClientOptions | None = None,
    recordings: Path | None = None,
    replay: Path | None = None,
    seed: int = SEED,
    prompts: Path | None = None,
) -> tuple[dict[str, Materials], dict[str, list[LeftOut]]]:
    """By perturbation name what it draws on, and the items for which no rewrite could be had.

    ``pool`` is a corpus directory or a file of items (the items themselves by default). Sentences are rewritten
    by rule, unless ``rewriter`` names a model; its answers go into ``recordings``, and its budget holds for all
    perturbations together.
    """
    highest: dict[str, Damage] = {}
    for damage in damages:
        before = highest.get(damage.perturbation.name)
        if before is None or damage.levels[-1] > before.levels[-1]:
            highest[damage.perturbation.name] = damage
    materials: dict[str, Materials] = {}
    unable: dict[str, list[LeftOut]] = {}
    rewritten: dict[str, Damage] = {}
    for name, damage in highest.items():
        if damage.perturbation.pool:
            materials[name] = Materials(Pool.open(pool) if pool else Pool.from_items(items))
        elif damage.perturbation.rewriting and rewriter is not None and not rewriter.backend.baseline:
            rewritten[name] = damage
    if rewriter is None or not rewritten:
        return materials, unable
    if recordings is None:
        raise DeclarationError("a model that rewrites needs a store for its answers: give recordings")
    if replay is None:
        recordings.parent.mkdir(parents=True, exist_ok=True)

    async def rewrite(client: Client) -> None:
        for name, damage in rewritten.items():
            materials[name], unable[name] = await rewrite_items(
                items, damage.perturbation, damage.levels, client, seed=seed, library=session.library
            )

    session = Session(rewriter, recordings=None if replay else recordings, replay=replay, prompts=prompts)
    session.run(rewrite)  # one client, and so one budget
    return materials, unable
