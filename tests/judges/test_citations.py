"""citations: counted by hand."""

from __future__ import annotations

import pytest

from conqret import Document, Item, judge

DOCUMENTS = tuple(Document(id=f"d{number}", text=f"Text {number}.") for number in range(1, 5))


@pytest.mark.parametrize(
    ("argument", "cited", "valid", "used"),
    [
        ("Animals in zoos suffer badly [1]. Zoos should therefore be closed.", 1 / 2, 1, 1 / 4),
        ("Animals in zoos suffer badly [1, 2-3]. So they say, too [9].", 1 / 2, 3 / 4, 3 / 4),
        ("Animals in zoos suffer badly. It is a well known fact.", 0, "nothing_to_judge", 0),
    ],
)
def test_shares(argument: str, cited: float, valid: float, used: float) -> None:
    item = Item(id="i", topic="Zoos?", documents=DOCUMENTS, argument=argument)
    measures = judge([item], format="citations")[0].measures
    found = {name: measure.reason or measure.value for name, measure in measures.items()}
    assert found == {"statements_cited": cited, "citations_valid": valid, "documents_cited": used}


def test_the_parts_say_which() -> None:
    text = "Animals in zoos suffer badly [2, 5]."
    (found,) = judge([Item(id="i", topic="Zoos?", documents=DOCUMENTS, argument=text)], format="citations")
    valid, cited = (found.measures[name].parts for name in ("citations_valid", "documents_cited"))
    assert [part.label for part in valid] == ["is there", "no such document"]
    assert valid[1].id == "sentence 1, document 5"
    assert [part.label for part in cited] == ["not cited", "cited", "not cited", "not cited"]
