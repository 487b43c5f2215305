"""Items as results of RAGChecker, and its results as items."""

import pytest

pytest.importorskip("ragchecker", reason="the extra ragchecker is not installed")

from ragchecker import RAGResults

import conqret
from conqret.adapters.ragchecker import as_results
from conqret.errors import DeclarationError

ITEM = conqret.Item(
    id="zoos",
    topic="Should zoos be banned?",
    stance="pro",
    argument="Yes: cages are small [1].",
    reference="It depends.",
    documents=[{"id": "cages", "text": "Cages are small.", "title": "Zoos"}],
)


def test_there_and_back(tmp_path):
    results = as_results([ITEM])
    again = RAGResults.from_json(results.to_json())  # as RAGChecker reads a file
    assert again.results[0].retrieved_context[0].doc_id == "cages"
    file = tmp_path / "results.json"
    file.write_text(results.to_json())
    for source in (file, results.to_dict()["results"]):
        (item,) = conqret.judge(source, format="direct", metrics=["groundedness"]).source
        untitled = [document.model_copy(update={"title": ""}) for document in ITEM.documents]
        lost = {"stance": "none", "documents": tuple(untitled), "metadata": item.metadata}
        assert item == ITEM.model_copy(update=lost)
        assert "stance" not in item.metadata


@pytest.mark.parametrize("field", ["argument", "reference"])
def test_what_it_needs_is_said(field):
    with pytest.raises(DeclarationError, match=f"item zoos has no {field}, which RAGChecker needs"):
        as_results([ITEM.model_copy(update={field: None})])
