"""The smaller commands: formats, prompt, recordings, doctor, and the head of it all."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest

from conqret import __version__
from conqret.cli.commands import find
from conqret.data import Document, Item, Nugget
from conqret.prompts import Library
from tests.commands import Cli, options_of
from tests.contract.items import DEMO, demo
from tests.judging.runs import write_items
from tests.server import FaultPlan, FaultServer

ROOT = Path(__file__).parents[2]


def test_what_stands_in_backquotes_is_shown_as_code_and_nothing_is_lost(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "1000")  # no column is broken
    shown = cli("judge", "--help-all").out
    assert "`" not in shown
    found, _ = find(["judge"], everything=True)
    helps = [argument.parameter.help or "" for argument in options_of(found)]
    told = [found.help, found.help_epilogue or "", *helps]
    written = [_dense(part) for text in told for part in text.split("\n\n")]
    assert [part for part in written if part not in _dense(shown)] == []


def _dense(text: str) -> str:
    """The text without what only lays it out."""
    return re.sub(r"[\s`│]", "", text)


def test_version_and_nothing(cli: Cli) -> None:
    assert cli("--version").out.strip() == f"conqret {__version__}"
    done = cli()
    assert (done.code, "Usage" in done.output) == (2, True)


def test_prompt_list(cli: Cli) -> None:
    listed = cli("info", "prompt").out
    rows = json.loads(cli("info", "prompt", "--json").out)
    assert [row["id"] for row in rows] == list(Library().ids())
    assert all(f"{row['id']}  version {row['version']}" in listed for row in rows)


def test_prompt_show_as_it_is_sent(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    done = cli("info", "prompt", "rag-fine-grained", "--item", demo()[2].id)
    assert done.code == 0
    assert "rag-fine-grained · system" in done.out
    assert demo()[2].argument in done.out
    assert "{{" not in done.out.split("rag-fine-grained · user")[0]
    assert cli("info", "prompt", "rag-fine-grained", "--item", "3").out == done.out


def test_prompt_show_of_what_is_asked_for_alone(cli: Cli) -> None:
    item = ["--items", DEMO, "--item", "1"]
    done = cli("info", "prompt", "rag-fine-grained", *item, "--metric", "context-relevance")
    assert "context_relevance: one entry for every document" in done.out
    assert "groundedness:" not in done.out
    assert "--metric shows another" in cli("info", "prompt", "pointwise", *item).err
    assert "- clarity:" in cli("info", "prompt", "pointwise", *item, "--metric", "clarity").out


def test_every_prompt_can_be_read_on_an_odd_item(cli: Cli, tmp_path: Path) -> None:
    document = Document(id="d", title="A heading", text="One million bottles a minute.")
    texts = {"argument": "Too many.", "second_argument": "No.", "reference": "A few."}
    nuggets = (Nugget(text="There are many bottles."),)
    odd = Item(id="odd", topic="Plastic bottles", documents=(document,), nuggets=nuggets, **texts)
    items = write_items(tmp_path / "odd.jsonl", [odd])
    shown = 0
    for identifier in sorted(Library().ids()):
        done = cli("info", "prompt", identifier, "--items", items, "--item", "odd")
        if "leave out --item" in done.err:
            assert done.code == 2
            continue
        shown += 1
        assert done.code == 0, identifier
        assert any(text in done.out for text in ("Plastic bottles", "Too many.")), identifier
        assert "None" not in done.out.split("· user")[1], identifier
    assert shown > 20


def test_prompt_show_errors(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = write_items(tmp_path / "bare.jsonl", [demo()[0].model_copy(update={"second_argument": None})])
    monkeypatch.chdir(tmp_path)
    for arguments, words in [
        (["rag-fine-graind"], "did you mean 'rag-fine-grained'"),
        (["direct", "--item", "1", "--items", "no.jsonl"], "no.jsonl does not exist"),
        (["direct", "--item", "zoo-pro", "--items", DEMO], "did you mean 'zoos-pro'"),
        (["g-eval/steps", "--item", "1", "--items", DEMO], "no judge sends the prompt"),
        (["rag-direct", "--item", "1", "--items", bare], "has no second_argument"),
        (["generate/pro", "--metric", "preference"], "--metric goes with a format"),
    ]:
        done = cli("info", "prompt", *arguments)
        assert (done.code, done.out, words in done.err) == (2, "", True), done.err
    done = cli("info", "prompt", "direct", "--item", "1", "--items", bare)
    assert done.code == 0
    assert "direct/preference: item animal-testing-pro has no second_argument" in done.err


def test_prompt_copy_gives_prompts_to_change(cli: Cli, tmp_path: Path) -> None:
    name, mine = "g-eval", tmp_path / "mine"
    done = cli("info", "prompt", name, "--copy", mine)
    assert done.code == 0
    copies, ours = Library(mine), Library()
    files = sorted(mine.rglob("*.j2"))
    assert len(files) == done.out.count("written")
    for file in files:
        identifier = file.relative_to(mine).with_suffix("").as_posix()
        assert copies[identifier].digest == ours[identifier].digest
        text = file.read_text(encoding="utf-8")
        for block, names in ours.used(identifier).items():
            assert all(f"  {block}: {name} - " in text for name in names)
        assert "given by the format" not in text
    assert cli("info", "prompt", name, "--copy", mine).code == 0  # nothing is changed yet, and nothing lost
    changed = files[0].read_text(encoding="utf-8") + "\nOur own words.\n"
    files[0].write_text(changed, encoding="utf-8")
    again = cli("info", "prompt", name, "--copy", mine)
    assert again.code == 2
    assert f"{files[0].name} already exists" in again.err
    assert files[0].read_text(encoding="utf-8") == changed
    assert cli("info", "prompt", name, "--copy", mine, "--overwrite").code == 0
    assert files[0].read_text(encoding="utf-8") != changed


def test_prompt_steps_and_a_run_with_them(cli: Cli, tmp_path: Path) -> None:
    printed = cli("info", "prompt", "g-eval/groundedness", "--model", "offline")
    assert printed.code == 0
    assert printed.out.startswith("1. ")
    mine, ours = tmp_path / "mine", Library()["g-eval/groundedness"].version
    copy = ("info", "prompt", "g-eval/groundedness", "--model", "offline", "--copy", mine, "--overwrite")
    assert "conqret judge … --format g-eval --prompts" in cli(*copy).out
    assert cli(*copy).code == 0  # from the one just written
    assert Library(mine)["g-eval/groundedness"].version == ours + 2
    runs = []
    judge = ("judge", DEMO, "-f", "g-eval", "--metric", "groundedness", "-q")
    for name, more in (("one", []), ("two", ["--prompts", mine])):
        assert cli(*judge, "-o", tmp_path / name, *more).code == 0
        runs.append(json.loads((tmp_path / name / "run.json").read_text(encoding="utf-8")))
    assert runs[0]["fingerprint"] != runs[1]["fingerprint"]


def test_a_damaged_store_is_named_mended_and_asked_again(cli: Cli, tmp_path: Path) -> None:
    items, store = write_items(tmp_path / "items.jsonl", demo()[:3]), tmp_path / "r" / "recordings.sqlite"
    judge = ("judge", items, "-f", "direct", "--recordings", store, "-q", "-o")
    (tmp_path / "r").mkdir()
    assert cli(*judge, tmp_path / "first").code == 0
    with sqlite3.connect(store) as db:
        db.execute("UPDATE recordings SET completion = completion || ' ' WHERE rowid = 2")
    db.close()
    exported = cli("runs", "recordings", "export", store, tmp_path / "e.jsonl")
    assert (exported.code, "11 answers written" in exported.out) == (1, True)
    name = "a corrupt recording is not used"
    assert name in exported.err
    again = cli(*judge, tmp_path / "second")
    assert (again.code, name in again.err) == (0, True)
    first, second = ((tmp_path / run / "scores.parquet").read_bytes() for run in ("first", "second"))
    assert first == second


def test_recordings_are_redacted_before_they_are_shared(cli: Cli, tmp_path: Path) -> None:
    items = write_items(tmp_path / "items.jsonl", demo()[:3])
    cli("judge", items, "-f", "direct", "-o", tmp_path / "r", "-q")
    shared, names = tmp_path / "shared.jsonl", tmp_path / "names.txt"
    names.write_text("animal\nvoting\n", encoding="utf-8")
    redact = ("runs", "recordings", "export", tmp_path / "r", shared)
    done = cli(*redact, "--names", names, "--names", "of the,words", "--patterns", "email,phone", "--json")
    found = json.loads(done.out)
    assert (done.code, found["answers"], found["removed"].keys()) == (0, 12, {"name"})
    assert not re.search(r"\b(animal|voting|of the|words)\b", shared.read_text("utf-8"), re.IGNORECASE)
    assert cli("judge", items, "-f", "direct", "-o", tmp_path / "again", "--replay", shared, "-q").code == 0
    before, after = (json.loads((tmp_path / run / "summary.json").read_text()) for run in ("r", "again"))
    assert before["metrics"] == after["metrics"]
    assert cli(*redact, "--patterns", "[a-z").code == 2


def test_doctor(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    done = cli("info", "doctor", "--model", "offline")
    assert done.code == 0
    assert f"conqret {__version__} on Python" in done.out
    assert "keys set: OPENAI_API_KEY" in done.out
    assert "sk-very-secret" not in done.out + done.err
    assert "offline answered" in done.out


def test_the_skill_names_commands_and_options_that_there_are(cli: Cli) -> None:
    told = cli("info", "skill").out
    assert told.startswith("---\nname: conqret\n")
    lines = [line for line in told.splitlines() if line.startswith("conqret ")]
    assert len(lines) >= 7
    for line in lines:
        path = re.match(r"conqret ((?:[a-z]+ )+)", line)
        assert path, line
        command, rest = find(path[1].split(), everything=True)
        assert not [word for word in rest if word in ("conqret", "labels", "runs", "judges")]
        known = {name for argument in options_of(command) for name in argument.names} | {"--dry-run"}
        assert set(re.findall(r"(?<= )--?[a-z][a-z-]*", line)) <= known, line


@pytest.mark.usefixtures("model_key")
def test_doctor_asks_a_model(cli: Cli) -> None:
    for plan, code, said in (
        (FaultPlan(), 0, "openai/judge answered in"),
        (FaultPlan(always="auth"), 1, "the provider did not accept the key"),
    ):
        with FaultServer(plan) as server:
            done = cli("info", "doctor", "--model", "openai/judge", "--api-base", server.url)
        assert (done.code, said in done.out) == (code, True), done.out


def test_a_shell_completes(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/bash")
    script = cli("--show-completion").out
    assert "complete -F" in script
    assert {"validate", "two-turn", "--criterion", "shuffled"} <= set(re.split(r"[^\w-]+", script))
