"""``conqret judges systems``: leaderboards in, rank correlations out, for people and for machines."""

import json

import pytest

from tests.adapters.reports import REQUESTS, TOPICS, reports


@pytest.fixture
def judged(tmp_path, cli):
    """Reports that are judged, and a reference for them."""
    lines = "".join(json.dumps(report) + "\n" for report in reports())
    (tmp_path / "reports.jsonl").write_text(lines)
    (tmp_path / "requests.jsonl").write_text("".join(json.dumps(request) + "\n" for request in REQUESTS))
    grades = {"alpha": 0.9, "beta": 0.6, "gamma": 0.1}
    rows = [f"{run} {topic} GRADE {grade}" for run, grade in grades.items() for topic in (*TOPICS, "all")]
    (tmp_path / "truth.txt").write_text("run topic measure value\n" + "\n".join(rows))
    files = ("judge", tmp_path / "reports.jsonl", "--topics", tmp_path / "requests.jsonl")
    done = cli(*files, "--format", "direct", "-o", tmp_path / "run", "--quiet")
    assert done.code == 0, done.err
    return tmp_path


def test_a_run_beside_people_and_length(cli, judged):
    files = ("--truth", judged / "truth.txt", "--reports", judged / "reports.jsonl")
    command = ("judges", "systems", judged / "run", *files)
    page = judged / "systems.html"
    done = cli(*command, "-o", page)
    assert done.code == 0, done.err
    said = " ".join(done.out.split())
    assert "Kendall's τ with GRADE of truth" in said
    assert "shown to rank better than the length" in said
    assert '<svg class="chart"' in page.read_text(encoding="utf-8")
    found = json.loads(cli(*command, "--json").out)
    assert {row["judge"] for row in found["rows"]} == {"run", "length"}
    overall = {row["measure"]: row["overall"]["kendall"] for row in found["rows"]}
    assert overall["groundedness"]["value"] == 1.0
    assert overall["context_relevance"]["reason"] == "one side gives all systems the same score"
