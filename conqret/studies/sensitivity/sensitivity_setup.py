"""From what a user asks for to a plan: which judges measure what, and what the perturbations draw on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from conqret.data import Item
from conqret.errors import DeclarationError
from conqret.io import ItemSource
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.judge_parts import Judge
from conqret.judging.setup import Setup, check_items, set_up
from conqret.llm.client_options import ClientOptions
from conqret.perturb import SEED, Materials, Pool
from conqret.perturb.rewriting import rewrite_items
from conqret.perturb.versions import LeftOutItem
from conqret.prompts import Library
from conqret.runs.session import Session
from conqret.studies.sensitivity.sensitivity_plan import PerturbationLevels


def sensitivity_setups(
    source: ItemSource,
    formats: Iterable[str | Judge],
    clients: Sequence[ClientOptions],
    damages: Sequence[PerturbationLevels],
    *,
    metrics: Sequence[str] = (),
    prompts: str | Path | Library | None = None,
) -> list[Setup]:
    """A setup for each format and model, its metrics those that are asked for, or else :func:`telling_metrics`.

    Raises:
        ItemsError: items lack what a format needs.
        DeclarationError: no such format; or a format has none of the metrics that matter here.
    """
    wanted = {metric.replace("-", "_") for metric in metrics}
    setups = []
    for name in formats:
        for client in clients:
            _, setup = check_items(source, set_up(name, client, JudgeOptions(), prompts))
            setup.judge.check_measured(wanted, "sensitivity")
            chosen = (
                tuple(metric for metric in setup.metrics if metric in wanted)
                if wanted
                else telling_metrics(setup, damages)
            )
            if not chosen:
                raise DeclarationError(
                    f"format {setup.judge.name} has none of the metrics that are requested or that these "
                    f"perturbations should change; it has {', '.join(setup.metrics)}"
                )
            setups.append(replace(setup, options=replace(setup.options, metrics=chosen)))
    return setups


def telling_metrics(setup: Setup, damages: Sequence[PerturbationLevels]) -> tuple[str, ...]:
    """The metrics of a judge that one of the damages says something about, with those that are asked for in the same
    call: of less it would be another instrument than the one that judges. Of criteria of one's own nothing is known
    beforehand, and all are looked at."""
    if setup.judge.declared:
        return setup.metrics
    affected = {
        metric for metric in setup.metrics if any(damage.perturbation.expected(metric) for damage in damages)
    }
    asked = {metric for part in setup.parts if affected & set(part.metrics) for metric in part.metrics}
    return tuple(metric for metric in setup.metrics if metric in asked)


def damage_materials(
    items: Sequence[Item],
    damages: Iterable[PerturbationLevels],
    *,
    pool: Path | None = None,
    rewriter: Session | None = None,
    by_model: bool = False,
    seed: int = SEED,
) -> tuple[dict[str, Materials], dict[str, list[LeftOutItem]]]:
    """By perturbation name what it draws on, and the items for which no rewrite could be had.

    ``pool`` is a corpus directory or a file of items (the items themselves by default). Sentences are rewritten
    by rule, unless ``rewriter`` is of a model; its budget holds for all perturbations together. Without a ``rewriter``,
    ``by_model`` says that one will be asked: what it would change is then changed by stand-ins, which count as much.
    """
    highest: dict[str, PerturbationLevels] = {}
    for damage in damages:
        before = highest.get(damage.perturbation.name)
        if before is None or damage.levels[-1] > before.levels[-1]:
            highest[damage.perturbation.name] = damage
    materials: dict[str, Materials] = {}
    unable: dict[str, list[LeftOutItem]] = {}
    for name, damage in highest.items():
        if damage.perturbation.pool:
            materials[name] = Materials(Pool.open(pool) if pool else Pool.from_items(items))
        elif damage.perturbation.rewriting and rewriter is not None and not rewriter.options.backend.baseline:
            rewrite = partial(
                rewrite_items, items, damage.perturbation, damage.levels, seed=seed, library=rewriter.library
            )
            materials[name], unable[name] = rewriter.run(rewrite)
        elif damage.perturbation.rewriting and by_model:
            materials[name] = Materials(by_model=True)
    return materials, unable
