"""Severity of raters, by other ways, in sparse and broken designs, and on published ratings."""

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from conqret.stats.rater_severity import FEWEST_LABELLED, place_raters, rater_tests
from conqret.stats.resampling import leave_one_out, mean_interval

TOPICS = np.repeat(range(10), 4).tolist()


def rated(rng, severities, units=40, noise=0.6, low=1, high=5):
    """Ratings in steps by raters of known severities."""
    worth = rng.normal(3, 0.8, units)
    errors = rng.normal(0, noise, (len(severities), units))
    return np.clip(np.round(worth - np.array(severities)[:, None] + errors), low, high)


def by_dummies(table):
    """Severities by regression on dummies of units and raters."""
    raters, units = np.nonzero(~np.isnan(table))
    design = np.zeros((len(raters), sum(table.shape)))
    design[np.arange(len(raters)), raters] = 1
    design[np.arange(len(raters)), len(table) + units] = 1
    effects = np.linalg.lstsq(design, table[raters, units])[0][: len(table)]
    return effects.mean() - effects


def test_where_all_label_all_it_is_the_mean_of_all_minus_ones_own():
    table = rated(np.random.default_rng(1), [0.5, 0.0, -0.5])
    placed = place_raters(table, leave_one_out(TOPICS))
    assert placed.groups == (3,)
    for row, rater in zip(table, placed.raters, strict=True):
        expected = mean_interval((table.mean(axis=0) - row).tolist(), TOPICS)
        found = rater.severity.estimate()
        assert [found.value, found.low, found.high] == pytest.approx(
            [expected.value, expected.low, expected.high]
        )
    assert sum(rater.severity.value for rater in placed.raters) == pytest.approx(0)


def test_where_each_labels_some_it_is_the_regression_on_units_and_raters():
    rng = np.random.default_rng(2)
    table = rated(rng, [0.6, 0.2, 0.0, -0.2, -0.6])
    table[np.argsort(rng.random(table.shape), axis=0) > 2] = np.nan
    placed = place_raters(table, leave_one_out(TOPICS))
    found = [rater.severity for rater in placed.raters]
    assert [severity.value for severity in found] == pytest.approx(by_dummies(table).tolist())
    left = by_dummies(table[:, np.array(TOPICS) != 3])
    assert [severity.without[3] for severity in found] == pytest.approx(left.tolist())


def by_rating_scale_model(table, nodes=21):
    """Severities in points by the many-facet rating scale model (Andrich 1978; Linacre 1989), worths normal, by
    marginal maximum likelihood: mean expected labels over all units, where all raters label all."""
    points, weights = np.polynomial.hermite_e.hermegauss(nodes)
    raters, units = table.shape
    values = np.unique(table)
    steps = np.searchsorted(values, table)
    chosen = (steps[:, :, None] == np.arange(len(values))).transpose(1, 0, 2).reshape(units, -1).astype(float)

    def parts(parameters):
        severities, thresholds = parameters[:raters], parameters[raters:-1]
        ability = np.exp(parameters[-1]) * points[:, None] - severities
        logs = np.arange(len(values)) * ability[:, :, None] - np.r_[0, thresholds.cumsum()]
        logs -= np.logaddexp.reduce(logs, axis=2)[:, :, None]
        joint = chosen @ logs.reshape(nodes, -1).T + np.log(weights / weights.sum())
        return logs, joint, np.logaddexp.reduce(joint, axis=1)

    def loss(parameters):
        return -parts(parameters)[2].sum() + (parameters[:raters] ** 2).sum() / 200

    fit = minimize(loss, np.zeros(raters + len(values)), method="L-BFGS-B").x
    logs, joint, total = parts(fit)
    nodes_share = np.exp(joint - total[:, None]).mean(axis=0)
    means = nodes_share @ (np.exp(logs) @ values)
    return means.mean() - means


def test_on_complete_labels_an_ordinal_model_gives_the_same_points():
    """A rating scale model keeps the raters' sums, so its severities in points are differences of mean labels."""
    table = rated(np.random.default_rng(8), [0.8, 0.1, -0.2, -0.7], units=60)
    found = [rater.severity.value for rater in place_raters(table).raters]
    assert found == pytest.approx(by_rating_scale_model(table).tolist(), abs=0.005)


