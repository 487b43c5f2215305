"""Metrics against people's rankings: who counts, and what is left out with a reason."""

import pytest

from conqret.debateqa.human_alignment import align, annotator_agreement
from conqret.debateqa.score_table import AWARENESS, DIVERSITY, DIVERSITY_MEAN, ScoreRow, frame_of
from conqret.errors import DeclarationError
from conqret.io.pairs import Comparison

pytest.importorskip("scipy", reason="the extra stats is not installed: scipy is missing")


def rows_of(values, metric=DIVERSITY):
    """Rows from ``values[system][question]``."""
    return [
        ScoreRow(system, one, metric, "gpt2", value)
        for system, own in values.items()
        for one, value in own.items()
    ]


def ranked(order, who, item=""):
    """Every system is preferred to those behind it."""
    return [
        Comparison(one, other, 1.0, who, item)
        for place, one in enumerate(order)
        for other in order[place + 1 :]
    ]


THREE = rows_of({"a": {"x": 1.0}, "b": {"x": 2.0}, "c": {"x": 3.0}})


def test_annotators_without_a_correlation_are_not_counted():
    ties = [Comparison(one, other, 0.5, "ties") for one, other in ("ab", "bc", "ac")]
    people = [*ranked("abc", "agrees"), *ranked("cba", "opposes"), *ranked("ab", "two alone"), *ties]
    (found,) = align(frame_of(THREE), people)
    assert (found.system_rho, found.system_tau, found.annotators) == (pytest.approx(0), pytest.approx(0), 2)
    (without,) = align(frame_of(THREE), ties)
    assert (without.system_rho, without.system_tau, without.annotators) == (None, None, 0)
    assert "no annotator ranks three" in without.reason


def test_a_metric_of_two_systems_does_not_end_the_others():
    rows = [*rows_of({"a": {"x": 1.0}, "b": {"x": 0.0}, "c": {"x": None}}, AWARENESS), *THREE]
    short, whole = align(frame_of(rows), ranked("abc", "p"))
    assert (short.metric, short.system_rho, short.systems, short.left_out) == (AWARENESS, None, 2, ("c",))
    assert short.reason == "2 of the compared systems were scored, and three are needed"
    assert (whole.system_rho, whole.annotators, whole.reason) == (pytest.approx(1), 1, "")
    with pytest.raises(DeclarationError, match="2 of the compared systems are scored"):
        align(frame_of(rows[:3]), ranked("abc", "p"))


def test_systems_are_compared_on_common_questions():
    # over all that each has, b would be the best and a the last
    easy = rows_of({"a": {"x": 1.0, "y": 30.0}, "b": {"x": 2.0, "z": 0.1}, "c": {"x": 3.0}})
    other = rows_of({"not compared": {"w": 1.0}})
    (found,) = align(frame_of([*easy, *other]), ranked("abc", "p"))
    assert (found.system_tau, found.common, found.unlike) == (pytest.approx(1), 1, 2)
    apart = rows_of({"a": {"x": 1.0}, "b": {"y": 2.0}, "c": {"z": 3.0}}, DIVERSITY_MEAN)
    assert (
        align(frame_of([*THREE, *apart]), ranked("abc", "p"))[1].reason
        == "no question was scored of all 3 systems"
    )


def test_answers_are_ranked_within_each_question():
    scores = rows_of(
        {"a": {"x": 1.0, "y": 9.0}, "b": {"x": 2.0, "y": 8.0}, "c": {"x": 3.0, "y": 7.0, "z": 1.0}}
    )
    preferred = [
        *ranked("abc", "p", "x"),  # rho 1, tau 1
        *ranked("acb", "p", "y"),  # of c b a: rho -1/2, tau -1/3
        *ranked("abc", "q", "x"),
        *ranked("abc", "q", "z"),  # one answer is scored
    ]
    (found,) = align(frame_of(scores), preferred)
    assert found.rho.value == pytest.approx((1 - 1 / 2 + 1) / 3)
    assert found.tau.value == pytest.approx((1 - 1 / 3 + 1) / 3)
    assert (found.questions, found.system_rho) == (2, None)  # the means are equal
    (among,) = annotator_agreement([*preferred, *ranked("acb", "q", "y")]).values.values()
    assert among.value == pytest.approx(1.0)  # over x and y
    assert annotator_agreement(ranked("abc", "p")) is None
