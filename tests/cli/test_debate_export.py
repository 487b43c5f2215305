"""`conqret debate export`: from debates, or a file of statements, to files that datasets reads."""

import json


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_debates_become_training_data(cli, tmp_path):
    topics = tmp_path / "topics.jsonl"
    topics.write_text("".join(f'{{"topic": "Is {n} too many?"}}\n' for n in range(3)))
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
