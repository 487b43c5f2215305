"""Perturbations in other languages: each works in the item's own or has no rule for it; no English enters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from pydantic import ValidationError

from conqret.data import Item
from conqret.perturb import (
    PERTURBATIONS,
    LanguageError,
    Materials,
    Pool,
    contradictions,
    perturb_items,
)
from conqret.perturb.kinds import added_texts, changed_citations, changed_sentences
from conqret.perturb.perturbation import Draw
from conqret.perturb.rewriting import rewrite_request
from conqret.prompts import Library
from conqret.text.analysis import function_words
from conqret.text.sentences import sentences

ITEMS = Path(__file__).parents[2] / "fixtures" / "languages" / "items.jsonl"
LATIN = frozenset({"de", "fr", "es", "pt"})
IN_ENGLISH = frozenset(
    "hallucinate hallucinate-share reverse reverse-share paraphrase wrong-names fallacies one-sided-evidence".split()
)
"""Perturbations that have no rule for any other language."""

ENGLISH_TEXTS = (
    *added_texts.FILLERS,
    *added_texts.FALLACIES,
    *added_texts.LEFT_OUT,
    *added_texts.INJECTIONS,
    *[text for pair in added_texts.MATCHED for text in pair],
    *contradictions._DEGREES.values(),
    *contradictions._DETAILS.values(),
    *contradictions._LISTS["added"],
    *contradictions._LISTS["places"],
    *contradictions.FAMILY,
    *changed_citations._WAYS,
    *changed_sentences._PHRASES.values(),
    *contradictions._WORDS,
    "Published in",
    "as of",
)
_word = re.compile(r"[^\W\d_]+")
_latin = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ]{2,}")


def lower(texts: Iterable[str]) -> set[str]:
    return {word.lower() for text in texts for word in _word.findall(text)}


ENGLISH_WORDS = {word for word in lower(ENGLISH_TEXTS) if len(word) > 1}


@cache
def parallel() -> tuple[Item, ...]:
    return tuple(map(Item.model_validate_json, ITEMS.read_text(encoding="utf-8").splitlines()))


def of(code: str) -> list[Item]:
    return [item for item in parallel() if item.language == code]


def texts_of(item: Item) -> Iterator[str]:
    yield from filter(None, (item.topic, item.argument, item.second_argument))
    for document in item.documents:
        yield from (document.title, document.text)


def own_words(code: str) -> set[str]:
    """Words that the items of a language have, and its texts that perturbations put in."""
    inserted = added_texts.OTHER_INJECTIONS[code]
    return lower([*(text for item in of(code) for text in texts_of(item)), *inserted])


def strangers(version: Item, code: str) -> set[str]:
    """Latin words of a version in another script, or English ones, that neither its items nor its texts have."""
    own = own_words(code)
    new = lower(texts_of(version)) - own
    if code in LATIN:
        return new & ENGLISH_WORDS - function_words(code)
    return {word for word in new if _latin.fullmatch(word)}


@pytest.fixture(scope="module")
def materials() -> Materials:
    return Materials(Pool.from_items(parallel()))


@pytest.mark.parametrize("code", ["de", "zh"])
@pytest.mark.parametrize("name", PERTURBATIONS)
def test_no_english_enters_a_text_in_another_language(name: str, code: str, materials: Materials) -> None:
    perturbation = PERTURBATIONS[name]
    changed, left_out = perturb_items(of(code), perturbation, perturbation.levels, materials=materials)
    versions = [item for level, items in changed.items() if level for item in items]
    for version in versions:
        assert strangers(version, code) == set(), version.id
        assert version.language == code
    assert bool(versions) == (name not in IN_ENGLISH)
    if not versions:
        assert {item.language for item in left_out} == {code}


def test_a_model_rewrites_in_any_language_and_not_in_english() -> None:
    perturbation = PERTURBATIONS["paraphrase"]
    item = of("zh")[0]
    with pytest.raises(LanguageError, match="Chinese; a model"):
        perturbation.apply(item, 100)
    assert perturbation.rewriting is not None
    draw = Draw(item, item.id, "paraphrase", 100, 13, Materials(by_model=True))
    request = rewrite_request(item, [1], perturbation.rewriting, draw, Library())
    assert "in Chinese" in request.messages[0].content
    english = "Bees suffer from it and the garden is the place where they live [1]."
    answer = {"rewrites": [{"sentence": 1, "rewritten": english}]}
    with pytest.raises(ValidationError, match="in Chinese, not in English"):
        request.response.model_validate(answer, context=request.context)
    own = sentences(item.argument or "")[0].text
    answer["rewrites"][0]["rewritten"] = f"确实，{own}"
    request.response.model_validate(answer, context=request.context)
