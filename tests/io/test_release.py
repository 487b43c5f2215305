"""The published release: a small one made by hand, and the real one where it is."""

import json
from pathlib import Path

import pytest

from conqret.data.corpus import CorpusTopic, Qrel
from conqret.errors import DeclarationError
from conqret.io.release import read_release


@pytest.fixture
def release(tmp_path: Path) -> Path:
    procon, annotations = tmp_path / "procon" / "train_public", tmp_path / "retrieval_annotations"
    procon.mkdir(parents=True)
    annotations.mkdir()
    sources = [
        {
            "id": str(number),
            "title": f" Title\u00a0{number} ",
            "url": "https://x.example" if number == 3 else None,
            "docid": number,
        }
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


def test_its_parent_may_be_given(release: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    parent = tmp_path_factory.mktemp("parent")
    (parent / "data").symlink_to(release)
    assert read_release(parent) == read_release(release)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("train_qrels.csv", "qid,docno,label,stance\n9,1,1,pro\n", r"qrels\.csv:2 topic '9'"),
        ("train_qrels.csv", "qid,docno,label,stance\n7,99,1,pro\n", r"qrels\.csv:2 no source"),
        ("train_qrels.csv", "qid,docno,label,stance\n7,1,1,\n", "label '1' and stance ''"),
        ("train_qrels.csv", "qid,docno,label,stance\n7,1,1\n", "has 3 cells where the head has 4"),
        ("train_qrels.csv", "qid,docno,label\n7,1,1\n", "column 'stance' is missing"),
    ],
)
def test_broken_releases(release: Path, file: str, text: str, message: str) -> None:
    (release / "retrieval_annotations" / file).write_text(text)
    with pytest.raises(DeclarationError, match=message):
        read_release(release)


def test_no_release(tmp_path: Path, release: Path) -> None:
    with pytest.raises(DeclarationError, match="not a ConQRet release"):
        read_release(tmp_path / "procon")
    (release / "procon" / "train_public" / "B.json").write_text("[]")
    with pytest.raises(DeclarationError, match="not a debate"):
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
