"""Biases of known size are planted as they are said to be, found where they are large, and not raised at nothing."""

import numpy as np
import pytest

from conqret.errors import DeclarationError
from conqret.studies.bias.bias_effects import bias_rows, primary_contrasts
from conqret.studies.power.bias_power import PlantedJudge, pairs_plan, power_bias


@pytest.fixture(scope="module")
def pairs():
    return pairs_plan(36, 12, ("position", "length"))


def effects(plan, biased, size, judges=15):
    """The mean effect of each primary row."""
    contrasts = primary_contrasts(plan.contrasts)
    found = {}
    for seed in range(judges):
        judge = PlantedJudge(contrasts, biased, size, np.random.default_rng(seed))
        for row in bias_rows(contrasts, judge.readings(), seed=seed):
            found.setdefault(row.probe, []).append(row.effect.value)
    return {probe: np.mean(values) for probe, values in found.items()}


def test_a_bias_is_as_large_as_it_is_said_to_be_and_where_it_was_planted(pairs):
    place = effects(pairs, "position", 0.1)
    assert place == {"position": pytest.approx(0.2, abs=0.06), "length": pytest.approx(0, abs=0.06)}
    padding = effects(pairs, "length", 0.2)
    assert padding == {"position": pytest.approx(0, abs=0.06), "length": pytest.approx(0.2, abs=0.06)}


def test_large_biases_are_found_and_nothing_is_not():
    (found,) = power_bias(size=0.4, topics=[12], items=[3], probes=["position", "length"], simulations=20)
    assert (found.items, found.topics, found.simulations) == (3, 12, 20)
    assert [row.probe for row in found.rows] == ["position", "length"]
    assert all(row.found == 1 and row.cleared == 0 for row in found.rows)
    assert max(row.raised for row in found.rows) <= found.raised <= 0.15


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"size": 0.5}, "the size of a bias must lie above 0"),
        ({"probes": ["repeatability"]}, "none of these probes can raise an alarm"),
    ],
)
def test_what_cannot_be_planted_is_refused(wrong, message):
    with pytest.raises(DeclarationError, match=message):
        power_bias(topics=[6], items=[2], **wrong)
