"""The first stage of an experiment is any that `conqret retrieve run` knows: by words, by vectors, both,
cross-encoders."""

import asyncio
import json

import pytest

pytest.importorskip("pyterrier")

import conqret
from conqret.experiments.config import System
from conqret.experiments.experiment import experiment_job
from conqret.experiments.stages import rank
from conqret.io.trec import read_rankings
from tests.experiments.test_experiment import EXPERIMENT
from tests.generation.corpora import write_corpus

FIRST = """[retrievers.bm25]
depth = 12
engine = "bm25,dense"
encoder = "tests.retrieval.letters:load"
weights = [0.3, 0.7]
cross_encoder = "tests.retrieval.letters:overlap"
"""
SYSTEM = System("bm25", "none", "floor")


@pytest.fixture
def job(tmp_path):
    write_corpus(tmp_path / "corpus")
    file = tmp_path / "experiment.toml"
    text = EXPERIMENT.replace("[retrievers.bm25]\ndepth = 12\n", FIRST)
    file.write_text(text.replace('[retrievers.given]\nrun = "given.res"', "[retrievers.given]"))
    return experiment_job(file, output=tmp_path / "run", trust=True)


def test_it_ranks_as_conqret_retrieve_does(job, tmp_path):
    assert asyncio.run(rank(job, None, SYSTEM.ranking, SYSTEM, "pro")) == 0
    target = job.out.ranking(SYSTEM.ranking, "pro")
    expected = conqret.retrieve(
        job.experiment.corpus,
        engine="bm25,dense",
        encoder="tests.retrieval.letters:load",
        weights=[0.3, 0.7],
        cross_encoder="tests.retrieval.letters:overlap",
        depth=12,
        split="test",
        output=tmp_path / "own.res",
    )
    assert {topic: tuple(ranking) for topic, ranking in read_rankings(target).items()} == expected.rankings
    assert all(len(ranking) == 12 for ranking in expected.rankings.values())
    state = json.loads(target.with_name(target.name.replace(".res.gz", ".json")).read_text())
    assert state["engine"].endswith(", dense")
    assert len(state["index"].split(", ")) == 2
