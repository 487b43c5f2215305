"""Agreement in each language, where labelled items are in several."""

from __future__ import annotations

from pathlib import Path

import pytest

from conqret.data import Judgment, Measure, Status
from conqret.io.label_set import LabelSet
from conqret.io.labels import read_labels
from conqret.studies.validate.page import validation_page
from conqret.studies.validate.result import Validation, validate

TOPICS = 8
FEW = 2


def _judgments(*codes: str) -> list[Judgment]:
    return [
        Judgment(
            item=f"{topic}-{code}",
            topic=f"{topic} in {code}",
            stance="pro",
            format="direct",
            model="m",
            fingerprint="f",
            measures={"groundedness": Measure(status=Status.SCORED, value=(topic * 3 % 8) / 7)},
            language=code,
            translation_of=str(topic),
        )
        for code in codes
        for topic in range(TOPICS)
    ]


def _labels(folder: Path, judgments: list[Judgment]) -> LabelSet:
    """German labels follow the scores, Chinese ones are their opposites, and of French there are two."""
    lines = ["item,annotator,dimension,value"]
    for judgment in judgments:
        topic = int(judgment.translation_of)
        value = round(1 + 4 * (judgment.value("groundedness") or 0.0))
        if judgment.language == "fr" and topic >= FEW:
            continue
        value = 6 - value if judgment.language == "zh" else value
        lines += [f"{judgment.item},{name},groundedness,{value}" for name in ("ann", "bob")]
    path = folder / "labels.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_labels(path, scales=["1:5"])


def test_each_language_has_its_agreement(tmp_path: Path) -> None:
    judgments = _judgments("de", "zh", "fr")
    validation = validate(judgments, _labels(tmp_path, judgments))
    rows = {row.language: row for row in validation.languages}
    assert list(rows) == ["de", "zh", "fr"]
    assert (rows["de"].units, rows["de"].topics, rows["fr"].topics) == (TOPICS, TOPICS, FEW)
    assert rows["de"].alpha.value == pytest.approx(1, abs=0.05)
    assert rows["zh"].alpha.value is not None
    assert rows["zh"].alpha.value < 0
    assert rows["de"].alpha.low is not None
    assert rows["fr"].alpha.low is None
    assert rows["fr"].alpha.reason == "no interval: 2 clusters, and 3 are needed"
    assert rows["de"].inter_annotator_alpha.value == pytest.approx(1)
    assert validation.basis.clusters == TOPICS
    assert Validation.model_validate_json(validation.model_dump_json()) == validation
    sheet = validation_page(validation)
    for text in ("".join(sheet.html()), "".join(sheet.markdown())):
        assert "by language" in text
        assert "Chinese" in text
