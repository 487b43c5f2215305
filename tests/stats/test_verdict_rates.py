"""Rates of pass/fail verdicts: against scikit-learn, statsmodels and scipy, by hand, and how often intervals cover."""

import numpy as np
import pytest
from scipy.stats import binom, hypergeom
from sklearn import metrics
from statsmodels.stats.proportion import proportion_confint

from conqret.stats.estimate import Estimate
from conqret.stats.prediction_powered import prediction_powered_mean
from conqret.stats.verdict_rates import (
    DRAWN_BY,
    draw_matters,
    draw_test,
    labels_to_decide,
    more_labels,
    share_interval,
    verdict_rates,
)

NAMES = ("tpr", "tnr", "kappa", "accuracy", "corrected")


def rows(
    caught: int, let_pass: int, lost: int, kept: int, passed: int = 0, failed: int = 0
) -> tuple[list[float], list[float]]:
    """Labels and verdicts of labeled rows (failures caught and let pass, passes lost and kept) and of others."""
    judge = [0.0] * caught + [1.0] * let_pass + [0.0] * lost + [1.0] * kept + [1.0] * passed + [0.0] * failed
    human = [0.0] * (caught + let_pass) + [1.0] * (lost + kept) + [np.nan] * (passed + failed)
    return human, judge


