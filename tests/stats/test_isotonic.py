"""Monotone maps and folds of whole clusters."""

import numpy as np
import pytest

from conqret.errors import DeclarationError
from conqret.stats.confidence import cross_fitted, dealt, monotone


def test_violators_are_pooled_by_hand():
    places, levels = monotone([1, 2, 2, 3, 4], [1, 3, 5, 1, 6])
    assert places.tolist() == [1, 2, 3, 4]
    assert levels.tolist() == pytest.approx([1, 3, 3, 6])  # 3, 5 and 1 have the mean 3


def test_places_that_rounding_alone_tells_apart_are_one():
    places, levels = monotone([0.5, 0.8, 0.8000000000000003, 0.7999999999999999], [0, 0, 0.3, 0.9])
    assert places.tolist() == pytest.approx([0.5, 0.8])
    assert levels.tolist() == pytest.approx([0, 0.4])


def test_folds_hold_whole_clusters_and_differ_by_one():
    folds = dealt([f"t{number % 13}" for number in range(60)], seed=5)
    assert len(folds) == 13
    assert sorted(np.bincount(list(folds.values())).tolist()) == [2, 2, 3, 3, 3]
    assert folds == dealt([f"t{number}" for number in reversed(range(13))], seed=5)
    assert folds != dealt(folds, seed=6)


def test_what_is_said_of_a_fold_rests_on_the_others():
    fold = np.array([0, 0, 1, 1])
    said = cross_fitted([0, 1, 0, 1], [0, 1, 5, 9], fold)
    assert said.tolist() == [5, 9, 0, 1]
    assert cross_fitted([0, 1, 0, 1], [9, 5, 1, 0], fold).tolist() == [1, 0, 9, 5]  # a map may fall
    lost = cross_fitted([0, np.nan, 0, 1], [0, 1, np.nan, np.nan], fold)
    assert np.isnan(lost).tolist() == [True, True, False, False]  # nothing to fit on; no x


@pytest.mark.parametrize(("x", "y"), [([], []), ([1], [1, 2]), ([np.inf], [1])])
def test_what_cannot_be_mapped(x, y):
    with pytest.raises(DeclarationError):
        monotone(x, y)
