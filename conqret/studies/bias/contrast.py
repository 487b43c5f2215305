"""Probes and their comparisons: pairs of judgments that should be alike, and which difference is a bias."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from conqret.data import Item
from conqret.data.digest import gathered
from conqret.data.topic_keys import TopicKeys
from conqret.errors import DeclarationError, number
from conqret.judging.nugget_measures import METRICS as NUGGET_METRICS
from conqret.judging.rubrics import looked_at
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
"""The variants of a request: unchanged, with the dimensions in reverse order, for a preference in one order only, and
(``again 1``, ``again 2`` …) the same request as a further sample."""

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
    """A probe that cannot be made with this judge or these items; the message says why."""


@dataclass(frozen=True, slots=True)
class VersionPair:
    """Two judgments that are compared, and their topic. ``item`` is the original item, where the base is a version of
    it. With ``again``, a repetition of the base's request, the difference is how much further the changed score is from
    the base than the repeated one."""

    base: Key
    changed: Key
    cluster: str
    item: str = ""
    again: Key | None = None

    @property
    def keys(self) -> tuple[Key, ...]:
        """The judgments of the pair."""
        return (self.base, self.changed) if self.again is None else (self.base, self.changed, self.again)


def paired(bases: Iterable[Item], changed: Iterable[Item]) -> tuple[VersionPair, ...]:
    """Pair each of ``changed`` with the base at its place, both judged unchanged."""
    return tuple(
        VersionPair((AS_IS, base.id), (AS_IS, other.id), base.topic)
        for base, other in zip(bases, changed, strict=True)
    )


@dataclass(frozen=True)
class Contrast:
    """One comparison of a probe, on ``metrics``.

    ``probe`` is the probe's name, set by :meth:`Probe.comparisons`, with the part in brackets if it tests several
    (``language (German)``). The difference of a pair (:meth:`moved`) is the changed score minus the base. If
    ``mirrored``, the changed score is of the two arguments in swapped order, and the difference is
    ``base + changed - 1``. If the two are different items, ``human_quality`` has the mean label of each in [0, 1], and
    the difference is adjusted for it. ``versions`` are the items of the keys, by variant of the request. ``up`` says in
    words what a positive effect means, and ``against`` what the base is.

    ``observed`` comparisons are no experiments: they are exploratory and raise no alarm. Base and changed are then one
    judgment, which counts for the second argument if ``turned`` has its item.
    """

    name: str
    adverse: Adverse
    up: str
    metrics: tuple[str, ...]
    pairs: tuple[VersionPair, ...]
    versions: Mapping[str, Sequence[Item]]
    mirrored: bool = False
    observed: bool = False
    turned: frozenset[str] = frozenset()
    human_quality: Mapping[str, float] | None = None
    against: str = AS_IS
    notes: tuple[str, ...] = ()
    probe: str = ""

    @property
    def items(self) -> dict[Key, Item]:
        """The items of the keys."""
        return {(variant, item.id): item for variant, several in self.versions.items() for item in several}

    def moved(self, base: float, changed: float, again: float | None = None) -> float:
        """The difference of a pair with these scores."""
        if again is not None:
            return abs(changed - base) - abs(again - base)
        return base + changed - 1 if self.mirrored else changed - base


@dataclass(frozen=True)
class ProbeContext:
    """The input of all probes: items, judge, and ``human_quality``, the mean label of each item in [0, 1] by dimension.
    With a ``log`` of verdicts no model is called."""

    items: tuple[Item, ...]
    setup: Setup
    human_quality: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    seed: int = SEED
    repeats: int = REPEATS
    log: VerdictLog | None = None

    @property
    def metrics(self) -> tuple[str, ...]:
        """The judge's requested metrics."""
        return self.setup.metrics

    def comparable_metric(self, metric: str) -> str:
        """The known metric that ``metric`` is treated as: overall quality for user-defined criteria on the answer and
        for nugget measures, context relevance for user-defined criteria on documents alone, else itself."""
        looks_at = looked_at(self.setup.judge)
        if metric in NUGGET_METRICS:
            return OVERALL
        if metric in EVERYTHING or metric not in looks_at:
            return metric
        if "answer" in looks_at[metric]:
            return OVERALL
        return RELEVANCE[0] if "documents" in looks_at[metric] else metric

    def select_metrics(self, wanted: Collection[str], message: str) -> tuple[str, ...]:
        """The judge's metrics that are ``wanted``, or treated as one that is. Raises ProbeUnavailableError with this
        ``message`` if it has none."""
        metrics = tuple(metric for metric in self.metrics if self.comparable_metric(metric) in wanted)
        if not metrics:
            raise ProbeUnavailableError(message)
        return metrics

    def check_preference(self) -> None:
        """Raise ProbeUnavailableError unless the judge states a preference between two arguments."""
        if PREFERENCE not in self.metrics:
            raise ProbeUnavailableError("the judge states no preference between two arguments")

    def quality(self, metric: str) -> Mapping[str, float]:
        """The mean label by item: of the dimension ``metric``, else of overall quality, else over all dimensions."""
        for name in (metric, OVERALL):
            if name in self.human_quality:
                return self.human_quality[name]
        values = gathered(pair for quality in self.human_quality.values() for pair in quality.items())
        return {item: sum(several) / len(several) for item, several in values.items()}


