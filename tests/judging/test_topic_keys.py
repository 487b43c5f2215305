"""Translations of an item are one topic: an interval over them is that of equal copies."""

from __future__ import annotations

import random

import pytest

from conqret.data import Item, Judgment, Measure, Status
from conqret.data.judgment import TopicKeys
from conqret.judging.tally import summarise

CODES = ("en", "de", "fr", "es", "pt", "ru", "ar", "hi", "zh", "ja")
TOPICS = 12


def _judgment(item: str, topic: str, value: float, language: str = "", translation_of: str = "") -> Judgment:
    return Judgment(
        item=item,
        topic=topic,
        stance="pro",
        format="direct",
        model="m",
        fingerprint="f",
        measures={"groundedness": Measure(status=Status.SCORED, value=value)},
        language=language,
        translation_of=translation_of,
    )


def _translated(tied: bool) -> list[Judgment]:
    """Twelve topics in ten languages, the same score in each."""
    rng = random.Random(1)
    scores = [rng.random() for _ in range(TOPICS)]
    return [
        _judgment(f"{topic}-{code}", f"{topic} in {code}", score, code, f"{topic}" if tied else "")
        for topic, score in enumerate(scores)
        for code in CODES
    ]


def _copied() -> list[Judgment]:
    return [
        judgment.model_copy(update={"topic": judgment.item.split("-")[0], "translation_of": ""})
        for judgment in _translated(False)
    ]


@pytest.mark.parametrize("tied", [True, False], ids=["by translation_of", "by their ids"])
def test_an_interval_over_translations_is_that_over_equal_copies(tied: bool) -> None:
    translated, copies = (
        summarise(judgments).metrics["groundedness"].interval for judgments in (_translated(tied), _copied())
    )
    assert translated.n == copies.n == TOPICS * len(CODES)
    assert translated.low == pytest.approx(copies.low)
    assert translated.high == pytest.approx(copies.high)


def test_what_ties_topics() -> None:
    items = [
        Item(id="bees", topic="Bees?"),
        Item(id="x1", topic="Bienen?", metadata={"translation_of": "bees"}),
        Item(id="bees-fr", topic="Abeilles ?", language="fr"),
        Item(id="bees-xx", topic="Other", language="de"),
        Item(id="bees-con", topic="Bees?"),
        Item(id="bees-con-de", topic="Bienen, anders?", language="de"),
    ]
    keys = TopicKeys.from_judged(items)
    assert [keys[item.topic] for item in items] == ["Bees?", "Bees?", "Bees?", "Other", "Bees?", "Bees?"]
    assert keys.count == 2
    assert not TopicKeys.from_judged(items[:1]).joined
