"""The ablations of DEBATunE's Table 2, whole but small: two variants of two topics and a tiny model."""

import json
import tomllib
from pathlib import Path

import pytest

from conqret.cli.commands import HOMES
from scripts.experiment_steps import experiment
from tests.debate.tunable import SUBJECTS, save_model, write_rows

SHIPPED = Path(__file__).resolve().parents[2] / "fixtures" / "debate_ablations.toml"
SMALL = """
topics = "./topics.jsonl"
model = "./base"
[export]
test-share = 0.4
[tune]
epochs = 1
quiet = true
[write]
max-tokens = 8
quiet = true
[hold]
quiet = true
[variants.no-debate]
rounds = 0
arguments = 1
[variants.2-rounds]
rounds = 2
arguments = 1
"""
pytestmark = pytest.mark.usefixtures("one_thread")


def test_two_variants_from_topics_to_both_tables(tmp_path, capsys):
    steps = tomllib.loads(SHIPPED.read_text())["steps"]
    (tmp_path / "small.toml").write_text(f"steps = {json.dumps(steps)}\n{SMALL}")
    write_rows(
        tmp_path / "topics.jsonl", [{"topic": f"{subject} should be free"} for subject in SUBJECTS[:2]]
    )
    save_model(tmp_path / "base")
    out = tmp_path / "out"
    experiment(tmp_path / "small.toml", out)
    said = capsys.readouterr().out
    assert "Controversy controllability" in said
    assert f"$ conqret debate hold {tmp_path / 'topics.jsonl'} --quiet --rounds 0 --arguments 1" in said
    topics = {}
    for name in ("no-debate", "2-rounds"):
        rows = [json.loads(line) for line in (out / "data" / name / "train.jsonl").read_text().splitlines()]
        topics[name] = {row["topic"] for row in rows}
    written = [
        json.loads(line) for line in (out / "written" / "base" / "statements.jsonl").read_text().splitlines()
    ]
    assert topics["no-debate"] == topics["2-rounds"]
    assert topics["2-rounds"].isdisjoint(row["topic"] for row in written)
    for name in ("controllability", "quality"):
        assert (out / name / "summary.json").exists()
    experiment(tmp_path / "small.toml", out)
    assert "conqret" not in capsys.readouterr().out, "what has ended is not run again"


def test_the_shipped_file_has_the_variants_of_table_2():
    plan = tomllib.loads(SHIPPED.read_text())
    made = {name: (one["rounds"], one["arguments"]) for name, one in plan["variants"].items()}
    assert sorted(made.values()) == [(0, 3), (1, 3), (2, 1), (2, 3), (2, 5), (3, 3)]
    assert made["2-rounds"] == (2, 3)
    commands = {step.split()[1] for step in plan["steps"]}
    assert commands <= {*HOMES["debate"]}
    used = " ".join(plan["steps"])
    assert all(f"{{{name}" in used for name in set(plan) - {"steps"}), "each table has a step that names it"
