"""What would a bias run find, miss and falsely raise on these items? Biases of known size, planted one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Unpack

from conqret.data import Item
from conqret.data.item import Frozen
from conqret.data.topic_keys import TopicKeys
from conqret.errors import DeclarationError, strict_options
from conqret.io.labels import Labels
from conqret.judging.judge import Items
from conqret.judging.judge_folder import FinishedRun, folder_of
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.judge_parts import Judge
from conqret.judging.judge_settings import ItemSettings, OwnJudgeSettings
from conqret.judging.own_judge import own_judge
from conqret.judging.setup import set_up
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions
from conqret.stats.effects import ALPHA
from conqret.studies.bias.bias_run import BiasPlan, plan_bias
from conqret.studies.bias.bias_study import bias_plan
from conqret.studies.bias.contrast import PREFERENCE, ProbeContext
from conqret.studies.bias.result import bias_rows, primary_contrasts
from conqret.studies.power.planted_bias import NOISE, PlantedJudge, noise_of

SIMULATIONS = 100
"""Judges of each kind: the standard error of a share of one half is then .05."""
SIZE = 0.1
"""A tenth of the scale, or a first place that wins 60%."""
LARGEST = 0.45
"""A place that wins 95%."""
FEWEST = 20
MOST_VARIED = 3.0
"""Beyond that one topic in ten or fewer has any bias at all."""


class PlantedBiasRates(Frozen):
    """What became of the judges with the bias of one probe, as shares: ``found`` by an alarm, ``cleared`` wrongly; and
    ``raised`` of those without any bias."""

    probe: str
    metric: str
    found: float
    cleared: float
    raised: float


class SelfTest(Frozen):
    """What a bias run on these items can do. ``raised`` is the share of the judges without a bias of which any probe
    raised an alarm; more than ``allowed`` are more than 5% by a one-sided binomial test. ``vary`` is how far the bias
    differed between topics, as a share of its size."""

    items: int
    topics: int
    size: float
    noise: float
    vary: float = 0.0
    simulations: int
    raised: float
    allowed: float
    rows: tuple[PlantedBiasRates, ...]
    left_out: Mapping[str, str] = {}


class PlantedSettings(ItemSettings, OwnJudgeSettings, total=False):
    """How items are read, and a judge of one's own that is simulated; ``metrics`` selects among those of the format."""

    metrics: Sequence[str]


@strict_options
def power_planted(
    items: Items,
    *,
    format: str | Judge | None = None,  # noqa: A002 - the word that users know
    size: float = SIZE,
    noise: float = NOISE,
    vary: float = 0.0,
    simulations: int = SIMULATIONS,
    seed: int = 13,
    probes: Sequence[str] = (),
    labels: Labels | None = None,
    on_plan: Callable[[BiasPlan], object] = lambda plan: None,
    on_judge: Callable[[], object] = lambda: None,
    **settings: Unpack[PlantedSettings],
) -> SelfTest:
    """Plant biases of known size into a simulated judge on these items, and test which of them a bias run detects.

    Args:
        items: a path, a frame, or items and dictionaries.
        format: the format of the judge; None: the default one, or criteria among the settings.
        size: as for :func:`selftest`, like ``noise``, ``simulations``, ``seed`` and ``on_judge``.
        noise: how far a score strays, a standard deviation.
        vary: how far the bias differs between topics, a standard deviation as a share of its size: 0 in none, 1 so that
            few topics carry most of it.
        simulations: judges without a bias, and with that of each probe.
        seed: the seed of the simulated judges.
        probes: only these; by default all.
        labels: human labels of the items, for stance and self-preference.
        on_plan: gets the plan of the comparisons.
        on_judge: is called after each simulated judge.
        settings: the judge's metrics, or a judge of one's own, and how items are read.

    Raises:
        DeclarationError: as :func:`selftest` and :func:`conqret.bias`.
    """
    plan = bias_plan(items, format=format, probes=probes, labels=labels, **settings)
    on_plan(plan)
    return selftest(
        plan, size=size, noise=noise, vary=vary, simulations=simulations, seed=seed, on_judge=on_judge
    )


