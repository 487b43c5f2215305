"""How far a mean moves between waves, and how far apart scores lie."""

import numpy as np
import pytest

from conqret.stats.time_series import severity, spread

TOPICS = [topic for topic in range(8) for _ in range(3)]


@pytest.fixture
def scores() -> np.ndarray:
    rng = np.random.default_rng(2)
    return rng.uniform(0.2, 0.8, size=24) + rng.normal(0, 0.05, size=(6, 24))


def means(values: np.ndarray) -> np.ndarray:
    return values.reshape(len(values), 8, 3).mean(axis=2)


def test_of_two_waves_it_is_the_paired_difference(scores: np.ndarray):
    found = severity(scores[:2], TOPICS, baseline=1)
    first, second = means(scores[:2])
    assert found.level == pytest.approx(first.mean())
    assert found.shifts == pytest.approx([0.0, (second - first).mean()])
    assert found.errors[1] == pytest.approx((second - first).std(ddof=1) / 2**0.5 / 8**0.5)
    assert np.isnan(found.errors[0])


def test_the_error_is_that_of_topics_by_waves(scores: np.ndarray):
    found = severity(scores, TOPICS, baseline=3)
    cells = means(scores)
    left = cells - cells.mean(axis=0) - cells.mean(axis=1)[:, None] + cells.mean()
    assert found.errors[-1] == pytest.approx(((left**2).sum() / (7 * 5) / 8) ** 0.5)
    assert found.shifts[3:] == pytest.approx(cells[3:].mean(axis=1) - cells[:3].mean())
    moved = scores.copy()
    moved[4] += 0.2  # all topics alike: a shift, and no noise
    again = severity(moved, TOPICS, baseline=3)
    assert again.shifts[4] == pytest.approx(found.shifts[4] + 0.2)
    assert again.errors[-1] == pytest.approx(found.errors[-1])


def test_what_comes_later_changes_nothing(scores: np.ndarray):
    whole, part = (severity(one, TOPICS, baseline=2) for one in (scores, scores[:4]))
    assert whole.shifts[:4].tolist() == part.shifts.tolist()
    assert whole.errors[1:4].tolist() == part.errors[1:].tolist()


def test_anchors_without_a_score_move_nothing(scores: np.ndarray):
    steady = np.tile(scores[0], (5, 1))
    steady[3, :2] = np.nan  # the highest or the lowest of a topic: a mean of what is left would jump
    steady[4, :3] = np.nan  # a whole topic
    steady[:, 5] = np.nan  # never scored
    found = severity(steady, TOPICS, baseline=2)
    assert found.shifts == pytest.approx(np.zeros(5))
    assert found.topics.tolist() == [8, 8, 8, 8, 7]
    few = steady.copy()
    few[4, :9] = np.nan
    assert np.isnan(severity(few, TOPICS, baseline=2).shifts[4])
    assert np.isnan(severity(np.full((3, 24), np.nan), TOPICS, baseline=1).level)


def test_spread_sees_who_uses_less_of_the_scale_and_no_shift(scores: np.ndarray):
    steady = np.tile(scores[0], (4, 1))
    steady[2] += 0.1
    middle = means(steady[:1]).mean()
    steady[3] = middle + (steady[0] - middle) / 2
    found = spread(steady, TOPICS, baseline=2)
    assert found.level == pytest.approx(steady[0].std())
    assert found.values == pytest.approx(found.level * np.array([1, 1, 1, 0.5]))
    assert found.shifts == pytest.approx(
        [0, 0, 0, -found.level * (1 - 0.25) / 2]
    )  # of the variance, by the slope
    assert severity(steady, TOPICS, baseline=2).shifts == pytest.approx([0, 0, 0.1, 0])
    alike = spread(np.full((3, 24), 0.5), TOPICS, baseline=1)
    assert (alike.level, alike.shifts.tolist()) == (0.0, [0.0, 0.0, 0.0])


def test_noise_that_carries_over_is_told_from_noise_that_does_not():
    """The mean over 60 series of twelve topics and 20 waves is the true autocorrelation, without the bias of short
    series; of independent noise it is said of about one in twenty."""
    rng = np.random.default_rng(3)
    for truth in (0.0, 0.5):
        found = []
        for _ in range(60):
            noise = rng.normal(size=(20, 36))
            for wave in range(1, 20):
                noise[wave] = truth * noise[wave - 1] + (1 - truth**2) ** 0.5 * noise[wave]
            found.append(severity(0.5 + 0.05 * noise, np.repeat(range(12), 3).tolist(), baseline=3).carried)
        assert np.mean([one.correlation for one in found]) == pytest.approx(truth, abs=0.04)
        shown = np.mean([one.shown for one in found])
        assert shown == 1 if truth else shown <= 0.12


def test_of_few_waves_or_without_noise_nothing_is_said_of_what_carries_over(scores: np.ndarray):
    assert severity(scores[:5], TOPICS, baseline=3).carried.correlation is None
    assert severity(np.tile(scores[0], (8, 1)), TOPICS, baseline=3).carried.correlation is None
    assert severity(scores, TOPICS, baseline=3).carried.correlation is not None
