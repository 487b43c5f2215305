"""`conqret debate export`: from debates, or a file of statements, to files that datasets reads."""

import json

import pytest

ROWS = [
    {"topic": f"Topic {n}", "side": side, "statement": f"It is so, {side}.", "argument": "A reason."}
    for n in range(4)
    for side in ("affirmative", "negative")
]


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_debates_become_training_data(cli, tmp_path):
    topics = lines(tmp_path / "topics.jsonl", [{"topic": f"Is {n} too many?"} for n in range(3)])
    for folder, rounds in (("held", 1), ("alone", 0)):
        done = cli("debate", "hold", topics, "--rounds", rounds, "--arguments", "2", "-o", tmp_path / folder)
        assert done.code == 0, done.err
    data = tmp_path / "data"
    done = cli("debate", "export", tmp_path / "held", tmp_path / "alone", "-o", data)
    assert done.code == 0, done.err
    assert "16 statements on 2 topics, half of them for either side" in done.out
    train, test = rows(data / "train.jsonl"), rows(data / "test.jsonl")
    assert len(test) == 8
    assert not {row["topic"] for row in train} & {row["topic"] for row in test}
    assert [row["side"] for row in train].count("affirmative") == 8
    told, response = train[0]["messages"]
    assert (told["role"], response["role"]) == ("user", "assistant")
    assert train[0]["argument"] in told["content"]


def test_datasets_reads_it(cli, tmp_path, monkeypatch):
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    data = tmp_path / "data"
    assert cli("debate", "export", lines(tmp_path / "s.jsonl", ROWS), "-o", data).code == 0
    files = {name: str(data / f"{name}.jsonl") for name in ("train", "test")}
    dataset = datasets.load_dataset("json", data_files=files, cache_dir=str(tmp_path / "cache"))
    assert (dataset["train"].num_rows, dataset["test"].num_rows) == (6, 2)
    assert set(dataset["train"].column_names) == {"messages", "topic", "side", "argument"}
