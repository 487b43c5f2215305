"""The alternative annotator test on the authors' annotations (Calderon et al., ACL 2025), by the commands."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

VALUES = {"no": 0, "n/a: problem is resolved": 1, "yes": 2}
SCORES = {"no": 0, "yes": 1}


def test_the_published_winning_rate_comes_of_the_commands(cli: Cli, data_dir: Path, tmp_path: Path) -> None:
    """Llama-3.1 on "framing": a verdict log and 2,552 labeled items, each a topic of its own, as in the paper."""
    people, models = (
        json.loads(
            gzip.decompress((data_dir / "alttest" / "framing" / f"{name}_annotations.json.gz").read_bytes())
        )
        for name in ("human", "llm")
    )
    names = sorted({name for labels in people.values() for name in labels})
    ids = {name: f"item-{place}" for place, name in enumerate(names)}
    items, log, sheet = tmp_path / "items.jsonl", tmp_path / "log.csv", tmp_path / "labels.csv"
    items.write_text(
        "".join(json.dumps({"id": ids[name], "topic": name, "argument": name}) + "\n" for name in names)
    )
    with log.open("w", newline="") as file:
        csv.writer(file).writerows(
            [("id", "score"), *((ids[name], SCORES[models["llama-31"][name]]) for name in names)]
        )
    with sheet.open("w", newline="") as file:
        csv.writer(file).writerows(
            [
                ("item", "annotator", "overall_quality"),
                *(
                    (ids[name], who, label)
                    for who, labels in people.items()
                    for name, label in labels.items()
                ),
            ]
        )
    run = tmp_path / "run"
    assert cli("judge", items, "--verdicts", log, "-o", run).code == 0
    words = ",".join(f"{word}={value}" for word, value in VALUES.items())
    done = cli(
        "validate",
        run,
        "--labels",
        sheet,
        "--map",
        words,
        "--level",
        "nominal",
        "--epsilon",
        "0.15",
        "--json",
    )
    found = json.loads(done.out)["dimensions"]["overall_quality"]["alternative"]
    assert found["winning_rate"] == pytest.approx(0.5)
    assert found["passed"] is True
    assert sorted(one["items"] for one in found["annotators"]) == [638, 2200, 2266, 2552]
