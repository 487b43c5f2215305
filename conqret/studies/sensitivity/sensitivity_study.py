"""From items and wishes to curves, in one call: what ``conqret sensitivity`` does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from conqret._optional import require
from conqret.data import Judgment
from conqret.errors import DeclarationError, strict_options
from conqret.io import open_items
from conqret.judging.engines import Engine
from conqret.judging.format_registry import DEFAULT_FORMAT
from conqret.judging.judge_parts import Judge
from conqret.judging.own_judge import chosen_judge
from conqret.llm.backends.function import Function
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions
from conqret.perturb import SEED
from conqret.perturb.levels import Level
from conqret.prompts import Library
from conqret.runs.session import Sessions
from conqret.studies.sensitivity.labels_of_versions import RELEVANT_GRADE, Labels, load_labels
from conqret.studies.sensitivity.result import SensitivityFolder, SensitivityResults
from conqret.studies.sensitivity.sensitivity_plan import (
    GRID_LEVELS,
    Damage,
    SensitivityPlan,
    damages_of,
    make_plan,
)
from conqret.studies.sensitivity.sensitivity_run import run_sensitivity
from conqret.studies.sensitivity.sensitivity_setup import damage_materials, sensitivity_setups
from conqret.studies.study_judging import Conduct

T = TypeVar("T")

PERTURBATIONS = ("irrelevant", "hallucinate:25%,50%,100%")
"""What is done where nothing else is said: the two perturbations of ConQRet, Tables 16 and 17, by shares."""


@strict_options
def sensitivity(
    items: Any,
    *,
    columns: Mapping[str, str] | None = None,
    skip_invalid: bool = False,
    formats: str | Judge | Iterable[str | Judge] = DEFAULT_FORMAT,
    models: str | ClientOptions | Iterable[str | ClientOptions] = OFFLINE_MODEL,
    judge: str | Function | None = None,
    server: str | None = None,
    perturb: str | Mapping[str, Iterable[Level]] | Iterable[str] = PERTURBATIONS,
    metrics: Sequence[str] = (),
    grid: bool = False,
    pool: Path | None = None,
    rewriter: str | ClientOptions = OFFLINE_MODEL,
    labels: str | Path | Labels | None = None,
    relevant_from: float = RELEVANT_GRADE,
    seed: int = SEED,
    prompts: Path | Library | None = None,
    folder: str | Path | None = None,
    recordings: str | Path | None = None,
    replay: str | Path | None = None,
    overwrite: bool = False,
    engine: Engine = "process",
    workers: int | None = None,
    budget_usd: float | None = None,
    on_plan: Callable[[SensitivityPlan], None] = lambda plan: None,
    on_start: Callable[[int], None] = lambda kept: None,
    on_judgment: Callable[[Judgment], None] = lambda judgment: None,
) -> SensitivityResults:
    """Damage items by known amounts, judge every version, and see which scores follow.

    Args:
        items: a path, a frame, or items and dictionaries, as :func:`conqret.io.open_items` takes them.
        columns: which column of the items holds which field, over what is recognised.
        skip_invalid: leave out items that have faults, and say so in the results, instead of refusing the file.
        formats: names of formats (also comma-separated) or judges.
        models: model names (also comma-separated) or settings of clients.
        judge: a judge of one's own instead, a function or its ``module:function``, as :func:`conqret.bias` takes it.
        server: the address of such a judge.
        perturb: ``"irrelevant:0,10,50,hallucinate:25%,50%"``, several such texts, or levels by name; without levels the
            perturbation's own. A level that most items cannot reach is left out of the curves, and so, from the rest,
            is an item that lacks one.
        metrics: only these; by default all that a perturbation says something about.
        grid: also cross irrelevant with hallucinate, as ConQRet, Figure 4, does.
        pool: a corpus directory or a file of items that documents of other topics come from; the items by default.
        rewriter: the model that rewrites sentences; offline does it by rule.
        labels: grades of the documents, or a file of them, for true precision (ConQRet, Table 7).
        relevant_from: the grade from which a document is relevant.
        seed: draws what is changed.
        prompts: a folder with prompts of one's own, or a library.
        folder: the run's folder, where the same call goes on where it stopped; None keeps everything in memory.
        recordings: a store of answers to read and add to; by default the folder's own.
        replay: a store, an export or a run to answer from; nothing is sent then.
        overwrite: begin afresh where the folder holds another run; its recordings are kept.
        budget_usd: US dollars for all judges together; a client's own budget holds beside it.
        engine: who judges: this process, or so many ``workers`` of a Ray cluster (docs/scale.md); needs a folder.
        on_plan: gets the plan before the first version is judged.
        on_start: gets the number of judgments that are kept from before.
        on_judgment: gets each judgment as it is made.

    Returns:
        The curves with their verdicts, the grid, Table 7 where there are labels, and what this session took.

    Raises:
        ItemsError: items are faulty, or lack what a format needs.
        DeclarationError: a name that does not exist, nothing to be measured, labels that cannot be read, or a folder
            that holds something else.
        MissingDependencyError: scipy is not installed.
    """
    require("scipy", extra="stats")
    known = load_labels(Path(labels)) if isinstance(labels, str | Path) else labels
    out = SensitivityFolder(Path(folder)) if folder is not None else None
    conduct = Conduct(
        prompts=prompts, recordings=recordings, replay=replay, overwrite=overwrite, budget_usd=budget_usd,
        engine=engine, workers=workers, on_start=on_start, on_judgment=on_judgment,
    )  # fmt: skip
    with conduct.asking() as sessions:
        plan = sensitivity_plan(
            items, columns=columns, skip_invalid=skip_invalid, formats=formats,
            models=models, judge=judge, server=server, perturb=perturb, metrics=metrics,
            grid=grid, pool=pool, rewriter=rewriter, seed=seed, prompts=sessions.library, sessions=sessions,
            store=out.recordings_file if out is not None else None,
        )  # fmt: skip
        on_plan(plan)
        asked = replace(conduct, sessions=sessions)
        return run_sensitivity(plan, out, asked, labels=known, relevant_from=relevant_from)


def sensitivity_plan(
    items: Any,
    *,
    columns: Mapping[str, str] | None = None,
    skip_invalid: bool = False,
    formats: str | Judge | Iterable[str | Judge] = DEFAULT_FORMAT,
    models: str | ClientOptions | Iterable[str | ClientOptions] = OFFLINE_MODEL,
    judge: str | Function | None = None,
    server: str | None = None,
    perturb: str | Mapping[str, Iterable[Level]] | Iterable[str] = PERTURBATIONS,
    metrics: Sequence[str] = (),
    grid: bool = False,
    pool: Path | None = None,
    rewriter: str | ClientOptions = OFFLINE_MODEL,
    seed: int = SEED,
    prompts: Path | Library | None = None,
    sessions: Sessions | None = None,
    store: Path | None = None,
) -> SensitivityPlan:
    """What :func:`sensitivity` would judge. Without ``sessions`` no model is asked: sentences are rewritten by rule.
    What a model writes is recorded into ``store``, where the sessions have none.

    Raises:
        ItemsError, DeclarationError: as there.
    """
    damages = damages_of(perturb)
    crossed = [Damage.of(name, levels) for name, levels in GRID_LEVELS.items()] if grid else []
    clients = [ClientOptions.of(one) for one in _listed(models)]
    author = ClientOptions.of(rewriter)
    author.backend.check_can_ask("the question for a rewrite")
    source = open_items(items, columns=columns, skip_invalid=skip_invalid)
    every = [*damages, *crossed]
    judges: list[str | Judge] = _listed(formats)
    if judge is not None or server is not None:
        settings = next((one for one in clients if one.model != OFFLINE_MODEL), clients[0])
        own, client = chosen_judge(judge, server, source, settings, metrics)
        judges, clients = [own], [client]
    setups = sensitivity_setups(source, judges, clients, every, metrics=metrics, prompts=prompts)
    if not setups:
        raise DeclarationError("no format, or no model: give both, as in --format direct --model offline")
    source = replace(source, needs={name: why for setup in setups for name, why in setup.needs.items()})
    checked = source.check()
    found = list(source)
    asked = None
    if sessions is not None and not author.backend.baseline:
        if store is not None:
            sessions.keep_in(store)  # the rewrites come before the run
        asked = sessions.of(author)
    materials, unable = damage_materials(found, every, pool=pool, rewriter=asked, seed=seed)
    plan = make_plan(found, setups, damages, seed=seed, materials=materials, unable=unable, grid=crossed)
    return replace(plan, checked=checked)


def _listed(given: str | T | Iterable[str | T]) -> list[str | T]:
    """One, several, or the names of a comma-separated text, as a list."""
    if isinstance(given, str):
        return [part.strip() for part in given.split(",") if part.strip()]
    return list(given) if isinstance(given, Iterable) else [given]