def test_raters_without_units_in_common_are_not_compared():
    rng = np.random.default_rng(3)
    table = rated(rng, [0.5, 0.0, -0.5, 0.3, -0.3])
    table[:3, 20:], table[3:, :20] = np.nan, np.nan
    placed = place_raters(table, leave_one_out(TOPICS), judge=np.full(40, 3.0))
    assert placed.groups == (3, 2)
    assert [rater.group for rater in placed.raters] == [0, 0, 0, 1, 1]
    for members in (placed.raters[:3], placed.raters[3:]):
        assert sum(rater.severity.value for rater in members) == pytest.approx(0)
    assert placed.judge.severity.n == 20  # the units of the first group
    tests = rater_tests(placed)
    assert tests.p[3:] == (None, None)  # of two nobody stands apart
    assert tests.spread[1] is None


def test_raters_of_few_units_are_left_out_of_the_average():
    table = rated(np.random.default_rng(4), [0.5, 0.0, -0.5, 2.0])
    table[3, FEWEST_LABELLED - 1 :] = np.nan
    placed = place_raters(table, leave_one_out(TOPICS))
    assert placed.raters[3].group is None
    assert placed.raters[3].severity.estimate().reason
    without = place_raters(table[:3], leave_one_out(TOPICS))
    assert [rater.severity.value for rater in placed.raters[:3]] == [
        rater.severity.value for rater in without.raters
    ]


def test_raters_who_never_vary_have_a_severity_and_no_order():
    table = rated(np.random.default_rng(5), [0.0, 0.0, 0.0])
    table[0] = 1.0
    found = place_raters(table, leave_one_out(TOPICS)).raters[0]
    assert found.severity.value == pytest.approx(table.mean() - 1)
    assert found.order.estimate().value is None
    same = place_raters(np.full((3, 40), 2.0), leave_one_out(TOPICS))
    assert [rater.severity.estimate().value for rater in same.raters] == [0.0, 0.0, 0.0]
    assert same.raters[0].severity.estimate().low is None
    assert rater_tests(same).outlier == (None, None, None)
    assert place_raters(np.full((2, 40), np.nan)).groups == ()


def test_the_judge_is_placed_without_a_say():
    rng = np.random.default_rng(6)
    table = rated(rng, [0.6, 0.2, 0.0, -0.2, -0.6])
    table[np.argsort(rng.random(table.shape), axis=0) > 2] = np.nan
    judge = rng.uniform(1, 5, 40)  # no steps
    judge[:3] = np.nan
    placed = place_raters(table, leave_one_out(TOPICS), judge)
    severities = by_dummies(table)
    freed = np.nanmean(table + severities[:, None], axis=0)
    assert placed.judge.severity.value == pytest.approx((freed - judge)[3:].mean())
    assert placed.judge.severity.n == 37
    low = placed.judge.severity.estimate().low
    assert low is not None
    alone = place_raters(table, leave_one_out(TOPICS))
    assert [rater.severity.value for rater in placed.raters] == [
        rater.severity.value for rater in alone.raters
    ]
    assert alone.judge is None


def test_an_outlier_differs_by_more_than_raters_do():
    rng = np.random.default_rng(7)
    table = rated(rng, [0.3, 0.2, 0.0, -0.1, -0.2, -0.3, 1.8], units=80)
    tests = rater_tests(place_raters(table, leave_one_out(np.repeat(range(20), 4).tolist())))
    assert [p < 0.05 for p in tests.outlier] == [*[False] * 6, True]
    assert sum(p < 0.05 for p in tests.p) > 2  # most differ from the average
    assert 0.4 < tests.spread[0] < 1.2
    few = rater_tests(place_raters(table[3:], leave_one_out(np.repeat(range(20), 4).tolist())))
    assert few.outlier == (None,) * 4


def test_the_severities_of_published_ratings(data_dir: Path):
    """Opening speeches with 15 raters each (Sternlicht et al., EMNLP 2025)."""
    with gzip.open(data_dir / "debate_speeches" / "speeches.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    raters = sorted({rater for row in rows for rater in json.loads(row["labeler_ids"])})
    table = np.full((len(raters), len(rows)), np.nan)
    for column, row in enumerate(rows):
        for rater, label in zip(
            json.loads(row["labeler_ids"]), json.loads(row["goodopeningspeech"]), strict=True
        ):
            table[raters.index(rater), column] = label
    placed = place_raters(table, leave_one_out([row["topic_id"] for row in rows]))
    assert placed.groups == (75,)
    members = [place for place, rater in enumerate(placed.raters) if rater.group is not None]
    expected = by_dummies(table[members][:, (~np.isnan(table[members])).sum(axis=0) > 1])
    found = [placed.raters[place].severity.value for place in members]
    assert found == pytest.approx(expected.tolist())
