"""``conqret corpus`` and ``conqret corpus debates`` on the command line."""

from pathlib import Path

from conqret.data import Document
from conqret.io.corpus_folder import CorpusDirectory, write_lines, write_models
from tests.commands import run_conqret


def test_the_table_has_the_paper_beside_it(tmp_path: Path) -> None:
    corpus = CorpusDirectory(tmp_path / "corpus")
    sides = {
        side: [{"title": "", "paragraphs": [f"So it is [{number}]."]}]
        for number, side in enumerate(("pros", "cons"), start=1)
    }
    sources = [{"number": number, "title": ""} for number in (1, 2)]
    debate = {"id": "zoos", "url": "https://x.example/zoos", "title": "Zoos", "layout": "test"}
    write_lines(corpus.debates_file, [{**debate, "question": "Zoos?", **sides, "sources": sources}])
    write_lines(
        corpus.ledger_file,
        [{"debate": "zoos", "number": number, "status": "ok", "document": f"d{number}"} for number in (1, 2)],
    )
    write_models(corpus.documents_file, [Document(id=f"d{number}", text="A text.") for number in (1, 2)])
    result = run_conqret("corpus", "build", str(corpus.path))
    assert result.code == 0, result.err
    lines = {line.partition("  ")[0].strip(): line for line in result.out.splitlines()}
    assert lines["Total evidence documents"].split()[3] == "2"
    assert "6,500" in lines["Total evidence documents"]


def test_wrong_calls(tmp_path: Path) -> None:
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
