"""Biases of known size are planted as they are said to be, found where they are large, and not raised at nothing."""

from pathlib import Path

import numpy as np
import pytest

from conqret.errors import DeclarationError
from conqret.studies.bias.bias_run import plan_bias
from conqret.studies.bias.bias_study import bias_plan
from conqret.studies.bias.result import bias_rows, primary_contrasts
from conqret.studies.power.planted_bias import NOISE, PlantedJudge, noise_of
from conqret.studies.power.selftest import pairs_plan, selftest
from tests.reliability.judged import judgment, scored

ITEMS = Path(__file__).parents[2] / "fixtures/demo/items.jsonl"


@pytest.fixture(scope="module")
def pairs():
    return pairs_plan(36, 12, ("position", "length"))


@pytest.fixture(scope="module")
def scores():
    """Of one argument, not of two."""
    return bias_plan(ITEMS, format="direct", metrics=["groundedness"], probes=["length"])


def effects(plan, biased, size, judges=15):
    """The mean effect of each primary row."""
    contrasts = primary_contrasts(plan.contrasts)
    found = {}
    for seed in range(judges):
        judge = PlantedJudge(plan.ground, contrasts, biased, size, NOISE, np.random.default_rng(seed))
        for row in bias_rows(contrasts, judge.readings(), seed=seed):
            found.setdefault(row.probe, []).append(row.effect.value)
    return {probe: np.mean(values) for probe, values in found.items()}


def test_a_bias_is_as_large_as_it_is_said_to_be_and_where_it_was_planted(pairs, scores):
    place = effects(pairs, "position", 0.1)
    assert place == {"position": pytest.approx(0.2, abs=0.06), "length": pytest.approx(0, abs=0.06)}
    padding = effects(pairs, "length", 0.2)
    assert padding == {"position": pytest.approx(0, abs=0.06), "length": pytest.approx(0.2, abs=0.06)}
    assert effects(scores, "length", 0.2) == {"length": pytest.approx(0.2, abs=0.03)}


def test_a_bias_that_varies_is_as_large_in_the_mean_and_harder_to_find(pairs, scores):
    contrasts = primary_contrasts(scores.contrasts)
    sizes = []
    for seed in range(60):
        judge = PlantedJudge(scores.ground, contrasts, "length", 0.1, NOISE, np.random.default_rng(seed), 1.0)
        (row,) = bias_rows(contrasts, judge.readings(), seed=seed)
        sizes.append(row.effect.value)
    assert np.mean(sizes) == pytest.approx(0.1, abs=0.02)
    constant, varied = (selftest(scores, size=0.08, vary=vary, simulations=60) for vary in (0.0, 2.0))
    assert (constant.vary, varied.vary) == (0.0, 2.0)
    assert varied.rows[0].found < constant.rows[0].found
    assert varied.raised == constant.raised  # judges without a bias are the same
    with pytest.raises(DeclarationError, match="--vary must lie in"):
        selftest(scores, vary=-1)


def test_one_judge_says_the_same_of_the_same_question(pairs):
    """Both orders of a pair are the two verdicts on which the places are compared."""
    contrasts = primary_contrasts(pairs.contrasts)
    judge = PlantedJudge(pairs.ground, contrasts, "", 0.1, NOISE, np.random.default_rng(1))
    said = judge.readings()
    for item in pairs.ground.items:
        given, swapped = (
            said["one order", name].value("preference") for name in (item.id, f"{item.id}+swapped")
        )
        assert said["as it is", item.id].value("preference") == (given + 1 - swapped) / 2
    assert {one.value("preference") for one in said.values()} == {0.0, 0.5, 1.0}


def test_large_biases_are_found_and_nothing_is_not(pairs, scores):
    found = selftest(pairs, size=0.4, simulations=20)
    assert (found.items, found.topics, found.simulations) == (36, 12, 20)
    assert [row.probe for row in found.rows] == ["position", "length"]
    assert all(row.found == 1 and row.cleared == 0 for row in found.rows)
    assert found.raised <= found.allowed == 0.15
    assert max(row.raised for row in found.rows) <= found.raised
    assert selftest(scores, size=0.3, simulations=20).rows[0].found == 1


@pytest.mark.parametrize(
    "wrong", [{"size": 0}, {"size": 0.5}, {"size": -0.1}, {"noise": 0}, {"simulations": 5}]
)
def test_what_cannot_be_planted_is_refused(pairs, wrong):
    with pytest.raises(DeclarationError, match="a size must lie above 0"):
        selftest(pairs, **wrong)


def test_probes_that_only_measure_have_nothing_to_find(pairs):
    with pytest.raises(DeclarationError, match="none of these probes can raise an alarm"):
        selftest(plan_bias(pairs.ground, ["repeatability"]))


def test_the_noise_of_a_judge_that_was_asked_again() -> None:
    """Three samples that stray by .15 each: their mean strays by that over the root of three."""
    rng = np.random.default_rng(4)
    judgments = []
    for number in range(400):
        samples = tuple(np.clip(0.5 + 0.15 * rng.normal(size=3), 0, 1).tolist())
        measure = scored(sum(samples) / 3).model_copy(update={"samples": (*samples, None)})
        judgments.append(judgment(f"i{number}", {"clarity": measure}, topic="t"))
    assert noise_of(judgments, "run") == pytest.approx(0.15 / 3**0.5, rel=0.06)
    single = [judgment("i", {"clarity": scored(0.5)}, topic="t")]
    with pytest.raises(DeclarationError, match="several samples"):
        noise_of(single, "run")
    alike = [judgment("i", {"clarity": scored(0.5).model_copy(update={"samples": (0.5, 0.5)})}, topic="t")]
    with pytest.raises(DeclarationError, match="noise cannot be estimated"):
        noise_of(alike, "run")
