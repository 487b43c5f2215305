"""Counter-arguments by the rubric of Table 3: what is judged, and what the grades come to."""

import json

import pytest

from conqret import judge
from conqret.debate.two_turn.text_grades import annotator_grades, counter_items, judge_grades, rubric
from conqret.debate.two_turn.two_turn_files import read_two_turn
from conqret.errors import DeclarationError
from conqret.io.labels import read_labels
from tests.io.test_two_turn import OWN, PASSAGE


def questions(tmp_path, *changes):
    path = tmp_path / "debates.jsonl"
    path.write_text("".join(json.dumps({**OWN, **change}) + "\n" for change in changes))
    return read_two_turn(path)


class Said:
    """A judgment with these grades; None is not graded."""

    def __init__(self, convincing, snippets, addresses):
        from conqret.data import Measure, Reason
        from conqret.judging.scales import ONE_TO_FIVE, rated

        grades = {"convincing": convincing, "snippets": snippets, "addresses": addresses}
        self.measures = {
            name: rated(ONE_TO_FIVE, grade) if grade else Measure.missing(Reason.INVALID_ANSWER)
            for name, grade in grades.items()
        }
        self.values = {name: grade for name, grade in grades.items() if grade}


def test_an_item_shows_both_texts_with_their_snippets_and_the_passage(tmp_path):
    one, two = counter_items(questions(tmp_path, {"writers": ["A", "B"]}))
    assert one.id == "q1-against-1"
    assert one.argument == "He may be wrong."
    assert one.second_argument == "Nobody else is named (#1).\n(#1) and nobody else was on board."
    assert two.argument == "This one has none.\n(#1) nobody  else"
    assert one.documents[0].text == PASSAGE
    assert "The counter-argument is for: A crew" in one.topic
    # the first option is right: who is against it argues for the wrong one
    assert (one.metadata["argues_for"], one.metadata["writer"]) == ("wrong", "B")
    assert (two.metadata["argues_for"], two.metadata["writer"]) == ("right", "A")


def test_means_are_by_writer_and_option_over_the_grades_that_were_given(tmp_path):
    items = counter_items(questions(tmp_path, *({"id": f"q{n}", "passage_id": f"p{n}"} for n in (1, 2))))
    said = [Said(5, None, 4), Said(1, 2, 3), Said(3, 1, 2), Said(None, None, None)]
    right, wrong, both = rubric(items, judge_grades(said))
    assert (right.argues_for, right.writer, right.counter_arguments, right.ungraded) == ("right", "", 2, 1)
    assert (right.convincing.value, right.snippets.value, right.addresses.value) == (1, 2, 3)
    assert wrong.convincing.value == 4
    assert wrong.snippets.value == 1
    assert wrong.overall.value == pytest.approx((5 + 4 + 3 + 1 + 2) / 5)
    assert both.overall.value == pytest.approx((5 + 4 + 1 + 2 + 3 + 3 + 1 + 2) / 8)
    assert both.counter_arguments == 4
    assert wrong.convincing.low is None  # of two passages there is no interval


def test_offline_a_counter_argument_without_snippets_has_no_grade_for_them(tmp_path):
    items = counter_items(questions(tmp_path, {}))
    first, second = judge(items, format="counter-argument")
    assert first.measures["snippets"].reason == "cannot_judge"
    assert first.measures["convincing"].raw is not None
    assert second.measures["snippets"].raw is not None
    graded = rubric(items, judge_grades([first, second]))
    assert graded[1].snippets.reason == "no grade was given"
    assert graded[1].overall.value is not None


def test_grades_of_people_make_the_same_table(tmp_path):
    items = counter_items(questions(tmp_path, {"writers": ["A", "B"]}))
    file = tmp_path / "grades.csv"
    rows = ("1,convincing,4,p01", "1,convincing,5,p02", "1,snippets,cannot judge,p01", "2,addresses,2,p02")
    file.write_text("item,dimension,value,annotator\n" + "".join(f"q1-against-{row}\n" for row in rows))
    found = rubric(items, annotator_grades(items, read_labels(file, scales=["1:5"])))
    overall = {one.writer: one.overall.value for one in found if one.argues_for is None}
    assert overall == {"B": 4.5, "A": 2.0}
    (alone,) = (one for one in found if (one.writer, one.argues_for) == ("B", "wrong"))
    assert (alone.convincing.value, alone.snippets.reason, alone.ungraded) == (4.5, "no grade was given", 0)
    file.write_text("item,dimension,value,annotator\nanother,convincing,4,p01\n")
    with pytest.raises(DeclarationError, match="grades none of these counter-arguments"):
        annotator_grades(items, read_labels(file, scales=["1:5"]))
