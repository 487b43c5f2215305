"""Plans by simulation: biases of known size, widths that follow the closed form, and pilots."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from conqret.studies.bias.bias_effects import bias_rows, primary_contrasts
from conqret.studies.power.bias_power import PlantedJudge, pairs_plan
from conqret.studies.power.page import lost_cells
from conqret.studies.power.sample_sizes import (
    alpha_of_two,
    assumed,
    assumed_differences,
    from_pilot,
    mean_of_one,
    planned_sizes,
)


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


def means(draw, topics, items, simulations):
    return planned_sizes(draw, mean_of_one, tests=True, topics=topics, items=items, simulations=simulations)


def test_the_width_of_a_mean_is_the_closed_form():
    for cell in means(assumed_differences(0.0, 0.2, 0.25), (8, 20), (1, 4), 150):
        sd = 0.2 * ((0.25 + 0.75 / cell.items) / cell.topics) ** 0.5
        assert cell.half_width == pytest.approx(t.ppf(0.975, cell.topics - 1) * sd, rel=0.1)
        assert cell.power < 0.12  # nothing is there to be found: 5%


def test_power_rises_with_topics_and_hardly_with_items():
    draw = assumed_differences(0.1, 0.2, 0.5)
    few, many, more_items = means(draw, (8, 40), (2,), 80) + means(draw, (8,), (10,), 80)
    assert few.power < 0.5
    assert many.power > 0.85
    assert more_items.power < many.power - 0.2


def test_alpha_by_assumption_and_from_a_pilot():
    plan = {"topics": (6, 24), "items": (4,), "simulations": 40}
    few, many = planned_sizes(assumed(0.6, 0.2), alpha_of_two(), **plan)
    assert many.half_width < few.half_width / 1.5
    assert few.power is None
    pilot = from_pilot(
        assumed(0.6, 0.2)(30, 4, np.random.default_rng(2)), np.repeat(np.arange(30), 4).tolist()
    )
    again = planned_sizes(pilot, alpha_of_two(), **plan)
    assert again[1].half_width == pytest.approx(many.half_width, rel=0.3)
    assert again == planned_sizes(pilot, alpha_of_two(), **plan)  # seeded


def test_sizes_without_an_interval_are_said():
    (cell,) = means(assumed_differences(0.1, 0.1, 0.0), (2,), (5,), 20)
    assert (cell.half_width, cell.power, cell.without) == (None, None, 1.0)
    assert lost_cells([cell]) == ""  # that of so few topics none has one is no surprise
    assert "with 8 topics" in lost_cells([cell, replace(cell, topics=8)])
