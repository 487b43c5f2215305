"""Probe a judge: make every comparison, judge every version once in each way, and put the table together.

A run's folder holds ``run.json`` (the settings), ``judgments.jsonl`` (appended as they arrive), ``scores.parquet``,
``recordings.sqlite`` and, at the end, ``bias.json``. The same call again goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Unpack

from conqret.data import Item, Judgment
from conqret.data.digest import gathered
from conqret.data.judgment import TopicKeys
from conqret.errors import DeclarationError, strict_options
from conqret.io import CheckedItems
from conqret.io.label_set import LabelSet
from conqret.io.labels import Labels, labels_of
from conqret.io.safe_files import InFolder
from conqret.judging.judge import Items, prepared
from conqret.judging.judge_folder import trial_key
from conqret.judging.judge_parts import Judge
from conqret.judging.judge_settings import OF_THE_JUDGE, LogSettings
from conqret.judging.setup import Setup
from conqret.judging.verdict_log import VerdictLog
from conqret.llm.client_options import ClientOptions
from conqret.perturb import SEED
from conqret.stats.effects import ALPHA
from conqret.stats.estimate import CONFIDENCE
from conqret.studies.bias.bias_effects import bias_rows, primary_contrasts
from conqret.studies.bias.contrast import (
    AGAIN,
    AS_IS,
    ONE_ORDER,
    PREFERENCE,
    PROBES,
    REPEATS,
    REVERSED,
    Contrast,
    JudgedVersion,
    Key,
    ProbeContext,
    ProbeUnavailableError,
)
from conqret.studies.bias.probes.changed_requests import in_every_version
from conqret.studies.bias.probes.typed_questions import QUESTION_CHANGES, with_questions
from conqret.studies.bias.result import BiasRecord, BiasTable
from conqret.studies.study_judging import (
    JudgedFolder,
    JudgedRun,
    StudyPart,
    StudySettings,
    digest_of,
    study_folder,
)
from conqret.studies.variance.result import repeatabilities


@dataclass(frozen=True)
class BiasFolder(JudgedFolder[BiasRecord]):
    """The folder of a bias run and its files."""

    COMMAND: ClassVar[str] = "conqret bias"

    results_file = InFolder("bias.json")
    markdown_file = InFolder("bias.md")

    def table(self) -> BiasTable:
        """Read the bias table of a finished run.

        Raises:
            DeclarationError: the folder has no finished table.
        """
        return self.result(self.results_file, BiasTable)


def fingerprint_of(variant: str, setup: Setup) -> str:
    """Return the fingerprint of judgments made with this variant of the request."""
    return setup.fingerprint if variant == AS_IS else f"{setup.fingerprint}/{variant}"


def study_part(variant: str, setup: Setup, items: Sequence[Item]) -> StudyPart:
    """Return the part of a run that judges ``items`` with this variant of the request.

    Variants are declared in :mod:`conqret.studies.bias.contrast`.
    """
    asked, sample = setup, 0
    if variant == REVERSED:
        asked = replace(setup, options=replace(setup.options, order="reversed"))
    elif variant == ONE_ORDER:
        asked = setup.in_one_order(PREFERENCE)
    elif variant in QUESTION_CHANGES:
        asked = with_questions(setup, QUESTION_CHANGES[variant])
    elif variant.startswith(AGAIN):
        sample = int(variant.removeprefix(AGAIN)) * setup.options.samples
    return StudyPart(asked, fingerprint_of(variant, setup), items, sample, f"{setup.judge.name} ({variant})")


@dataclass(frozen=True)
class BiasPlan:
    """The contrasts of a bias run. ``left_out`` maps each probe that is not run to the reason, and
    ``checked`` says which items are left out.
    """

    context: ProbeContext
    contrasts: tuple[Contrast, ...]
    left_out: Mapping[str, str]
    checked: CheckedItems | None = None

    @cached_property
    def versions(self) -> dict[str, tuple[Item, ...]]:
        """The items to be judged, each once, by variant of the request."""
        items = {version.key: version for contrast in self.contrasts for version in contrast.versions}
        return {variant: tuple(several) for variant, several in gathered(items.values()).items()}

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about faulty items and from probes, to be shown with the results."""
        faulty = "" if self.checked is None else self.checked.warning
        probes = (probe.warning(self.context) for probe in PROBES.values())
        return tuple(text for text in (faulty, *probes) if text)

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of all contrasts."""
        return tuple(note for contrast in self.contrasts for note in contrast.notes)

    @property
    def judgments(self) -> int:
        """The number of judgments that the run needs, each of an item under one variant of the request."""
        return sum(map(len, self.versions.values()))


def plan_bias(context: ProbeContext, probes: Iterable[str] = ()) -> BiasPlan:
    """Plan the contrasts of ``probes`` (default: all probes that need not be named).

    Raises:
        UnknownNameError: there is no such probe.
        DeclarationError: none of the probes can be run on these items.
    """
    contrasts: list[Contrast] = []
    left_out = {}
    log, named = context.log, list(probes)
    usual = [name for name, probe in PROBES.items() if probe.default or log is not None]
    chosen = {probe.name: probe for probe in (PROBES[name] for name in named or usual)}
    for probe in chosen.values():
        try:
            asked = probe.comparisons(context)
            contrasts += asked if log is None else [within_log(contrast, context, log) for contrast in asked]
        except ProbeUnavailableError as error:
            if named or probe.default:
                left_out[probe.name] = str(error)
    reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
    if not contrasts:
        raise DeclarationError(f"no probe fits these items: {reasons}")
    if not (named or log or primary_contrasts(contrasts)):
        metrics = ", ".join(context.metrics)
        raise DeclarationError(
            f"no probe can find a bias in {metrics}: {reasons}. Name a metric that probes know (--metric; such as "
            "faithfulness, groundedness, answer_relevance, overall_quality), or measure how far the judge repeats "
            "itself: --probe repeatability"
        )
    if log is None:
        contrasts = in_every_version(contrasts, [probe.name for probe in chosen.values() if probe.sways])
    return BiasPlan(context, tuple(contrasts), left_out)


def within_log(contrast: Contrast, context: ProbeContext, log: VerdictLog) -> Contrast:
    """Restrict a contrast to the pairs whose judgments are in a log of verdicts.

    A note says so if pairs are left out.

    Raises:
        ProbeUnavailableError: the log has no pair; the message says what is needed.
    """

    def in_log(version: JudgedVersion) -> bool:
        variant, item = version
        sample = int(variant.removeprefix(AGAIN)) if variant.startswith(AGAIN) else 0
        return log.answers(item, contrast.metrics, sample, one_order=variant == ONE_ORDER)

    pairs = tuple(pair for pair in contrast.pairs if all(map(in_log, pair.versions)))
    asked, have = ({pair.base.item.id for pair in several} for several in (contrast.pairs, pairs))
    lacks = f"needs {_needed(contrast, context)}, and {len(have)} of {len(asked)} have it"
    if not pairs:
        raise ProbeUnavailableError(lacks)
    notes = contrast.notes if len(have) == len(asked) else (*contrast.notes, f"{contrast.name} {lacks}")
    return replace(contrast, pairs=pairs, notes=notes)


def _needed(contrast: Contrast, context: ProbeContext) -> str:
    item_ids = {item.id for item in context.items}
    if contrast.mirrored:
        return "a verdict in one order" if contrast.observed else "the pair in both orders"
    if any(pair.changed.variant.startswith(AGAIN) for pair in contrast.pairs):
        return "the same item judged again"
    if any(pair.changed.item.id not in item_ids for pair in contrast.pairs):
        return f"a judgment of the item changed ({contrast.name})"
    return "a judgment of the item"


def run_bias(plan: BiasPlan, output: str | Path | None = None, **settings: Any) -> BiasTable:
    """Judge what is not judged yet, and compute the bias table.

    Args:
        plan: what to judge.
        output: the run's folder, created if needed; None writes nothing.
        settings: client options and progress callbacks.

    Raises:
        DeclarationError: the folder holds another run, another process writes to it, the recordings cannot be
            opened, or the settings do not fit the model.
        Counted: it is a dry run; the exception has the expected costs.
    """
    context, setup = plan.context, plan.context.setup
    record = BiasRecord(
        **setup.recorded,
        probes=tuple(dict.fromkeys(contrast.probe for contrast in plan.contrasts)),
        repeats=REPEATS,
        seed=context.seed,
        items=len(context.items),
        digest=digest_of(item for items in plan.versions.values() for item in items),
    )

    def made(judgments: Mapping[str, Judgment]) -> BiasTable:
        readings: dict[Key, Judgment] = {
            (variant, item.id): judgments[trial_key(fingerprint_of(variant, setup), item.id)]
            for variant, items in plan.versions.items()
            for item in items
        }
        pairs = [pair for contrast in plan.contrasts for pair in contrast.pairs]
        again = [key for pair in pairs if pair.changed.variant.startswith(AGAIN) for key in pair.keys]
        return BiasTable(
            record=record,
            topics=TopicKeys.from_judged(context.items).count,
            confidence=CONFIDENCE,
            alpha=ALPHA,
            rows=bias_rows(plan.contrasts, readings, seed=context.seed),
            repeatability=repeatabilities(
                [readings[key] for key in dict.fromkeys(again)], setup.metrics, CONFIDENCE
            ),
            left_out=plan.left_out,
            notes=plan.notes,
            warnings=plan.warnings,
            judgments=len(judgments),
        )

    with (
        study_folder(BiasFolder, output, settings) as folder,
        JudgedRun(folder, [setup.client], settings, record, total=plan.judgments) as run,
    ):
        run.judge(study_part(variant, setup, items) for variant, items in plan.versions.items())
        return run.conclude(made)


def human_quality_by_dimension(labels: LabelSet) -> dict[str, dict[str, float]]:
    """Return the mean label in [0, 1] of each item, by dimension.

    Nominal dimensions, dimensions without a scale, and labels of parts are left out.
    """
    scales = {name: labels.scale(name) for name in labels.dimensions}
    scaled = {name for name, scale in scales.items() if scale.bounded and scale.level != "nominal"}
    values = gathered(
        ((label.dimension, label.unit.item), scales[label.dimension].unit(label.value))
        for label in labels.labels
        if label.value is not None and not label.unit.part and label.dimension in scaled
    )
    quality: dict[str, dict[str, float]] = {}
    for (dimension, item), several in values.items():
        quality.setdefault(dimension, {})[item] = sum(several) / len(several)
    return quality


class BiasSettings(StudySettings, LogSettings, total=False):
    """The settings of :func:`bias`.

    - ``format``: the name of a format, or a judge; ``model``: a model's name, or the settings of a client.
    - ``metrics``: the metrics of the format to test.
    - ``probes``: the probes to run; by default all that need not be named.
    - ``labels``: human labels of the items, or files of them; needed by probes that adjust for human quality.
    - ``seed``: the seed of the changes and of the sign flips.
    """

    format: str | Judge | None
    model: str | ClientOptions | None
    metrics: Sequence[str]
    probes: Sequence[str]
    labels: Labels | None
    seed: int


@strict_options
def bias(items: Items = None, **settings: Unpack[BiasSettings]) -> BiasTable:
    """Test a judge for bias: effects on its scores of what should not change them.

    Probes cover order, position, length, false authority, stance, the judge's own model family, and prompt
    injection.

    Args:
        items: a path, a frame, or items and dictionaries, as :func:`conqret.io.open_items` takes them. None
            is allowed only with ``verdicts`` that have texts. A probe that cannot be run is left out, and the
            table says why.
        settings: the judge, the probes, the items and the run, as :class:`BiasSettings` and its bases declare
            them.

    Returns:
        An effect with its interval and a verdict for each contrast and metric. One row of each probe is
            primary: alarm, clear or inconclusive. P-values of primary rows are corrected together, so an
            unbiased judge gets any alarm in 5% of tables at most, if effects of topics are symmetric about 0.
            All other rows are exploratory.

    Raises:
        ItemsError: items are faulty, or lack what the format needs.
        LabelsError: labels are faulty.
        DeclarationError: a name is unknown, no probe can be run, or the folder holds something else.
    """
    return run_bias(bias_plan(items, **settings), **settings)


@strict_options
def bias_plan(items: Items = None, **settings: Unpack[BiasSettings]) -> BiasPlan:
    """Return the plan of :func:`bias` without calling a model.

    Raises:
        ItemsError, LabelsError, DeclarationError: as :func:`bias`.
    """
    judging: Any = {name: value for name, value in settings.items() if name in OF_THE_JUDGE}
    source, checked, setup, log = prepared(items, judging)
    setup.judge.check_measured(setup.options.metrics, "bias")
    labels = settings.get("labels")
    quality = {} if labels is None else human_quality_by_dimension(labels_of(labels))
    context = ProbeContext(tuple(checked.items(source)), setup, quality, settings.get("seed", SEED), log)
    return replace(plan_bias(context, settings.get("probes", ())), checked=checked)
