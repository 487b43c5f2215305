"""What is counted in a text is the same in every language: the twelve items of fixtures/languages, each in ten."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conqret import Item, Measure
from conqret.data import Nugget
from conqret.judging.instrument import case_of
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.judge_parts import JUDGES, Case, JudgePrompt, JudgeReply
from conqret.text.language import item_language, language_of
from conqret.text.sentences import sentences
from tests.contract.items import in_turn

FILE = Path(__file__).parents[2] / "fixtures" / "languages" / "items.jsonl"
LANGUAGES = "de fr es pt ru ar hi zh ja".split()
others = pytest.mark.parametrize("language", LANGUAGES)
ASKING = [name for name in JUDGES if JUDGES[name].judge_prompts]
QUOTING = frozenset({"counter-argument", "two-sided"})
"""Formats whose answers repeat words of the item: an English one fits no item in another language."""


@cache
def items(language: str) -> tuple[Item, ...]:
    """The items of a language, with what any format may need, made of their own texts: each is compared with the next,
    held against itself, and has the sentences of its first document as nuggets."""
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    own = [Item.model_validate(row) for row in rows if row["language"] == language]
    return tuple(
        item.model_copy(
            update={
                "id": item.metadata["translation_of"],
                "second_argument": own[place - 1].argument,
                "reference": item.argument,
                "nuggets": tuple(
                    Nugget(text=span.text, importance="vital", assignment="support")
                    for span in sentences(item.documents[0].text)
                ),
            }
        )
        for place, item in enumerate(own)
    )


def cases(language: str) -> list[tuple[Case, Case]]:
    """The English case of each item, and that in a language."""
    both = zip(items("en"), items(language), strict=True)
    return [(case_of(english, JudgeOptions()), case_of(other, JudgeOptions())) for english, other in both]


def counted(measures: Mapping[str, Measure]) -> dict[str, Any]:
    """What measures count, without the words that explain it or name a part."""
    return {
        name: (
            measure.status,
            measure.reason,
            measure.value,
            measure.raw,
            measure.label,
            [(part.value, part.raw, part.label) for part in measure.parts],
        )
        for name, measure in measures.items()
    }


def shape(value: Any) -> Any:
    """Plain data with its numbers and the lengths of its lists, without texts."""
    if isinstance(value, Mapping):
        return {key if not isinstance(key, str) else "": shape(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return sorted(repr(shape(part)) for part in value)
    return value if isinstance(value, int | float | None) else type(value).__name__


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
def test_the_language_of_each_text_is_found_without_a_model(language: str) -> None:
    for item in items(language):
        for text in (item.topic, item.argument or "", *(document.text for document in item.documents)):
            assert language_of(text, model=False) == language, text
        assert item_language(item.model_copy(update={"language": ""})) == language


@pytest.mark.parametrize(
    ("name", "language"), in_turn([name for name in JUDGES if JUDGES[name].computed], LANGUAGES)
)
def test_computed_measures_are_those_of_the_english_item(name: str, language: str) -> None:
    for part in JUDGES[name].computed:
        for english, other in zip(items("en"), items(language), strict=True):
            assert counted(part.measures(other)) == counted(part.measures(english)), other.id


def parts_of(ask: JudgePrompt[Any], case: Case) -> Sequence[Case]:
    return [case] if ask.cases is None else ask.cases(case)


@pytest.mark.parametrize(("name", "language"), in_turn(ASKING, LANGUAGES))
def test_as_much_is_asked_as_of_the_english_item(name: str, language: str) -> None:
    for ask in JUDGES[name].judge_prompts:
        for english, other in cases(language):
            unasked = ask.unasked(other), ask.unasked(english)
            assert counted(unasked[0] or {}) == counted(unasked[1] or {}), other.item.id
            parts = parts_of(ask, other), parts_of(ask, english)
            assert len(parts[0]) == len(parts[1]), other.item.id
            for one, same in zip(*parts, strict=True):
                assert shape(ask.context(one)) == shape(ask.context(same)), other.item.id


@pytest.mark.parametrize(
    ("name", "language"), in_turn([name for name in ASKING if name not in QUOTING], LANGUAGES[1:])
)
def test_the_same_answer_of_a_model_gives_the_same_scores(name: str, language: str) -> None:
    for ask in JUDGES[name].judge_prompts:
        for english, other in cases(language):
            if ask.unasked(english) is not None or ask.reading is not None:
                continue
            for one, same in zip(parts_of(ask, other), parts_of(ask, english), strict=True):
                answer = ask.baseline(same)
                scores = [
                    ask.score(
                        JudgeReply(ask.answer(case).model_validate(answer, context=ask.context(case))), case
                    )
                    for case in (one, same)
                ]
                assert counted(scores[0]) == counted(scores[1]), other.item.id
