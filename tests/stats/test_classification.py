"""Kappa, accuracy, F1, Matthews and AUROC: by hand, against scikit-learn, and clusters left out one by one."""

from functools import partial

import numpy as np
import pytest
from sklearn import metrics

from conqret.stats.classification import (
    accuracy,
    auroc,
    average_precision,
    base_rate,
    cohen_kappa,
    f1,
    fleiss_kappa,
    gwet_ac2,
    matthews,
    precision,
    quadratic_kappa,
    recall,
)
from conqret.stats.jackknife import JackknifedEstimate, freedom_by_size
from conqret.stats.resampling import leave_one_out


def test_gwets_ac2_by_hand():
    # Three steps, weights 1, 3/4, 0. Apart by 0, 1, 0, 0: p_a = 15/16. Mean shares 3/8, 3/8, 1/4; the weights add up to
    # 6 of 3 * 2, so p_e = 2 * 15/64 + 3/16 = 21/32, and (15/16 - 21/32) / (1 - 21/32) = 9/11.
    assert gwet_ac2([1, 1, 2, 3], [1, 2, 2, 3]).value == pytest.approx(9 / 11)
    # A step that nobody uses counts: shares 1/2, 1/2, 0 make p_e 1/2, and 7/8 of agreement is 3/4.
    assert gwet_ac2([1, 2, 1, 2], [1, 2, 2, 1], categories=(1, 2, 3)).value == pytest.approx(3 / 4)
    # Of two categories it is AC1 (docs/adding-parts.md): 9/17.
    assert gwet_ac2([1, 1, 0, 0], [1, 0, 0, 0]).value == pytest.approx(9 / 17)
    # Nearly all of one kind, and both say so: kappa finds nothing, AC2 nearly everything.
    people, judge = [1] * 18 + [0, 1], [1] * 18 + [1, 0]
    assert cohen_kappa(people, judge).value < 0
    assert gwet_ac2(people, judge).value > 0.85
    assert gwet_ac2([1, 1], [1, 1]).reason == "there is one category only"


def test_fleiss_example():
    # Fleiss (1971) in the form of 10 subjects, 14 raters, 5 categories: kappa = 0.210.
    counts = [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
    ratings = np.array([np.repeat(np.arange(5), row) for row in counts]).T
    assert round(fleiss_kappa(ratings).value, 3) == 0.210


def test_equal_to_scikit_learn():
    rng = np.random.default_rng(1)
    for _ in range(8):
        n, size = int(rng.integers(20, 80)), int(rng.integers(2, 5))
        people = rng.integers(0, size, n).astype(float)
        judge = np.where(rng.random(n) < 0.5, people, rng.integers(0, size, n))
        assert cohen_kappa(people, judge).value == pytest.approx(metrics.cohen_kappa_score(people, judge))
        wanted = metrics.cohen_kappa_score(people, judge, weights="quadratic")
        assert quadratic_kappa(people, judge).value == pytest.approx(wanted)
        assert matthews(people, judge).value == pytest.approx(metrics.matthews_corrcoef(people, judge))
        average = {} if size == 2 else {"average": "macro"}
        assert f1(people, judge).value == pytest.approx(metrics.f1_score(people, judge, **average))
        scores = np.round(rng.normal(size=n) + people, 1)
        assert auroc(people > 0, scores).value == pytest.approx(metrics.roc_auc_score(people > 0, scores))
        wanted = metrics.average_precision_score(people > 0, scores)
        assert average_precision(people > 0, scores).value == pytest.approx(wanted)
        truth, said = (people > 0).astype(float), (judge > 0).astype(float)
        assert precision(truth, said).value == pytest.approx(metrics.precision_score(truth, said))
        assert recall(truth, said).value == pytest.approx(metrics.recall_score(truth, said))


def test_intervals_leave_out_one_cluster_after_another():
    rng = np.random.default_rng(4)
    n = 90
    people = rng.integers(0, 3, n).astype(float)
    judge = np.where(rng.random(n) < 0.6, people, rng.integers(0, 3, n))
    scores = np.round(people + rng.normal(size=n), 1)
    cluster = rng.integers(0, 8, n)
    resamples = leave_one_out(cluster.tolist())
    found = {
        "kappa": (cohen_kappa(people, judge, resamples), metrics.cohen_kappa_score, people, judge),
        "f1": (f1(people, judge, resamples), partial(metrics.f1_score, average="macro"), people, judge),
        "auroc": (auroc(people > 0, scores, resamples), metrics.roc_auc_score, people > 0, scores),
        "ap": (
            average_precision(people > 0, scores, resamples),
            metrics.average_precision_score,
            people > 0,
            scores,
        ),
    }
    for name, (estimate, theirs, one, other) in found.items():
        without = np.array([theirs(one[cluster != out], other[cluster != out]) for out in range(8)])
        scale = "correlation" if name == "kappa" else "share"
        over = people > 0 if name == "ap" else people >= 0  # average precision is a mean over positives
        freedom = freedom_by_size(np.bincount(cluster[over]))
        present = np.ones(8, dtype=bool)
        jackknifed = JackknifedEstimate(theirs(one, other), without, present, n, scale=scale, freedom=freedom)
        wanted = (jackknifed.made_of_few() if name == "auroc" else jackknifed).estimate()
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx(
            (wanted.value, wanted.low, wanted.high)
        )


def test_degenerate():
    same = [1, 1, 1], [1, 1, 1]
    assert "complete" in cohen_kappa(*same).reason
    assert "one category" in matthews(*same).reason
    assert "one category" in f1(*same).reason
    assert f1(*same, categories=[0, 1]).value == 1
    assert accuracy(*same).value == base_rate(*same).value == 1
    constant = [0, 1, 1], [1, 1, 1]
    assert matthews(*constant).value is None
    assert cohen_kappa(*constant).value == pytest.approx(0)
    assert "one kind" in auroc([1, 1], [0.2, 0.4]).reason
    assert "no unit" in fleiss_kappa([[1.0, 2.0]]).reason
    assert "equal" in fleiss_kappa([[1.0, 1.0], [1.0, 1.0]]).reason


def test_a_mean_over_categories_has_an_interval_where_each_is_used_often_enough():
    people = [1, 2, 3] * 10
    topics = leave_one_out([place // 5 for place in range(30)])
    judge = [*people[:7], *people[8:], 1]
    assert f1(people, judge, topics).reason == ""
    rarer = [2 if place == 2 else value for place, value in enumerate(people)]
    assert f1(rarer, judge, topics).value is not None
    assert f1(rarer, judge, topics).low is None
    two = [value > 1 for value in rarer]
    assert f1([float(x) for x in two], [float(value > 1) for value in judge], topics).low is not None
