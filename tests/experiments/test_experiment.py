"""A whole experiment, offline: the same bytes each time, whatever stops it in between."""

import json
import random
import signal
import time

import pytest

from conqret.experiments.experiment import estimate, experiment_job, run_experiment
from conqret.experiments.experiment_tables import retrieval_tables
from conqret.experiments.page import experiment_report
from conqret.io.trec import ScoredDoc, read_run, write_run
from conqret.judging.judge_folder import COLUMNS
from conqret.llm.client import Client
from tests.generation.corpora import write_corpus
from tests.runs.killed import kill

pytest.importorskip("pyterrier")
pytest.importorskip("ir_measures")

EXPERIMENT = """name = "tiny"
corpus = "corpus"

[retrievers.bm25]
depth = 12

[retrievers.given]
run = "given.res"

[rerankers.side]
model = "offline"
window = 6
step = 3

[generators.floor]
shots = 2
documents = 4
expert = true

[[systems]]
retriever = ["bm25"]
reranker = ["none", "side"]
generator = ["floor"]

[[systems]]
retriever = ["given"]
generator = ["floor"]

[[judges]]
format = "rag-fine-grained"

[[judges]]
format = "direct"
metrics = ["preference"]
name = "preference"

[[perturbations]]
name = "irrelevant"
levels = [0, 50, 100]
"""


def scores(job):
    """The long table of an experiment."""
    import polars as pl

    return pl.read_parquet(job.out.scores_file)


def same(one, other):
    """Whether two experiments have the same scores and the same summary."""
    return (
        scores(one).equals(scores(other))
        and one.out.summary_file.read_bytes() == other.out.summary_file.read_bytes()
    )


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("experiment")
    write_corpus(folder / "corpus")
    write_run(
        folder / "given.res",
        [ScoredDoc(t, f"{t}-{n}", 9.0 - n) for t in ("buses", "planes") for n in (1, 2, 3, 4)],
    )
    path = folder / "experiment.toml"
    path.write_text(EXPERIMENT)
    return path


@pytest.fixture(scope="module")
def finished(file, tmp_path_factory):
    job = experiment_job(file, output=tmp_path_factory.mktemp("finished") / "run")
    return job, run_experiment(job)


def test_what_it_leaves(finished):
    job, outcome = finished
    assert outcome.failed == {}
    assert {system.name for system in job.systems} == {"bm25+floor", "bm25+side+floor", "given+floor"}
    table = scores(job)
    assert tuple(table.columns) == ("system", "judge", "topic_id", *COLUMNS)
    rows = [row for row in table.to_dicts() if row["part"] is None]
    plain = [row for row in rows if row["perturbation"] is None]
    damaged = [row for row in rows if row not in plain]
    assert {row["status"] for row in rows} == {"scored"}
    assert {(row["item"], row["topic_id"], row["stance"]) for row in plain} == {
        (f"{topic}-{stance}", topic, stance) for topic in ("buses", "planes") for stance in ("pro", "con")
    }
    assert {(row["perturbation"], row["level"]) for row in damaged} == {
        ("irrelevant", 50.0),
        ("irrelevant", 100.0),
    }
    assert {row["original"] for row in damaged} == {row["item"] for row in plain}
    assert {row["topic_id"] for row in damaged} == {"buses", "planes"}
    summary = json.loads(job.out.summary_file.read_bytes())
    assert summary == outcome.summary
    assert summary["arguments"]["given+floor"]["written"] == 4
    means = summary["scores"]["given+floor"]["rag-fine-grained-offline"]["groundedness"]
    assert (means["n"], means["total"]) == (4, 4)
    assert 0 <= means["mean"] <= 1
    assert (means["low"], means["high"]) == (None, None)  # of two topics there is no interval
    assert set(summary["retrieval"]["pro"]) == {"bm25", "bm25+side", "given"}
    for ranking in summary["retrieval"]["pro"].values():
        assert set(ranking) == {"P@10", "nDCG@10", "R@12"}  # no deeper than bm25 went
    given = summary["retrieval"]["pro"]["given"]["R@12"]
    assert (given["mean"], given["reason"]) == (None, "given was retrieved to 4 documents only")
    assert given["reason"] in next(retrieval_tables(summary["retrieval"])).note
    assert summary["sensitivity"]["bm25+floor"]
    record = json.loads(job.out.record_file.read_bytes())
    page = experiment_report(job.out, record, summary)
    titles = ["Retrieval, pro", "Retrieval, con", "Context relevance under irrelevant"]
    assert [picture.title for picture in page.picture][:3] == titles
    assert {"fingerprint", "versions", "judges", "prompts", "corpus", "experiment"} <= set(record)
    ranked = [line.doc_id for line in read_run(job.out.ranking("given", "pro"))]
    assert ranked[:4] == ["buses-1", "buses-2", "buses-3", "buses-4"]


