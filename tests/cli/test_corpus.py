"""``conqret corpus`` and ``conqret corpus debates`` on the command line."""

from pathlib import Path

import pytest

from conqret.data import Document
from conqret.io.corpus_folder import CorpusDirectory, write_lines, write_models
from fixtures.site import read_topics, read_truth
from tests.commands import run_conqret


@pytest.fixture
def corpus(tmp_path: Path) -> CorpusDirectory:
    """Debates and a ledger made from the truth of the fixture site."""
    directory = CorpusDirectory(tmp_path / "corpus")
    topics, truth = read_topics(), read_truth()
    debates, ledger = [], []
    for slug, topic in truth.items():
        sides = {
            side: [
                {
                    "title": "",
                    "paragraphs": [
                        "".join(f"[{one['number']}]" for one in topic["sources"] if side in one["cited"])
                    ],
                }
            ]
            for side in ("pro", "con")
        }
        sources = [{"number": one["number"], "title": one["title"]} for one in topic["sources"]]
        debates.append(
            {"id": slug, "url": f"https://x.example/{slug}", "title": slug, "question": topic["question"]}
            | {"pros": sides["pro"], "cons": sides["con"], "sources": sources, "layout": "test"}
        )
        ledger += [
            {"debate": slug, "number": one["number"], "status": one["status"], "document": one["document"]}
            for one in topic["sources"]
        ]
    write_lines(directory.debates_file, debates)
    write_lines(directory.ledger_file, ledger)
    named = {one["document"] for one in ledger}
    documents = [
        Document(id=one["id"], text=one["text"], title=one["title"])
        for topic in topics.values()
        for one in topic["documents"]
        if one["id"] in named
    ]
    write_models(directory.documents_file, documents)
    return directory


def test_the_table_has_the_paper_beside_it(corpus: CorpusDirectory) -> None:
    result = run_conqret("corpus", "build", str(corpus.path))
    assert result.code == 0
    lines = {line.partition("  ")[0].strip(): line for line in result.out.splitlines()}
    assert lines["Total topics"].split()[-4:] == ["8", "4", "68", "30"]
    assert "6,500" in lines["Total evidence documents"]


def test_wrong_calls(tmp_path: Path, corpus: CorpusDirectory) -> None:
    for arguments, message in (
        (["corpus", "build", str(tmp_path / "none")], "corpus evidence"),
        (["corpus", "import", str(tmp_path)], "not a ConQRet release"),
        (["corpus", "debates", str(tmp_path / "none.txt")], "no such file"),
    ):
        result = run_conqret(*arguments)
        assert result.code == 2, arguments
        assert message in result.err


def test_import(data_dir: Path, tmp_path: Path) -> None:
    result = run_conqret("corpus", "import", str(data_dir / "conqret"), "-o", str(tmp_path / "c"))
    assert result.code == 0, result.output
    directory = CorpusDirectory(tmp_path / "c")
    assert len(list(directory.topics("train"))) == 60
    assert sum(1 for _ in directory.documents()) == 4938
    assert sum(pair.relevance for pair in directory.qrels_iter("pro")) == 1038
