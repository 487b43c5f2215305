"""Probes and their comparisons: pairs of judgments that should be alike, and which difference is a bias."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple

from conqret.data import Item
from conqret.data.digest import gathered
from conqret.data.judgment import TopicKeys
from conqret.errors import DeclarationError, number
from conqret.io.rubric_files import rubrics_of
from conqret.judges.nugget_assignments import METRICS as NUGGET_METRICS
from conqret.judging.judge_options import CRITERIA, RUBRIC
from conqret.judging.judge_parts import Judge
from conqret.judging.setup import Setup
from conqret.judging.verdict_log import VerdictLog
from conqret.perturb import SEED, Direction, Perturbation, perturb_items, records
from conqret.perturb.perturbation import EVERYTHING, RELEVANCE
from conqret.perturb.versions import counted_reasons
from conqret.registry import Registry

AS_IS = "as it is"
REVERSED = "dimensions reversed"
ONE_ORDER = "one order"
AGAIN = "again"
LEVELS_REVERSED = "levels reversed"
NEGATED = "questions negated"
"""The variants of a request: unchanged, with the dimensions in reverse order, for a preference in one order only,
(``again 1``, ``again 2`` …) the same request as a further sample, and of typed questions with levels and labels in
reverse, or with yes/no questions negated."""

REPEATS = 3
"""Samples of one request: two show whether scores vary, three give a rough estimate of how much."""

NEUTRAL = "with neutral text of the same length"
"""What a control has in place of the probed text."""

TEXTS: Mapping[str, Any] = tomllib.loads(
    (Path(__file__).parent / "probes" / "texts.toml").read_text(encoding="utf-8")
)
"""The texts of the probes."""

NO_QUALITY = "the judge has no metric of the argument's quality"
OVERALL = "overall_quality"
PREFERENCE = "preference"

Key = tuple[str, str]
"""The variant of the request, and the id of the item."""

Adverse = Literal["rise", "any", "none"]
"""Which difference is a bias: a rise, any, or none (the row is a measurement)."""


class ProbeUnavailableError(DeclarationError):
    """The error that a probe cannot be run with this judge or these items; the message says why."""


class JudgedVersion(NamedTuple):
    """A version of an item, judged with a variant of the request."""

    variant: str
    item: Item

    @property
    def key(self) -> Key:
        """The variant of the request, and the id of the item."""
        return self.variant, self.item.id


@dataclass(frozen=True)
class VersionPair:
    """Two versions to compare (``base`` and ``changed``), with their topic as ``cluster``.

    ``item`` is the original item if the base is a version of it. ``again`` is a repetition of the base's
    request. With it, the difference is how much further the changed score is from the base than the repeated
    score is.
    """

    base: JudgedVersion
    changed: JudgedVersion
    cluster: str
    item: str = ""
    again: JudgedVersion | None = None

    @property
    def original(self) -> str:
        """The id of the item of which both are versions."""
        return self.item or self.base.item.id

    @property
    def versions(self) -> tuple[JudgedVersion, ...]:
        """The two or three versions of the pair."""
        return tuple(filter(None, (self.base, self.changed, self.again)))

    @cached_property
    def keys(self) -> tuple[Key, ...]:
        """The keys of the judgments of the pair."""
        return tuple(version.key for version in self.versions)


def paired(bases: Iterable[Item], changed: Iterable[Item]) -> tuple[VersionPair, ...]:
    """Return the pairs of each base item and the changed item at the same place, both judged with the usual
    request.
    """
    return tuple(
        VersionPair(JudgedVersion(AS_IS, base), JudgedVersion(AS_IS, other), base.topic)
        for base, other in zip(bases, changed, strict=True)
    )


@dataclass(frozen=True)
class Contrast:
    """One comparison of a probe: pairs of judgments on ``metrics``.

    - ``probe``: the name of the probe, with a part in brackets if it tests several (``language (German)``).
    - ``up``: what a positive effect means, in words; ``against``: what the base is, in words.
    - ``mirrored``: the changed score is of the two arguments in swapped order, so the difference is ``base +
    changed - 1``. Otherwise it is the changed score minus the base.
    - ``human_quality``: for pairs of two different items, the mean label of each in [0, 1], for which the
    difference is adjusted.
    - ``observed``: the comparison is no experiment, hence exploratory and never an alarm. Base and changed
    are one judgment; it counts for the second argument if ``turned`` has its item.
    """

    name: str
    adverse: Adverse
    up: str
    metrics: tuple[str, ...]
    pairs: tuple[VersionPair, ...]
    mirrored: bool = False
    observed: bool = False
    turned: frozenset[str] = frozenset()
    human_quality: Mapping[str, float] | None = None
    against: str = AS_IS
    notes: tuple[str, ...] = ()
    probe: str = ""

    @property
    def versions(self) -> Iterator[JudgedVersion]:
        """What is judged, in this order: all bases before what they are compared with; of swapped arguments, pair by
        pair."""
        pairs = [pair.versions for pair in self.pairs]
        return chain.from_iterable(pairs if self.mirrored else zip(*pairs, strict=True))

    def moved(self, base: float, changed: float, again: float | None = None) -> float:
        """Return the difference of a pair with these scores."""
        if again is not None:
            return abs(changed - base) - abs(again - base)
        return base + changed - 1 if self.mirrored else changed - base


def looked_at(judge: Judge) -> dict[str, tuple[str, ...]]:
    """Return which fields of an item each metric of criteria or of a rubric uses; empty for any other
    judge.
    """
    if judge.combined is None or RUBRIC not in judge.declared:
        return {one["name"]: tuple(one["looks_at"]) for one in judge.declared.get(CRITERIA, ())}
    rubrics = rubrics_of(judge.declared[RUBRIC])
    every = tuple(dict.fromkeys(name for one in chain(*rubrics.each) for name in one.shows))
    own = {criterion.name: criterion.shows for criterion in rubrics.shared}
    return own | dict.fromkeys(judge.combined.made_of, every)


@dataclass(frozen=True)
class ProbeContext:
    """The input of all probes: the items and the judge (``setup``).

    ``human_quality`` has the mean label of each item in [0, 1], by dimension. With a ``log`` of verdicts no
    model is called.
    """

    items: tuple[Item, ...]
    setup: Setup
    human_quality: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    seed: int = SEED
    log: VerdictLog | None = None

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that are requested from the judge."""
        return self.setup.metrics

    def comparable_metric(self, metric: str) -> str:
        """Return the built-in metric as which probes treat ``metric``.

        User-defined criteria on the answer and nugget metrics count as overall quality, user-defined criteria
        on documents alone as context relevance. All others count as themselves.
        """
        looks_at = looked_at(self.setup.judge)
        if metric in NUGGET_METRICS:
            return OVERALL
        if metric in EVERYTHING or metric not in looks_at:
            return metric
        if "answer" in looks_at[metric]:
            return OVERALL
        return RELEVANCE[0] if "documents" in looks_at[metric] else metric

    def select_metrics(self, wanted: Collection[str], message: str) -> tuple[str, ...]:
        """Return the judge's metrics that are ``wanted``, or count as one that is
        (:meth:`comparable_metric`).

        Raises:
            ProbeUnavailableError: there are none; it has this ``message``.
        """
        metrics = tuple(metric for metric in self.metrics if self.comparable_metric(metric) in wanted)
        if not metrics:
            raise ProbeUnavailableError(message)
        return metrics

    def check_preference(self) -> None:
        """Raise ProbeUnavailableError unless the judge states a preference between two arguments."""
        if PREFERENCE not in self.metrics:
            raise ProbeUnavailableError("the judge states no preference between two arguments")

    def quality(self, metric: str) -> tuple[str, Mapping[str, float]]:
        """Return the mean label of each item for ``metric``, and the dimension of these labels.

        It is the dimension of the same name, else overall quality; else the labels are means over all dimensions.
        """
        for name in (metric, OVERALL):
            if name in self.human_quality:
                return name, self.human_quality[name]
        values = gathered(pair for quality in self.human_quality.values() for pair in quality.items())
        return "quality", {item: sum(several) / len(several) for item, several in values.items()}


