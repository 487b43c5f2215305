"""Debate for open questions: the experiment of the fixtures, and what its second turn comes to."""

from pathlib import Path

import pytest

from conqret.experiments.experiment import run_experiment
from conqret.experiments.job import ExperimentFolder, Job
from conqret.experiments.reading import read_experiment
from conqret.io import open_items

pytest.importorskip("pyterrier")
pytest.importorskip("ir_measures")

FILE = Path(__file__).parents[2] / "fixtures" / "debate_experiment.toml"


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    some = read_experiment(FILE).model_copy(update={"split": "test"})
    job = Job(FILE, some, ExperimentFolder(tmp_path_factory.mktemp("second") / "out"))
    return job, run_experiment(job)


def test_the_first_turn_of_both_is_the_same_text(ran):
    job, outcome = ran
    assert outcome.failed == {}
    first, second = (list(open_items(job.out.arguments(system).items_file)) for system in job.systems)
    assert len(first) == len(second) == 8
    for one, other in zip(first, second, strict=True):
        turns = other.metadata["generation"]["turns"]
        assert turns["argument"] == one.argument
        assert turns["revised"] == other.argument
    assert [one.argument for one in first] != [judgment.argument for judgment in second]
