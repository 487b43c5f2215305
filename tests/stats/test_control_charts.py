"""Charts and limits, beside tables, a Markov chain and plain data that are charted by another hand."""

import numpy as np
import pytest
from scipy.stats import norm

from conqret.errors import DeclarationError
from conqret.stats.control_charts import Charts, ControlLimits, Design, missable_shift, set_limits, simulated
from conqret.stats.drift_plan import ChartPlan


def chain(reference: float, limit: float, states: int = 200) -> np.ndarray:
    """Transitions of a one-sided CUSUM between its states below the limit (Brook and Evans 1972, section 2)."""
    width = 2 * limit / (2 * states - 1)
    ends = width * (np.arange(states)[:, None] * -1 + np.arange(states) + 0.5) + reference
    reached = norm.cdf(ends)
    return np.diff(reached, axis=1, prepend=0.0)


def test_the_cusum_is_that_of_the_tables():
    below = chain(1.0, 2.52)
    average = np.linalg.solve(np.eye(len(below)) - below, np.ones(len(below)))[0]
    assert average / 2 == pytest.approx(370, rel=0.02)  # both sides: Hawkins (1993), k = 1, h = 2.52
    stays = np.linalg.matrix_power(below, 20).sum(axis=1)[0]
    known = Design(topics=10_000, waves=920, baseline=900)  # as good as known: mean and noise
    alarms = np.concatenate(
        [one.cusum_statistic.max(axis=0) > 2.52 for one in simulated(known, 20_000, seed=3)]
    )
    assert alarms.mean() == pytest.approx(1 - stays**2, rel=0.12)


def by_another_hand(scores: np.ndarray, baseline: int) -> tuple[np.ndarray, np.ndarray]:
    """Both statistics of series of topic means (series by waves by topics), as their definitions say."""
    count, waves, topics = scores.shape
    ewma = np.zeros((count, waves - baseline))
    cusum = np.zeros_like(ewma)
    up = down = np.zeros(count)
    moves = scores.mean(axis=2) - scores[:, :baseline].mean(axis=(1, 2))[:, None]
    for last in range(baseline, waves):
        seen = scores[:, : last + 1]
        left = seen - seen.mean(axis=2, keepdims=True) - seen.mean(axis=1, keepdims=True)
        left += seen.mean(axis=(1, 2), keepdims=True)
        error = np.sqrt((left**2).sum(axis=(1, 2)) / ((topics - 1) * last) / topics)
        weights = 0.3 * 0.7 ** np.arange(last - baseline, -1, -1)
        deviation = error * np.sqrt((weights**2).sum() + weights.sum() ** 2 / baseline)
        ewma[:, last - baseline] = abs(moves[:, baseline : last + 1] @ weights) / deviation
        z = moves[:, last] / (error * np.sqrt(1 + 1 / baseline))
        up, down = np.maximum(0, up + z - 1), np.maximum(0, down - z - 1)
        cusum[:, last - baseline] = np.maximum(up, down)
    return ewma, cusum


@pytest.mark.parametrize(("topics", "baseline"), [(6, 1), (12, 3)])
def test_a_judge_that_stands_still_raises_as_many_alarms_as_promised(topics: int, baseline: int):
    rng = np.random.default_rng(5)
    scores = 0.5 + 0.1 * rng.normal(size=(1, 1, topics)) + 0.03 * rng.normal(size=(6_000, 20, topics))
    limits = set_limits(Design(topics, baseline=baseline), 0.05)
    ewma, cusum = by_another_hand(scores, baseline)
    rate = ((ewma > limits.ewma) | (cusum > limits.cusum)).any(axis=1).mean()
    assert 0.036 < rate < 0.058  # .047, and four standard errors of what 6,000 series show
    own = (ewma > limits.ewma).any(axis=1).mean(), (cusum > limits.cusum).any(axis=1).mean()
    assert own[0] == pytest.approx(own[1], abs=0.012)