@dataclass(frozen=True)
class Probe:
    """A test for one bias.

    - ``contrasts(context)``: returns the comparisons, or raises :class:`ProbeUnavailableError`.
    - ``warning(context)``: returns a warning about the items, or None.
    - ``compares``, ``finds``, ``advice``, ``source``: texts on what is compared, which difference is a bias,
    what to do about it, and who described it.
    - ``default``: run it without being named. More probes reduce the power of each, because p-values are
    corrected together. A log that has its verdicts runs it, too.
    - ``sways``: its changes tell the judge what to say, so its judgments are no evidence on other biases.
    """

    name: str
    contrasts: Callable[[ProbeContext], Iterable[Contrast]]
    warning: Callable[[ProbeContext], str | None] = lambda context: None
    compares: str = ""
    finds: str = ""
    advice: str = "read some items of both kinds, and change the prompt"
    source: str = "own"
    default: bool = True
    sways: bool = False

    def comparisons(self, context: ProbeContext) -> tuple[Contrast, ...]:
        """Return the contrasts, with the probe's name and topics as clusters.

        Raises:
            ProbeUnavailableError: the probe cannot be run with this judge or these items.
        """
        keys = TopicKeys.from_judged(context.items)
        return tuple(
            replace(
                contrast,
                probe=contrast.probe or self.name,
                pairs=tuple(replace(pair, cluster=keys[pair.cluster]) for pair in contrast.pairs),
            )
            for contrast in self.contrasts(context)
        )


