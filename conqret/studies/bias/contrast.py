"""What a probe asks for: pairs of judgments that should be alike, and which difference would be a bias."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from conqret.data import Item
from conqret.data.digest import gathered
from conqret.data.judgment import TopicKeys
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
"""The ways in which the judge is asked: as it is, with its dimensions turned round, for a preference in one order
only, and (``again 1``, ``again 2`` …) the very same request as a further sample."""

REPEATS = 3
"""Samples of one request in all: two would show whether it varies, and three say a little of how much."""

NEUTRAL = "with neutral text of the same length"
"""What stands in a control in the place of what is probed."""

TEXTS: Mapping[str, Any] = tomllib.loads(
    (Path(__file__).parent / "probes" / "texts.toml").read_text(encoding="utf-8")
)
"""What probes put into items, or ask about."""

NO_QUALITY = "the judge has no metric of the argument's quality"
OVERALL = "overall_quality"
PREFERENCE = "preference"

Key = tuple[str, str]
"""How it was asked, and the id of the item."""

Adverse = Literal["rise", "any", "none"]
"""Which difference is a bias: a rise, any, or none (the row is a measurement)."""


class NotAskedError(DeclarationError):
    """A probe that cannot be made with this judge or these items; the message says why."""


@dataclass(frozen=True, slots=True)
class VersionPair:
    """Two judgments to be compared, and the topic that they belong to; ``item`` is the one behind a base that is a
    version itself. With ``again``, the base's request asked once more, what counts is how much further the changed
    score lies from the base than that one does."""

    base: Key
    changed: Key
    cluster: str
    item: str = ""
    again: Key | None = None

    @property
    def keys(self) -> tuple[Key, ...]:
        """The judgments that it takes."""
        return (self.base, self.changed) if self.again is None else (self.base, self.changed, self.again)


def paired(bases: Iterable[Item], changed: Iterable[Item]) -> tuple[VersionPair, ...]:
    """Each of ``changed`` against the base at its place, both judged as they are."""
    return tuple(
        VersionPair((AS_IS, base.id), (AS_IS, other.id), base.topic)
        for base, other in zip(bases, changed, strict=True)
    )


@dataclass(frozen=True)
class Contrast:
    """One comparison of a probe (``probe``: its name, which :meth:`Probe.asked` fills in; a probe that answers for
    several things apart names each, in brackets behind it), on ``metrics``.

    The difference of a pair (:meth:`moved`) is the changed score minus the base; where ``mirrored``, the changed one is
    of the two arguments in each other's place, and the difference ``base + changed - 1``. Where the two are different
    items, ``people`` says what people find of each, in [0, 1], and the difference is what goes beyond that.
    ``versions`` are the items behind the keys, by the way in which they are asked; ``up`` says in words what a positive
    effect means, and ``against`` what the base is.

    ``observed`` marks what is no experiment: it is exploratory, and never an alarm. Then one judgment is held against
    itself, and where ``turned`` holds its item it counts for the second of the two.
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
    people: Mapping[str, float] | None = None
    against: str = AS_IS
    notes: tuple[str, ...] = ()
    probe: str = ""

    @property
    def items(self) -> dict[Key, Item]:
        """The items behind the keys."""
        return {(way, item.id): item for way, several in self.versions.items() for item in several}

    def moved(self, base: float, changed: float, again: float | None = None) -> float:
        """The difference of a pair with these scores."""
        if again is not None:
            return abs(changed - base) - abs(again - base)
        return base + changed - 1 if self.mirrored else changed - base


