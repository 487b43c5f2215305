"""The ablations of DEBATunE's Table 2, whole but small: two variants of two topics and a tiny model."""

import importlib.util
import json
import tomllib
from pathlib import Path

import pytest

from conqret.cli.commands import HOMES
from tests.debate.tunable import SUBJECTS, save_model, write_rows

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "fixtures" / "debate_ablations.toml"
SMALL = """
topics = "topics.jsonl"
model = "base"
tested_on = "2-rounds"
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


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location(
        "debate_ablations", ROOT / "scripts" / "debate_ablations.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_two_variants_from_topics_to_both_tables(script, tmp_path, capsys):
    (tmp_path / "small.toml").write_text(SMALL)
    write_rows(
        tmp_path / "topics.jsonl", [{"topic": f"{subject} should be free"} for subject in SUBJECTS[:2]]
    )
    save_model(tmp_path / "base")
    out = tmp_path / "out"
    script.ablations(tmp_path / "small.toml", out)
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


def test_the_shipped_file_has_the_variants_of_table_2():
    plan = tomllib.loads(SHIPPED.read_text())
    made = {name: (one["rounds"], one["arguments"]) for name, one in plan["variants"].items()}
    assert sorted(made.values()) == [(0, 3), (1, 3), (2, 1), (2, 3), (2, 5), (3, 3)]
    assert made[plan["tested_on"]] == (2, 3)
    known = {*HOMES["debate"], "quality"}
    assert set(plan) - {"topics", "model", "tested_on", "variants"} <= known