def sampled(seed: int, n: int = 400, every: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Labels and verdicts at random: pass rate .7, TPR .9, TNR .6; one row of ``every`` so many is labeled."""
    rng = np.random.default_rng(seed)
    human = (rng.random(n) < 0.7).astype(float)
    judge = np.where(human == 1, rng.random(n) < 0.9, rng.random(n) < 0.4).astype(float)
    return np.where(np.arange(n) % every == 0, human, np.nan), judge


def test_rates_equal_scikit_learn_and_prediction_powered_inference():
    human, judge = sampled(0, every=4)
    labeled = ~np.isnan(human)
    h, j = human[labeled], judge[labeled]
    rates = verdict_rates(human, judge)
    assert rates.table.tolist() == metrics.confusion_matrix(h, j).tolist()
    assert rates.tpr.value == pytest.approx(metrics.recall_score(h, j))
    assert rates.tnr.value == pytest.approx(metrics.recall_score(h, j, pos_label=0))
    assert rates.accuracy.value == pytest.approx(metrics.accuracy_score(h, j))
    assert rates.kappa.value == pytest.approx(metrics.cohen_kappa_score(h, j))
    places = np.arange(len(human))
    powered = prediction_powered_mean(
        h, j, judge[~labeled], clusters=places[labeled], unlabelled_clusters=places[~labeled]
    )
    assert rates.corrected.value == pytest.approx(powered.corrected.value)
    assert rates.judged.value == pytest.approx(judge.mean())
    assert (rates.tpr.n, rates.tnr.n) == (int(h.sum()), int((1 - h).sum()))


@pytest.mark.parametrize(("x", "n"), [(0, 12), (3, 12), (45, 50), (50, 50), (700, 2000)])
def test_interval_of_a_share_is_mid_p(x: int, n: int):
    low, high = (float(end) for end in share_interval(x / n, n))
    if x > 0:
        assert binom.sf(x, n, low) + binom.pmf(x, n, low) / 2 == pytest.approx(0.025)
    if x < n:
        assert binom.cdf(x, n, high) - binom.pmf(x, n, high) / 2 == pytest.approx(0.025)
    exact = proportion_confint(x, n, method="beta")
    assert exact[0] <= low <= high <= exact[1]
    assert (low, high) == pytest.approx(proportion_confint(x, n, method="jeffreys"), abs=0.04)


def test_rows_drawn_by_verdict_are_weighted_by_verdict():
    # The judge passes 900 of 1,000; of 50 it passes 40 are good, of 50 it fails 10 are.
    rates = verdict_rates(*rows(40, 10, 10, 40, passed=850, failed=50), drawn_by="verdict")
    assert rates.corrected.value == pytest.approx(0.9 * 0.8 + 0.1 * 0.2)
    assert rates.tpr.value == pytest.approx(0.72 / 0.74)
    assert rates.tnr.value == pytest.approx(0.08 / 0.26)
    assert rates.accuracy.value == pytest.approx(0.72 + 0.08)
    chance = 0.9 * 0.74 + 0.1 * 0.26
    assert rates.kappa.value == pytest.approx((0.8 - chance) / (1 - chance))
    # With the probabilities that drew them, the same.
    human, judge = rows(40, 10, 10, 40, passed=850, failed=50)
    chances = np.where(np.array(judge) == 1, 50 / 900, 50 / 100)
    weighted = verdict_rates(human, judge, chances=chances)
    for name in NAMES:
        assert getattr(weighted, name).value == pytest.approx(getattr(rates, name).value)
        assert getattr(weighted, name).low == pytest.approx(getattr(rates, name).low)


def test_probabilities_weigh_rows_within_a_verdict():
    # Of passed rows, 10 of 20 hard ones, all bad, were drawn, and 10 of 60 easy ones, all good.
    human = [0.0] * 10 + [1.0] * 10 + [0.0] * 5 + [np.nan] * 65
    judge = [1.0] * 20 + [0.0] * 5 + [1.0] * 60 + [0.0] * 5
    chances = [1 / 2] * 10 + [1 / 6] * 10 + [1 / 2] * 5 + [np.nan] * 65
    rates = verdict_rates(human, judge, chances=chances)
    assert rates.corrected.value == pytest.approx(80 / 90 * 60 / 80)
    assert rates.tnr.value == pytest.approx(10 / 30)
    wrong = verdict_rates(human, judge, chances=[1.0] * 25 + [np.nan] * 65)
    assert "stand for 25 items" in wrong.tpr.reason
    assert wrong.judged.value == pytest.approx(80 / 90)


def test_rows_drawn_by_label_are_corrected_by_rogan_and_gladen():
    # 50 passes and 50 failures labeled: TPR .9, TNR .6; the judge passes 700 of 1,000.
    rates = verdict_rates(*rows(30, 20, 5, 45, passed=635, failed=265), drawn_by="label")
    rate = (0.7 + 0.6 - 1) / (0.9 + 0.6 - 1)
    assert (rates.tpr.value, rates.tnr.value) == pytest.approx((0.9, 0.6))
    assert rates.corrected.value == pytest.approx(rate)
    accuracy = rate * 0.9 + (1 - rate) * 0.6
    chance = rate * 0.7 + (1 - rate) * 0.3
    assert rates.accuracy.value == pytest.approx(accuracy)
    assert rates.kappa.value == pytest.approx((accuracy - chance) / (1 - chance))
    assert rates.precision.value == pytest.approx(rate * 0.9 / 0.7)
    useless = verdict_rates(*rows(20, 30, 20, 30, passed=600, failed=300), drawn_by="label")
    assert "TPR + TNR is not above 1" in useless.corrected.reason
    assert useless.tnr.value == pytest.approx(0.4)


def test_rates_of_rows_drawn_by_label_are_those_at_a_rate_within_0_and_1():
    # TPR .7, TNR .98, and the judge passes 720 of 1,000: the rate of 1.03 is cut to 1.
    rates = verdict_rates(*rows(49, 1, 15, 35, passed=684, failed=216), drawn_by="label")
    assert (rates.corrected.value, rates.precision.value, rates.kappa.value) == (1, 1, 0)
    assert rates.accuracy.value == pytest.approx(0.7)
    assert 0.7 < rates.corrected.low < 0.95
    assert 0.9 < rates.precision.low < 0.999
    assert 0.3 < rates.kappa.high < 1
    # It passes 850 of 1,000, or 55 of 1,000 with a TNR of .8: no rate between 0 and 1 gives that.
    for shares, passed in (((49, 1, 15, 35), 814), ((40, 10, 5, 45), 0)):
        rates = verdict_rates(*rows(*shares, passed=passed, failed=900 - passed), drawn_by="label")
        for name in ("corrected", "kappa", "accuracy", "precision"):
            assert "the rows were not drawn by label" in getattr(rates, name).reason
        assert rates.tpr.value == pytest.approx(shares[3] / 50)


@pytest.mark.parametrize("drawn_by", DRAWN_BY)
def test_limits(drawn_by):
    no_failures = verdict_rates(*rows(0, 0, 3, 17, passed=60, failed=20), drawn_by=drawn_by)
    assert no_failures.tnr.reason == "no human failure is labeled"
    assert no_failures.tpr.high < 1
    perfect = verdict_rates(*rows(10, 0, 0, 30, passed=60, failed=20), drawn_by=drawn_by)
    assert perfect.tnr.value == perfect.kappa.value == 1
    assert 0 < perfect.tnr.low < perfect.tnr.high == 1
    human, judge = rows(10, 3, 4, 30, passed=60, failed=20)
    failed = verdict_rates([*human, 1.0, np.nan], [*judge, np.nan, np.nan], drawn_by=drawn_by)
    assert failed.judged.n == 127
    assert failed.tpr.n == 34
    assert verdict_rates([np.nan] * 3, [1.0, 0.0, 1.0], drawn_by=drawn_by).tpr.reason
    assert verdict_rates([1.0, np.nan], [np.nan] * 2, drawn_by=drawn_by).judged.reason
    one_sided = verdict_rates(*rows(0, 4, 0, 16, passed=60, failed=20), drawn_by=drawn_by).corrected
    assert "no row that the judge fails is labeled" in one_sided.reason or drawn_by == "label"
    assert one_sided.value == (pytest.approx(0.8) if drawn_by == "random" else None)


@pytest.mark.parametrize(("drawn_by", "n"), [("random", 200), ("label", 4000)])
def test_clusters_widen_intervals_by_how_alike_their_rows_are(drawn_by, n):
    human, judge = sampled(3, n)
    human[200:] = np.nan
    alike = np.repeat(np.arange(n), 5).tolist()
    single, repeated = (
        verdict_rates(human, judge, drawn_by=drawn_by),
        verdict_rates(human.repeat(5), judge.repeat(5), clusters=alike, drawn_by=drawn_by),
    )
    for name in NAMES:
        assert getattr(repeated, name).value == pytest.approx(getattr(single, name).value)
        assert getattr(repeated, name).half == pytest.approx(getattr(single, name).half, rel=0.06)


@pytest.mark.parametrize("drawn_by", DRAWN_BY)
def test_intervals_hold_the_truth(drawn_by):
    rng = np.random.default_rng(7)
    truth = {"tpr": 0.93, "tnr": 0.6, "corrected": 0.85}
    held = dict.fromkeys(truth, 0)
    for _ in range(40):
        human = (rng.random(1000) < 0.85).astype(float)
        judge = np.where(human == 1, rng.random(1000) < 0.93, rng.random(1000) < 0.4).astype(float)
        kinds = {"random": np.zeros(1000), "verdict": judge, "label": human}[drawn_by]
        labeled = np.concatenate(
            [
                rng.choice(np.flatnonzero(kinds == kind), 100 // len(set(kinds)), replace=False)
                for kind in set(kinds)
            ]
        )
        known = np.full(1000, np.nan)
        known[labeled] = human[labeled]
        rates = verdict_rates(known, judge, drawn_by=drawn_by)
        for name, value in truth.items():
            held[name] += getattr(rates, name).low <= value <= getattr(rates, name).high
    assert min(held.values()) >= 35, held


def test_the_guard_is_fishers_test_and_sees_clusters():
    human, judge = rows(5, 10, 3, 32, passed=60, failed=90)
    passing = hypergeom(200, 102, 50)
    side = passing.sf(42) + passing.pmf(42) / 2  # mid-p
    assert draw_test(human, judge) == pytest.approx(2 * side)
    assert draw_test(human, judge, balance=0.5) == pytest.approx(10 * side)  # .84 is farther from it than .4
    assert draw_test(human, judge, balance=0.9) == pytest.approx(side / 0.9)
    assert draw_test(*rows(5, 10, 3, 32)) is None
    assert draw_test([np.nan] * 2, [1.0, 0.0]) is None
    # Labeled rows are of two of twenty clusters, whose verdicts are all alike: nothing is shown.
    clusters = np.repeat(np.arange(20), 10)
    judge = np.where(clusters % 2 == 0, 1.0, 0.0)
    human = np.where(np.isin(clusters, (0, 2)), 1.0, np.nan)
    assert draw_test(human, judge) < 0.001 < 0.05 < draw_test(human, judge, clusters=clusters.tolist())


def test_the_draw_matters_where_figures_move():
    balanced = rows(45, 5, 5, 45, passed=16, failed=34)
    assert draw_test(*balanced, balance=0.5) < 0.04
    assert not draw_matters(*balanced)  # TPR .90 by either draw, to within a hundredth
    assert draw_matters(*rows(30, 20, 5, 45, passed=45, failed=5))
    assert draw_matters(*rows(0, 5, 0, 45, failed=50))  # no failure of the judge is labeled


def test_labels_still_needed():
    rates = verdict_rates(*rows(16, 14, 5, 65, passed=100, failed=50))
    more = more_labels(rates.tnr, 100)
    failures = 30 + round(more * 0.3)
    low, high = share_interval(16 / 30, failures)
    assert float(high - low) / 2 == pytest.approx(0.1, abs=0.002)
    assert more_labels(rates.tpr, 100) == 0
    assert more_labels(Estimate(None, reason="no human failure is labeled"), 100) is None

    decided = labels_to_decide(rates.tpr, 0.88, 100)
    assert float(share_interval(65 / 70, 70 + round(decided * 0.7))[0]) == pytest.approx(0.88, abs=0.002)
    assert labels_to_decide(rates.tpr, 0.8, 100) == 0
    assert labels_to_decide(rates.tnr, 0.8, 100) is None
    assert labels_to_decide(rates.tnr, 0.8, 100, end="high") == 0
    kappa = Estimate(0.6, 0.4, 0.75, 100)
    assert labels_to_decide(kappa, 0.5, 100, share=False) == 300