@dataclass(frozen=True)
class ProbeContext:
    """What all probes stand on: items, judge, and people's quality of items in [0, 1] by dimension. With a
    ``log`` nobody can be asked anything more."""

    items: tuple[Item, ...]
    setup: Setup
    people: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    seed: int = SEED
    repeats: int = REPEATS
    log: VerdictLog | None = None

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that the judge is asked for."""
        return self.setup.metrics

    def likened(self, metric: str) -> str:
        """The metric whose biases ``metric`` may have: of a criterion of one's own that looks at the answer overall
        quality, as of measures of nuggets, of one that looks at documents alone their relevance, of all others and of
        names that are known themselves."""
        looks_at = looked_at(self.setup.judge)
        if metric in NUGGET_METRICS:
            return OVERALL
        if metric in EVERYTHING or metric not in looks_at:
            return metric
        if "answer" in looks_at[metric]:
            return OVERALL
        return RELEVANCE[0] if "documents" in looks_at[metric] else metric

    def among(self, wanted: Collection[str], lacking: str) -> tuple[str, ...]:
        """The judge's metrics that are ``wanted``, or likened to such. Raises NotAskedError where it has none, for the
        reason ``lacking``."""
        metrics = tuple(metric for metric in self.metrics if self.likened(metric) in wanted)
        if not metrics:
            raise NotAskedError(lacking)
        return metrics

    def check_preference(self) -> None:
        """Raise NotAskedError where the judge does not say which of two arguments is better."""
        if PREFERENCE not in self.metrics:
            raise NotAskedError("the judge states no preference between two arguments")

    def quality(self, metric: str) -> Mapping[str, float]:
        """People's word on ``metric`` by item: of that dimension, or of overall quality, or the mean of all."""
        for name in (metric, OVERALL):
            if name in self.people:
                return self.people[name]
        values = gathered(pair for quality in self.people.values() for pair in quality.items())
        return {item: sum(several) / len(several) for item, several in values.items()}


@dataclass(frozen=True)
class Probe:
    """A question about the judge: the comparisons that answer it, and what must be said beforehand, if anything.

    ``contrasts(ground)`` raises :class:`NotAskedError` where the comparisons cannot be made. ``compares`` says in words
    what is held against what, ``finds`` which difference is a bias, ``advice`` what to do about one, and ``source`` who
    found it. A probe that is not ``default`` is made only where it is named (the more probes are corrected together,
    the less each of them finds), or where a log has what it needs. ``sways``: what it changes tells the judge
    what to say, so verdicts on it say nothing of another bias.
    """

    name: str
    contrasts: Callable[[ProbeContext], Iterable[Contrast]]
    warning: Callable[[ProbeContext], str | None] = lambda ground: None
    compares: str = ""
    finds: str = ""
    advice: str = "read some items of both kinds, and change the prompt"
    source: str = "own"
    default: bool = True
    sways: bool = False

    def asked(self, ground: ProbeContext) -> tuple[Contrast, ...]:
        """The comparisons, with the probe's name.

        Raises:
            NotAskedError: they cannot be made with this judge or these items.
        """
        keys = TopicKeys.from_judged(ground.items)
        return tuple(
            replace(
                contrast,
                probe=contrast.probe or self.name,
                pairs=tuple(replace(pair, cluster=keys[pair.cluster]) for pair in contrast.pairs),
            )
            for contrast in self.contrasts(ground)
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
"""What a perturbation has to expect of a metric for a rise, or any difference, to be a bias."""


def perturbed(
    perturbation: Perturbation, level: float, *, name: str, adverse: Adverse, up: str, against: str = NEUTRAL
) -> Callable[[ProbeContext], tuple[Contrast]]:
    """What makes the comparison of every item changed by ``level`` with its control (itself, where the perturbation has
    none), on the metrics of which the perturbation expects :data:`EXPECTED`. ``against`` says what a control is.

    Raises (when called):
        NotAskedError: the judge has no such metric, or no item can be changed.
    """
    wanted, control = EXPECTED[adverse], perturbation.controlled

    def contrasts(ground: ProbeContext) -> tuple[Contrast]:
        metrics = ground.among(
            [metric for metric, expected in perturbation.expects.items() if expected is wanted],
            f"{perturbation.name} says nothing about the metrics of this judge",
        )
        versions, left_out = perturb_items(ground.items, perturbation, [level], seed=ground.seed)
        reasons = counted_reasons([omission.reason for omission in left_out])
        if not versions[level]:
            raise NotAskedError(f"no item can be changed: {reasons}")
        unable = {item.item for item in left_out}
        able = [item for item in ground.items if item.id not in unable]
        bases = able if control is None else [control.apply(item, level, seed=ground.seed) for item in able]
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
