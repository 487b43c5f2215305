"""The corpus directory."""

from pathlib import Path

import pytest

from conqret.data import Debate, DebateArgument, Document, Source
from conqret.data.corpus import CorpusTopic, LedgerEntry, Qrel, table2
from conqret.errors import DeclarationError, UnknownNameError
from conqret.io.corpus_folder import CorpusDirectory, write_lines, write_models
from conqret.io.trec import write_qrels

DEBATE = Debate(
    id="zoos",
    url="https://x.example/zoos",
    title="Zoos",
    question="Should zoos exist?",
    pros=(DebateArgument(title="P", paragraphs=("p [1].",)),),
    cons=(DebateArgument(title="C", paragraphs=("c.",)),),
    sources=(Source(number=1, title="S", cited="2019"),),
    layout="test",
)
TOPICS = [
    CorpusTopic(id="zoos", question="Should zoos exist?", split="train"),
    CorpusTopic(id="b", question="B?", split="test"),
]
DOCUMENTS = [
    Document(id="d1", text="Text ☃ one.", title="Title", url="u"),
    Document(id="d2", text="T2 and more", title="T2"),
]


def test_everything_comes_back(tmp_path: Path) -> None:
    corpus = CorpusDirectory(tmp_path / "new" / "corpus")
    write_models(corpus.debates_file, [DEBATE])
    write_models(corpus.documents_file, DOCUMENTS)
    write_models(corpus.topics_file, TOPICS)
    write_qrels(corpus.qrels_file("pro", "train"), [Qrel("zoos", "d1", 1)])
    write_qrels(corpus.qrels_file("pro", "test"), [Qrel("b", "d2", 0)])
    write_lines(
        corpus.ledger_file, [{"debate": "zoos", "number": 1, "status": "ok", "document": "d1", "seconds": 2}]
    )
    assert list(corpus.debates()) == [DEBATE]
    assert list(corpus.documents()) == DOCUMENTS
    assert list(corpus.topics("test")) == TOPICS[1:]
    assert list(corpus.ledger()) == [LedgerEntry(debate="zoos", number=1, status="ok", document="d1")]
    assert [pair.doc_id for pair in corpus.qrels_iter("pro")] == ["d1", "d2"]


def test_missing_and_broken_files_are_named(tmp_path: Path) -> None:
    corpus = CorpusDirectory(tmp_path)
    for read, command in (
        (corpus.debates, "corpus debates"),
        (corpus.ledger, "corpus evidence"),
        (corpus.topics, "corpus build"),
        (lambda: list(corpus.qrels_iter("pro")), "corpus build"),
    ):
        with pytest.raises(DeclarationError, match=command):
            read()
    corpus.topics_file.write_text(
        '{"id": "a", "question": "Q?", "split": "train"}\n{"id": "b", "question": "Q?"}\n'
    )
    with pytest.raises(DeclarationError, match=r"topics\.jsonl:2 \[split\]"):
        list(corpus.topics())
    with pytest.raises(UnknownNameError, match="did you mean 'pro'"):
        corpus.qrels_file("prow", "train")  # type: ignore[arg-type]


def test_table_2_by_hand() -> None:
    """Two topics: 2 + 1 relevant and as many others for pro, 1 + 0 for con; per stance half of 4 / 2."""
    rows = [Qrel("zoos", "d1", 1), Qrel("zoos", "d2", 1), Qrel("zoos", "d3", 0), Qrel("zoos", "d4", 0)]
    more = [Qrel("b", "d5", 1), Qrel("b", "d6", 0)]
    con = [Qrel("zoos", "d1", 1), Qrel("zoos", "d3", 0)]
    topics = [topic.model_copy(update={"split": "train"}) for topic in TOPICS]
    found = table2(topics, {("pro", "train"): rows + more, ("con", "train"): con}, 6)
    wanted = {"topics": 2, "docs_per_topic": 4.0, "relevant_per_topic": 2.0, "docs_per_stance": 1.0}
    assert found["train"] == wanted
    assert found["test"]["topics"] == 0
    assert found["documents"] == 6
    assert found["paper"]["train"]["topics"] + found["paper"]["test"]["topics"] == 98
