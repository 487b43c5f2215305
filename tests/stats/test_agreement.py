"""Krippendorff's alpha and the alternative annotator test: by hand, the package, and without each cluster."""

import math

import krippendorff
import numpy as np
import pytest
from scipy import stats

from conqret.errors import DeclarationError
from conqret.stats.agreement import (
    LEVELS,
    NO_UNITS,
    ONE_CATEGORY,
    alphas,
    alternative_annotator_test,
    krippendorff_alpha,
)
from conqret.stats.classification import shared_by_chance
from conqret.stats.resampling import leave_one_out

NAN = math.nan


@pytest.mark.filterwarnings("ignore:invalid value")
def test_equals_the_package_on_many_tables():
    rng = np.random.default_rng(5)
    compared = undefined = 0
    for _ in range(100):
        raters, units, categories = rng.integers(2, 6), rng.integers(2, 30), rng.integers(2, 6)
        table = rng.integers(1, categories + 1, (raters, units)).astype(float)
        table[rng.random((raters, units)) < rng.random() * 0.6] = NAN
        for level in LEVELS:
            (found,) = alphas(table[None], level)
            try:
                wanted = krippendorff.alpha(reliability_data=table, level_of_measurement=level)
            except ValueError:
                wanted = NAN
            if math.isnan(wanted):
                undefined += 1
                assert found.reason in (NO_UNITS, ONE_CATEGORY)
            else:
                compared += 1
                assert found.value == pytest.approx(wanted, abs=1e-9)
    assert compared > 370
    assert undefined + compared == 400


@pytest.mark.parametrize("level", LEVELS)
def test_without_a_cluster_it_is_alpha_of_the_other_units(level):
    rng = np.random.default_rng(2)
    tables = rng.integers(1, 4, (3, 4, 40)).astype(float)
    tables[rng.random(tables.shape) < 0.3] = NAN
    clusters = list(rng.permutation(np.arange(40) % 9))
    drawn = leave_one_out(clusters)
    found = alphas(tables, level, drawn)
    assert [one.without.shape for one in found] == [(9,)] * 3
    for row, weights in enumerate(drawn.weights):
        units = np.repeat(np.arange(40), weights[drawn.cluster].astype(int))
        for place in range(3):
            wanted = krippendorff.alpha(reliability_data=tables[place][:, units], level_of_measurement=level)
            assert found[place].without[row] == pytest.approx(wanted)


def test_degenerate_tables_have_a_reason():
    one_category = alphas([[[2, 2, 2], [2, 2, 2]]], "ordinal")[0].estimate()
    assert one_category.value is None
    assert "equal" in one_category.reason
    for table in ([[1, 2, 3]], [[1, NAN], [NAN, 2]]):
        assert alphas([table], "nominal")[0].estimate().reason == NO_UNITS
    with pytest.raises(DeclarationError, match="no unit has two ratings"):
        krippendorff_alpha([[1, 2, 3]], "nominal")


@pytest.mark.parametrize("level", LEVELS)
def test_rounding_makes_no_categories(level):
    labels = np.array([5 / 3, 7 / 3, 2.0, 5 / 3, 3.0, 7 / 3])
    noisy = np.nextafter(labels, [0, 9, 0, 9, 0, 9])
    assert krippendorff_alpha([labels, noisy, labels + 1e-12], level) == pytest.approx(1, abs=1e-15)


def test_alpha_that_hangs_on_rare_labels_has_no_interval():
    drawn = leave_one_out(range(4))
    estimate = alphas([[[1, 1, 1, 2], [1, 1, 1, 2]]], "nominal", drawn)[0].estimate()
    assert estimate.value == 1
    assert (estimate.low, estimate.high) == (None, None)
    assert "too few labels differ from the most frequent value" in estimate.reason
    # ten units, of which five are beside the mode for one and four for the other: 5 * 4 / 10 = 2
    table = [[1, 1, 1, 1, 1, 2, 2, 2, 2, 3], [1, 1, 1, 1, 1, 1, 2, 2, 3, 2]]
    assert shared_by_chance(np.array(table, dtype=float)) == pytest.approx(2)
    assert alphas([table], "nominal", leave_one_out(range(10)))[0].estimate().low is not None


NAMES = ("a", "b", "c")


def test_the_alternative_annotator_test_by_hand():
    # Against a, the others say b = c. Of 40 items the judge agrees with both and a with neither on 30: d = -1; on the
    # others both agree: d = 0. Mean d = -.75, sd = sqrt(7.5 / 39), t = (-.75 - .2) / (sd / sqrt(40)) with 39 degrees.
    judge = np.ones(40)
    people = np.ones((3, 40))
    people[0, :30] = 2
    people[1, 39] = 2
    found = alternative_annotator_test(judge, people, NAMES, "nominal", epsilon=0.2)
    first = found.annotators[0]
    assert (first.judge, first.person, first.items) == (1.0, 0.25, 40)
    differences = -np.repeat([1.0, 0.0], [30, 10])
    assert first.p == pytest.approx(stats.ttest_1samp(differences, 0.2, alternative="less").pvalue)
    assert found.passed


def test_what_does_not_vary_or_is_little_is_no_pass():
    same = alternative_annotator_test(np.ones(40), np.ones((3, 40)), NAMES, "nominal")
    assert (same.passed, same.annotators) == (None, ())
    assert "does not vary" in same.reason
    assert "fewer than 30" in alternative_annotator_test([1, 1], np.ones((3, 2)), NAMES, "nominal").reason
    two = alternative_annotator_test(
        np.ones(40), np.ones((3, 40)), NAMES, "nominal", clusters=["a"] * 20 + ["b"] * 20
    )
    assert "2 topics only" in two.reason


def test_without_overlap_there_is_no_test():
    rng = np.random.default_rng(2)
    judge, people = rng.integers(1, 4, 100).astype(float), rng.integers(1, 4, (3, 100)).astype(float)
    alone = alternative_annotator_test(judge, people[:1], ("a",), "nominal")
    assert alone.passed is None
    assert "one annotator labeled, and it takes several" in alone.reason
    people[2, :80] = np.nan
    some = alternative_annotator_test(judge, people, NAMES, "nominal")
    assert [annotator.items for annotator in some.annotators] == [100, 100]
    assert "left out: 1 of 3 annotators: fewer than 30" in some.reason