def test_charts_are_what_their_docstrings_say():
    shifts = np.array([[0.1], [np.nan], [0.3]])
    charts = Charts(shifts, np.array([[0.1], [np.nan], [0.1]]), baseline=4)
    assert charts.ewma[:, 0] == pytest.approx([0.03, 0.03, 0.7 * 0.03 + 0.09])
    root = 1.25**0.5
    assert charts.cusums[0][:, 0] == pytest.approx([0, 0, 3 / root - 1])
    assert charts.ewma_errors[0, 0] == pytest.approx(0.1 * 0.3 * root)
    weights = np.array([0.3, 0.21, 0.147])
    assert charts.ewma_errors[2, 0] == pytest.approx(
        0.1 * ((weights**2).sum() + weights.sum() ** 2 / 4) ** 0.5
    )
    assert not charts.alarms(ControlLimits(9.0, 9.0)).any()
    assert charts.alarms(ControlLimits(9.0, 1.0))[:, 0].tolist() == [False, False, True]


def test_where_a_judge_always_says_the_same_any_change_is_endless():
    charts = Charts(np.array([[0.0, 0.001, -0.001]]), np.zeros((1, 3)), baseline=3)
    assert charts.alarms(ControlLimits(4.0, 9.0))[0].tolist() == [False, True, True]


def test_limits_are_the_same_again_and_wider_for_fewer_topics_and_false_alarms():
    design = Design(12)
    limits = set_limits(design, 0.05, 1)
    set_limits.cache_clear()
    assert set_limits(design, 0.05, 1) == limits
    for wider in (set_limits(Design(6), 0.05, 1), set_limits(design, 0.01, 1)):
        assert wider.ewma > limits.ewma
        assert wider.cusum > limits.cusum


def test_what_would_have_been_found_falls_with_time():
    limits = set_limits(Design(12), 0.05)
    soon, later = (missable_shift(Design(12), limits, count) for count in (1, 12))
    assert soon is not None
    assert later is not None
    assert later < soon - 1
    assert missable_shift(Design(12), ControlLimits(1e9, 1e9), 3) is None


def test_a_plan_finds_what_the_bar_asks_for():
    cell = ChartPlan(shift=0.05, sd=0.1, icc=0.0, after=10).plan(Design(12), 5)
    assert cell.error == pytest.approx(0.1 / 60**0.5)
    assert cell.found > 0.95
    assert cell.false_alarms <= 0.05
    assert cell.delay is not None
    assert 2 < cell.delay < 4
    shared = ChartPlan(shift=0.05, sd=0.1, icc=0.5, after=10).plan(Design(12), 5)
    assert shared.error > cell.error
    assert shared.found < cell.found


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: Design(5), "5 topics cannot be charted: use 6 to"),
        (lambda: Design(12, 3, 3), "needs at least one wave of baseline, one after it"),
        (lambda: Design(12, 20, 0), "needs at least one wave of baseline"),
        (lambda: Design(12, 10**6), "at most 1,000"),
        (lambda: set_limits(Design(12), 0.0), "must lie in"),
        (lambda: set_limits(Design(12), 0.9), "must lie in"),
        (lambda: ChartPlan(2.0, 0.1, 0.0, 10), "shift must lie in"),
        (lambda: ChartPlan(0.1, 0.0, 0.0, 10), "sd must be above 0"),
        (lambda: ChartPlan(0.1, 0.1, 2.0, 10), "icc must lie in"),
        (
            lambda: ChartPlan(0.1, 0.1, 0.0, 2).plan(Design(12), 5),
            "comes after 3 to 19 waves, not after 2",
        ),
        (lambda: ChartPlan(0.1, 0.1, 0.0, 10).plan(Design(12), 0), "one item at least"),
    ],
)
def test_what_cannot_be_charted_is_refused(made, message):
    with pytest.raises(DeclarationError, match=message):
        made()