def test_its_judges_are_one_more_judge_together(file, tmp_path):
    small = file.parent / "jury.toml"
    judge = '[[judges]]\nformat = "direct"\nmetrics = ["groundedness"]\nname = "{}"\nrelevant_from = {}\n'
    small.write_text(
        'name = "small"\ncorpus = "corpus"\nstances = ["pro"]\njury = "mean"\n[retrievers.given]\nrun = "given.res"\n'
        '[generators.floor]\nshots = 1\n[[systems]]\nretriever = ["given"]\ngenerator = ["floor"]\n'
        + judge.format("one", 1)
        + judge.format("other", 2)
    )
    job = experiment_job(small, output=tmp_path / "run")
    outcome = run_experiment(job)
    assert [folder.path.name for folder in outcome.judged] == ["one", "other", "jury"]
    means = {
        name: one["groundedness"]["mean"] for name, one in outcome.summary["scores"]["given+floor"].items()
    }
    assert means["jury"] == pytest.approx((means["one"] + means["other"]) / 2)
    explained = [row["explanation"] for row in scores(job).to_dicts() if row["judge"] == "jury"]
    assert all(": one 0." in text or ": one 1." in text for text in explained)
    again = experiment_job(small, output=tmp_path / "run")
    run_experiment(again)
    assert same(job, again)


def test_what_a_recording_lacks_fails_and_is_counted(finished, file, tmp_path):
    (tmp_path / "empty.jsonl").write_text("")
    job = experiment_job(file, output=tmp_path / "run", replay=tmp_path / "empty.jsonl")
    outcome = run_experiment(job)
    assert set(outcome.failed) == {"rerank", "generate"}
    rows = scores(job).to_dicts()
    assert len(rows) == 12  # an argument for each of three systems, two topics and two sides
    assert {(row["status"], row["reason"], row["judge"]) for row in rows} == {
        ("failed", "not_recorded", None)
    }
    assert {(row["topic_id"], bool(row["topic"])) for row in rows} == {("buses", True), ("planes", True)}
    assert (
        outcome.summary["arguments"]["bm25+floor"] | {"sentences": 0}
        == outcome.summary["arguments"]["given+floor"]
    )
    healed = experiment_job(file, output=tmp_path / "run")
    assert run_experiment(healed).failed == {}
    assert same(healed, finished[0])


def test_the_estimate_counts_what_is_then_asked(finished, file, tmp_path, monkeypatch):
    asked: list[str] = []
    ask = Client.request

    async def counted(self, request):
        asked.append(request.ask)
        return await ask(self, request)

    monkeypatch.setattr(Client, "request", counted)
    found = estimate(experiment_job(file, output=tmp_path / "run"))
    assert asked == []
    assert not (tmp_path / "run").exists()
    run_experiment(experiment_job(file, output=tmp_path / "run"))
    calls = {one.stage: one.calls for one in found}
    assert calls["generate bm25+floor"] == calls["generate given+floor"] == 4
    assert sum(count for stage, count in calls.items() if stage.startswith("generate")) == sum(
        ask.startswith("generate/") for ask in asked
    )
    assert calls["rerank bm25+side"] == sum(ask.startswith("rerank/") for ask in asked)
    assert calls["judge bm25+floor by preference"] == 8  # both orders
    assert calls["perturb bm25+floor by rag-fine-grained-offline"] == 8
    assert all(one.cost_usd == 0 and one.prompt_tokens > 0 for one in found)


def test_killed_in_each_stage_and_resumed_it_is_the_same(finished, file, forks, tmp_path):
    job, _ = finished
    rng = random.Random(13)
    out = tmp_path / "run"
    command = ("experiment", file, "--trust-file", "-q", "-o")
    for stage in ("rankings", "arguments", "judgments"):
        number, until = forks.start(*command, out), time.monotonic() + 60
        while not (out / stage).exists():
            assert time.monotonic() < until
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.3))
        kill(number)
        assert forks.end() in (0, -signal.SIGKILL)
    assert forks.run(*command, out) == 0
    assert same(experiment_job(file, output=out), job)
