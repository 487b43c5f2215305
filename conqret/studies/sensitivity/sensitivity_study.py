"""From items and wishes to curves, in one call: what ``conqret sensitivity`` does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, Unpack

from conqret.data import Item, Judgment
from conqret.errors import DeclarationError, metric_name, strict_options
from conqret.io import ItemSource
from conqret.judging.judge import Items
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.judge_parts import DEFAULT_FORMAT, Judge
from conqret.judging.judge_settings import OwnJudgeSettings, chosen_format, opened
from conqret.judging.own_judge import chosen_judge
from conqret.judging.setup import Setup, check_items, set_up
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions, client_options
from conqret.perturb import PERTURBATIONS as KINDS
from conqret.perturb import SEED, Materials, Pool
from conqret.perturb.rewriting import rewrite_items
from conqret.perturb.versions import LeftOutItem, Level
from conqret.prompts import Library
from conqret.runs.dry_run import Counted
from conqret.runs.session import Session, session_settings
from conqret.runs.sessions import Sessions
from conqret.studies.sensitivity.curves import JudgeCurves, judged_curves
from conqret.studies.sensitivity.result import (
    Curve,
    CurveCell,
    EmptyCurve,
    SensitivityFolder,
    SensitivityRecord,
    SensitivityResults,
    StanceCurve,
)
from conqret.studies.sensitivity.sensitivity_plan import (
    CONTRADICTIONS,
    GRID_LEVELS,
    GRID_METRICS,
    PerturbationLevels,
    SensitivityPlan,
    estimate,
    make_plan,
    named_levels,
)
from conqret.studies.sensitivity.true_precision import Labels, load_labels, precision_rows
from conqret.studies.study_judging import JudgedRun, StudyPart, StudySettings, digest_of, study_folder


def sensitivity_setups(
    source: ItemSource,
    formats: Iterable[str | Judge],
    clients: Sequence[ClientOptions],
    perturbations: Sequence[PerturbationLevels],
    *,
    metrics: Sequence[str] = (),
    prompts: str | Path | Library | None = None,
) -> list[Setup]:
    """Return a judge configuration for each format and model, with the requested metrics or
    :func:`affected_metrics`.

    Raises:
        ItemsError: items lack what a format needs.
        DeclarationError: there is no such format, or it has none of the metrics.
    """
    wanted = {metric_name(metric) for metric in metrics}
    setups = []
    for name in formats:
        for client in clients:
            _, setup = check_items(source, set_up(name, client, JudgeOptions(), prompts))
            setup.judge.check_measured(wanted, "sensitivity")
            _check_expected(setup, wanted, perturbations)
            chosen = tuple(metric for metric in setup.metrics if metric in wanted)
            chosen = chosen if wanted else affected_metrics(setup, perturbations)
            if not chosen:
                raise DeclarationError(
                    f"format {setup.judge.name} has none of the metrics that are requested or that these "
                    f"perturbations should change; it has {', '.join(setup.metrics)}"
                )
            setups.append(replace(setup, options=replace(setup.options, metrics=chosen)))
    return setups


def _check_expected(
    setup: Setup, wanted: Collection[str], perturbations: Sequence[PerturbationLevels]
) -> None:
    """Check that one of the ``wanted`` metrics of a judge is expected to change by one of the perturbations. Judges of
    user-defined criteria need no expectation.

    Raises:
        DeclarationError: none is; the message names perturbations that would do.
    """
    chosen = [metric for metric in setup.metrics if metric in wanted]
    expected = [metric for metric in chosen for entry in perturbations if entry.perturbation.expected(metric)]
    if not chosen or expected or setup.judge.declared:
        return
    names = ", ".join(entry.perturbation.name for entry in perturbations)
    able = [kind.name for kind in KINDS.values() if any(map(kind.expected, chosen))]
    remedy = (
        f"name a perturbation for which it is: --perturb {', '.join(able)}"
        if able
        else "no perturbation is known to change it, so name another metric"
    )
    raise DeclarationError(f"it is not known how {', '.join(chosen)} should change by {names}: {remedy}")


def affected_metrics(setup: Setup, perturbations: Sequence[PerturbationLevels]) -> tuple[str, ...]:
    """Return the judge's metrics that a perturbation should change or leave unchanged, and the others in the
    same requests.

    The others are kept, because fewer metrics would be another judge configuration. User-defined criteria are
    all kept.
    """
    if setup.judge.declared:
        return setup.metrics
    affected = {
        metric
        for metric in setup.metrics
        if any(entry.perturbation.expected(metric) for entry in perturbations)
    }
    asked = {metric for part in setup.parts if affected & set(part.metrics) for metric in part.metrics}
    return tuple(metric for metric in setup.metrics if metric in asked)


def perturbation_materials(
    items: Sequence[Item],
    perturbations: Iterable[PerturbationLevels],
    *,
    pool: Path | None = None,
    rewriter: Session | None = None,
    by_model: bool = False,
    seed: int = SEED,
) -> tuple[dict[str, Materials], dict[str, list[LeftOutItem]]]:
    """Return by perturbation name the texts that it draws on, and the items without a valid rewrite.

    Args:
        items: the original items.
        perturbations: the perturbations with their levels.
        pool: a corpus directory or a file of items (default: the items themselves).
        rewriter: the session of the rewriting model, whose budget holds for all perturbations; None rewrites
            by rule.
        by_model: without ``rewriter``, insert placeholders for the rewrites of a later model.
        seed: the seed of the changes.
    """
    highest: dict[str, PerturbationLevels] = {}
    for entry in perturbations:
        before = highest.get(entry.perturbation.name)
        if before is None or entry.levels[-1] > before.levels[-1]:
            highest[entry.perturbation.name] = entry
    materials: dict[str, Materials] = {}
    unable: dict[str, list[LeftOutItem]] = {}
    for name, entry in highest.items():
        if entry.perturbation.pool:
            materials[name] = Materials(Pool.open(pool) if pool else Pool.from_items(items))
        elif entry.perturbation.rewriting and rewriter is not None and not rewriter.options.backend.baseline:
            rewrite = partial(
                rewrite_items, items, entry.perturbation, entry.levels, seed=seed, library=rewriter.library
            )
            materials[name], unable[name] = rewriter.run(rewrite)
        elif entry.perturbation.rewriting and by_model:
            materials[name] = Materials(by_model=True)
    return materials, unable


T = TypeVar("T")

Perturb = str | Mapping[str, Iterable[Level]] | Iterable[str]
"""Perturbations with their levels."""

PERTURBATIONS = ("irrelevant", "hallucinate:25%,50%,100%")
"""What is done where nothing else is said: the two perturbations of ConQRet, Tables 16 and 17, by shares."""


class SensitivitySettings(StudySettings, OwnJudgeSettings, total=False):
    """The settings of :func:`sensitivity`.

    - ``formats``: names of formats (or comma-separated), or judges; ``models``: names (or comma-separated),
    or settings of clients.
    - ``metrics``: the metrics to test; by default all for which a perturbation has an expectation.
    - ``grid``: combine irrelevant with hallucinate, or with reverse where ``perturb`` has it (ConQRet, Figure 4),
    at their given levels or those of the figure.
    - ``pool``: a corpus directory or a file of items for documents of other topics; by default the items.
    - ``rewriter``: the model that rewrites sentences; offline rewrites by rule.
    - ``seed``: the seed of the changes.
    - ``budget_usd`` holds for all judges together.
    """

    formats: str | Judge | Iterable[str | Judge]
    models: str | ClientOptions | Iterable[str | ClientOptions]
    metrics: Sequence[str]
    grid: bool
    pool: Path | None
    rewriter: str | ClientOptions
    seed: int


def run_sensitivity(
    plan: SensitivityPlan,
    output: str | Path | None = None,
    *,
    labels: Labels | None = None,
    shared: Mapping[str, Any] = {},
    **settings: Any,
) -> SensitivityResults:
    """Judge what is not judged yet, and write the results.

    Args:
        plan: what to judge.
        output: the run's folder, created if needed; None writes nothing.
        labels: relevance grades of documents, for Table 7 of ConQRet.
        shared: open ``sessions`` (default: the run's own), and further parameters of
            :class:`conqret.studies.study_judging.JudgedRun`.
        settings: client options and progress callbacks.

    Raises:
        DeclarationError: the folder holds another run, or another process writes to it.
    """
    every = tuple(plan.every_item())
    record = SensitivityRecord(
        judges=tuple(setup.recorded for setup in plan.setups),
        perturbations={entry.perturbation.name: entry.levels for entry in plan.perturbations},
        grid=tuple(dict.fromkeys(name for stack in plan.cells for name, _ in stack)),
        seed=plan.seed,
        items=len(plan.items),
        digest=digest_of(every),
    )

    def made(judgments: Mapping[str, Judgment]) -> SensitivityResults:
        judges = [JudgeCurves(plan, setup, judgments) for setup in plan.setups]
        curves = judged_curves(judges)
        asked = [(metric, stack) for metric in GRID_METRICS for stack in plan.cells]
        cells = [judge.cell(stack, metric) for judge in judges for metric, stack in asked]
        return SensitivityResults(
            record=record,
            curves=tuple(curve for curve in curves if isinstance(curve, Curve)),
            unscored=tuple(curve for curve in curves if isinstance(curve, EmptyCurve)),
            stances=tuple(curve for curve in curves if isinstance(curve, StanceCurve)),
            grid=tuple(cell for cell in cells if isinstance(cell, CurveCell)),
            precision=precision_rows(plan, judges, labels) if labels else (),
            left_out={name: tuple(out.reason for out in outs) for name, outs in plan.left_out.items()},
            unreached=plan.unreached,
            warnings=() if plan.checked is None or not plan.checked.left_out else (plan.checked.warning,),
            judgments=len(judgments),
        )

    clients, budget = [setup.client for setup in plan.setups], settings.get("budget_usd")
    with (
        study_folder(SensitivityFolder, output, settings) as folder,
        JudgedRun(folder, clients, settings, record, total=plan.judgments, budget=budget, **shared) as run,
    ):
        run.judge(StudyPart(setup, setup.fingerprint, every) for setup in plan.setups)
        return run.conclude(made)


@strict_options
def sensitivity(
    items: Items,
    *,
    perturb: Perturb = PERTURBATIONS,
    labels: str | Path | Labels | None = None,
    on_plan: Callable[[SensitivityPlan], None] = lambda plan: None,
    **settings: Unpack[SensitivitySettings],
) -> SensitivityResults:
    """Perturb items by known amounts, judge every version, and test which scores change as they should.

    Args:
        items: a path, a frame, or items and dictionaries, as :func:`conqret.io.open_items` takes them.
        perturb: ``"irrelevant:0,10,50,hallucinate:25%,50%"``, several such texts, or levels by name; without
            levels, the perturbation's own. Levels that most items cannot reach are left out, and so are items
            that lack one of the others.
        labels: relevance grades of the documents, or a file of them, for true precision (ConQRet, Table 7).
        on_plan: called with the plan before the first version is judged.
        settings: the judges, the items and the run, as :class:`SensitivitySettings` and its bases declare
            them.

    Returns:
        The curves with their verdicts, the grid, Table 7 if there are labels, and the counts of this session.

    Raises:
        ItemsError: items are faulty, or lack what a format needs.
        DeclarationError: a name is unknown, there is nothing to measure, labels cannot be read, or the folder
            holds something else.
        Counted: it is a dry run; the exception has the expected costs.
        MissingDependencyError: scipy is not installed.
    """
    if settings.get("dry_run"):
        plan = sensitivity_plan(items, perturb=perturb, **settings)
        on_plan(plan)
        rewriter = client_options(settings.get("rewriter"), settings)
        costs = estimate(plan, rewriter)
        facts = {
            "items": len(plan.items),
            "versions": len(plan.versions),
            "judgments": plan.judgments,
            "requests": sum(each.calls for each in costs if each.task == "judge"),
            "left_out": {name: len(outs) for name, outs in plan.left_out.items()},
            "unreached": [level.model_dump() for level in plan.unreached],
        }
        lines = (
            f"{len(plan.items):,} items in {len(plan.versions):,} versions: {plan.judgments:,} judgments",
            f"{facts['requests']:,} requests (what is alike is sent once)\n",
        )
        raise Counted(costs, facts=facts, lines=lines)
    known = load_labels(Path(labels)) if isinstance(labels, str | Path) else labels
    own = {**settings, "recordings": None} if settings.get("replay") else settings
    with (
        study_folder(SensitivityFolder, settings.get("output"), settings) as folder,
        Sessions(**session_settings(own)) as sessions,
    ):
        store = folder.recordings_file
        made: Any = {**settings, "output": folder.path, "prompts": sessions.library}
        plan = sensitivity_plan(items, perturb=perturb, sessions=sessions, store=store, **made)
        on_plan(plan)
        return run_sensitivity(plan, labels=known, shared={"sessions": sessions}, **made)


@strict_options
def sensitivity_plan(
    items: Items,
    *,
    perturb: Perturb = PERTURBATIONS,
    sessions: Sessions | None = None,
    store: Path | None = None,
    **settings: Unpack[SensitivitySettings],
) -> SensitivityPlan:
    """Return the plan of :func:`sensitivity`.

    Without ``sessions`` no model is called: sentences are rewritten by rule, and no server is queried for its
    metrics. A model's rewrites are recorded in ``store`` if the sessions have no recordings.

    Raises:
        ItemsError, DeclarationError: as :func:`sensitivity`.
    """
    seed, metrics = settings.get("seed", SEED), settings.get("metrics", ())
    given = named_levels(perturb)
    perturbations = [PerturbationLevels.from_name(name, levels) for name, levels in given.items()]
    crossed = []
    if settings.get("grid"):  # at the levels that the call gives, else at those of Figure 4
        own = {} if given == named_levels(PERTURBATIONS) else given
        sentences = next((name for name in CONTRADICTIONS if name in own), CONTRADICTIONS[0])
        crossed = [
            PerturbationLevels.from_name(name, own.get(name) or usual)
            for name, usual in zip(("irrelevant", sentences), GRID_LEVELS.values(), strict=True)
        ]
    clients = [client_options(model, settings) for model in _listed(settings.get("models", OFFLINE_MODEL))]
    author = client_options(settings.get("rewriter"), settings)
    author.backend.check_can_request("the question for a rewrite")
    source = opened(items, settings)
    every = [*perturbations, *crossed]
    formats = chosen_format({**settings, "format": settings.get("formats")}, source)
    judges: list[str | Judge] = _listed(DEFAULT_FORMAT if formats is None else formats)
    if (judge := settings.get("judge")) is not None:
        named = next((client for client in clients if client.model != OFFLINE_MODEL), clients[0])
        own_judge, client = chosen_judge(judge, source, named, metrics)
        judges, clients = [own_judge], [client]
    prompts = settings.get("prompts")
    setups = sensitivity_setups(source, judges, clients, every, metrics=metrics, prompts=prompts)
    source = replace(source, needs={name: why for setup in setups for name, why in setup.needs.items()})
    checked = source.check()
    checked_items = list(checked.items(source))
    writer = None
    if sessions is not None and not author.backend.baseline:
        if store is not None:
            sessions.keep_in(store)  # the rewrites come before the run
        writer = sessions.session(author, at_once=True)
    by_model, pool = not author.backend.baseline, settings.get("pool")
    materials, unable = perturbation_materials(
        checked_items, every, pool=pool, rewriter=writer, by_model=by_model, seed=seed
    )
    drawn: Any = {"seed": seed, "materials": materials, "unable": unable, "grid": crossed}
    return replace(make_plan(checked_items, setups, perturbations, **drawn), checked=checked)


def _listed(values: str | T | Iterable[str | T]) -> list[str | T]:
    """One value, several, or the names in a comma-separated text, as a list."""
    if isinstance(values, str):
        return [part.strip() for part in values.split(",") if part.strip()]
    return list(values) if isinstance(values, Iterable) else [values]
