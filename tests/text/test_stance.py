"""The offline stance baseline."""

import pytest

from conqret.text.stance_detection import QuestionSides, signs, stance_order


@pytest.mark.parametrize(
    ("question", "polarity"),
    [
        ("Should Bottled Water Be Banned?", -1),
        ("We should abolish the ban on hunting", 1),
        ("Tenure is not fair", -1),
    ],
)
def test_what_yes_stands_for(question, polarity):
    assert QuestionSides.from_question(question).polarity == polarity


@pytest.mark.parametrize(
    ("question", "pro", "con"),
    [
        (
            "Should school uniforms be mandatory?",
            "School uniforms improve discipline, are affordable and promote equality.",
            "School uniforms stifle creativity and are a costly burden for poor families.",
        ),
        (
            "Should the death penalty be allowed?",
            "The death penalty should be allowed. I support it.",
            "The death penalty should not be allowed. I oppose it.",
        ),
    ],
)
def test_sides_are_told_apart(question, pro, con):
    assert stance_order(question, "pro", [con, pro]) == [1, 0]
    assert stance_order(question, "con", [pro, con]) == [1, 0]


def test_reducing_harm_is_good_and_limiting_freedom_is_bad():
    reduced, limited = signs("It will reduce harm and prevent crime."), signs("It would limit freedom.")
    assert reduced.good > reduced.bad
    assert limited.bad > limited.good
