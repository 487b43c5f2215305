"""``conqret retrieve index`` and ``conqret retrieve run`` from arguments to files."""

import json
import shlex

import pytest

from conqret.io.trec import read_rankings, read_run
from tests.commands import run_conqret
from tests.needed import Needed

ir_measures = Needed("ir_measures")


@pytest.fixture
def conqret(monkeypatch, tmp_path):
    """The command line in this process, which takes a line."""
    monkeypatch.chdir(tmp_path)
    return lambda line: run_conqret(*shlex.split(line))


def test_from_corpus_to_table_4(conqret, corpus, tmp_path):
    done = conqret(f"retrieve index {corpus} --engine bm25s --stopwords lucene --json")
    assert done.code == 0, done.err
    facts = json.loads(done.out)
    assert (facts["documents"], facts["engine"], facts["settings"]["stop_words"]) == (10, "bm25s", "lucene")
    run = tmp_path / "runs" / "pro.res.gz"
    done = conqret(f"retrieve run {corpus} --stance pro --rerank offline -k 3 -o {run} --json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["windows"]["failed"] == 0
    assert json.loads(done.out)["engine"] == "bm25s"
    lines = list(read_run(run))
    assert [line.doc_id for line in lines if line.query_id == "cats"][:2] == ["cats-pro-2", "cats-pro-1"]
    assert len([line for line in lines if line.query_id == "trams"]) == 3
    measures = "--measure P@10 --measure nDCG@10 --measure nDCG@3"
    done = conqret(f"retrieve evaluate {corpus} --systems bm25,pro,con,mmr@0.75,mine={run} --json {measures}")
    assert done.code == 0, done.err
    scores = {(one["view"], one["system"], one["measure"]): one for one in json.loads(done.out)["scores"]}
    assert scores["pro", "pro", "nDCG@10"]["mean"] == 1.0
    assert scores["pro", "pro", "nDCG@3"]["mean"] == scores["pro", "mine", "nDCG@3"]["mean"] == 1.0
    assert (scores["pro", "mine", "nDCG@10"]["mean"], scores["pro", "mine", "nDCG@10"]["n"]) == (None, 0)
    assert json.loads(done.out)["depths"] == {
        "bm25": None,
        "pro": None,
        "con": None,
        "mmr@0.75": None,
        "mine": 3,
    }
    assert scores["con", "con", "nDCG@10"]["mean"] == 1.0
    assert scores["pro", "bm25", "P@10"]["p"] is None
    assert {view for view, _, _ in scores} == {"pro", "con", "all"}
    done = conqret(f"retrieve evaluate {corpus}")
    assert "PRO (2 topics)" in done.out
    assert "BOTH SIDES" in done.out


def test_runs_from_files_alone_are_reranked_by_nobody_and_say_what_they_lack(conqret, corpus, tmp_path):
    run = tmp_path / "cats.res"
    run.write_text("cats Q0 cats-pro-1 1 2.0 x\ncats Q0 cats-con-1 2 1.0 x\n", encoding="utf-8")
    done = conqret(f"retrieve evaluate {corpus} --systems mine={run} --measure P@2 --measure R@10")
    assert done.code == 0, done.err
    assert "reranked by" not in done.err
    assert "mine ranks nothing for 1 topic, which count as 0: trams" in " ".join(done.err.split())
    assert "mine was retrieved to 2 documents only" in " ".join(done.out.split())
    alone = conqret(f"retrieve evaluate {corpus} --systems mine={run} --topics cats --measure P@2 --json")
    facts = json.loads(alone.out)
    assert (facts["topics"]["pro"], facts["unranked"]) == (1, {})
    assert facts["scores"][0]["mean"] == 0.5


def test_the_order_of_lines_with_equal_scores_never_counts(conqret, corpus, tmp_path):
    """P@2 as trec_eval has it: of equal scores the greater id is first."""
    names = ["cats-con-1", "cats-pro-1", "pokemon", "bread"]
    for name, order in (("first", names), ("last", names[::-1])):
        lines = (f"cats Q0 {document} {rank} 1.0 x\n" for rank, document in enumerate(order, start=1))
        (tmp_path / name).write_text("".join(lines), encoding="utf-8")
    systems = f"first={tmp_path / 'first'},last={tmp_path / 'last'}"
    typed = f"retrieve evaluate {corpus} --systems {systems}"
    done = conqret(f"{typed} --measure P@2 --topics cats --json")
    assert done.code == 0, done.err
    means = {row["system"]: row["mean"] for row in json.loads(done.out)["scores"] if row["view"] == "all"}
    run = list(ir_measures.read_trec_run(str(tmp_path / "last")))
    qrels = [
        row for row in ir_measures.read_trec_qrels(str(corpus / "qrels/all.test.qrels")) if row[0] == "cats"
    ]
    expected = ir_measures.calc_aggregate([ir_measures.P @ 2], qrels, run)[ir_measures.P @ 2]
    assert means["first"] == means["last"] == expected == 0.5
    done = conqret(f"{typed} --latex --quiet")
    assert r"\caption{PRO (2 topics; ConQRet, Table 4)}\label{tab:pro-1}" in done.out
    assert "differences are not tested, as a test needs at least 6 topics. 2 topics, 10 documents" in done.out
    done = conqret(f"{typed} --topics cats")
    told = "last: documents with equal scores in 1 topic are sorted by id, descending, as trec_eval does"
    assert told in " ".join(done.err.split())


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("retrieve evaluate CORPUS --systems a=RUN", "run.res:3 ranks 'bread' twice for 'cats'"),
        ("retrieve evaluate CORPUS --systems bm25", "all.test.qrels:9 gives 'cats-pro-1' the grade 0"),
    ],
)
def test_what_a_run_or_qrels_say_twice_is_a_fault(conqret, corpus, tmp_path, command, told):
    run = tmp_path / "run.res"
    run.write_text("cats Q0 bread 1 3 x\ncats Q0 pokemon 2 2 x\ncats Q0 bread 3 1 x\n", encoding="utf-8")
    if "qrels" in told:
        with (corpus / "qrels/all.test.qrels").open("a", encoding="utf-8") as qrels:
            qrels.write("cats 0 cats-pro-1 0\n")
    done = conqret(command.replace("CORPUS", str(corpus)).replace("RUN", str(run)))
    assert done.code == 2, done.err
    assert told in " ".join(done.err.split())


