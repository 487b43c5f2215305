import json
import random
from pathlib import Path

from conqret.data import Document, Item
from conqret.perturb import Pool


def corpus(folder: Path) -> Path:
    documents = [{"id": f"d{n}", "title": "", "url": "", "text": f"text {n}"} for n in range(6)]
    (folder / "documents.jsonl").write_text("".join(json.dumps(d) + "\n" for d in documents))
    (folder / "topics.jsonl").write_text(
        json.dumps({"id": "t1", "question": "Should there be trams?"}) + "\n"
    )
    (folder / "qrels").mkdir()
    (folder / "qrels" / "all.train.qrels").write_text("t1 0 d0 1\nt1 0 d1 1\nt1 0 d2 0\n")
    return folder


def test_a_corpus_knows_what_belongs_to_a_topic(tmp_path: Path) -> None:
    item = Item(id="i", topic="should there be  trams", documents=(Document(id="d3", text="text 3"),))
    drawn = Pool.open(corpus(tmp_path)).draw(item, 10, random.Random(0))
    assert {document.id for document in drawn} == {"d2", "d4", "d5"}


def test_a_document_of_two_topics_is_foreign_to_neither() -> None:
    shared = Document(id="s", text="shared")
    items = [Item(id=str(n), topic=f"T{n}?", documents=(shared,)) for n in range(2)]
    other = Item(id="o", topic="T2?", documents=(Document(id="x", text="x"),))
    pool = Pool.from_items([*items, other])
    assert [d.id for d in pool.draw(items[0], 5, random.Random(0))] == ["x"]
    assert [d.id for d in pool.draw(other, 5, random.Random(0))] == ["s"]
