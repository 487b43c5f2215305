"""``conqret judge`` and ``conqret runs report``, as a user types them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from conqret.data import Document, Item
from conqret.judging.judge_folder import JudgeFolder
from tests.cli.conftest import Cli
from tests.contract.items import demo
from tests.judging.runs import said, write_items
from tests.server import FaultServer


@pytest.fixture
def items(tmp_path: Path) -> Path:
    return write_items(tmp_path / "items.jsonl", demo()[:4])


def test_json_is_all_that_stands_on_standard_output(cli: Cli, items: Path, tmp_path: Path) -> None:
    typed = ("judge", items, "-f", "g-eval", "--metric", "context-relevance", "--samples", 3)
    done = cli(*typed, "-o", tmp_path / "r", "--json")
    summary = json.loads(done.out)
    assert summary["total"] == summary["scored"] == 4
    assert list(summary["metrics"]) == ["context_relevance"]
    assert summary["usage"]["calls"] == 12
    report = json.loads(cli("runs", "report", tmp_path / "r", "--json").out)
    assert {**report, "requirements": []} == summary


def test_quiet(cli: Cli, items: Path, tmp_path: Path) -> None:
    assert cli("judge", items, "-q", "-o", tmp_path / "r").err == ""
    assert cli("judge", items, "-q", "-o", tmp_path / "r").err == ""
    assert "4 of 4 judgments kept from an earlier run" in cli("judge", items, "-o", tmp_path / "r").err


def test_every_option_of_judging_reaches_the_run(cli: Cli, items: Path, tmp_path: Path) -> None:
    judging = {"samples": 2, "order": "shuffled", "seed": 7, "relevant_from": 4, "temperature": 0.3}
    client = {"max_tokens": 900, "context_window": 200000, "max_concurrency": 3, "timeout": 9, "rpm": 90000}
    client |= {"tpm": 900000, "input_price": 1, "output_price": 2, "budget_usd": 3}
    options = [
        word for name, value in (judging | client).items() for word in (f"--{name.replace('_', '-')}", value)
    ]
    recordings = tmp_path / "s.sqlite"
    assert cli("judge", items, "-o", tmp_path / "r", *options, "--recordings", recordings).code == 0
    record = JudgeFolder(tmp_path / "r").record()
    assert judging.items() <= record.options.items()
    assert client.items() <= record.model_options.items()
    assert recordings.is_file()


def test_columns_of_ones_own(cli: Cli, tmp_path: Path) -> None:
    rows = [
        {"q": item.topic, "ctx": [d.text for d in item.documents], "essay": item.argument}
        for item in demo()[:2]
    ]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert cli("judge", path, "-o", tmp_path / "r").code == 2
    done = cli("judge", path, "-o", tmp_path / "r", "--columns", "topic=q, documents=ctx,argument=essay")
    assert done.code == 0
    assert "items without an id are called by topic and stance (2 times" in done.err
    several = ("--columns", "topic=q,documents=ctx,documents=essay,argument=essay")
    assert "2 items, 26 documents" in cli("judge", path, "-o", tmp_path / "t", *several).err
    assert (
        "--columns takes a list such as" in cli("judge", path, "--columns", "topic", "-o", tmp_path / "s").err
    )


def test_items_with_faults_are_left_out_where_the_user_says_so(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "mixed.jsonl"
    records = [
        {"id": str(n), "topic": "T?", "argument": "x [1].", "documents": ["d"] * (n % 2)} for n in range(9)
    ]
    path.write_text("\n".join(map(json.dumps, [*records, {"id": "z", "topic": 3}])), encoding="utf-8")
    done = cli("judge", path, "-o", tmp_path / "r", "--skip-invalid")
    assert done.code == 0
    assert "10 items: 4 scored, 0 unscored, 0 failed, 6 left out, because of faults" in done.out
    assert re.search(r"Groundedness .* 4 of 10", done.out)
    assert "mixed.jsonl:1, 3, 5 and 2 more [documents] is missing or empty" in done.err
    assert "mixed.jsonl:10 [topic] is a number" in done.err
    record = JudgeFolder(tmp_path / "r").record()
    assert (record.items_count, record.items_left_out) == (4, 6)
    page = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    assert "6 further items were not judged" in page
    assert "n = 4 of 4" not in page


@pytest.mark.usefixtures("model_key")
def test_a_replay_needs_no_flags(cli: Cli, items: Path, tmp_path: Path) -> None:
    made = ["-f", "g-eval", "--metric", "groundedness", "--samples", 2, "--seed", 5, "--temperature", 0.25]
    with FaultServer() as server:
        typed = ("judge", items, *made, "--model", "openai/judge", "--api-base", server.url)
        assert cli(*typed, "-o", tmp_path / "first").code == 0
    done = cli("judge", items, "--replay", tmp_path / "first", "-o", tmp_path / "again")
    assert done.code == 0
    one, two = (JudgeFolder(tmp_path / name) for name in ("first", "again"))
    assert said(one.judgments()) == said(two.judgments())
    assert two.summary().usage.calls == 0
    # An export knows format, model, samples and metrics, but not the temperature.
    assert cli("runs", "recordings", "export", tmp_path / "first", tmp_path / "e.jsonl").code == 0
    typed = ("judge", items, "--replay", tmp_path / "e.jsonl", "--temperature", 0.25, "--seed", 5)
    done = cli(*typed, "-o", tmp_path / "third")
    assert done.code == 0
    assert said(JudgeFolder(tmp_path / "third").judgments()) == said(one.judgments())


def test_a_replay_names_what_is_missing(cli: Cli, items: Path, tmp_path: Path) -> None:
    short = write_items(tmp_path / "short.jsonl", demo()[:3])
    assert cli("judge", short, "-o", tmp_path / "first").code == 0
    done = cli("judge", items, "--replay", tmp_path / "first", "-o", tmp_path / "again", "--json")
    assert done.code == 1
    assert "the recordings lack 1 answer" in done.err
    assert f"rag-fine-grained of item {demo()[3].id}, sample 0" in done.err


def test_the_report_again(cli: Cli, items: Path, tmp_path: Path) -> None:
    cli("judge", items, "-o", tmp_path / "r")
    (tmp_path / "r" / "report.html").unlink()
    done = cli("runs", "report", tmp_path / "r", "--max-items", 2)
    assert done.code == 0
    assert (tmp_path / "r" / "report.html").is_file()
    assert cli("runs", "report", tmp_path / "r", "--to", tmp_path / "page.html").code == 0
    assert "<html" in (tmp_path / "page.html").read_text(encoding="utf-8")
    done = cli("runs", "report", tmp_path / "nowhere")
    assert (done.code, "does not exist" in done.err) == (2, True)


def test_show_prints_what_was_asked_and_answered(cli: Cli, tmp_path: Path) -> None:
    item = Item(
        id="a", topic="Is it?", documents=(Document(id="1", text="It is."),), argument="It is red [1]."
    )
    items = write_items(tmp_path / "items.jsonl", [item])
    assert cli("judge", items, "--format", "rag-fine-grained", "-o", tmp_path / "r", "-q").code == 0
    done = cli("runs", "show", tmp_path / "r", "a")
    assert done.code == 0
    assert all(part in done.out for part in ("[system prompt]", "[raw answer]", "It is red [1]."))
    assert re.search(r"Rated +Context relevance.*\n─+\n1 +\d", done.out), "a row for each document"
    assert re.search(r"Context relevance +0\.\d\d +each by itself: below", done.out)
    whole = cli("runs", "show", tmp_path / "r", "a", "--full").out
    assert ("more characters: --full)" in done.out, "more characters" in whole) == (True, False)
    thrice = ("--format", "direct", "--metric", "groundedness", "--samples", 3, "--temperature", 0)
    assert cli("judge", items, *thrice, "-o", tmp_path / "thrice", "-q").code == 0
    assert cli("runs", "show", tmp_path / "thrice", "a").out.count("(the same as before)") == 2
    found = json.loads(cli("runs", "show", tmp_path / "r", "a", "--json").out)
    assert found["judgment"]["item"] == "a"
    assert [one["role"] for one in found["exchanges"][0]["messages"]] == ["system", "user"]
    wrong = cli("runs", "show", tmp_path / "r", "b")
    assert (wrong.code, "'b'" in wrong.err) == (2, True)


SETTINGS = (
    '[judge]\nitems = "items.jsonl"\nformat = "direct"\nmetric = ["groundedness"]\nskip-invalid = true\n'
)


def test_settings_may_stand_in_a_file(cli: Cli, items: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(items.parent)
    Path("conqret.toml").write_text(SETTINGS, encoding="utf-8")
    done = cli("judge", "-o", "r")
    assert "settings come from conqret.toml; options of the command line override them" in done.err
    assert JudgeFolder(Path("r")).record().metrics == ["groundedness"]
    assert cli("judge", "-o", "s", "--metric", "context-relevance").code == 0
    assert JudgeFolder(Path("s")).record().metrics == ["context_relevance"]
    Path("apart").mkdir()
    Path("apart/other.toml").write_text(SETTINGS.replace("items.jsonl", "../items.jsonl"), encoding="utf-8")
    assert cli("judge", "-o", "t", "--config", "apart/other.toml").code == 0


def test_faults_of_settings_are_named_with_their_lines(
    cli: Cli, items: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(items.parent)
    wrong = '[judge]\nformt = "direct"\nsamples = "many"\norder = "random"\nquiet = true\n[judeg]\nx = 1\n'
    Path("wrong.toml").write_text(wrong, encoding="utf-8")
    done = cli("judge", items, "-o", "r", "--config", "wrong.toml")
    assert done.code == 2
    for words in (
        "5 faults in the settings",
        "wrong.toml:2 judge.formt: there is no setting 'formt' of judge: did you mean 'format'",
        "wrong.toml:3 judge.samples: it must be a valid integer",
        "wrong.toml:4 judge.order: it must be 'given', 'reversed' or 'shuffled'",
        "wrong.toml:5 judge.quiet: there is no setting",
        "wrong.toml:6 judeg: only a table [judge] is read",
    ):
        assert words in done.err
    assert not Path("r").exists()
    assert "there is no such file" in cli("judge", items, "--config", "no.toml").err
    unasked = "keys would go there unasked"
    for table, words in (
        ('[judge]\nmodel = "server/http://127.0.0.1:1"\n', f"toml:2 judge.model: {unasked}"),
        ('[judge]\nitems = "s3://theirs/items"\n', f"toml:2 judge.items: {unasked}"),
        ('[judge]\napi-base = "http://127.0.0.1:1"\n', f"toml:2 judge.api-base: {unasked}"),
        ("judge = 5\n", "toml:1 judge: only a table"),
    ):
        Path("conqret.toml").write_text(table, encoding="utf-8")
        done = cli("judge", items, "-o", "r", "--model", "openai/x")
        assert (done.code, words in done.err) == (2, True)
