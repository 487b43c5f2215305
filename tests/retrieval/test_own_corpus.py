"""Documents, topics and qrels of one's own: imported, ranked, scored, argued from, without a file written by hand."""

import json
import re
import shlex

import pytest

from conqret.io.corpus_folder import CorpusDirectory
from tests.commands import run_conqret
from tests.needed import Needed

ir_measures = Needed("ir_measures")

DOCUMENTS = {
    "documents.csv": "doc,text\nd1,Cats are good company.\nd2,Dogs bark.\n",
    "documents.tsv": "DocNo\tContents\nd1\tCats are good company.\nd2\tDogs bark.\n",
    "corpus.jsonl": '{"_id": "d1", "title": "", "text": "Cats are good company."}\n'
    '{"_id": "d2", "text": "Dogs bark."}\n',
}
TOPICS = {
    "queries.csv": "qid,query\n1,Are cats good?\n2,Are fish good?\n",
    "queries.jsonl": '{"_id": "1", "text": "Are cats good?"}\n{"_id": "2", "text": "Are fish good?"}\n',
    "topics.xml": "<topics><topic number='1'><query>Are cats good?</query></topic>"
    "<topic><number>2</number><title>Are fish good?</title></topic></topics>",
    "topics.txt": "<top>\n<num> Number: 1\n<title> Are cats good?\n</top>\n"
    "<top>\n<num> Number: 2\n<title> Are fish good?\n</top>\n",
}
QRELS = {
    "relevance.qrels": "1 0 d1 2\n1 0 d2 0\n2 0 d2 -1\n",
    "test.tsv": "query-id\tcorpus-id\tscore\n1\td1\t2\n1\td2\t0\n2\td2\t-1\n",
    "qrels.tsv": "1\t0\td1\t2\n1\t0\td2\t0\n2\t0\td2\t-1\n",
}


@pytest.fixture
def conqret(monkeypatch, tmp_path):
    """The command line in a folder with all files."""
    monkeypatch.chdir(tmp_path)
    for name, text in {**DOCUMENTS, **TOPICS, **QRELS}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return lambda line: run_conqret(*shlex.split(line))


@pytest.mark.parametrize(
    ("documents", "topics", "qrels"),
    [
        ("documents.csv", "queries.csv", "relevance.qrels"),
        ("corpus.jsonl", "queries.jsonl", "test.tsv"),
        ("documents.tsv", "topics.xml", "qrels.tsv"),
        ("documents.csv", "topics.txt", "relevance.qrels"),
    ],
)
def test_usual_layouts_become_a_corpus(conqret, tmp_path, documents, topics, qrels):
    done = conqret(f"corpus import {documents} --topics {topics} --qrels {qrels} -o own")
    assert done.code == 0, done.err
    assert "2 passages, 2 topics, 3 judged pairs" in done.out
    corpus = CorpusDirectory(tmp_path / "own")
    assert [document.text for document in corpus.documents()] == ["Cats are good company.", "Dogs bark."]
    assert [topic.question for topic in corpus.topics("test")] == ["Are cats good?", "Are fish good?"]
    assert [(pair.doc_id, pair.relevance) for pair in corpus.qrels_iter("all")] == [
        ("d1", 2),
        ("d2", 0),
        ("d2", -1),
    ]


def test_qrels_without_sides_are_enough(conqret):
    conqret("corpus import documents.csv --topics queries.csv --qrels relevance.qrels -o own")
    done = conqret("retrieve evaluate own --systems bm25 --measure nDCG@5")
    assert done.code == 0, done.err
    assert "ALL (1 topic)" in done.out
    assert "PRO" not in done.out
    assert "1 topic left out, without a relevant document:\n  2" in done.err
    assert "view" not in done.err
    assert conqret("retrieve run own -o runs/own.res.gz").code == 0
    done = conqret("generate arguments own --run runs/own.res.gz --stance pro --topics 1 -o runs/own")
    assert done.code == 0, done.err
    assert "by the lexical baseline" in done.out
    assert "no examples" in done.err
    done = conqret(
        "generate arguments own --stance both --strategy takeaways --topics 1,2 -o runs/gold --json"
    )
    assert done.code == 0, done.err
    remarks = " ".join(json.loads(done.out)["remarks"])
    assert ("no sides" in remarks, "written on 2" in remarks) == (True, True)
    done = conqret("judge runs/own/items.jsonl -o runs/judged")
    assert done.out.startswith("By word statistics (the lexical baseline, no LLM), the mean scores")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("corpus import documents.csv --topics qrels.tsv -o own", "in a column such as id or qid"),
        ("corpus import documents.csv --topics queries.csv --qrels other.qrels -o own", "same ids"),
        (
            "corpus import documents.csv --topics queries.csv --qrels half.tsv -o own",
            "half.tsv:2 .*whole numbers",
        ),
        ("retrieve evaluate bare --systems bm25", "corpus import DOCUMENTS --topics TOPICS --qrels QRELS"),
        ("generate arguments bare --stance pro", "corpus import DOCUMENTS --topics TOPICS --qrels QRELS"),
    ],
)
def test_a_fault_says_which_file_to_bring(conqret, tmp_path, line, told):
    (tmp_path / "other.qrels").write_text("77 0 d1 1\n", encoding="utf-8")
    (tmp_path / "half.tsv").write_text("query-id\tcorpus-id\tscore\n1\td1\t0.5\n", encoding="utf-8")
    conqret("corpus import documents.csv -o bare")
    done = conqret(line)
    assert done.code == 2
    assert re.search(told, done.err), done.err
    assert not list(tmp_path.glob("own/*"))
