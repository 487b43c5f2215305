"""Plans by simulation: widths fall with topics, follow the closed form, and a pilot stands in for assumptions."""

import numpy as np
import pytest
from scipy.stats import t

from conqret.errors import DeclarationError
from conqret.studies.power.page import lost_cells
from conqret.studies.power.sample_sizes import (
    SamplePlan,
    assumed,
    assumed_differences,
    from_pilot,
    plan_agreement,
    plan_mean,
    skewed,
)


def test_the_width_of_a_mean_is_the_closed_form():
    draw = assumed_differences(0.0, 0.2, 0.25)
    for cell in plan_mean(draw, SamplePlan((8, 20), (1, 4), simulations=150)):
        sd = 0.2 * ((0.25 + 0.75 / cell.items) / cell.topics) ** 0.5
        assert cell.half_width == pytest.approx(t.ppf(0.975, cell.topics - 1) * sd, rel=0.1)
        assert cell.power < 0.12  # nothing is there to be found: 5%


def test_power_rises_with_topics_and_hardly_with_items():
    draw = assumed_differences(0.1, 0.2, 0.5)
    few, many, more_items = plan_mean(draw, SamplePlan((8, 40), (2,), simulations=80)) + plan_mean(
        draw, SamplePlan((8,), (10,), simulations=80)
    )
    assert few.power < 0.5
    assert many.power > 0.85
    assert more_items.power < many.power - 0.2


def test_alpha_by_assumption_and_from_a_pilot():
    plan = SamplePlan((6, 24), (4,), simulations=40)
    few, many = plan_agreement(assumed(0.6, 0.2), plan)
    assert many.half_width < few.half_width / 1.5
    assert few.power is None
    pilot = assumed(0.6, 0.2)(30, 4, np.random.default_rng(2))
    again = plan_agreement(from_pilot(pilot, np.repeat(np.arange(30), 4).tolist()), plan)
    assert again[1].half_width == pytest.approx(many.half_width, rel=0.3)
    assert again == plan_agreement(from_pilot(pilot, np.repeat(np.arange(30), 4).tolist()), plan)  # seeded


def test_two_topics_have_no_width():
    (cell,) = plan_mean(assumed_differences(0.1, 0.1, 0.0), SamplePlan((2,), (5,), simulations=20))
    assert (cell.half_width, cell.power, cell.without) == (None, None, 1.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: SamplePlan((0,), (1,)),
        lambda: SamplePlan((), (1,)),
        lambda: assumed(1.0, 0.2),
        lambda: assumed(0.5, 1.2),
        lambda: assumed_differences(0.1, 0.0, 0.2),
        lambda: from_pilot([[1.0, 2.0]], ["a", "a"]),
        lambda: from_pilot([[1.0, 2.0]], ["a"]),
    ],
)
def test_what_cannot_be_planned(call):
    with pytest.raises(DeclarationError):
        call()


def test_labels_with_rare_steps_leave_studies_without_an_interval():
    """Skewed three-point labels on eight topics left 64% of studies without an interval, of which nobody was told."""
    draw = skewed(assumed(0.7, 0.2), (0.8, 0.15, 0.05))
    values = draw(400, 10, np.random.default_rng(1))
    shares = np.bincount(values[1].astype(int)) / values.shape[1]
    assert shares == pytest.approx([0.8, 0.15, 0.05], abs=0.02)
    few, many = plan_agreement(draw, SamplePlan((8, 50), (3,), simulations=40), "ordinal")
    assert (few.half_width, many.without) == (None, 0.0)
    assert few.without > 0.05
    assert "8 topics" in lost_cells([few, many])
    assert lost_cells([many]) == ""
    for wrong in ((1.0,), (0.5, 0.6), (1.0, 0.0)):
        with pytest.raises(DeclarationError, match="shares of labels"):
            skewed(assumed(0.7, 0.2), wrong)