@dataclass(frozen=True)
class Probe:
    """A test for one bias: its comparisons, and a ``warning`` about the items, if any.

    ``contrasts(context)`` raises :class:`ProbeUnavailableError` if the comparisons cannot be made. ``compares`` says in
    words what is compared, ``finds`` which difference is a bias, ``advice`` what to do about one, and ``source`` who
    described it. A probe that is not ``default`` runs only if it is named (more probes mean less power for each, as
    p-values are corrected together), or if a log has the verdicts it needs. ``sways``: its changes tell the judge what
    to say, so its judgments are no evidence on other biases.
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
        """The comparisons, with the probe's name.

        Raises:
            ProbeUnavailableError: they cannot be made with this judge or these items.
        """
        keys = TopicKeys.of(context.items)
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
    """The probe of this name, which ``texts.toml`` describes."""
    return Probe(name, contrasts, warning, **TEXTS["probe"][name])


def own_contrast(probe: str, **more: Any) -> Contrast:
    """The comparison of this probe that ``texts.toml`` describes."""
    return Contrast(**{**TEXTS["contrast"][probe], **more})


def perturbed_probe(name: str, perturbation: Perturbation, level: float) -> Probe:
    """The probe of this name that compares every item changed by ``level`` with its control (:func:`perturbed`)."""
    return own_probe(name, perturbed(perturbation, level, **TEXTS["contrast"][name]))


EXPECTED: Mapping[Adverse, Direction] = {"rise": Direction.NO_RISE, "any": Direction.UNCHANGED}
"""The effect of a perturbation on a metric that makes a rise, or any difference, a bias."""


def perturbed(
    perturbation: Perturbation, level: float, *, name: str, adverse: Adverse, up: str, against: str = NEUTRAL
) -> Callable[[ProbeContext], tuple[Contrast]]:
    """Return the function that compares every item perturbed at ``level`` with its control (the item itself, if the
    perturbation has none), on the metrics that the perturbation should leave alone (:data:`EXPECTED`). ``against`` says
    what a control is.

    Raises (when called):
        ProbeUnavailableError: the judge has no such metric, or no item can be changed.
    """
    wanted, control = EXPECTED[adverse], perturbation.controlled

    def contrasts(context: ProbeContext) -> tuple[Contrast]:
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
        pairs = [
            VersionPair((AS_IS, base.id), (AS_IS, changed.id), base.topic, records(changed)[0].original)
            for base, changed in zip(bases, versions[level], strict=True)
        ]
        left = f"{name}: {number(len(left_out), 'item')} cannot be changed ({reasons})"
        return (
            Contrast(
                name=name,
                adverse=adverse,
                up=up,
                metrics=metrics,
                pairs=tuple(pairs),
                versions={AS_IS: (*bases, *versions[level])},
                against=AS_IS if control is None else against,
                notes=(left,) if left_out else (),
            ),
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
    """The name of the probe that a row is of: ``language``, of ``language (German)``."""
    return shown.partition(" (")[0]
