"""`conqret debate write`: statements by a tuned model, by a server and offline, and what is measured of them."""

import json

import pytest

from conqret.debate.debatune.debate_files import read_instructions
from conqret.debate.debatune.debater_training import DebaterFolder, TuningSettings, tune_debater
from tests.debate.tunable import ROWS, save_model, write_rows
from tests.server import FaultServer

pytestmark = pytest.mark.usefixtures("one_thread", "model_key")
ASKED = [{name: row[name] for name in ("topic", "side", "argument")} for row in ROWS]
OTHER = {"instruction": "Name a colour.", "id": "colour"}


@pytest.fixture
def asked(tmp_path):
    return write_rows(tmp_path / "asked.jsonl", ASKED)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A model before and after it was tuned on the rows."""
    folder = tmp_path_factory.mktemp("tuned")
    before = save_model(folder / "before")
    rows = read_instructions(write_rows(folder / "train.jsonl", ROWS))
    tuned = DebaterFolder(folder / "tuned")
    settings = TuningSettings(epochs=18, batch_size=4, learning_rate=0.01, save_every=100)
    tune_debater(rows, model=before, settings=settings, output=tuned.path)
    return before, tuned.model


def statements(folder):
    return [json.loads(line) for line in (folder / "statements.jsonl").read_text().splitlines()]


def test_controllability_rises_on_the_topics_that_were_learnt(cli, models, asked, tmp_path):
    for name, model in zip(("before", "after"), models, strict=True):
        command = (
            *("debate", "write", asked, "--model", f"local/{model}", "--system", name),
            *("-o", tmp_path / name),
        )
        done = cli(*command, "--max-tokens", "30")
        assert done.code == 0, done.err
    assert "16 of 16 statements written" in done.out
    assert "another model" not in done.err
    said = statements(tmp_path / "after")
    assert [row["statement"] for row in said] == [row["messages"][1]["content"] for row in ROWS]
    assert not any("cut" in row for row in said)  # it has learnt to end
    files = [tmp_path / name / "statements.jsonl" for name in ("before", "after")]
    scored = cli("debate", "score", *files, "--json", "-o", tmp_path / "scored")
    assert scored.code == 0, scored.err
    before, after = (one["overall"]["value"] for one in json.loads(scored.out)["systems"])
    assert before < 0.75 < after == 1.0
    assert cli("debate", "score", *files, "--against", "before", "-o", tmp_path / "quality").code == 0
    again = cli(*command, "--max-tokens", "30")
    assert "0 requests sent now" in again.err


def test_a_text_is_cut_at_its_room_and_drawn_by_its_seed(models):
    from conqret.llm.request import NucleusSampling
    from conqret.local.models import load
    from conqret.local.text_writing import write

    loaded, told = load(str(models[1]), "cpu"), ROWS[0]["messages"][:1]
    short = write(loaded, told, window=96, room=3)
    assert (short.tokens, short.cut) == (3, True)
    assert write(loaded, told, window=short.prompt_tokens).room == 0
    hot = NucleusSampling(temperature=5.0)
    drawn = [write(loaded, told, window=96, sampling=hot, seed=seed).text for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_server_is_sent_the_instruction_word_for_word_and_once(cli, tmp_path):
    chat = {
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "{{ 1 }} <b>"}]
    }
    rows = write_rows(tmp_path / "rows.jsonl", [{"id": "a", **ASKED[0]}, OTHER, {"id": "c", **chat}])
    out = tmp_path / "out"
    with FaultServer(answer=lambda body: "  {So} it is.\n") as server:
        command = ("debate", "write", rows, "--model", "openai/writer", "--api-base", server.url, "-o", out)
        done = cli(*command, "--json")
        assert done.code == 0, done.err
        sent = [request.body for request in server.requests]
        assert cli(*command).code == 0
        assert len(server.requests) == 3
    assert all("response_format" not in body and "tools" not in body for body in sent)
    assert chat["messages"] in [body["messages"] for body in sent]
    assert json.loads(done.out)["written"] == 3
    first, other, last = statements(out)
    assert (first["id"], first["side"], first["statement"]) == ("a", "affirmative", "{So} it is.")
    topic = 'Argue for the affirmative side of the topic "Trams should be free"'
    assert first["instruction"] == f'{topic}, with this argument: "it costs less".'
    assert (other["topic"], other["side"]) == ("Name a colour.", "none")
    assert last["topic"] == "{{ 1 }} <b>"
    changed = cli(*command, "--temperature", "0.5")
    assert (changed.code, "What differs: temperature" in changed.err) == (2, True)


def test_offline_argues_and_does_nothing_else(cli, asked, tmp_path):
    done = cli("debate", "write", asked, "-o", tmp_path / "out")
    assert done.code == 0, done.err
    assert "In favour of" in statements(tmp_path / "out")[0]["statement"]
    assert json.loads(cli("debate", "write", asked, "--dry-run", "--json").out)["calls"] == 16
    refused = cli("debate", "write", write_rows(tmp_path / "other.jsonl", [OTHER]), "-o", tmp_path / "other")
    assert refused.code == 2
    assert "other.jsonl:1 names no side of a topic" in " ".join(refused.err.split())
    assert not (tmp_path / "other").exists()
