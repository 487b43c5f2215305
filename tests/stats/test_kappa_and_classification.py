"""Kappa, accuracy, F1, Matthews and AUROC: by hand, against scikit-learn, and resamples one by one."""

import numpy as np
import pytest

from conqret.errors import DeclarationError, UnknownNameError
from conqret.stats.classification import accuracy, auroc, base_rate, f1, matthews
from conqret.stats.confusion import confusion
from conqret.stats.kappa import cohen_kappa, fleiss_kappa
from conqret.stats.resampling import Resamples, draw

metrics = pytest.importorskip("sklearn.metrics")


def test_cohen_by_hand():
    # p_o = 3/4; people 1 1 0 0, judge 1 0 0 0: p_e = 2/4 * 1/4 + 2/4 * 3/4 = 1/2; kappa = 1/2.
    table = confusion([1, 1, 0, 0], [1, 0, 0, 0])
    assert cohen_kappa(table).value == pytest.approx(0.5)
    assert base_rate(table).value == 0.5
    assert accuracy(table).value == 0.75


def test_fleiss_example():
    # Fleiss (1971) in the form of 10 subjects, 14 raters, 5 categories: kappa = 0.210.
    counts = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip
    ratings = np.array([np.repeat(np.arange(5), row) for row in counts]).T
    assert round(fleiss_kappa(ratings).value, 3) == 0.210


def test_equal_to_scikit_learn():
    rng = np.random.default_rng(1)
    for _ in range(150):
        n, size = int(rng.integers(20, 80)), int(rng.integers(2, 5))
        people = rng.integers(0, size, n).astype(float)
        judge = np.where(rng.random(n) < 0.5, people, rng.integers(0, size, n))
        table = confusion(people, judge)
        assert cohen_kappa(table).value == pytest.approx(metrics.cohen_kappa_score(people, judge))
        for weights in ("linear", "quadratic"):
            wanted = metrics.cohen_kappa_score(people, judge, weights=weights)
            assert cohen_kappa(table, weights).value == pytest.approx(wanted)
        assert matthews(table).value == pytest.approx(metrics.matthews_corrcoef(people, judge))
        average = {} if size == 2 else {"average": "macro"}
        assert f1(table).value == pytest.approx(metrics.f1_score(people, judge, **average))
        scores = np.round(rng.normal(size=n) + people, 1)
        assert auroc(people > 0, scores).value == pytest.approx(metrics.roc_auc_score(people > 0, scores))


def test_draws_are_the_items_repeated():
    rng = np.random.default_rng(4)
    n = 60
    people = rng.integers(0, 3, n).astype(float)
    judge = np.where(rng.random(n) < 0.6, people, rng.integers(0, 3, n))
    scores = np.round(people + rng.normal(size=n), 1)
    drawn = draw(list(rng.integers(0, 8, n)), rng, resamples=5)
    for row in range(5):
        one = Resamples(drawn.weights[[row]], drawn.cluster)
        items = np.repeat(np.arange(n), drawn.weights[row][drawn.cluster].astype(int))
        a, b = people[items], judge[items]
        table = confusion(people, judge, one)
        assert cohen_kappa(table).low == pytest.approx(metrics.cohen_kappa_score(a, b))
        assert matthews(table).low == pytest.approx(metrics.matthews_corrcoef(a, b))
        assert f1(table).low == pytest.approx(metrics.f1_score(a, b, average="macro"))
        assert auroc(people > 0, scores, one).low == pytest.approx(
            metrics.roc_auc_score(a > 0, scores[items])
        )


def test_degenerate():
    same = confusion([1, 1, 1], [1, 1, 1])
    assert "complete" in cohen_kappa(same).reason
    assert "one category" in matthews(same).reason
    assert "one category" in f1(same).reason
    assert accuracy(same).value == base_rate(same).value == 1
    constant = confusion([0, 1, 1], [1, 1, 1])
    assert matthews(constant).value is None
    assert cohen_kappa(constant).value == pytest.approx(0)
    assert "one kind" in auroc([1, 1], [0.2, 0.4]).reason
    assert "no unit" in fleiss_kappa([[1.0, 2.0]]).reason
    assert "equal" in fleiss_kappa([[1.0, 1.0], [1.0, 1.0]]).reason


def test_wrong_calls():
    with pytest.raises(DeclarationError, match="one length"):
        confusion([1, 2], [1])
    with pytest.raises(DeclarationError, match="missing"):
        confusion([1, np.nan], [1, 2])
    with pytest.raises(DeclarationError, match="categories"):
        confusion([1, 2], [1, 2], categories=[1])
    with pytest.raises(DeclarationError, match="0 and 1"):
        auroc([0, 2], [1, 2])
    with pytest.raises(UnknownNameError, match="quadratic"):
        cohen_kappa(confusion([1, 2], [1, 2]), "quadratc")  # type: ignore[arg-type]
