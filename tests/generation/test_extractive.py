"""The offline generator: sentences of the documents, the stance's where it can be told, arranged and cited."""

import json
from pathlib import Path

import pytest

from conqret.data import Document
from conqret.generation.cited_argument import GeneratedArgument, check_citations, render
from conqret.generation.strategies.extractive import FROM_ONE_DOCUMENT, PREMISES, compose
from conqret.text.citations import strip_citations

TOPICS = sorted((Path(__file__).parents[2] / "fixtures" / "topics").glob("*.json"))


def argument(topic: str, stance: str, shown: list[Document]) -> GeneratedArgument:
    return GeneratedArgument.model_validate(compose(topic, stance, shown))


@pytest.mark.parametrize("stance", ["pro", "con"])
@pytest.mark.parametrize("file", TOPICS[:2], ids=lambda file: file.stem)
def test_every_premise_is_a_sentence_of_the_document_that_it_cites(file, stance):
    topic = json.loads(file.read_text(encoding="utf-8"))
    shown = [Document(id=d["id"], text=d["text"], title=d["title"]) for d in topic["documents"]]
    found = argument(topic["question"], stance, shown)
    premises = [premise for conclusion in found.conclusions for premise in conclusion.premises]
    assert 1 <= len(found.conclusions) <= 3
    assert 1 <= len(premises) <= PREMISES
    for premise in premises:
        (number,) = premise.citations
        assert premise.text in " ".join(strip_citations(shown[number - 1].text).split())
    used = [premise.citations[0] for premise in premises]
    assert max(map(used.count, used)) <= FROM_ONE_DOCUMENT
    assert sorted({*used, *(one.document for one in found.left_out)}) == list(range(1, len(shown) + 1))
    check = check_citations(render(found), shown)
    assert not check.out_of_range
    assert not check.misquoted
    assert compose(topic["question"], stance, shown) == compose(topic["question"], stance, shown)


@pytest.mark.parametrize("text", ["x", "|||", "No sentence here at all", "[1] [2]", "\u202e"])
def test_a_document_without_a_usable_sentence_gives_its_first_words(text):
    found = argument("Should we?", "pro", [Document(id="d", text=text)])
    assert len(found.conclusions) == 1
    assert render(found)