def own_probe(
    name: str,
    contrasts: Callable[[ProbeContext], Iterable[Contrast]],
    warning: Callable[[ProbeContext], str | None] = Probe.warning,
) -> Probe:
    """Return the built-in probe with this name, whose texts are in ``texts.toml``."""
    return Probe(name, contrasts, warning, **TEXTS["probe"][name])


def own_contrast(probe: str, **more: Any) -> Contrast:
    """Return a contrast of this built-in probe, with texts from ``texts.toml`` and the given fields."""
    return Contrast(**{**TEXTS["contrast"][probe], **more})


def perturbed_probe(name: str, perturbation: Perturbation, level: float) -> Probe:
    """Return the built-in probe that compares each item perturbed at ``level`` with its control
    (:func:`perturbed`).
    """
    return own_probe(name, perturbed(perturbation, level, **TEXTS["contrast"][name]))


EXPECTED: Mapping[Adverse, Direction] = {"rise": Direction.NO_RISE, "any": Direction.UNCHANGED}
"""The effect of a perturbation on a metric that makes a rise, or any difference, a bias."""


def perturbed(
    perturbation: Perturbation, level: float, *, name: str, adverse: Adverse, up: str, against: str = NEUTRAL
) -> Callable[[ProbeContext], Iterator[Contrast]]:
    """Return a function that compares each item perturbed at ``level`` with its control.

    The control is the item itself if the perturbation has none. The metrics are those of which the perturbation
    expects what ``adverse`` means: no rise, or no change (:data:`EXPECTED`).

    Args:
        perturbation: the perturbation.
        level: its level.
        name: the name of the contrast.
        adverse: which difference is a bias, and so which metrics are compared.
        up: what a positive effect means, in words.
        against: what the control is, in words; not read where there is none.

    Raises:
        ProbeUnavailableError: when the returned function is called: the judge has no such metric, or no item
            can be changed.
    """
    wanted, control = EXPECTED[adverse], perturbation.controlled

    def contrasts(context: ProbeContext) -> Iterator[Contrast]:
        metrics = context.select_metrics(
            [metric for metric, expected in perturbation.expects.items() if expected is wanted],
            f"{perturbation.name} says nothing about the metrics of this judge",
        )
        versions, left_out = perturb_items(context.items, perturbation, [level], seed=context.seed)
        reasons = counted_reasons([omission.reason for omission in left_out])
        if not versions[level]:
            raise ProbeUnavailableError(f"no item can be changed: {reasons}")
        unable = {item.item for item in left_out}
        able = [item for item in context.items if item.id not in unable]
        bases = able if control is None else [control.apply(item, level, seed=context.seed) for item in able]
        pairs = paired(bases, versions[level])
        left = f"{name}: {number(len(left_out), 'item')} cannot be changed ({reasons})"
        yield Contrast(
            name=name,
            adverse=adverse,
            up=up,
            metrics=metrics,
            pairs=tuple(replace(pair, item=records(pair.changed.item)[0].original) for pair in pairs),
            against=AS_IS if control is None else against,
            notes=(left,) if left_out else (),
        )

    return contrasts


PROBES = Registry(
    "probe",
    "conqret.probes",
    Probe,
    package="conqret.studies.bias.probes",
    attribute="PROBES",
    first=(
        *("repeatability", "dimension-order", "document-order", "position", "length"),
        *("authority", "stance", "self-preference", "injection"),
    ),
)
"""Every probe by its name, in the order of the table."""


def probe_name(shown: str) -> str:
    """Return the name of the probe from the name of a row: ``language`` from ``language (German)``."""
    return shown.partition(" (")[0]
