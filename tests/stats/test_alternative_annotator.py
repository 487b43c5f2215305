import numpy as np
import pytest
from scipy import stats

from conqret.errors import DeclarationError
from conqret.stats.agreement import alternative_annotator_test

NAMES = ("a", "b", "c")


def people_and_judge(rng, judge_noise, items=100):
    truth = rng.integers(1, 4, items).astype(float)
    people = np.array([np.clip(truth + rng.choice((-1, 0, 0, 0, 1), items), 1, 3) for _ in NAMES])
    wrong = rng.random(items) < judge_noise
    return np.where(wrong, rng.integers(1, 4, items), truth), people


def test_by_hand():
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


def test_a_good_judge_passes_and_a_random_one_does_not():
    rng = np.random.default_rng(0)
    for level in ("nominal", "ordinal"):
        judge, people = people_and_judge(rng, 0.0)
        assert alternative_annotator_test(judge, people, NAMES, level).passed
        judge, people = people_and_judge(rng, 1.0)
        assert alternative_annotator_test(judge, people, NAMES, level).passed is False


def test_without_overlap_there_is_no_test():
    rng = np.random.default_rng(2)
    judge, people = people_and_judge(rng, 0.3)
    alone = alternative_annotator_test(judge, people[:1], ("a",), "nominal")
    assert alone.passed is None
    assert "one annotator labeled, and it takes several" in alone.reason
    people[2, :80] = np.nan
    some = alternative_annotator_test(judge, people, NAMES, "nominal")
    assert [annotator.items for annotator in some.annotators] == [100, 100]
    assert "left out: 1 of 3 annotators: fewer than 30" in some.reason


def test_wrong_calls():
    with pytest.raises(DeclarationError, match="names"):
        alternative_annotator_test([1, 2], [[1, 2]], NAMES, "nominal")
    with pytest.raises(DeclarationError, match="epsilon"):
        alternative_annotator_test([1, 2], [[1, 2]], ("a",), "nominal", epsilon=1)
    with pytest.raises(DeclarationError, match="clusters"):
        alternative_annotator_test([1, 2], [[1, 2]], ("a",), "nominal", clusters=["x"])
