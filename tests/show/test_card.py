"""The card's page: escaped, without requests, readable on a phone and in the dark; and the Markdown card."""

from __future__ import annotations

from pathlib import Path

import pytest

from conqret.studies.card.page import write_card
from conqret.studies.card.result import Card, read_card
from tests.studies.cards import card_of
from tests.studies.sensitivity_plans import curve

HOSTILE = "<script>alert(1)</script>|`x`"


@pytest.fixture(scope="module")
def card(tmp_path_factory: pytest.TempPathFactory) -> Card:
    found = card_of(tmp_path_factory.mktemp("card"))
    run = found.run.model_copy(
        update={"items_name": HOSTILE, "identity": {**found.run.identity, HOSTILE: HOSTILE}}
    )
    basis = found.basis.model_copy(update={"labels": HOSTILE})
    return found.model_copy(update={"run": run, "basis": basis, "limits": (*found.limits, HOSTILE)})


def test_three_files_say_the_same(card: Card, tmp_path: Path) -> None:
    page, markdown, data = write_card(card, tmp_path / "card")
    assert read_card(data) == card
    text, marked = page.read_text(encoding="utf-8"), markdown.read_text(encoding="utf-8")
    for sentence in card.limits[:2]:
        assert sentence in text
        assert sentence in marked
    assert "<script>alert" not in text + marked
    assert "&lt;script&gt;" in text
    assert card.run.fingerprint in text
    assert "default-src &#39;none&#39;" in text
    assert "a lexical baseline and no LLM judge" in text


def test_labels_of_one_person_have_no_columns_for_more(card: Card, tmp_path: Path) -> None:
    for people in (3, 1):
        rows = tuple(row.model_copy(update={"annotators": people}) for row in card.agreement)
        page = write_card(card.model_copy(update={"agreement": rows}), tmp_path)[0]
        assert page.read_text(encoding="utf-8").count(">One annotator<") == (people > 1)


def test_curves_of_known_damage_are_drawn_and_told(card: Card, tmp_path: Path) -> None:
    curves = (curve(), curve((0.9, 0.9, 0.9), model=HOSTILE))
    page, markdown, _ = write_card(card.model_copy(update={"sensitivity": curves}), tmp_path)
    text = page.read_text(encoding="utf-8")
    assert "direct: 0.900 at 0, 0.500 at 50, 0.200 at 100." in text, "the chart says what it shows"
    assert "falls by 0.3" in text
    assert "<script>alert" not in text
    said = markdown.read_text(encoding="utf-8")
    assert "documents replaced in place by documents of other topics), at 0, 50, 100" in said
    assert "| 0.900, 0.500, 0.200 |" in said
