"""`conqret perspectives detect` from a table of pairs to a table of grades."""

import csv
import json

import pytest

from tests.server import FaultServer

pytestmark = pytest.mark.usefixtures("model_key")
PAIRS = [
    ("Trams?", "a", "Trams are cheap for cities.", "Trams are cheap for cities.", 1),
    ("Trams?", "b", "Cats sleep all day.", "Trams are cheap for cities.", 0),
    ("Dogs?", "c", "Dogs bark.", "Dogs are loud animals.", 1),
    ("Dogs?", "d", "=Trains run late.", "Dogs are loud animals.", 0),
]


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.tsv"
    lines = [("question", "id", "document", "perspective", "label"), *PAIRS]
    path.write_text("".join("\t".join(map(str, line)) + "\n" for line in lines))
    return path


def table_of(folder):
    with (folder / "detections.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def by_document(body):
    """A grade of 4 where trams or barking are spoken of, else 1."""
    shown = body["messages"][1]["content"].partition("<statement>")[0]
    return {"explanation": "so it is", "grade": 4 if "Trams" in shown or "bark" in shown else 1}


def call(server):
    return ("--model", "openai/judge", "--api-base", server.url)


def test_a_model_is_asked_once_and_its_answers_replay(cli, pairs, tmp_path):
    out = tmp_path / "out"
    with FaultServer(answer=by_document) as server:
        first = cli("perspectives", "detect", pairs, "-o", out, *call(server))
        assert first.code == 0, first.err
        asked = len(server.requests)
        again = cli("perspectives", "detect", pairs, "-o", out, *call(server))
        assert (asked, len(server.requests)) == (4, 4)
        assert "4 of 4 grades kept from an earlier run" in again.err
        replayed = cli(
            "perspectives", "detect", pairs, "-o", tmp_path / "again", "--replay", out, *call(server)
        )
        assert replayed.code == 0, replayed.err
        assert len(server.requests) == 4
    assert table_of(out) == table_of(tmp_path / "again")
    assert [row["contains"] for row in table_of(out)] == ["yes", "no", "yes", "no"]


def test_labels_say_how_far_it_agrees_and_choose_the_threshold(cli, pairs, tmp_path):
    out = tmp_path / "out"
    with FaultServer(answer=by_document) as server:
        done = cli("perspectives", "detect", pairs, "--labels", "label", "-o", out, *call(server))
        assert done.code == 0, done.err
        assert "n = 4 pairs of 2 questions" in " ".join(done.out.split())
        again = cli("perspectives", "detect", pairs, "--labels", "label", "-o", out, "--json", *call(server))
        found = json.loads(again.out)["against_labels"]
        assert (found["way"], found["yes_from"], found["f1"]["value"]) == ("cross-fitted", 3, 1.0)
        assert [row["label"] for row in table_of(out)] == ["yes", "no", "yes", "no"]
        # Another threshold, or none of the labels, asks nothing anew; and a chosen one serves elsewhere.
        cli("perspectives", "detect", pairs, "--yes-from", "1", "-o", out, *call(server))
        assert [row["contains"] for row in table_of(out)] == ["yes"] * 4
        assert len(server.requests) == 4
        reused = cli(
            "perspectives", "detect", pairs, "--yes-from", out, "-o", tmp_path / "other", *call(server)
        )
        assert "a yes from grade 1 (nothing) on" in reused.out
    elsewhere = cli("perspectives", "detect", pairs, "--yes-from", out, "-o", tmp_path / "offline")
    assert "threshold 1 was chosen for openai/judge" in " ".join(elsewhere.err.split())
