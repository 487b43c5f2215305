"""From items to the bias table of a judge, in one call: what ``conqret bias`` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from conqret.errors import strict_options
from conqret.io.label_set import LabelSet
from conqret.io.labels import read_labels
from conqret.judging.judge import Items, prepared
from conqret.judging.judge_parts import Judge
from conqret.judging.judge_settings import OF_THE_JUDGE, LogSettings
from conqret.llm.client_options import ClientOptions
from conqret.perturb import SEED
from conqret.studies.bias.bias_run import BiasPlan, plan_bias, run_bias
from conqret.studies.bias.contrast import REPEATS, ProbeContext
from conqret.studies.bias.result import BiasTable
from conqret.studies.study_judging import StudySettings


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
        dimension: {item: sum(several) / len(several) for item, several in item_values.items()}
        for dimension, item_values in values.items()
    }


class BiasSettings(StudySettings, LogSettings, total=False):
    """The judge that :func:`bias` probes, and how: ``format`` is the name of a format, or a judge, ``model`` a model's
    name, or the settings of a client, and ``metrics`` are those of the format that are looked at. Only ``probes`` are
    made, by default all that need not be named. ``repeats`` are the samples of one request, for repeatability; 2 at
    least. ``labels`` are human labels of the items, or a file, a folder or several files of them: needed where their
    quality is to be held equal. ``seed`` draws the changes and the flips of signs."""

    format: str | Judge | None
    model: str | ClientOptions | None
    metrics: Sequence[str]
    probes: Sequence[str]
    repeats: int
    labels: str | Path | Sequence[str | Path] | LabelSet | None
    seed: int


@strict_options
def bias(items: Items = None, **settings: Unpack[BiasSettings]) -> BiasTable:
    """Probe a judge for what should not move its scores: order, position, length, false authority, stance, its own
    family, and instructions hidden in the texts.

    Args:
        items: a path, a frame, or items and dictionaries, as :func:`conqret.io.open_items` takes them; None only with
            ``verdicts`` that have texts. A probe that cannot be made is left out, and the table says why; with
            ``verdicts``, a probe is made on what the log holds.
        settings: the judge, the probes, the items and the run, as :class:`BiasSettings` and its bases declare them.

    Returns:
        An effect with its interval and a verdict for each comparison and metric. One row of each probe can raise an
        alarm; these are corrected together, so that a judge without bias raises any alarm at all in one of twenty
        tables at most, if effects of topics are symmetric about 0. Such a row is an alarm, clear or inconclusive, and
        all others are exploratory.

    Raises:
        ItemsError: items are faulty, or lack what the format needs.
        LabelsError: labels are faulty.
        DeclarationError: a name that does not exist, no probe that can be made, or a folder that holds something else.
    """
    asks = settings.get("replay") is None and not settings.get("dry_run")
    return run_bias(bias_plan(items, asks=asks, **settings), **settings)


@strict_options
def bias_plan(items: Items = None, *, asks: bool = False, **settings: Unpack[BiasSettings]) -> BiasPlan:
    """What :func:`bias` would judge. No model is asked, but where ``asks`` a server, once, which metrics it gives.

    Raises:
        ItemsError, LabelsError, DeclarationError: as there.
    """
    judging: Any = {name: value for name, value in settings.items() if name in OF_THE_JUDGE}
    source, checked, setup, log = prepared(items, judging, asks=asks)
    setup.judge.check_measured(setup.options.metrics, "bias")
    labels = settings.get("labels")
    known = labels if labels is None or isinstance(labels, LabelSet) else read_labels(labels)
    context = ProbeContext(
        tuple(checked.items(source)),
        setup,
        {} if known is None else people_quality(known),
        settings.get("seed", SEED),
        settings.get("repeats", REPEATS),
        log,
    )
    return replace(plan_bias(context, settings.get("probes", ())), checked=checked)
