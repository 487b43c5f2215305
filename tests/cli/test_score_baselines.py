"""`conqret debateqa score --metric` with baselines from files to a table."""

import json

import polars as pl
import pytest

from tests.cli.score_files import lines, questions_file
from tests.commands import run_conqret


@pytest.fixture
def references(tmp_path):
    return questions_file(tmp_path)


@pytest.fixture
def answers(tmp_path):
    texts = {"zoos": "This is hotly debated: zoos are dear, and people want them.", "cars": ""}
    return lines(tmp_path / "mine.jsonl", [{"id": one, "generation": text} for one, text in texts.items()])


def test_all_metrics_and_again(tmp_path, answers, references):
    for name in ("torch", "sacrebleu", "rouge_score", "sentence_transformers"):
        pytest.importorskip(name, reason=f"the extra baselines is not installed: {name} is missing")
    from tests.local.small_seq2seq import encoder, seq2seq

    for name in ("bart", "bert"):
        (tmp_path / name).mkdir()
    models = ["--backbone", seq2seq("bart", tmp_path / "bart"), "--encoder", encoder(tmp_path / "bert")]
    names = "bleu,rouge-l,bartscore,semscore,direct-score,g-eval,num-of-povs"
    asked = ["debateqa", "score", answers, "--references", references, "--metric", names, *models]
    asked += ["--json", "-o", str(tmp_path / "out")]
    first = run_conqret(*asked)
    assert first.code == 0, first.output
    table = pl.read_parquet(tmp_path / "out" / "scores.parquet")
    metrics = [one.replace("-", "_") for one in names.split(",")]
    assert table["metric"].to_list() == [metric for metric in metrics for _ in range(2)]
    assert table["id"].to_list() == ["zoos", "cars"] * len(metrics)
    assert table.filter(pl.col("id") == "cars")["value"].null_count() == len(metrics)
    value = dict(table.filter(pl.col("id") == "zoos").select("metric", "value").iter_rows())
    assert 0 < value["bleu"] < 100
    assert 0 < value["rouge_l"] < 1
    assert value["bartscore"] < 0
    assert -1 <= value["semscore"] <= 1
    kept = (tmp_path / "out" / "values.jsonl").read_bytes()
    assert kept.count(b"\n") == 4
    assert "lost text" not in first.err
    again = run_conqret(*asked)
    assert "4 values are kept" in again.err
    assert json.loads(again.out) == json.loads(first.out)
    assert (tmp_path / "out" / "values.jsonl").read_bytes() == kept
