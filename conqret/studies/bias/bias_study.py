"""From items to the bias table of a judge, in one call: what ``conqret bias`` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from conqret._optional import require
from conqret.data import Judgment
from conqret.errors import strict_options
from conqret.io import open_items
from conqret.io.labels import LabelSet, read_labels
from conqret.judging.engines import Engine
from conqret.judging.format_registry import DEFAULT_FORMAT
from conqret.judging.judge_parts import Judge, JudgeOptions
from conqret.judging.own_judge import chosen_judge
from conqret.judging.setup import check_items, set_up
from conqret.judging.verdict_log import log_of, logged_judge
from conqret.llm.backends.function import Function
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions
from conqret.perturb import SEED
from conqret.prompts import Library
from conqret.stats.estimate import CONFIDENCE
from conqret.studies.bias.bias_folder import BiasFolder
from conqret.studies.bias.bias_run import BiasPlan, plan_bias, run_bias
from conqret.studies.bias.contrast import REPEATS, Ground
from conqret.studies.bias.result import BiasTable
from conqret.studies.study_judging import Conduct


def people_quality(labels: LabelSet) -> dict[str, dict[str, float]]:
    """By dimension and item, the mean of people's labels in [0, 1]; dimensions without ends, nominal ones and
    labels of parts are left out."""
    values: dict[str, dict[str, list[float]]] = {}
    for label in labels.labels:
        scale = labels.scale(label.dimension)
        if label.value is None or label.unit.part or not scale.bounded or scale.level == "nominal":
            continue
        values.setdefault(label.dimension, {}).setdefault(label.unit.item, []).append(scale.unit(label.value))
    return {
        dimension: {item: sum(several) / len(several) for item, several in found.items()}
        for dimension, found in values.items()
    }


@strict_options
def bias(
    items: Any = None,
    *,
    format: str | Judge = DEFAULT_FORMAT,  # noqa: A002 - the word that users know
    model: str | ClientOptions = OFFLINE_MODEL,
    judge: str | Function | None = None,
    server: str | None = None,
    verdicts: Any = None,
    verdict_scale: str | None = None,
    columns: Mapping[str, str] | None = None,
    skip_invalid: bool = False,
    probes: Sequence[str] = (),
    repeats: int = REPEATS,
    labels: str | Path | Sequence[str | Path] | LabelSet | None = None,
    metrics: Sequence[str] = (),
    seed: int = SEED,
    confidence: float = CONFIDENCE,
    prompts: Path | Library | None = None,
    folder: str | Path | None = None,
    recordings: str | Path | None = None,
    replay: str | Path | None = None,
    overwrite: bool = False,
    engine: Engine = "process",
    workers: int | None = None,
    on_plan: Callable[[BiasPlan], None] = lambda plan: None,
    on_start: Callable[[int], None] = lambda kept: None,
    on_judgment: Callable[[Judgment], None] = lambda judgment: None,
) -> BiasTable:
    """Probe a judge for what should not move its scores: order, position, length, false authority, stance, its own
    family, and instructions hidden in the texts.

    Args:
        items: a path, a frame, or items and dictionaries, as :func:`conqret.io.open_items` takes them; None only with
            ``verdicts`` that have texts.
        format: the name of a format, or a judge.
        model: a model's name, or the settings of a client.
        judge: a judge of one's own instead of format and model: a function that takes an item as a plain dictionary,
            asynchronous or not, and says a number in [0, 1], a mapping of metrics to such numbers, or "first", "second"
            or "tie"; or its name as ``module:function``, which imports that module.
        server: the address of such a judge, which gets the item in a POST and answers in JSON.
        verdicts: what was judged already, elsewhere (:func:`conqret.judging.verdict_log.read_log`): nobody is asked,
            and a probe is made on what the log holds. Without ``items`` the log has the texts itself.
        verdict_scale: the ends of the log's numbers, ``1:10``; without it 0 to 1.
        columns: which column of the items, or of the log, holds what, over what is recognised.
        skip_invalid: leave out items that have faults, and say so in the table, instead of refusing the file.
        probes: only these; by default all that need not be named. One that cannot be made is left out, and the table
            says why.
        repeats: samples of one request, for repeatability; 2 at least.
        labels: human labels of the items, or a file, a folder or several files of them: needed where their quality is
            to be held equal.
        metrics: only these of the format.
        seed: draws the changes and the flips of signs.
        confidence: the coverage of the intervals, in (0, 1).
        prompts: a folder with prompts of one's own, or a library.
        folder: the run's folder, where the same call goes on where it stopped; None keeps everything in memory.
        recordings: a store of answers to read and add to; by default the folder's own.
        replay: a store, an export or a run to answer from; nothing is sent then.
        overwrite: begin afresh where the folder holds another run; its recordings are kept.
        engine: who judges: this process, or so many ``workers`` of a Ray cluster (docs/scale.md); needs a folder.
        on_plan: gets the plan before the first version is judged.
        on_start: gets the number of judgments that are kept from before.
        on_judgment: gets each judgment as it is made.

    Returns:
        An effect with its interval and a verdict for each comparison and metric. One row of each probe can raise an
        alarm; these are corrected together, so that a judge without bias raises any alarm at all in one of twenty
        tables at most. Such a row is an alarm, clear or inconclusive, and all others are exploratory.

    Raises:
        ItemsError: items are faulty, or lack what the format needs.
        LabelsError: labels are faulty.
        DeclarationError: a name that does not exist, no probe that can be made, or a folder that holds something else.
        MissingDependencyError: numpy is not installed.
    """
    require("numpy", extra="stats")
    plan = bias_plan(
        items, format=format, model=model, judge=judge, server=server, verdicts=verdicts,
        verdict_scale=verdict_scale, columns=columns, skip_invalid=skip_invalid,
        probes=probes, repeats=repeats, labels=labels, metrics=metrics,
        seed=seed, prompts=prompts,
    )  # fmt: skip
    on_plan(plan)
    conduct = Conduct(
        recordings=recordings, replay=replay, overwrite=overwrite, engine=engine, workers=workers,
        on_start=on_start, on_judgment=on_judgment,
    )  # fmt: skip
    out = BiasFolder(Path(folder)) if folder is not None else None
    return run_bias(plan, out, conduct, confidence=confidence)


def bias_plan(
    items: Any = None,
    *,
    format: str | Judge = DEFAULT_FORMAT,  # noqa: A002 - the word that users know
    model: str | ClientOptions = OFFLINE_MODEL,
    judge: str | Function | None = None,
    server: str | None = None,
    verdicts: Any = None,
    verdict_scale: str | None = None,
    columns: Mapping[str, str] | None = None,
    skip_invalid: bool = False,
    probes: Sequence[str] = (),
    repeats: int = REPEATS,
    labels: str | Path | Sequence[str | Path] | LabelSet | None = None,
    metrics: Sequence[str] = (),
    seed: int = SEED,
    prompts: Path | Library | None = None,
) -> BiasPlan:
    """What :func:`bias` would judge. No model is asked.

    Raises:
        ItemsError, LabelsError, DeclarationError: as there.
    """
    client = ClientOptions.of(model)
    log = log_of(verdicts, items, judge or server, metrics=metrics, columns=columns, scale=verdict_scale,
                 skip_invalid=skip_invalid)  # fmt: skip
    source = log.source if log else open_items(items, columns=columns, skip_invalid=skip_invalid)
    if log is not None:
        format, client = logged_judge(log, client)  # noqa: A001
    elif judge is not None or server is not None:
        format, client = chosen_judge(judge, server, source, client, metrics)  # noqa: A001
    checked, setup = check_items(source, set_up(format, client, JudgeOptions(tuple(metrics)), prompts))
    source = replace(source, needs=setup.needs)
    given = labels if labels is None or isinstance(labels, LabelSet) else read_labels(labels)
    people = {} if given is None else people_quality(given)
    plan = plan_bias(Ground(tuple(source), setup, people, seed, repeats, log), probes)
    return replace(plan, checked=checked)
