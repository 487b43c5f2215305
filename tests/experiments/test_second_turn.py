"""Debate for open questions: the experiment of the fixtures, and what its second turn comes to."""

from pathlib import Path
from statistics import fmean

import pytest

from conqret.experiments.experiment import run_experiment
from conqret.experiments.experiment_tables import experiment_tables
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


def test_the_difference_is_that_of_pairs(ran):
    import polars as pl

    job, outcome = ran
    table = pl.read_parquet(job.out.scores_file).filter(pl.col("part").is_null())
    for judge, metric in (
        ("direct-offline", "groundedness"),
        ("citation-support-offline", "citation_recall"),
    ):
        values = {
            (row["system"], row["item"]): row["value"]
            for row in table.filter(pl.col("judge") == judge, pl.col("metric") == metric).iter_rows(
                named=True
            )
        }
        items = [item for system, item in values if system == "bm25+first"]
        found = outcome.summary["differences"]["bm25+second"][judge][metric]
        apart = fmean(values["bm25+second", item] - values["bm25+first", item] for item in items)
        assert found["mean"] == pytest.approx(apart)
        assert found["low"] < found["mean"] < found["high"]
        assert (found["n"], found["total"]) == (8, 8)


def test_the_page_has_a_table_of_differences(ran):
    _, outcome = ran
    tables = {table.title: table for table in experiment_tables(outcome.summary)}
    shown = tables["Differences from bm25+first, by direct-offline"]
    assert [row[0] for row in shown.rows] == ["Groundedness"]
    assert "(8 pairs)" in shown.note
