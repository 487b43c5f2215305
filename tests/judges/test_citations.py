"""citations: counted by hand."""

from __future__ import annotations

import pytest

from conqret import Document, Item, judge

DOCUMENTS = tuple(Document(id=f"d{number}", text=f"Text {number}.") for number in range(1, 5))


def scores(argument: str, documents: tuple[Document, ...] = DOCUMENTS) -> dict[str, float | str | None]:
    (found,) = judge(
        [Item(id="i", topic="Zoos?", documents=documents, argument=argument)], format="citations"
    )
    return {name: measure.reason or measure.value for name, measure in found.measures.items()}


@pytest.mark.parametrize(
    ("argument", "cited", "valid", "used"),
    [
        ("Animals in zoos suffer badly [1]. Zoos should therefore be closed.", 1 / 2, 1, 1 / 4),
        ("Animals in zoos suffer badly [1, 2-3]. So they say, too [9].", 1 / 2, 3 / 4, 3 / 4),
        ("Animals in zoos suffer badly. It is a well known fact.", 0, "nothing_to_judge", 0),
    ],
)
def test_shares(argument: str, cited: float, valid: float, used: float) -> None:
    assert scores(argument) == {"statements_cited": cited, "citations_valid": valid, "documents_cited": used}


def test_the_parts_say_which() -> None:
    item = Item(
        id="i", topic="Zoos?", documents=DOCUMENTS[:2], argument="Animals in zoos suffer badly [2, 5]."
    )
    (found,) = judge([item], format="citations")
    assert [(part.id, part.label) for part in found.measures["citations_valid"].parts] == [
        ("sentence 1, document 2", "is there"),
        ("sentence 1, document 5", "no such document"),
    ]
    assert [(part.id, part.label) for part in found.measures["documents_cited"].parts] == [
        ("d1", "not cited"),
        ("d2", "cited"),
    ]
