"""How often a bias run on pairs of arguments finds a bias of known size: simulated judges, tested as a bias run does.

Of two arguments the first wins where q + place + error > 0, with q ~ N(0, 1) by how much it is better and errors
N(0, 1); what the place and a change do differs between topics by N(0, .35). So a first place wins 40 to 60% in two
topics of three where there is no bias at all. A bias of size s moves the chance to win from .5 to .5 + s.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import product
from statistics import NormalDist

import numpy as np

from conqret.data import Item, Judgment, Measure, Status
from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.errors import DeclarationError, strict_options
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.own_judge import own_judge
from conqret.judging.setup import set_up
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions
from conqret.studies.bias.bias_effects import bias_rows, primary_contrasts
from conqret.studies.bias.bias_run import BiasPlan, plan_bias
from conqret.studies.bias.contrast import AS_IS, ONE_ORDER, PREFERENCE, Contrast, Key, ProbeContext
from conqret.studies.bias.probes.changed_requests import SWAPPED

SIMULATIONS = 100
"""Judges of each kind: the standard error of a share of one half is then .05."""
LARGEST = 0.45
"""A place that wins 95%."""
MIN_SIMULATIONS = 20
PROBES = ("position", "length", "authority", "injection")
"""What a bias run looks for in pairs without documents and labels."""
QUALITY, NOISE, TOPIC = 1.0, 1.0, 0.35


class ProbePower(Frozen):
    """The simulated power of one probe.

    ``found`` is the share of biased judges for which it raises an alarm, and ``cleared`` the share that it
    wrongly clears. ``raised`` is the share of unbiased judges with an alarm.
    """

    probe: str
    found: float
    cleared: float
    raised: float


class BiasPower(Frozen):
    """The simulated power of a bias run with ``topics`` topics of ``items`` pairs each, for a bias of
    ``size``.

    ``raised`` is the share of unbiased judges for which any probe raises an alarm.
    """

    topics: int
    items: int
    size: float
    simulations: int
    raised: float
    rows: tuple[ProbePower, ...]


@strict_options
def power_bias(
    *,
    size: float = 0.1,
    topics: Sequence[int] = (8, 12, 20, 40),
    items: Sequence[int] = (2, 5),
    probes: Sequence[str] = (),
    simulations: int = SIMULATIONS,
    seed: int = 13,
    on_cell: Callable[[], object] = lambda: None,
) -> tuple[BiasPower, ...]:
    """Simulate how often a bias run on pairs of arguments detects a bias of this size, all probes corrected
    together.

    Args:
        size: the bias; with 0.1 the favored place, or a changed text, wins 60% instead of 50%.
        topics: numbers of topics.
        items: numbers of pairs per topic.
        probes: the probes; by default those that need neither documents nor labels.
        simulations: the number of unbiased judges, and of biased judges for each probe.
        seed: the seed of the simulated judges.
        on_cell: called after each combination of topics and items.

    Returns:
        The power for each combination.

    Raises:
        UnknownNameError: there is no such probe.
        DeclarationError: a number is out of range, or a probe cannot be run or raises no alarms.
    """
    if not 0 < size <= LARGEST or simulations < MIN_SIMULATIONS:
        raise DeclarationError(
            f"the size of a bias must lie above 0 and be at most {LARGEST:g}, and at least {MIN_SIMULATIONS} "
            f"simulations are needed: not {size:g} and {simulations}"
        )
    found = []
    for count, each in product(topics, items):
        plan = pairs_plan(count * each, count, probes or PROBES)
        found.append(_power(plan, count, each, size, simulations, seed))
        on_cell()
    return tuple(found)


def _power(plan: BiasPlan, topics: int, items: int, size: float, simulations: int, seed: int) -> BiasPower:
    contrasts = primary_contrasts(plan.contrasts)
    if not contrasts:
        raise DeclarationError("none of these probes can raise an alarm: choose others")
    probes = [contrast.probe for contrast in contrasts]
    verdicts: dict[str, list[dict[str, str]]] = {}
    for biased in ("", *probes):
        for number in range(simulations):
            judge = PlantedJudge(contrasts, biased, size, np.random.default_rng([seed, number]))
            rows = bias_rows(contrasts, judge.readings(), seed=seed)
            verdicts.setdefault(biased, []).append({row.probe: row.verdict for row in rows})

    def share(biased: str, probe: str, verdict: str) -> float:
        return sum(said.get(probe) == verdict for said in verdicts[biased]) / simulations

    return BiasPower(
        topics=topics,
        items=items,
        size=size,
        simulations=simulations,
        raised=sum("alarm" in said.values() for said in verdicts[""]) / simulations,
        rows=tuple(
            ProbePower(
                probe=probe,
                found=share(probe, probe, "alarm"),
                cleared=share(probe, probe, "clear"),
                raised=share("", probe, "alarm"),
            )
            for probe in probes
        ),
    )


def pairs_plan(pairs: int, topics: int, probes: Iterable[str] = ()) -> BiasPlan:
    """Plan the contrasts of ``probes`` on synthetic pairs of arguments, spread evenly over topics.

    The judge states which of two arguments is better. Probes that need documents or labels are left out.

    Raises:
        UnknownNameError: there is no such probe.
        DeclarationError: none of the probes can be run.
    """
    items = tuple(
        Item(
            id=f"pair-{number}",
            topic=f"Topic {number % topics}?",
            argument=f"It is right [1]. Reason {number} says so. It works elsewhere.",
            second_argument=f"It is wrong. Reason {number + pairs} says so.",
        )
        for number in range(pairs)
    )
    judge = set_up(own_judge([PREFERENCE]), ClientOptions(OFFLINE_MODEL), JudgeOptions((PREFERENCE,)))
    return plan_bias(ProbeContext(items, judge), probes)


@dataclass
class PlantedJudge:
    """A simulated judge that prefers one of two arguments, with a known bias.

    ``biased`` is the probe that looks for the bias (an unknown name: no bias), and ``size`` the bias in [0,
    0.5).
    """

    contrasts: Sequence[Contrast]
    biased: str
    size: float
    rng: np.random.Generator
    _drawn: dict[tuple[str, ...], float] = field(default_factory=dict)

    def readings(self) -> dict[Key, Judgment]:
        """Return the simulated judgment of each version in the contrasts."""
        values: dict[Key, float] = {}
        for contrast in self.contrasts:
            for pair in contrast.pairs:
                for key in pair.keys:
                    if key not in values:
                        values[key] = self._preference(key, pair.original, pair.cluster)
        return {key: _judgment(value) for key, value in values.items()}

    @cached_property
    def _added(self) -> float:
        """What has to be added to one of two arguments that are equally good on average, for it to win .5 + size."""
        return NormalDist().inv_cdf(0.5 + self.size) * math.hypot(QUALITY, NOISE, TOPIC)

    @cached_property
    def _changes(self) -> Mapping[Key, list[Contrast]]:
        """For each version (variant and item), the contrasts in which it is the changed one."""
        return gathered(
            (key, contrast)
            for contrast in self.contrasts
            if not contrast.mirrored
            for key in dict.fromkeys(pair.changed.key for pair in contrast.pairs)
        )

    def _preference(self, key: Key, item: str, topic: str) -> float:
        """Return a simulated preference of an item's version: 1 if the first argument wins, 0 if the second does;
        judged in both orders, a half if the verdict flips. The planted bias is added to the versions of its probe, and
        noise is drawn from the names, so that it repeats."""
        way, name = key
        version = name.removesuffix(SWAPPED)
        request = AS_IS if way == ONE_ORDER else way
        favored = any(contrast.mirrored and contrast.probe == self.biased for contrast in self.contrasts)
        place = self._added * favored + self._draw(TOPIC, "place", topic)
        better = self._draw(QUALITY, "better", item)
        better += sum(
            self._added * (contrast.probe == self.biased) + self._draw(TOPIC, "moved", contrast.name, topic)
            for contrast in self._changes.get((request, version), ())
        )
        first_order, swapped = (
            float(turn * better + place + self._draw(NOISE, request, version, order) > 0)
            for turn, order in ((1, "given"), (-1, "swapped"))
        )
        if way == ONE_ORDER:
            return swapped if name.endswith(SWAPPED) else first_order
        return (first_order + 1 - swapped) / 2

    def _draw(self, spread: float, *what: str) -> float:
        """The same for the same thing."""
        if what not in self._drawn:
            self._drawn[what] = self.rng.normal()
        return spread * self._drawn[what]


@lru_cache
def _judgment(value: float) -> Judgment:
    """A judgment that has this preference; there are three, and making one takes longer than drawing it."""
    return Judgment.model_construct(
        item="",
        topic="",
        stance="",
        format="simulated",
        model="simulated",
        fingerprint="",
        measures={PREFERENCE: Measure.model_construct(status=Status.SCORED, value=value)},
    )
