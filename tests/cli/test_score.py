"""`conqret debateqa score` and `conqret debateqa rank` from files to tables."""

import json

import polars as pl
import pytest

from conqret.debateqa.score_table import AWARENESS, DIVERSITY, ScoreRow, write_table
from conqret.io.safe_files import only_writer
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
    labels = tmp_path / "labels.csv"
    labels.write_text("id,label\nzoos,1\ncars,0\n")
    command = ["debateqa", "score", "--metric", "dispute-awareness", answers, "--references", questions]
    command += ["-o", str(tmp_path / "out")]
    done = run_conqret(*command, "--labels", str(labels), "--json")
    assert done.code == 0, done.output
    (found,) = json.loads(done.out)
    assert found.pop("fit")["accuracy"]["value"] == 1.0
    assert found | {"instrument": ""} == {
        "system": "mine",
        "metric": AWARENESS,
        "instrument": "",
        "mean": 0.5,
        "scored": 2,
        "total": 2,
        "low": None,
        "high": None,
    }
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
    with only_writer(tmp_path / "out"):
        refused = run_conqret(*command)
    assert "another process is writing" in refused.err
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
    found = {(row["k"], row["system"]): row["rank"] for row in facts["ranks"]}
    assert found == {
        (0.0, "good"): "1",
        (0.0, "fair"): "2=",
        (0.0, "poor"): "2=",
        (1.0, "good"): "1",
        (1.0, "fair"): "2",
        (1.0, "poor"): "3",
    }
    assert "3 scores are missing: the model declined to answer" in done.err
    systems = {row["system"]: row for row in facts["systems"]}
    assert [row["system"] for row in facts["systems"]] == ["good", "fair", "poor"]
    assert systems["fair"]["dispute_awareness_rank"] == "2="
    shown = run_conqret("debateqa", "rank", *tables).out
    assert "2=" in shown
    assert "likelier" not in shown + json.dumps(facts)


def test_ranks_as_a_page(tables, tmp_path):
    file = tmp_path / "pages" / "ranks.html"
    done = run_conqret("debateqa", "rank", *tables, "--report", str(file))
    assert (done.code, str(file) in done.out.replace("\n", "")) == (0, True)
    page = file.read_text(encoding="utf-8")
    assert all(
        text in page
        for text in (
            ">fair<",
            "Dispute awareness",
            "“good” is first at every weight k",
            "Metrics and measuring models",
        )
    )
    assert "How each answers" not in page
    for more in (
        ["--answers", str(tmp_path)],
        ["--answers", str(tmp_path), "--report", str(tmp_path / "no.html")],
    ):
        assert run_conqret("debateqa", "rank", *tables, *more).code == 2
    assert not (tmp_path / "no.html").exists()


def test_rank_over_several_backbones(tmp_path):
    measured = {"gpt2": {"a": 3.0, "b": 4.0, "c": 5.0}, "qwen": {"a": 31.0, "b": 30.0, "c": 40.0}}
    rows = [
        ScoreRow(system, "0", DIVERSITY, backbone, value, 4)
        for backbone, values in measured.items()
        for system, value in values.items()
    ]
    rows += [ScoreRow(system, "0", AWARENESS, "phi", 1.0) for system in "abc"]
    write_table(rows, tmp_path / "scores.parquet")
    command = ["debateqa", "rank", str(tmp_path / "scores.parquet"), "--weights", "1"]
    systems = {row["system"]: row for row in json.loads(run_conqret(*command, "--json").out)["systems"]}
    # ranks 1 and 2, 2 and 1, 3 and 3
    assert {name: row["perspective_diversity_rank"] for name, row in systems.items()} == {
        "a": "1=",
        "b": "1=",
        "c": "3",
    }
    shown = run_conqret(*command).out
    assert "Diversity is the mean over 2 measuring models" in shown
    assert "Awareness rank" not in shown


def test_notes_say_what_is_not_common(tmp_path, tables):
    write_table([ScoreRow("good", "2", DIVERSITY, "gpt2", 100.0)], tmp_path / "more.parquet")
    given = [*tables, str(tmp_path / "more.parquet")]
    ranked = run_conqret("debateqa", "rank", *given, "--weights", "1", "--json")
    note = (
        "perspective_diversity by gpt2: 1 scored answer is left out; the means are over the 2 questions scored of "
        "all systems"
    )
    assert note in ranked.err.replace("\n", " ")
    facts = json.loads(ranked.out)
    assert facts["systems"][0]["system"] == "good"
    assert facts["instruments"] == [
        {"metric": DIVERSITY, "instrument": "gpt2", "n": 2, "left_out": 1},
        {"metric": AWARENESS, "instrument": "phi", "n": 1, "left_out": 0},
    ]
    pytest.importorskip("scipy", reason="the extra stats is not installed: scipy is missing")
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("first,second,preference\ngood,fair,first\nfair,poor,first\n")
    correlated = run_conqret("debateqa", "rank", *given, "--preferences", str(pairs))
    assert note in correlated.err.replace("\n", " ")
    assert "no column item" in correlated.out.replace("\n", " ")


def test_annotators_by_question(tmp_path):
    """Tables 14 and 15 and Figures 2 and 8, of the same answers of three systems."""
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
    plots = [tmp_path / "both.svg", tmp_path / "annotators.svg"]

    ranked = run_conqret(*command, "--plot", str(plots[0]), "--json")
    assert "left out, because ranks use the published definition of P.D.: gpt2, prompt 1, paper" in ranked.err
    facts = json.loads(ranked.out)
    assert (facts["systems"][0]["perspective_diversity"], facts["published"]) == (3.5, True)
    compared = run_conqret(
        *command, "--preferences", str(tmp_path / "pairs.csv"), "--plot", str(plots[1]), "--json"
    )
    released, paper, _ = json.loads(compared.out)["metrics"]
    assert (released["rho"]["value"], paper["rho"]["value"]) == (pytest.approx(1), pytest.approx(-1))
    assert json.loads(compared.out)["annotators"]["matrix"] == [[1.0, 1.0], [1.0, 1.0]]
    assert all("<svg" in plot.read_text() for plot in plots)
    (fit,) = json.loads(run_conqret(*command, "--labels", str(tmp_path / "labels.csv"), "--json").out)
    assert (fit["n"], fit["accuracy"]["value"]) == (6, pytest.approx(2 / 3))
