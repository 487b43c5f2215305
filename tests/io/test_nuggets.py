"""Nuggets of items, and of banks of TREC RAG, AutoNuggetizer and AutoJudge, and what is wrong with them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from conqret.data import Nugget
from conqret.errors import ItemsError
from conqret.io import open_items
from conqret.io.nugget_banks import BanksError, read_banks
from conqret.io.reports import read_requests

ZOOS = "Should zoos be banned?"
ITEM = {"id": "7", "topic": ZOOS, "argument": "Cages are small."}
VITAL = {"text": "Cages are small.", "importance": "vital"}
OKAY = {"text": "Keepers care.", "importance": "okay"}
TREC = {
    "qid": "7",
    "nuggets": [
        {**VITAL, "mapped_sub_narrative": '"How do  animals live?"', "source": "post-edit"},
        {**OKAY, "mapped_sub_narrative": "New: Who keeps them", "source": "original"},
    ],
}
NUGGETIZER = {
    "query": ZOOS,
    "qid": "7",
    "nuggets": [{**VITAL, "assignment": "support"}, {**OKAY, "assignment": "failed"}],
}


def given(bank: dict[str, Any], item: dict[str, Any] = ITEM) -> tuple[Nugget, ...]:
    (found,) = open_items([item], nuggets=[bank])
    return found.nuggets


def test_a_bank_of_trec_rag() -> None:
    first, second = given(TREC)
    assert (first.importance, first.sub_narrative) == ("vital", "How do animals live?")
    assert (second.importance, second.sub_narrative) == ("okay", "New: Who keeps them")


@pytest.mark.parametrize(
    ("item", "bank"),
    [
        ({**ITEM, "id": "run:7", "metadata": {"topic_id": "7"}}, TREC),
        ({**ITEM, "id": "x", "qid": 7}, TREC),
        ({**ITEM, "id": "x", "topic": " should zoos be  banned? "}, {**NUGGETIZER, "qid": "z"}),
    ],
)
def test_the_bank_of_a_topic_is_found_by_its_id_or_by_what_it_asks(item: Any, bank: Any) -> None:
    assert len(given(bank, item)) == 2


def test_assignments_of_autonuggetizer_are_items() -> None:
    line = {**NUGGETIZER, "run_id": "mine", "answer_text": "Cages are small.", "response_length": 3}
    source = open_items([line])
    (item,) = source
    assert source.layout.name == "AutoNuggetizer assignments"
    assert (item.id, item.topic, item.argument) == ("mine:7", ZOOS, "Cages are small.")
    assert item.metadata == {"topic_id": "7", "run_id": "mine"}
    assert item.nuggets[0].assignment == "support"


@pytest.mark.parametrize(
    ("change", "field", "problem"),
    [
        ({"nuggets": [{**VITAL, "importance": "critical"}]}, "nuggets[1].importance", "is 'critical'"),
        ({"nuggets": [VITAL, {**OKAY, "text": "  "}]}, "nuggets[2].text", "is blank"),
    ],
)
def test_a_faulty_bank_is_told_with_file_line_and_field(
    tmp_path: Path, change: dict[str, Any], field: str, problem: str
) -> None:
    file = tmp_path / "banks.jsonl"
    file.write_text(json.dumps({**TREC, "qid": "6"}) + "\n" + json.dumps({**TREC, **change}) + "\n")
    with pytest.raises(BanksError) as caught:
        read_banks(file)
    fault = caught.value.faults[0]
    assert (fault.file, fault.line, fault.field) == (str(file), 2, field)
    assert problem in fault.problem


def test_an_item_without_a_bank_and_a_bank_that_asks_something_else(tmp_path: Path) -> None:
    items, banks = tmp_path / "items.jsonl", tmp_path / "banks.jsonl"
    items.write_text(json.dumps(ITEM) + "\n" + json.dumps({**ITEM, "id": "8"}) + "\n")
    banks.write_text(json.dumps({"qid": "7", "query": "How is honey made?", "nuggets": [VITAL]}) + "\n")
    with pytest.raises(ItemsError) as caught:
        open_items(items, nuggets=banks).check()
    other, none = caught.value.faults
    assert (other.line, other.field, none.line, none.field) == (1, "topic", 2, "nuggets")
    assert f"{banks}:1" in other.problem
    assert "'8'" in none.problem
    left = open_items(items, nuggets={"7": [VITAL]}, skip_invalid=True).check()
    assert (left.count, left.left_out) == (1, 1)


def test_topics_as_trec_has_them(tmp_path: Path) -> None:
    file = tmp_path / "topics.tsv.gz"
    file.write_bytes(gzip.compress(f"7\t{ZOOS}\n\n8\tHow, then, is honey made?\r\n".encode()))
    assert read_requests(file) == {"7": ZOOS, "8": "How, then, is honey made?"}
    headed = tmp_path / "topics.tsv"
    headed.write_text(f"qid\tnarrative\n7\t{ZOOS}\n")
    assert read_requests(headed) == {"7": ZOOS}


def test_the_development_nuggets_of_trec_rag_2026(data_dir: Path) -> None:
    folder = data_dir / "trec_rag_2026"
    banks = read_banks(folder / "rag25-dev-nuggets.jsonl.gz").banks
    topics = read_requests(folder / "rag25-topics-dev.tsv.gz")
    assert set(banks) == set(topics)
    nuggets = [nugget for bank in banks.values() for nugget in bank.nuggets]
    assert (len(banks), len(nuggets)) == (22, 1255)
    assert sum(nugget.importance == "vital" for nugget in banks["58"].nuggets) == 35
    assert len({nugget.sub_narrative for nugget in banks["58"].nuggets}) == 12
