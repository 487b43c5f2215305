"""A judged run in Weights & Biases, which is offline here."""

import json
import os

import pytest

wandb = pytest.importorskip("wandb", reason="the extra wandb is not installed")

from conqret.adapters.wandb import log_run  # noqa: E402
from tests.adapters.examples import run_example_alone  # noqa: E402
from tests.adapters.judged import METRIC, WHY, judged  # noqa: E402


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    place = tmp_path_factory.mktemp("wandb")
    os.environ.update(WANDB_DATA_DIR=str(place), WANDB_CACHE_DIR=str(place), WANDB_SILENT="true")
    run = judged()
    with wandb.init(mode="offline", dir=str(place), project="conqret") as into:
        log_run(run)
        (table,) = (place / "wandb").rglob("*.table.json")
        found = dict(into.config), dict(into.summary), json.loads(table.read_text())
    return run, *found


def test_the_summary_has_intervals_bounds_and_reasons(logged):
    run, config, summary, _ = logged
    one = run.summary.metrics[METRIC]
    assert config["conqret"]["fingerprint"] == run.record.fingerprint
    assert summary[METRIC] == pytest.approx(one.mean)
    assert (summary[f"{METRIC}.worst_case"], summary[f"{METRIC}.missing"]) == (
        pytest.approx(one.worst_case),
        1,
    )
    assert summary["no_number"][f"{METRIC}.missing"] == f"{WHY} (1)"


def test_the_table_has_nulls_and_reasons(logged):
    run, _, _, table = logged
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
    assert [row["value"] for row in rows] == [judgment.value(METRIC) for judgment in run]
    assert (rows[0]["value"], rows[0]["status"]) == (None, "unscored")
    assert rows[0]["reason"].startswith(WHY)


def test_without_a_run_of_wandb_it_says_so():
    with pytest.raises(ValueError, match=r"call wandb\.init"):
        log_run(judged())


def test_the_example_of_the_page(tmp_path):
    run_example_alone("Weights & Biases", tmp_path)
    assert list((tmp_path / "wandb").rglob("*.table.json"))