def test_a_first_stage_writes_its_scores_and_its_name(conqret, corpus, tmp_path):
    with (corpus / "documents.jsonl").open("a", encoding="utf-8") as documents:
        documents.write('{"id": "zzz", "title": "", "text": "cats and trams"}\n')
    done = conqret(f"retrieve run {corpus} -k 3 -o bm25.res")
    assert "indexed with bm25s (stemmer porter2, stop words" in " ".join(done.err.split())
    lines = [line.split() for line in (tmp_path / "bm25.res").read_text("utf-8").splitlines()]
    assert {line[5] for line in lines} == {"bm25"}
    assert max(map(len, read_rankings(tmp_path / "bm25.res").values())) == 3
    assert not all(float(line[4]).is_integer() for line in lines)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("retrieve run CORPUS --stance pro", "needs a reranker"),
        ("retrieve run CORPUS --engine bm25,tense", "did you mean 'dense'"),
        ("retrieve run CORPUS --encoder here", "add --engine dense"),
        ("retrieve evaluate CORPUS --systems bm52", "did you mean 'bm25'"),
        ("retrieve evaluate CORPUS --systems pro+con", "one reranker"),
        ("retrieve evaluate CORPUS --systems mmr@nan", "from 0 to 1"),
        ("retrieve evaluate CORPUS --systems bm25+dense", "one first stage"),
        ("retrieve evaluate CORPUS --systems a=OTHER+pro", "takes no further steps here"),
        ("retrieve evaluate CORPUS --systems a=NAN", "is not such a number)"),
        (
            "retrieve evaluate CORPUS --measure R@100 --depth 4",
            "R@100 needs 100 documents, but only 4 are retrieved: add --depth 100",
        ),
        ("retrieve evaluate CORPUS --systems bm25,a=OTHER", "ranks nothing for any of the 2 topics"),
        (
            "retrieve run CORPUS --stance pro --rerank local/gpt2",
            "retrieval asks needs a response in a given structure",
        ),
    ],
)
def test_wrong_calls_end_with_2_and_say_why(conqret, corpus, typed, told, tmp_path):
    (tmp_path / "other.res").write_text("q1 Q0 d1 1 1.0 x\n", encoding="utf-8")
    (tmp_path / "nan.res").write_text("cats Q0 d1 1 NaN x\n", encoding="utf-8")
    done = conqret(
        typed.replace("CORPUS", str(corpus)).replace("OTHER", "other.res").replace("NAN", "nan.res")
    )
    assert done.code == 2, done.err
    assert told in " ".join(done.err.split())


def test_hybrid_from_the_command_line(conqret, corpus, tmp_path):
    named = "--encoder tests.retrieval.letters:load"
    done = conqret(f"retrieve index {corpus} --engine dense {named} --json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["settings"]["passage_words"] == 100
    run = tmp_path / "hybrid.res"
    done = conqret(f"retrieve run {corpus} --engine bm25,dense --weights 1,0 -k 3 -o {run} {named}")
    assert done.code == 0, done.err
    assert "dense" in done.err
    both = [line.doc_id for line in read_run(run) if line.query_id == "cats"]
    conqret(f"retrieve run {corpus} -k 3 -o {run}")
    assert both == [line.doc_id for line in read_run(run) if line.query_id == "cats"]
    done = conqret(
        f"retrieve run {corpus} --engine dense --cross-encoder tests.retrieval.letters:overlap --mmr 0.9 "
        f"--mmr-encoder tests.retrieval.letters:load -k 2 -o {run} {named}"
    )
    assert done.code == 0, done.err
    assert next(line.doc_id for line in read_run(run)).startswith("cats-")
    done = conqret(f"retrieve evaluate {corpus} --systems bm25,dense,hybrid --json {named}")
    assert done.code == 0, done.err
    assert {one["system"] for one in json.loads(done.out)["scores"]} == {"bm25", "dense", "hybrid"}
