"""The published release: a small one made by hand, and the real one where it is."""

import json
from pathlib import Path

import pytest

from conqret.data.corpus import CorpusTopic, Qrel
from conqret.errors import DeclarationError
from conqret.generation.examples import ExpertArguments
from conqret.io.corpus_folder import CorpusDirectory
from conqret.io.release import read_release
from conqret.scrapers.corpus_building import import_release


@pytest.fixture
def release(tmp_path: Path) -> Path:
    procon, annotations = tmp_path / "procon" / "train_public", tmp_path / "retrieval_annotations"
    procon.mkdir(parents=True)
    annotations.mkdir()
    sources = [
        {"id": str(number), "title": f" Title\u00a0{number} ", "url": "https://x.example", "docid": number}
        for number in range(1, 11)
    ]
    for name, part in (("A_–_Top_3.json", sources[5:]), ("B.json", sources[:5]), ("C.json", [])):
        debate = {"title": name, "pros": [], "cons": [], "introduction": [], "sources": part, "url": "u"}
        (procon / name).write_text(json.dumps(debate), encoding="utf-8")
    (annotations / "train_queries.csv").write_text('qid,query\n7,"Should A, or B, Be"\n8,Unjudged\n')
    (annotations / "train_qrels.csv").write_text(
        "qid,docno,label,stance\n7,1,1,pro\n7,2,1,pro\n7,2,1,con\n7,3,1,con\n7,10,0,\n7,9,0,\n7,10,0,\n7,8,0,\n"
    )
    return tmp_path


def test_a_small_release(release: Path) -> None:
    found = read_release(release)
    assert found.topics == (CorpusTopic(id="7", question="Should A, or B, Be", split="train"),)
    assert [document.id for document in found.documents] == [str(number) for number in range(1, 11)]
    third = found.documents[2]
    assert (third.title, third.text, third.url) == ("Title 3", "Title 3", "https://x.example")
    pro = [Qrel("7", "1", 1), Qrel("7", "2", 1), Qrel("7", "10", 0), Qrel("7", "9", 0)]
    con = [Qrel("7", "2", 1), Qrel("7", "3", 1), Qrel("7", "9", 0), Qrel("7", "8", 0)]
    assert list(found.qrels["pro", "train"]) == pro
    assert list(found.qrels["con", "train"]) == con
    assert [pair.doc_id for pair in found.qrels["all", "train"] if pair.relevance] == ["1", "2", "3"]
    assert len(found.qrels["all", "train"]) == 6
    assert found.qrels["pro", "test"] == ()
    assert found.splits == dict.fromkeys(["1", "2", "3", "10", "9", "8"], "train")
    notes = " ".join(found.notes)
    for text in ("no texts", "1 repeated rows", "1 of 2 train queries", "no test_qrels.csv"):
        assert text in notes


def parsed(title: str, **more: object) -> str:
    """A debate as the release's parser writes it, with numbers of its own for the sources."""
    sources = [{"id": str(n), "title": f"Source {n}", "url": None, "docid": n + 700} for n in range(1, 6)]
    return json.dumps({"titles": [title], "sources": sources, "url": "https://pages.example/b", **more})


@pytest.mark.parametrize("folder", ["train", "train_public"])
def test_texts_pros_and_cons_are_read_where_they_are(release: Path, folder: str) -> None:
    for name, docid, text in (
        ("documents", 1, "Buses came twice as often after 2019."),
        ("documents_sep20", "2", "  Fares rose by a tenth. "),
        ("documents", 9, ""),  # a page that could not be read
        ("documents", 50, "No debate names this page."),
    ):
        (release / name).mkdir(exist_ok=True)
        page = {"docid": docid, "html": "<p>…</p>", "stripped_html": text}
        (release / name / f"{docid}.json").write_text(json.dumps(page))
    (release / "titles2.json").write_text(
        json.dumps({"https://pages.example/b/": {"titles": ["B"], "qid": 7}})
    )
    sides = {
        "pros": [{"title": "Pro 1", "paragraphs": ["Buses come more often. [1] [2]"]}],
        "cons": [{"title": "Con 1", "paragraphs": ["Fares rise. [2] [4]"]}],
    }
    public = release / "procon" / "train_public" / "B.json"
    if folder == "train":
        (release / "procon" / "train").mkdir()
        (release / "procon" / "train" / "b.json").write_text(parsed("B?", **sides))
        public.write_text(json.dumps(json.loads(public.read_text()) | {"url": "https://pages.example/b"}))
    else:
        public.write_text(
            json.dumps(json.loads(public.read_text()) | sides | {"title": "Should A, or B, be?"})
        )
    corpus = CorpusDirectory(release / "corpus")
    for _ in range(2):  # the same import again replaces its own files
        found = import_release(release, corpus.path)
    documents = {document.id: document for document in corpus.documents()}
    assert documents["1"].text == "Buses came twice as often after 2019."
    assert (documents["2"].title, documents["2"].text) == ("Title 2", "Fares rose by a tenth.")
    assert [documents[name].text for name in ("9", "50")] == ["Title 9", "No debate names this page."]
    assert len(documents) == 11
    assert found.statistics["tokens"] == {"under 100": 11} | dict.fromkeys(
        list(found.statistics["tokens"])[1:], 0
    )
    (topic,) = corpus.topics()
    expert = ExpertArguments(corpus).find(topic, "con")
    assert expert is not None
    assert (expert.points, expert.documents) == ((("Con 1", ("Fares rise. [1]",)),), ("2",))
    assert found.notes[0] == "3 of 11 documents have their texts; the others are the titles of their sources"
    assert "2 pros and cons of 1 topics" in found.notes


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("train_qrels.csv", "qid,docno,label,stance\n7,99,1,pro\n", r"qrels\.csv:2 no source"),
        ("train_qrels.csv", "qid,docno,label,stance\n7,1,1,\n", "label '1' and stance ''"),
    ],
)
def test_broken_releases(release: Path, file: str, text: str, message: str) -> None:
    (release / "retrieval_annotations" / file).write_text(text)
    with pytest.raises(DeclarationError, match=message):
        read_release(release)


def test_the_real_release(data_dir: Path) -> None:
    """What the folder holds: 60 judged topics, whose averages are those of the paper's Table 2 (69, 34, 17)."""
    found = read_release(data_dir / "conqret")
    assert (len(found.topics), len(found.documents)) == (60, 4938)
    assert {key: sum(pair.relevance for pair in pairs) for key, pairs in found.qrels.items() if pairs} == {
        ("pro", "train"): 1038,
        ("con", "train"): 1021,
        ("all", "train"): 2001,
    }
    train = found.statistics["table2"]["train"]
    assert [round(train[name]) for name in ("docs_per_topic", "relevant_per_topic", "docs_per_stance")] == [
        69,
        34,
        17,
    ]