def repeated_noise(run: FinishedRun) -> float:
    """How far a score strays of the judge of a finished run with several samples of each score.

    Raises:
        DeclarationError: the run is not finished, or has no several samples that differ.
    """
    folder = folder_of(run)
    return noise_of(folder.finished(), str(folder.path))


def selftest(
    plan: BiasPlan,
    *,
    size: float = SIZE,
    noise: float = NOISE,
    vary: float = 0.0,
    simulations: int = SIMULATIONS,
    seed: int = 13,
    on_judge: Callable[[], object] = lambda: None,
) -> SelfTest:
    """Plant a bias of ``size`` for one probe after another into simulated judges
    (:mod:`conqret.studies.power.planted_bias`), and test them as a bias run does: its comparisons, its primary rows,
    its correction. No model is asked.

    Args:
        plan: what would be compared.
        size: by how much scores move, and how far above one half a place or a change wins; above 0, up to .45.
        noise: how far a score strays, a standard deviation.
        vary: how far the bias differs between topics, a standard deviation as a share of its size: 0 in none, 1 so that
            few topics carry most of it.
        simulations: judges without a bias, and with that of each probe.
        seed: draws the judges.
        on_judge: called after each of them.

    Raises:
        DeclarationError: a number is out of its range, or no probe of the plan can raise an alarm.
    """
    import numpy as np
    from scipy.stats import binom

    if not 0 < size <= LARGEST or not noise > 0 or simulations < FEWEST:
        raise DeclarationError(
            f"a size must lie above 0 and be at most {LARGEST:g}, noise must be above 0, and at "
            f"least {FEWEST} simulations are needed: not {size:g}, {noise:g} and {simulations}"
        )
    if not 0 <= vary <= MOST_VARIED:
        raise DeclarationError(f"--vary must lie in [0, {MOST_VARIED:g}], not at {vary:g}")
    contrasts = primary_contrasts(plan.contrasts)
    if not contrasts:
        raise DeclarationError(
            "none of these probes can raise an alarm, so there is nothing to test: choose others"
        )
    probes = [contrast.probe for contrast in contrasts]
    verdicts_by_bias: dict[str, list[dict[str, str]]] = {}
    for biased in ("", *probes):
        for number in range(simulations):
            rng = np.random.default_rng([seed, number])
            judge = PlantedJudge(plan.ground, contrasts, biased, size, noise, rng, vary)
            rows = bias_rows(contrasts, judge.readings(), seed=seed)
            verdicts_by_bias.setdefault(biased, []).append({row.probe: row.verdict for row in rows})
            on_judge()

    def share(biased: str, counts: Callable[[Mapping[str, str]], bool]) -> float:
        return sum(map(counts, verdicts_by_bias[biased])) / simulations

    def of_probe(biased: str, probe: str, verdict: str) -> float:
        return share(biased, lambda outcomes: outcomes.get(probe) == verdict)

    return SelfTest(
        items=len(plan.ground.items),
        topics=TopicKeys.of(plan.ground.items).count,
        size=size,
        noise=noise,
        vary=vary,
        simulations=simulations,
        raised=share("", lambda outcomes: "alarm" in outcomes.values()),
        allowed=float(binom.ppf(1 - ALPHA, simulations, ALPHA)) / simulations,
        rows=tuple(
            PlantedBiasRates(
                probe=contrast.probe,
                metric=contrast.metrics[0],
                found=of_probe(contrast.probe, contrast.probe, "alarm"),
                cleared=of_probe(contrast.probe, contrast.probe, "clear"),
                raised=of_probe("", contrast.probe, "alarm"),
            )
            for contrast in contrasts
        ),
        left_out=plan.left_out,
    )


def pairs_plan(pairs: int, topics: int, probes: Iterable[str] = ()) -> BiasPlan:
    """The comparisons of ``probes`` on so many pairs of arguments without documents, spread evenly over topics, for a
    judge that says which of two is better. Probes that need more are left out.

    Raises:
        UnknownNameError: there is no such probe.
        DeclarationError: none of them can be made.
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
    options = JudgeOptions((PREFERENCE,))
    return plan_bias(
        ProbeContext(items, set_up(own_judge([PREFERENCE]), ClientOptions(OFFLINE_MODEL), options)), probes
    )
