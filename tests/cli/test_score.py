"""`conqret debateqa score` and `conqret debateqa rank` from files to tables."""

import json

import polars as pl
import pytest

from conqret.debateqa.score_table import AWARENESS, DIVERSITY, ScoreRow, write_table
from tests.cli.score_files import lines, questions_file
from tests.commands import run_conqret

SYSTEMS = ("good", "fair", "poor")


@pytest.fixture
def questions(tmp_path):
    return questions_file(tmp_path)


@pytest.fixture
def answers(tmp_path):
    texts = {"zoos": "This is hotly debated.", "cars": "Yes, they should.", "trams": "No."}
    return lines(tmp_path / "mine.jsonl", [{"id": one, "generation": text} for one, text in texts.items()])


def test_dispute_awareness_offline(tmp_path, questions, answers):
    command = ["debateqa", "score", "--metric", "dispute-awareness", answers, "--references", questions]
    command += ["-o", str(tmp_path / "out")]
    done = run_conqret(*command, "--json")
    assert done.code == 0, done.output
    (found,) = json.loads(done.out)
    assert (found["system"], found["metric"], found["mean"]) == ("mine", AWARENESS, 0.5)
    assert (found["scored"], found["total"], found["low"]) == (2, 2, None)
    assert "trams" in done.err
    assert "cigars" in done.err
    table = pl.read_parquet(tmp_path / "out" / "scores.parquet")
    assert table["value"].to_list() == [1.0, 0.0]


def test_perspective_diversity_goes_on_where_it_stopped(tmp_path, questions, answers):
    pytest.importorskip("torch", reason="the extra perplexity is not installed: torch is missing")
    from tests.local.small_models import network, tokenizer

    words = tokenizer(begins=False, chat=True)
    words.save_pretrained(tmp_path / "model")
    network("qwen2", len(words)).save_pretrained(tmp_path / "model")
    command = ["debateqa", "score", "--metric", "perspective-diversity", answers, "--references", questions]
    command += ["--backbone", str(tmp_path / "model"), "--definition", "paper", "-o", str(tmp_path / "out")]
    first = run_conqret(*command, "--json")
    assert first.code == 0, first.output
    rows = (tmp_path / "out" / "rows.jsonl").read_bytes()
    assert rows.count(b"\n") == 4
    again = run_conqret(*command, "--json")
    assert "4 rows are kept" in again.err
    assert json.loads(again.out) == json.loads(first.out)
    assert (tmp_path / "out" / "rows.jsonl").read_bytes() == rows
    total, mean = json.loads(first.out)
    assert (total["scored"], total["total"]) == (2, 2)
    assert total["mean"] == pytest.approx(2 * mean["mean"])
    released = run_conqret(*command[:-3], "released", "-o", str(tmp_path / "other"), "--json")
    (one,) = json.loads(released.out)  # the mean alone, as in the paper's tables
    assert one["metric"] == DIVERSITY
    assert one["mean"] not in (total["mean"], mean["mean"])


@pytest.fixture
def tables(tmp_path):
    found = []
    for system, diversity, awareness in (("good", 3.0, 1.0), ("fair", 4.0, 0.0), ("poor", 6.0, 0.0)):
        rows = [ScoreRow(system, str(i), DIVERSITY, "gpt2", diversity + i) for i in (0, 1)]
        rows += [
            ScoreRow(system, "0", AWARENESS, "phi", awareness),
            ScoreRow(system, "1", AWARENESS, "phi", None, 1, "refusal"),
        ]
        write_table(rows, tmp_path / system / "scores.parquet")
        found.append(str(tmp_path / system / "scores.parquet"))
    return found


def test_rank(tables):
    done = run_conqret("debateqa", "rank", *tables, "--weights", "0,1", "--json")
    assert done.code == 0, done.output
    facts = json.loads(done.out)
    found = {weight: [row["rank"] for row in facts["ranks"] if row["k"] == weight] for weight in (0, 1)}
    assert found == {0: ["1", "2=", "2="], 1: ["1", "2", "3"]}
    assert "3 scores are missing: the model declined to answer" in done.err
    assert [row["system"] for row in facts["systems"]] == ["good", "fair", "poor"]
    assert "2=" in run_conqret("debateqa", "rank", *tables).out


def test_annotators_by_question(tmp_path):
    """Tables 14 and 15 and Figure 8, of the same answers of three systems."""
    pytest.importorskip("matplotlib", reason="the extra plots is not installed: matplotlib is missing")
    rows = [
        ScoreRow(system, one, metric, by, value + (one == "y"))
        for place, system in enumerate(("good", "fair", "poor"))
        for one in "xy"
        for metric, by, value in (
            (DIVERSITY, "gpt2, released (1a2b3c4d)", 3.0 + place),
            (DIVERSITY, "gpt2, prompt 1, paper (5e6f7a8b)", 300.0 - place),
        )
    ]
    rows += [
        ScoreRow(system, one, AWARENESS, "phi", float(system == "good")) for one in "xy" for system in SYSTEMS
    ]
    write_table(rows, tmp_path / "scores.parquet")
    games = [(one, other) for one, other in (SYSTEMS[:2], SYSTEMS[1:], SYSTEMS[::2])]
    pairs = [f"{a},{b},first,{who},{one}" for a, b in games for who in "pq" for one in "xy"]
    (tmp_path / "pairs.csv").write_text("\n".join(["first,second,preference,annotator,item", *pairs]))
    labels = [f"{one},{system},{int(system != 'poor')}" for one in "xy" for system in SYSTEMS]
    (tmp_path / "labels.csv").write_text("\n".join(["id,system,label", *labels]))
    command = ["debateqa", "rank", str(tmp_path / "scores.parquet")]
    ranked = run_conqret(*command, "--json")
    assert "left out, because ranks use the published definition of P.D.: gpt2, prompt 1, paper" in ranked.err
    facts = json.loads(ranked.out)
    assert (facts["systems"][0]["perspective_diversity"], facts["published"]) == (3.5, True)
    plot = tmp_path / "annotators.svg"
    preferred = ("--preferences", str(tmp_path / "pairs.csv"), "--plot", str(plot))
    compared = run_conqret(*command, *preferred, "--json")
    released, paper, _ = json.loads(compared.out)["metrics"]
    assert (released["rho"]["value"], paper["rho"]["value"]) == (pytest.approx(1), pytest.approx(-1))
    assert "<svg" in plot.read_text()
    (fit,) = json.loads(run_conqret(*command, "--labels", str(tmp_path / "labels.csv"), "--json").out)
    assert (fit["n"], fit["accuracy"]["value"]) == (6, pytest.approx(2 / 3))
