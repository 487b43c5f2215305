"""Scores over perturbation levels: the printed correlations of ConQRet, trends, and slopes."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from conqret.stats.correlation import pearson
from conqret.stats.curve_tests import respond, slope_bounds, strictly_falls

LEVELS = (0, 10, 20, 50, 70, 100)

# ConQRet, Table 15: direct and RAG-direct, con and pro, with the printed correlations.
TABLE_15 = {
    "direct con": ((0.817, 0.703, 0.676, 0.672, 0.690, 0.210), -0.82),
    "direct pro": ((0.869, 0.797, 0.841, 0.762, 0.714, 0.231), -0.86),
    "rag-direct con": ((0.810, 0.779, 0.769, 0.767, 0.702, 0.529), -0.903),
    "rag-direct pro": ((0.795, 0.755, 0.741, 0.704, 0.693, 0.453), -0.90),
}
# ConQRet, Table 16: GPT-4o over gold documents.
TABLE_16 = {
    "direct": ((0.914, 0.897, 0.834, 0.893, 0.772, 0.214), -0.82),
    "static-rubric": ((0.960, 0.914, 0.833, 0.661, 0.506, 0.017), -0.97),
    "g-eval": ((0.869, 0.821, 0.773, 0.698, 0.621, 0.295), -0.95),
    "query-rubric": ((0.925, 0.923, 0.928, 0.781, 0.686, 0.094), -0.90),
    "rag-rubric": ((0.880, 0.873, 0.826, 0.791, 0.634, 0.477), -0.97),
    "rag-direct": ((0.722, 0.616, 0.545, 0.372, 0.333, 0.157), -0.99),
    "rag-fine-grained": ((0.708, 0.670, 0.480, 0.458, 0.329, 0.169), -0.97),
}


@pytest.mark.parametrize(("scores", "printed"), [*TABLE_15.values(), *TABLE_16.values()])
def test_the_correlations_of_tables_15_and_16_are_those_printed(
    scores: tuple[float, ...], printed: float
) -> None:
    value = pearson(LEVELS, scores).value
    assert value is not None
    assert round(value, 2) == pytest.approx(round(printed, 2))


def test_monotone_decrease_in_tables_15_and_16() -> None:
    falling = {name for name, (scores, _) in {**TABLE_15, **TABLE_16}.items() if strictly_falls(scores)}
    assert falling == {
        "rag-direct con",
        "rag-direct pro",
        "static-rubric",
        "g-eval",
        "rag-rubric",
        "rag-direct",
        "rag-fine-grained",
    }


def test_a_falling_score() -> None:
    rows = [[0.9, 0.6, 0.2], [0.8, 0.5, 0.3], [1.0, 0.6, 0.1], [0.9, 0.7, 0.2]] * 2
    found = respond(rows, (0, 1, 2), list("abcdefgh"))
    assert found.means == pytest.approx((0.9, 0.6, 0.2))
    assert found.falls
    assert (found.fell, found.rose) == (1, 0)
    assert found.spearman == pytest.approx(-1)
    assert [step.significant for step in found.neighbours] == [True, True]
    assert [shift.value for shift in found.shifts] == pytest.approx([-0.3, -0.7])
    assert found.trend.value == pytest.approx(-0.7)


def test_neighbours_are_compared_over_topics_of_one_size_as_students_test_does() -> None:
    rng = np.random.default_rng(4)
    differences = rng.normal(0.05, 0.1, size=(7, 3))
    rows = [[0.5, 0.5 + difference] for difference in differences.ravel()]
    (step,) = respond(rows, (0, 1), np.repeat(np.arange(7), 3).tolist()).neighbours
    assert step.difference == pytest.approx(differences.mean())
    assert step.p == pytest.approx(ttest_1samp(differences.mean(axis=1), 0).pvalue)


def test_the_trend_is_that_of_the_line_through_all_levels() -> None:
    rows = [[0.9, 0.2, 0.4, 0.1], [0.8, 0.5, 0.3, 0.3], [1.0, 0.6, 0.1, 0.2]]
    trend = respond(rows, (0, 5, 50, 100), list("abc")).trend
    assert trend.value == pytest.approx(3 * np.polyfit(range(4), np.mean(rows, axis=0), 1)[0])


def test_two_levels_have_no_correlation_and_one_topic_no_test() -> None:
    found = respond([[0.5, 0.4], [0.5, 0.2]], (0, 1), ["a", "a"])
    assert (found.pearson, found.spearman) == (None, None)  # it is -1 of any two levels that fall
    assert (found.neighbours[0].p, found.trend.above()) == (None, None)


def test_a_score_that_stands_still_is_equivalent() -> None:
    found = respond([[0.5, 0.5], [0.7, 0.7], [0.2, 0.2]] * 2, (0, 1), list("abcdef"))
    assert found.shifts[0].equivalent(0.01) == 0.5**6  # six topics, all of which say the same
    assert found.shifts[0].p() == 1


def test_the_slope_lies_between_the_two_regressions():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=20_000)
    x, y = truth + rng.normal(size=20_000), 0.5 * truth + 0.5 * rng.normal(size=20_000)
    # var(x) = 2, var(y) = .5, cov = .5
    assert slope_bounds(x, y) == pytest.approx((0.25, 1.0), abs=0.03)
    assert slope_bounds(truth, 3 + 2 * truth) == pytest.approx((2, 2))
