"""From which grade it is a yes: chosen on other questions, by hand and against scikit-learn."""

import pytest

from conqret.data import Reason
from conqret.errors import DeclarationError
from conqret.io.pairs import Pair
from conqret.perspectives.detection import YES_FROM, Detection
from conqret.perspectives.threshold import against_labels, best_threshold, cross_fitted


def cases(rows):
    """Pairs and detections of (question, label, grade)."""
    pairs = [Pair(str(n), "d", "p", question, label) for n, (question, label, _) in enumerate(rows)]
    graded = [
        Detection(id=str(n), grade=grade, reason=Reason.REFUSAL if grade is None else None)
        for n, (*_, grade) in enumerate(rows)
    ]
    return pairs, graded


def test_the_threshold_with_the_highest_f1():
    assert best_threshold([True, True, False], [4, 2, 1]) == 2
    assert best_threshold([True, False, False], [4, 3, 3]) == 4
    # From 2 and from 3 on the same pairs are yes: the one nearest to the default. From 4 as well: still that one.
    assert best_threshold([True, False], [4, 1]) == YES_FROM
    assert best_threshold([False, False], [4, 1]) == YES_FROM


def test_a_question_has_no_part_in_its_own_threshold():
    # q1 alone would want 4, and q2 alone 2: each gets what the other wants.
    labels, grades = [True, False, True, False], [4, 3, 2, 1]
    assert best_threshold(labels[:2], grades[:2]) == 4
    assert best_threshold(labels[2:], grades[2:]) == 2
    assert cross_fitted(labels, grades, ["q1", "q1", "q2", "q2"]) == {"q1": 2, "q2": 4}
    pairs, graded = cases([("q1", True, 4), ("q1", False, 3), ("q2", True, 2), ("q2", False, 1)])
    found = against_labels(pairs, graded)
    assert (found.way, found.folds) == ("cross-fitted", {"q1": 2, "q2": 4})
    # q1: both yes; q2: both no. One hit of two yes, and of two positives.
    assert (found.accuracy.value, found.precision.value, found.recall.value, found.f1.value) == (0.5,) * 4
    assert (found.said_yes, found.labelled_yes, found.always_yes.value) == (0.5, 0.5, pytest.approx(2 / 3))
    assert found.yes_from == 2  # on all: 4/5 from 2 on, 1/2 from 3, 2/3 from 4


def test_grades_that_tell_no_yes_from_a_no_are_warned_of():
    """The grade "nothing" is the best threshold where grades say nothing: as good as always saying yes."""
    blind = [(f"q{place % 8}", place % 5 < 2, 1) for place in range(80)]
    found = against_labels(*cases(blind))
    assert found.f1.value == found.always_yes.value
    assert found.warning.startswith("the answers are not shown to tell a yes from a no: F1 0.571")
    good = [(question, label, 4 if label else 1) for question, label, _ in blind]
    assert against_labels(*cases(good)).warning == ""


def test_a_given_threshold_and_one_question_alone_choose_nothing():
    found = against_labels(*cases([("q1", True, 4), ("q1", True, 3), ("q2", False, 3)]), yes_from=4)
    assert (found.way, found.yes_from, found.folds) == ("given", 4, {})
    assert (found.precision.value, found.recall.value) == (1.0, 0.5)
    found = against_labels(*cases([("q", True, 2), ("q", True, 2), ("q", False, 1)]))
    assert (found.way, found.yes_from, found.recall.value, found.f1.low) == ("default", YES_FROM, 0.0, None)


def test_what_lacks_a_grade_or_a_label_is_left_out_and_counted():
    rows = [("q1", True, 4), ("q1", False, None), ("q2", None, 4), ("q2", False, 1)]
    found = against_labels(*cases(rows))
    assert (found.pairs, found.unanswered, found.accuracy.value) == (2, 1, 1.0)
    with pytest.raises(DeclarationError, match="nothing to compare"):
        against_labels(*cases([("q1", None, 4), ("q1", True, None)]))


def test_the_lines_of_the_grades():
    found = against_labels(*cases([("q1", True, 4), ("q1", False, 4), ("q2", True, 2), ("q2", False, 0)]))
    four, two = found.grades[4], found.grades[2]
    assert (four.pairs, four.yes, four.precision, four.recall) == (2, 1, 0.5, 0.5)
    assert (two.pairs, two.yes, two.precision, two.recall) == (1, 1, pytest.approx(2 / 3), 1.0)
    assert found.grades[0].recall == 1.0
