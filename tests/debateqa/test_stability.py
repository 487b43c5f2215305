"""Instruments compared by pairs: taus and agreements worked by hand, intervals recomputed with scipy."""

import numpy as np
import pytest

from conqret.debateqa.score_table import AWARENESS, DIVERSITY, ScoreRow, frame_of
from conqret.debateqa.stability import stability

pytest.importorskip("scipy", reason="the extra stats is not installed: scipy is missing")


def rows_of(scores, metric=DIVERSITY):
    """Rows from ``scores[instrument][system]``, a list of one value a question (None where there is none)."""
    return frame_of(
        ScoreRow(
            system, f"q{place}", metric, instrument, value, reason="" if value is not None else "refusal"
        )
        for instrument, systems in scores.items()
        for system, values in systems.items()
        for place, value in enumerate(values)
    )


def test_rankings_of_systems_by_hand():
    # means: one 2, 3, 4; two 1, 3, 2 (two pairs of three in the same order, one not); three 5, 5, 6 (one pair tied)
    scores = {
        "one": {"a": [1, 3], "b": [2, 4], "c": [3, 5]},
        "two": {"a": [1, 1], "b": [3, 3], "c": [2, 2]},
        "three": {"a": [4, 6], "b": [5, 5], "c": [6, 6]},
    }
    matrix = stability(rows_of(scores), DIVERSITY)
    assert (matrix.names, matrix.systems, matrix.items) == (("one", "two", "three"), ("a", "b", "c"), 3)
    assert (matrix.answers, matrix.left_out, matrix.statistic) == (6, 0, "tau")
    assert matrix.value("one", "two") == matrix.value("two", "one") == pytest.approx((2 - 1) / 3)
    assert matrix.value("one", "three") == pytest.approx(2 / (3 * 2) ** 0.5)
    assert matrix.value("two", "three") == pytest.approx((1 - 1) / (3 * 2) ** 0.5)
    assert [row[place] for place, row in enumerate(matrix.rows())] == [1.0, 1.0, 1.0]


def test_all_answers_as_items_equal_scipy():
    from scipy.stats import kendalltau

    first, second = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0], [2.0, 7.0, 1.0, 8.0, 2.0, 8.0]
    scores = {"one": {"a": first[:3], "b": first[3:]}, "two": {"a": second[:3], "b": second[3:]}}
    matrix = stability(rows_of(scores), DIVERSITY, over="answers")
    assert matrix.items == 6
    assert matrix.value("one", "two") == pytest.approx(kendalltau(first, second).statistic)
    # 15 pairs: one tie in the first, two in the second
    assert matrix.value("one", "two") == pytest.approx(-2 / (14 * 13) ** 0.5)


def test_intervals_leave_out_questions():
    from scipy.stats import kendalltau, t

    rng = np.random.default_rng(3)
    values = rng.normal(size=(2, 4, 6))  # instruments by systems by questions
    scores = {
        name: dict(zip("abcd", value.tolist(), strict=True))
        for name, value in zip(("one", "two"), values, strict=True)
    }
    found = stability(rows_of(scores), DIVERSITY).values["one", "two"]
    without = [kendalltau(*np.delete(values, place, axis=2).mean(axis=2)).statistic for place in range(6)]
    reach = t.ppf(0.975, 5) * (5 / 6 * ((without - np.mean(without)) ** 2).sum()) ** 0.5
    assert found.low == pytest.approx(max(found.value - reach, -1))
    assert found.high == pytest.approx(min(found.value + reach, 1))
    assert found.low < found.high


def test_verdicts_are_compared_answer_by_answer():
    scores = {"one": {"a": [1, 1, 1], "b": [0, 0]}, "two": {"a": [1, 1, 0], "b": [0, 1]}}
    matrix = stability(rows_of(scores, AWARENESS), AWARENESS)
    assert (matrix.statistic, matrix.over, matrix.items) == ("agreement", "answers", 5)
    assert matrix.value("one", "two") == pytest.approx(3 / 5)
    # both say 1 three times of five: chance agreement is (9 + 4) / 25
    assert matrix.kappas["one", "two"].value == pytest.approx((3 / 5 - 13 / 25) / (1 - 13 / 25))


def test_an_answer_without_a_score_is_left_out_for_all():
    scores = {"one": {"a": [1, 9], "b": [2, 2], "c": [5, 5]}, "two": {"a": [1, None], "b": [2, 2]}}
    matrix = stability(rows_of(scores), DIVERSITY)
    # with its 9 the first instrument would put a above b
    assert matrix.value("one", "two") == 1.0
    assert (matrix.systems, matrix.answers, matrix.left_out) == (("a", "b"), 3, 3)


def test_a_constant_ranking_has_no_tau_and_says_why():
    scores = {"one": {"a": [2, 2], "b": [1, 3]}, "two": {"a": [1, 1], "b": [3, 3]}}
    matrix = stability(rows_of(scores), DIVERSITY)
    assert matrix.value("one", "two") is None
    assert "does not vary" in matrix.values["one", "two"].reason
    always = rows_of({"one": {"a": [1, 1]}, "two": {"a": [1, 1]}}, AWARENESS)
    said = stability(always, AWARENESS)
    assert said.value("one", "two") == 1.0
    assert said.kappas["one", "two"].value is None
