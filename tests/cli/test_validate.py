"""``conqret validate``, ``agree`` and ``compare`` on runs of the offline model."""

import csv
import json
import shutil
from pathlib import Path

import polars as pl
import pytest

import conqret

ROOT = Path(__file__).parents[2]
MAP = ("--map", "low=1,medium=2,high=3")


@pytest.fixture(scope="module")
def labels(tmp_path_factory):
    """The labels of the demo's first arguments by two people, who differ now and then."""
    words = {1: "low", 2: "medium", 3: "high"}
    file = tmp_path_factory.mktemp("labels") / "labels.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["item", "dimension", "annotator", "value"])
        lines = (ROOT / "fixtures/demo/labels.jsonl").read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            record = json.loads(line)
            for dimension, value in record["argument"]["quality"].items():
                writer.writerow([record["id"], dimension, "ann", words[value]])
                writer.writerow(
                    [record["id"], dimension, "ben", "?" if number % 7 == 0 else words[value % 3 + 1]]
                )
    return file


@pytest.fixture(scope="module")
def listwise(tmp_path_factory):
    """A run of the offline model; tests that write into it copy it."""
    run = tmp_path_factory.mktemp("runs") / "one"
    conqret.judge(ROOT / "fixtures/demo/items.jsonl", format="listwise", output=run)
    return run


def test_validate_writes_the_result_and_gates(cli, labels, tmp_path):
    run, card = tmp_path / "run", tmp_path / "card"
    conqret.judge(ROOT / "fixtures/demo/items.jsonl", format="listwise", samples=2, output=run)
    done = cli("validate", run, "--labels", labels, *MAP, "-o", card, "--require", "coverage >= 0.98")
    assert done.code == 0
    assert "met: coverage" in done.err
    found = json.loads((card / "validation.json").read_text(encoding="utf-8"))
    assert found["judge"]["baseline"] is True
    assert len(found["average"]["dimensions"]) == 14
    page = (card / "validation.md").read_text(encoding="utf-8")
    assert "lexical baseline" in page
    assert "Samples, their mean and their majority" in page

    one = (*MAP, "--dimension", "overall_quality", "--require", "alpha[overall_quality] >= 0.99")
    failed = cli("validate", run, "--labels", labels, *one)
    assert failed.code == 1
    assert "not met: alpha[overall_quality] >= 0.99" in failed.err
    assert (run / "validation.json").exists()


def test_compare(cli, labels, listwise, tmp_path):
    one, two = listwise, tmp_path / "two"
    conqret.judge(ROOT / "fixtures/demo/items.jsonl", format="rag-fine-grained", output=two)
    given = ("--labels", labels, *MAP, "--dimension", "clarity", "--dimension", "overall_quality")
    page = tmp_path / "compare.html"
    done = cli("judges", "compare", one, two, *given, "-o", page)
    assert done.code == 0
    assert "Overall quality" in done.out
    assert page.read_text(encoding="utf-8").count('<svg class="chart"') == 2  # of the mean, and by dimension
    found = json.loads(cli("judges", "compare", one, two, *given, "--json").out)
    row = found["dimensions"]["clarity"]
    assert row["units"] == 24
    alphas = [row["judges"][run.name]["alpha"]["value"] for run in (one, two)]
    assert row["pairs"][0]["difference"]["value"] == pytest.approx(alphas[0] - alphas[1])
    jury = tmp_path / "jury"
    held = cli("judges", "jury", one, two, *given, "-o", jury)
    assert held.code == 0
    assert "What the jury gains" in held.out
    assert cli("validate", jury, *given, "--json").code == 0
    assert "mean of the scores of its 2 members" in (jury / "card.html").read_text(encoding="utf-8")
    alone = cli("judges", "jury", one, two, "-o", jury, "--json", "--overwrite")
    assert json.loads(alone.out)["checked"] is None
    assert cli("judges", "jury", one, two, "--by", "vote", "-o", jury).code == 2
    for runs, more, message in (
        ((one, one), (), "at least two different runs"),
        ((one, two), ("-o", tmp_path / "x.png"), "ends in .png"),
    ):
        refused = cli("judges", "compare", *runs, *given, *more)
        assert (refused.code, message in " ".join(refused.err.split())) == (2, True), refused.err


def test_calibrate(cli, labels, listwise, tmp_path):
    run = Path(shutil.copytree(listwise, tmp_path / "run"))
    file = tmp_path / "calibration.json"
    some = (*MAP, "--dimension", "clarity", "--dimension", "cogency", "--dimension", "credibility")
    done = cli("judges", "calibrate", run, "--labels", labels, *some, "-o", file)
    assert done.code == 0
    assert "Alpha of the judge and of baselines" in done.out
    assert "is not calibrated: the judge says the same of everything" in done.err
    beside = cli("validate", run, "--labels", labels, *some, "--calibration", file, "--json")
    row = json.loads(beside.out)["dimensions"]["clarity"]
    assert (
        row["variants"]["calibrated"]
        == json.loads(file.read_bytes())["checked"]["clarity"]["alpha"]["calibrated"]
    )
    assert "Calibrated" in (run / "card.html").read_text(encoding="utf-8")
    assert json.loads((run / "card.json").read_bytes())["agreement"][0]["calibrated"]["value"] is not None
    calibrated_scores(cli, run, file)
    assert (
        cli("judges", "calibrate", run, "--labels", labels, "-o", tmp_path / "x.json").code == 2
    )  # no scale
    assert not (tmp_path / "x.json").exists()


def calibrated_scores(cli, run, file):
    """Raw and calibrated scores, of a run that is there and of one in the making."""
    shown = cli("runs", "report", run, "--calibration", file, "--json")
    mean = json.loads(shown.out)["metrics"]["clarity"]["calibrated"]
    assert json.loads((run / "summary.json").read_bytes())["metrics"]["clarity"]["calibrated"] == mean
    assert f"calibrated: {mean:.3f}" in (run / "report.html").read_text(encoding="utf-8")
    table = pl.read_parquet(run / "scores.parquet")
    clarity = table.filter((pl.col("metric") == "clarity") & pl.col("part").is_null())["calibrated"]
    assert clarity.mean() == pytest.approx(mean)
    with_maps = ("judge", run / "items.jsonl", "--calibration", file)
    again = cli(*with_maps, "--format", "listwise", "--model", "offline", "-o", run)
    assert f"{mean:.3f}" in again.out
    assert pl.read_parquet(run / "scores.parquet").equals(table)
    other = cli(*with_maps, "--format", "direct", "-o", run / "other")
    assert (other.code, "make one for this judge" in other.err) == (2, True)
    assert not (run / "other" / "judgments.jsonl").exists()
