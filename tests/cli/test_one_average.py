"""An average over dimensions is the same wherever it is printed: validate, compare, jury, calibrate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import conqret
from tests.cli.conftest import Cli
from tests.contract.items import DEMO

LABELS = DEMO.parent / "labels.jsonl"
RATED = ("overall_quality", "cogency", "clarity", "credibility")
"""Of the argument; a map takes half a second for each."""


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = list(map(json.loads, LABELS.read_text(encoding="utf-8").splitlines()))
    for row in rows:
        for said in (row["argument"], row["second_argument"]):
            said["quality"] = {name: said["quality"][name] for name in RATED}
    file = tmp_path_factory.mktemp("labels") / "labels.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    replay = DEMO.parent / "recordings.jsonl.gz"
    conqret.judge(
        DEMO, model="openai/claude", format="rag-fine-grained", replay=replay, output=folder / "model"
    )
    conqret.judge(DEMO, format="rag-fine-grained", output=folder / "offline")
    return folder / "model", folder / "offline"


def test_every_command_prints_the_same_average(
    cli: Cli, runs: tuple[Path, Path], labels: Path, tmp_path: Path
) -> None:
    given = ("--labels", labels, "--json")
    validated = json.loads(cli("validate", runs[0], "-o", runs[0].parent / "card", *given).out)
    compared = json.loads(cli("judges", "compare", *runs, *given).out)
    alpha = validated["average"]["judge"]["mean"]
    assert alpha["value"] is not None
    assert compared["average"]["judges"]["model"]["alpha"]["value"] == pytest.approx(
        alpha["value"], abs=1e-12
    )
    folder = tmp_path / "jury"
    jury = json.loads(cli("judges", "jury", *runs, "-o", folder, *given).out)
    members = {one["name"]: one["alpha"] for one in jury["members"]}
    assert members["model"]["value"] == pytest.approx(alpha["value"], abs=1e-12)
    maps = json.loads(cli("judges", "calibrate", runs[0], "-o", tmp_path / "maps.json", *given).out)
    assert maps["average"]["mean"]["value"] == pytest.approx(alpha["value"], abs=1e-12)
