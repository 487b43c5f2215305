"""The language of explanations: what prompts say of it, where, and what stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from conqret.data import Item
from conqret.io import open_items
from conqret.judging.instrument import case_of, filled, prompt_languages
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.judge_parts import JUDGES
from conqret.judging.setup import check_items, set_up
from conqret.llm.client_options import ClientOptions
from conqret.prompts import Library

ITEMS = Path(__file__).parents[2] / "fixtures" / "languages" / "items.jsonl"


@pytest.fixture(scope="module")
def bees() -> dict[str, Item]:
    """The versions of one item, by language."""
    items = [item for item in open_items(ITEMS) if item.metadata["translation_of"] == "bees"]
    return {item.language: item for item in items}


def system(
    item: Item, explain_in: str = "", *, name: str = "rag-fine-grained", confidence: bool = False
) -> str:
    """The instructions of the first question of a format about an item."""
    setup = set_up(name, ClientOptions("offline"), JudgeOptions(explain_in=explain_in, confidence=confidence))
    (ask, *_) = setup.judge_prompts
    return filled(setup.library[ask.prompt], ask, case_of(item, setup.options)).system


def fingerprint(items: list[Item], explain_in: str = "") -> str:
    """Of a judge of these items."""
    setup = set_up("rag-fine-grained", ClientOptions("offline"), JudgeOptions(explain_in=explain_in))
    return check_items(open_items(items), setup)[1].fingerprint


def test_an_english_item_explained_in_english_has_the_prompt_that_it_had(bees: dict[str, Item]) -> None:
    assert prompt_languages(bees["en"], "") is None
    assert system(bees["en"]) == system(bees["en"], "en") == system(bees["en"], "English")
    assert fingerprint([bees["en"]]) == fingerprint([bees["en"]], "en")


@pytest.mark.parametrize("code", ["de", "ar", "zh"])
def test_another_language_is_named_and_explained_in(bees: dict[str, Item], code: str) -> None:
    plain, said = system(bees["en"]), system(bees[code])
    assert said.startswith(plain)
    languages = prompt_languages(bees[code], "")
    assert languages is not None
    assert languages["language"] == languages["explain_in"]
    assert said.count(languages["language"]) >= 2
    assert prompt_languages(bees[code], "en") == {**languages, "explain_in": "English"}
    assert fingerprint([bees["en"]]) != fingerprint([bees[code]]) != fingerprint([bees[code]], "en")


def test_every_format_that_writes_says_it(bees: dict[str, Item]) -> None:
    library, case = Library(), case_of(bees["hi"], JudgeOptions())
    for name, judge in JUDGES.items():
        for ask in judge.judge_prompts:
            shown = filled(library[ask.prompt], ask, case).system
            assert ("Hindi" in shown) is (ask.reading is None), name
