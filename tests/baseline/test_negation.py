"""The offline baseline notices a negation that a claim drops or adds, wherever it stands."""

import pytest

from conqret.baseline.alignment import align
from conqret.io import open_items
from conqret.text.analysis import Sentence, Text
from tests.baseline.negations import (
    AGREEING_ENGLISH,
    AGREEING_GERMAN,
    CONTRADICTING_ENGLISH,
    CONTRADICTING_GERMAN,
    ENGLISH,
    GERMAN,
    SUPPORTING_ENGLISH,
    SUPPORTING_GERMAN,
    UNCLEAR_ENGLISH,
    UNCLEAR_GERMAN,
    pairs,
)

AROUND = {
    "en": "We request your number from the old bank. {} This takes up to ten working days.",
    "de": "Wir holen Ihre Nummer bei der alten Bank. {} Das dauert bis zu zehn Werktage.",
}


@pytest.mark.parametrize(("negated", "affirmative", "language"), pairs(ENGLISH, "en") + pairs(GERMAN, "de"))
def test_a_negation_is_copied_dropped_or_added(negated: str, affirmative: str, language: str) -> None:
    for source in (negated, affirmative):
        for claim in (negated, affirmative):
            expected = "supports" if source == claim else "contradicts"
            for text in (source, AROUND[language].format(source)):
                found = align(Sentence(claim, language=language), Text(text, language)).label
                assert found == expected, (text, claim)


def test_no_sentence_of_a_document_contradicts_it() -> None:
    for item in open_items("fixtures/demo/items.jsonl"):
        for document in item.documents:
            text = Text(document.text)
            wrong = [s.text for s in text.sentences if align(s, text).label == "contradicts"]
            assert not wrong, (item.id, document.id)


@pytest.mark.parametrize(
    ("source", "claim", "language"), pairs(AGREEING_ENGLISH, "en") + pairs(AGREEING_GERMAN, "de")
)
def test_what_agrees_is_not_contradicted(source: str, claim: str, language: str) -> None:
    assert align(Sentence(claim, language=language), Text(source, language)).label != "contradicts"


@pytest.mark.parametrize(
    ("expected", "source", "claim", "language"),
    [
        (expected, *pair)
        for expected, english, german in (
            ("contradicts", CONTRADICTING_ENGLISH, CONTRADICTING_GERMAN),
            ("supports", SUPPORTING_ENGLISH, SUPPORTING_GERMAN),
            ("silent", UNCLEAR_ENGLISH, UNCLEAR_GERMAN),
        )
        for pair in pairs(english, "en") + pairs(german, "de")
    ],
)
def test_without_unless_and_negations_that_meet(
    expected: str, source: str, claim: str, language: str
) -> None:
    for text in (source, AROUND[language].format(source)):
        assert align(Sentence(claim, language=language), Text(text, language)).label == expected
