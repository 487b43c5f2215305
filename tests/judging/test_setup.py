"""What can be had of which items is settled before the first call."""

from pathlib import Path

import pytest

from conqret import DeclarationError, ItemsError
from conqret.io import open_items
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.setup import check_items, set_up
from conqret.llm.client_options import ClientOptions
from tests.contract.items import demo

OFFLINE = ClientOptions("offline")
SINGLE = [item.model_copy(update={"second_argument": None}) for item in demo()[:3]]


def test_metrics_that_no_item_allows_are_left_out_with_a_note() -> None:
    checked, setup = check_items(open_items(SINGLE), set_up("g-eval", OFFLINE, JudgeOptions()))
    assert setup.options.metrics == ("context_relevance", "groundedness")
    assert setup.notes[-1] == "preference left out: no item has second_argument"
    assert checked.count == 3


def test_a_field_that_some_items_lack_is_a_fault_of_each() -> None:
    items = [demo()[0], *SINGLE[1:]]
    with pytest.raises(ItemsError) as caught:
        check_items(open_items(items), set_up("g-eval", OFFLINE, JudgeOptions()))
    assert [(fault.line, fault.field) for fault in caught.value.faults] == [
        (2, "second_argument"),
        (3, "second_argument"),
    ]
    assert "compares two arguments" in str(caught.value)


def test_faults_of_the_file_and_of_the_format_are_told_at_once() -> None:
    rows = [
        {"topic": "T?", "documents": ["a"], "argument": "Yes."},
        {"topic": "U?", "argument": "Yes."},
        {"topic": "V?", "documents": ["a"], "argument": 5},
    ]
    with pytest.raises(ItemsError) as caught:
        check_items(open_items(rows), set_up("g-eval", OFFLINE, JudgeOptions()))
    assert [(fault.line, fault.field) for fault in caught.value.faults] == [(2, "documents"), (3, "argument")]


def test_a_prompt_that_cannot_be_filled_shows_before_the_first_call(tmp_path: Path) -> None:
    from conqret.prompts import Library

    (tmp_path / "direct").mkdir()
    text = Library()["direct/groundedness"].text.replace("{{ argument_block(argument) }}", "{{ argumnet }}")
    (tmp_path / "direct" / "groundedness.j2").write_text(text, encoding="utf-8")
    with pytest.raises(DeclarationError, match=r"'direct/groundedness' does not render.*argumnet"):
        set_up("direct", OFFLINE, JudgeOptions(), tmp_path)
    set_up("direct", OFFLINE, JudgeOptions(("preference",)), tmp_path)


def test_the_fingerprint_knows_no_address_and_no_key() -> None:
    def fingerprint(**settings: str) -> str:
        return set_up("direct", ClientOptions("openai/judge", **settings), JudgeOptions()).fingerprint

    assert fingerprint() == fingerprint(api_base="http://127.0.0.1:1/v1", api_key="sk-secret")
    assert fingerprint() != set_up("direct", OFFLINE, JudgeOptions()).fingerprint


def test_a_function_is_no_format_and_its_place_is_named() -> None:
    with pytest.raises(DeclarationError, match=r"--judge .*adding-a-judge"):
        set_up("my_judge:judge", OFFLINE, JudgeOptions())
