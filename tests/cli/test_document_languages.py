"""What documents say of their language, from the page to the item and to the index."""

from __future__ import annotations

import json
from pathlib import Path

from conqret.data import Document, Item
from conqret.debate.debatune.debate_files import read_statements
from conqret.io import open_items
from conqret.io.corpus_folder import CorpusDirectory, write_models
from conqret.labels.study_screens import items_of
from conqret.scrapers.fetch_ledger import make_document
from conqret.text.language import item_language


def test_it_stays_with_the_corpus_and_with_items(tmp_path: Path) -> None:
    corpus = CorpusDirectory(tmp_path)
    document = make_document("Tram 1 2 3", "", "", "cs")
    write_models(corpus.documents_file, [document, Document(id="plain", text="A text.")])
    assert [one.language for one in corpus.documents()] == ["cs", ""]
    lines = [json.loads(line) for line in corpus.documents_file.read_text(encoding="utf-8").splitlines()]
    assert ["language" in line for line in lines] == [True, False]
    (item,) = open_items([Item(id="a", topic="Tram?", documents=(document,)).model_dump()])
    assert item_language(item) == "cs"
    (item,) = open_items(
        [{"topic": "Tram?", "documents": [{"text": "x", "language": "not a known language"}]}]
    )
    assert item.documents[0].language == ""


def test_what_is_typed_reaches_the_items_that_are_labelled_and_debated(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    row = {"id": "a", "stance": "pro", "topic": "Tram?", "argument": "Ja, gern.", "documents": ["Ein Text."]}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    (item,) = items_of(path, "rating", language="German")
    (statement,) = read_statements([path], language="de")
    assert item.language == statement.language == "de"
