"""An index is built once, and again when the corpus or the settings change."""

import json

import pytest

from conqret.errors import DeclarationError
from conqret.retrieval import build_index, open_index
from conqret.retrieval.engines import WordIndexSettings


def test_it_is_kept_until_something_changes(corpus):
    first = build_index(corpus)
    again = build_index(corpus)
    assert (first.fresh, again.fresh, first.fingerprint == again.fingerprint) == (True, False, True)
    other = build_index(corpus, settings=WordIndexSettings(k1=1.2))
    assert (other.fresh, other.fingerprint != first.fingerprint) == (True, True)
    assert build_index(corpus, settings=WordIndexSettings(k1=1.2), rebuild=True).fresh
    with (corpus / "documents.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"id": "new", "text": "an axolotl"}) + "\n")
    grown = open_index(corpus)
    assert (grown.fresh, grown.settings.k1, len(grown)) == (True, 1.2, 11)
    assert grown.engine == first.engine
    hits = grown.search(["axolotl"], 5)
    assert [grown.ids[number] for number in hits.documents] == ["new"]


def test_a_title_is_indexed_with_its_text(tmp_path):
    (tmp_path / "documents.jsonl").write_text(
        '{"id": "a b", "title": "Axolotls", "text": "They swim."}\n\n{"id": "c", "text": "Else."}\n'
    )
    index = build_index(tmp_path)
    assert [index.ids[number] for number in index.search(["axolotl"], 5).documents] == ["a b"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"id": 3, "text": "x"}', "documents.jsonl:2 is not a document"),
        ('{"id": "one", "text": "x"}', "documents.jsonl:2 repeats the id 'one'"),
    ],
)
def test_a_faulty_document_is_named_and_leaves_nothing_behind(tmp_path, line, told):
    (tmp_path / "documents.jsonl").write_text('{"id": "one", "text": "a text"}\n' + line + "\n")
    with pytest.raises(DeclarationError, match=told.replace(".", r"\.")):
        build_index(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} <= {"documents.jsonl", ".index.lock"}
