"""What people are shown and asked: every task's screens, and what is no task."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from conqret.errors import DeclarationError, UnknownNameError
from conqret.judging.dimensions import DIMENSIONS
from conqret.judging.judge_parts import JUDGES
from conqret.labels.screens import CANNOT_JUDGE, Screen
from conqret.labels.study_screens import planned_screens
from conqret.labels.task import TaskRequest
from conqret.labels.task_choice import format_task, screens_of, states_ratings, task_of
from tests.labels.studies import items


def screens(task: str, count: int = 1, **wanted: object) -> list[Screen]:
    return screens_of(task_of(task), items(count), TaskRequest(**wanted))  # type: ignore[arg-type]


def test_a_format_asks_of_each_document_and_of_the_argument_with_its_own_words() -> None:
    first, second, whole = screens("rag-fine-grained")
    assert [first.part, second.part, whole.part] == ["doc-0-a", "doc-0-b", ""]
    assert [passage.text for passage in second.passages] == ["Shops fear for their customers."]
    (relevance,) = first.questions
    assert [choice.value for choice in relevance.choices] == list("012345")
    assert relevance.choices[3].meaning == "relevant, with usable content."
    assert any(line.startswith("- Specificity:") for line in relevance.guide)
    named = {question.name: question for question in whole.questions}
    assert named.keys() == {"answer_relevance", "groundedness", *(one.name for one in DIMENSIONS)}
    cogency = named["cogency"]
    assert cogency.guide[0].startswith("An argument is cogent if")
    assert "a 2 or a 3" in named["clarity"].guide[1]  # which points "in the middle" are
    assert cogency.choices[5].meaning.startswith("excellent")


@pytest.mark.parametrize("name", [name for name in JUDGES if states_ratings(JUDGES[name])])
def test_every_rating_of_every_format_is_a_question_with_its_scale(name: str) -> None:
    low, high = map(int, JUDGES[name].scale.split(" to "))
    for screen in screens(name):
        for question in screen.questions:
            assert [int(choice.value) for choice in question.choices] == list(range(low, high + 1))
            assert question.guide
            assert not any("Everything between the tags" in line for line in question.guide)
            meant = [choice.meaning for choice in question.choices if choice.meaning]
            assert len(set(meant)) == len(meant)
            assert len(meant) != 1  # none: the points stand in the prompt's sentences


def test_what_is_computed_is_asked_of_nobody_whatever_its_scale() -> None:
    computed = replace(JUDGES["citations"], scale="0 to 1")
    assert not states_ratings(computed)
    with pytest.raises(DeclarationError, match="citations has no rating"):
        list(format_task(computed).screens(items(1)[0], TaskRequest()))


def test_sides_are_drawn_and_written_down_as_they_stand_in_the_item() -> None:
    found = screens("preference", 40)
    swapped = Counter(screen.swapped for screen in found)
    assert 8 < swapped[True] < 32
    for screen in found:
        own = "A" if screen.passages[0].text.startswith("Accidents") else "B"
        chosen = next(choice.value for choice in screen.questions[0].choices if choice.says == own)
        assert screen.written(screen.read({"preference": chosen})) == {"preference": "first"}
        assert screen.written({"preference": CANNOT_JUDGE}) == {"preference": CANNOT_JUDGE}


def test_a_cited_sentence_is_marked_beside_the_document() -> None:
    (screen,) = screens("citation-support")
    argument, document = screen.passages
    ((start, end),) = argument.lit
    assert argument.text[start:end] == "Accidents fell by half in year 0 [1]."
    assert document.title == "[1] A report"
    assert screen.part == "sentence 1, document 1"


def test_a_task_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        'shows = ["each document", "argument"]\n[[questions]]\nname = "dated"\nasks = "Is it out of date?"\n'
        'choices = [{ value = "yes" }, { value = "no", meaning = "or one cannot tell" }]\n'
    )
    first, second = screens(str(file))
    assert [first.part, second.part] == ["doc-0-a", "doc-0-b"]
    assert [passage.title for passage in first.passages] == ["Argument", "[1] A report"]
    assert first.read({"dated": "yes"}) == {"dated": "yes"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[questions]]\nname = 'a'\nasks = 'b'\nchoices = [{ value = '1' }]", "choices"),
        ("not valid TOML", "mine.toml"),
    ],
)
def test_what_is_no_task_is_said_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(DeclarationError, match=says):
        task_of(str(file))


def test_names_that_do_not_exist() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'preference'"):
        task_of("preferences")
    with pytest.raises(UnknownNameError, match="of the task citation-support"):
        screens("citation-support", metrics=("clarity",))
    with pytest.raises(DeclarationError, match="no scale on which annotators could rate"):
        screens("static-rubric")


def test_a_plan_says_which_items_and_whether_they_stand_for_others(tmp_path: Path) -> None:
    plan = tmp_path / "sheet.plan.json"
    plan.write_text('{"probability": null, "chosen": [{"item": "item-2"}, {"item": "item-0"}]}')
    found = planned_screens(items(4), "rating", plan=plan)
    assert [screen.item for screen in found.screens] == ["item-2", "item-0"]
    assert not found.estimates
    plan.write_text('{"probability": 0.5, "chosen": [{"item": "item-9"}]}')
    with pytest.raises(DeclarationError, match="not among the items, for example 'item-9'"):
        planned_screens(items(4), "rating", plan=plan)
    plan.write_text('{"probability": null, "chosen": [{"item": "item-2", "probability": 0.5}]}')
    with pytest.raises(DeclarationError, match="unequal probabilities"):
        planned_screens(items(4), "rating", plan=plan)
    plan.write_text("[]")
    with pytest.raises(DeclarationError, match="not a plan of conqret labels sample"):
        planned_screens(items(4), "rating", plan=plan)
