import numpy as np
import pytest

from conqret.errors import DeclarationError
from conqret.stats.alternative_annotator import alternative_annotator_test

NAMES = ("a", "b", "c")


def people_and_judge(rng, judge_noise, items=100):
    truth = rng.integers(1, 4, items).astype(float)
    people = np.array([np.clip(truth + rng.choice((-1, 0, 0, 0, 1), items), 1, 3) for _ in NAMES])
    wrong = rng.random(items) < judge_noise
    return np.where(wrong, rng.integers(1, 4, items), truth), people


def test_by_hand():
    # Against a, the others say b = c. On items 1 to 3 the judge agrees with both and a with neither: d = -1 each;
    # on item 4 both agree: d = 0. Mean d = -0.75, sd = 0.5, t = (-0.75 - 0.2) / 0.25 = -3.8 with 3 degrees: p = 0.016.
    judge = [1, 1, 1, 1]
    people = [[2, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1]]
    found = alternative_annotator_test(judge, people, NAMES, "nominal", epsilon=0.2)
    first = found.annotators[0]
    assert (first.judge, first.person, first.items) == (1.0, 0.25, 4)
    assert first.p == pytest.approx(0.01599, abs=1e-4)
    assert found.passed
    assert "30 are wanted" in found.reason


def test_a_good_judge_passes_and_a_random_one_does_not():
    rng = np.random.default_rng(0)
    for level in ("nominal", "ordinal"):
        judge, people = people_and_judge(rng, 0.0)
        assert alternative_annotator_test(judge, people, NAMES, level).passed
        judge, people = people_and_judge(rng, 1.0)
        assert alternative_annotator_test(judge, people, NAMES, level).passed is False


def test_false_advantages_are_rare_where_the_judge_is_just_too_bad():
    """The judge is worse than each annotator by exactly epsilon: at most 5 % of tests may find an advantage."""
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(300):
        ones = np.ones((3, 60))
        judge = np.where(rng.random(60) < 0.2, 2.0, 1.0)
        found += alternative_annotator_test(judge, ones, NAMES, "nominal", epsilon=0.2).winning_rate > 0
    assert found / 300 <= 0.07


def test_without_overlap_there_is_no_test():
    alone = alternative_annotator_test([1, 2, 3], [[1, 2, 3]], ("a",), "nominal")
    assert alone.passed is None
    assert "shares two items" in alone.reason
    nan = np.nan
    some = alternative_annotator_test(
        [1, 2, 1, nan], [[1, 2, 1, 1], [1, 2, 2, 1], [nan, nan, 1, 1]], NAMES, "nominal"
    )
    assert [one.items for one in some.annotators] == [3, 3]
    assert "1 annotators share too few" in some.reason


def test_wrong_calls():
    with pytest.raises(DeclarationError, match="names"):
        alternative_annotator_test([1, 2], [[1, 2]], NAMES, "nominal")
    with pytest.raises(DeclarationError, match="epsilon"):
        alternative_annotator_test([1, 2], [[1, 2]], ("a",), "nominal", epsilon=1)
