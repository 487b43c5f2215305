"""Translations of an item are one topic: their interval is that of equal copies, and agreement is by language."""

from __future__ import annotations

from pathlib import Path

import pytest

from conqret.data import Item, Judgment, Measure, Status
from conqret.data.judgment import TopicKeys
from conqret.io.labels import read_labels
from conqret.judging.tally import summarise
from conqret.studies.validate.page import validation_page
from conqret.studies.validate.result import validate

TOPICS = 12


def judgments(*codes: str, tied: bool = True, copies: bool = False) -> list[Judgment]:
    """Twelve topics in these languages, the same score in each; or equal ``copies`` in place of translations."""
    return [
        Judgment(
            item=f"{topic}-{code}",
            topic=f"{topic}" if copies else f"{topic} in {code}",
            stance="pro",
            format="direct",
            model="m",
            fingerprint="f",
            measures={"groundedness": Measure(status=Status.SCORED, value=(topic * 5 % TOPICS) / 11)},
            language=code,
            translation_of=f"{topic}" if tied and not copies else "",
        )
        for code in codes
        for topic in range(TOPICS)
    ]


@pytest.mark.parametrize("tied", [True, False], ids=["by translation_of", "by their ids"])
def test_an_interval_over_translations_is_that_over_equal_copies(tied: bool) -> None:
    codes = ("en", "de", "fr", "ar", "zh")
    translated, copies = (
        summarise(judgments(*codes, tied=tied, copies=copies)).metrics["groundedness"].interval
        for copies in (False, True)
    )
    assert translated.n == copies.n == TOPICS * len(codes)
    assert (translated.low, translated.high) == pytest.approx((copies.low, copies.high))


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


def test_each_language_has_its_agreement(tmp_path: Path) -> None:
    """German labels follow the scores, Chinese ones are their opposites, and of French there are two."""
    judged = judgments("de", "zh", "fr")
    lines = ["item,annotator,dimension,value"]
    for judgment in judged:
        if judgment.language == "fr" and int(judgment.translation_of) >= 2:
            continue
        value = round(1 + 4 * (judgment.value("groundedness") or 0.0))
        value = 6 - value if judgment.language == "zh" else value
        lines += [f"{judgment.item},{name},groundedness,{value}" for name in ("ann", "bob")]
    (tmp_path / "labels.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    validation = validate(judged, read_labels(tmp_path / "labels.csv", scales=["1:5"]))
    german, chinese, french = validation.languages
    assert (german.units, german.topics, french.topics) == (TOPICS, TOPICS, 2)
    assert german.alpha.value == pytest.approx(1, abs=0.05)
    assert german.alpha.low is not None
    assert german.inter_annotator_alpha.value == pytest.approx(1)
    assert (chinese.alpha.value or 0) < 0
    assert french.alpha.reason == "no interval: 2 clusters, and 3 are needed"
    assert validation.basis.clusters == TOPICS
    assert "Chinese" in "".join(validation_page(validation).html())
