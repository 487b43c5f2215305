"""Ordinal and ridge regression against other implementations."""

import numpy as np
import pytest

from conqret.errors import DeclarationError
from conqret.stats.ordinal import expected_label
from conqret.stats.ridge import PENALTIES, ridge


def counted(x, y, labels):
    scores, which = np.unique(x, return_inverse=True)
    counts = np.zeros((len(scores), labels))
    np.add.at(counts, (which, y), 1.0)
    return scores, counts


def test_ordinal_regression_is_that_of_statsmodels():
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    rng = np.random.default_rng(0)
    x = rng.integers(0, 6, 300) / 5
    y = np.digitize(2 * x + rng.logistic(size=300), [0, 1, 2])
    scores, counts = counted(x, y, 4)
    fitted = OrderedModel(y, x[:, None], distr="logit").fit(disp=False, method="bfgs")
    theirs = fitted.predict(scores[:, None]) @ [1, 2, 3, 4]
    assert expected_label(scores, counts, [1, 2, 3, 4], scores) == pytest.approx(theirs, abs=1e-3)


def test_ordinal_regression_never_falls_and_stops_where_nothing_errs():
    perfect = np.diag([5.0, 5, 5])
    rising = expected_label([0, 0.5, 1], perfect, [0, 0.5, 1], [0, 0.5, 1])
    assert rising == pytest.approx([0, 0.5, 1], abs=1e-3)
    falling = expected_label([0, 0.5, 1], perfect[::-1], [0, 0.5, 1], [0, 0.5, 1])
    assert falling == pytest.approx([0.5, 0.5, 0.5])
    unused = expected_label([0, 1], [[3, 0, 1], [1, 0, 3]], [0, 0.5, 1], [0, 1])
    assert unused == pytest.approx([0.25, 0.75], abs=1e-3)


@pytest.mark.parametrize("counts", [[[1, 1]], [[1, -1], [1, 1]], [[1, 0], [1, 0]]])
def test_ordinal_regression_refuses(counts):
    with pytest.raises(DeclarationError):
        expected_label([0, 1], counts, [0, 1], [0])


def test_ridge_is_that_of_scikit_learn_at_its_penalty():
    from sklearn.linear_model import Ridge

    rng = np.random.default_rng(1)
    columns = rng.random((60, 4))
    y = columns @ [0.5, 0.2, 0, 0] + 0.3 * rng.random(60)
    weights = ridge(columns, y)
    theirs = [Ridge(alpha=penalty).fit(columns, y).coef_ for penalty in PENALTIES]
    assert any(weights == pytest.approx(one) for one in theirs[:4])
    noise = ridge(columns, rng.random(60))
    assert np.abs(noise).max() < 0.1  # it shrinks what tells nothing


def test_ridge_refuses():
    for columns, y in (([1, 2], [1, 2]), ([[1], [2]], [1]), ([[1.0]], [1]), ([[1], [np.nan]], [1, 2])):
        with pytest.raises(DeclarationError):
            ridge(columns, y)
