"""``conqret judges suites``, ``test`` and ``leaderboard`` as people type it, and the commands of docs/suites.md."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.suites import small
from tests.suites.mirror import mirrored

ROOT = Path(__file__).parents[2]
MADE_UP = ROOT / "tests" / "fixtures" / "suites"


def test_a_suite_from_its_fetch_to_the_leaderboard(cli, small_suite, tmp_path, monkeypatch):
    monkeypatch.delenv("CONQRET_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    with mirrored({"owner/name/v1/data/pairs.csv": small.table()}) as mirror:
        monkeypatch.setenv("CONQRET_SUITES_MIRROR", mirror.url)
        refused = cli("judges", "suites", "small", "--fetch")
        assert (refused.code, mirror.asked) == (2, 0)
        assert "license: CC0-1.0" in refused.err
        fetched = cli("judges", "suites", "small", "--fetch", "--yes", "--json")
    assert json.loads(fetched.out)["fetched"] == ["pairs.csv"]
    listed = {one["name"]: one for one in json.loads(cli("judges", "suites", "--json").out)}
    assert listed["small"]["here"] == str(tmp_path / "fetched" / "small")
    shown = json.loads(cli("judges", "suites", "small", "--json").out)
    assert shown["counts"]["items"] == 40
    assert [one["same"] for one in shown["recomputed"]] == [True, None]
    assert "0.750" in cli("judges", "suites", "small").out

    price = json.loads(cli("judges", "test", "small", "--sample", "16", "--dry-run", "--json").out)
    assert (price["items"], price["of"], price["calls"]) == (16, 40, 32)
    assert not (tmp_path / "runs").exists()
    done = cli("judges", "test", "small", "--sample", "16", "-o", "run")
    assert done.code == 0
    assert "a sample of 16 of 40 items (seed 13)" in done.out
    result = json.loads((tmp_path / "run" / "suite.json").read_text("utf-8"))
    assert (result["suite"], result["sample"]["n"], result["cost"]["usd"]) == ("small", 16, 0.0)
    assert json.loads(cli("judges", "test", "small", "--sample", "16", "-o", "run", "--json").out)["figures"]
    assert (tmp_path / "run" / "report.html").exists()

    for ending in ("html", "md", "svg"):
        told = cli("judges", "leaderboard", "run", "-o", f"board.{ending}")
        assert told.code == 0
        assert (tmp_path / f"board.{ending}").stat().st_size > 500
    (board,) = json.loads(cli("judges", "leaderboard", "--suite", "small", "--json").out)["suites"]
    assert [(one["judge"], one["published"]) for one in board["judges"]] == [(small.LONGER, True)]
    facts = json.loads(cli("judges", "leaderboard", "run", "--json").out)
    assert {one["judge"] for one in facts["suites"][0]["judges"]} == {"offline (direct)", small.LONGER}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("suites", "smal"), "did you mean 'small'"),
        (("suites", "--fetch"), "name the suite"),
        (("test", "small", "--sample", "41", "--from", "."), "has only 40 items"),
        (
            ("test", "small", "--from", "nowhere"),
            "pairs.csv from https://raw.githubusercontent.com/owner/name/v1",
        ),
        (("leaderboard", "nowhere.json"), "nowhere.json does not exist: run conqret judges test"),
    ],
    ids=str,
)
def test_what_is_wrong_is_told_in_a_sentence(cli, small_suite, monkeypatch, arguments, said):
    monkeypatch.chdir(small_suite)
    done = cli("judges", *arguments)
    assert done.code == 2
    assert said in done.err


def test_a_suite_without_texts_has_nothing_to_judge(cli):
    done = cli("judges", "test", "alttest", "--from", MADE_UP)
    assert done.code == 2
    assert "it cannot be judged" in done.err


def test_the_commands_of_the_page_do_what_it_says(cli, tmp_path, monkeypatch):
    page = (ROOT / "docs" / "suites.md").read_text("utf-8")
    commands = [line for block in re.findall(r"```bash\n(.*?)```", page, re.S) for line in block.splitlines()]
    assert len(commands) >= 8
    monkeypatch.setenv("CONQRET_DATA", str(MADE_UP))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my-prompts").mkdir()
    (tmp_path / "my_module.py").write_text("def my_judge(item):\n    return 'first'\n", encoding="utf-8")
    for command in commands:
        words = [{"gpt-4o-mini": "offline", "40": "3"}.get(word, word) for word in shlex.split(command)]
        if "--fetch" in words or "my-prompts/" in words:  # of the network, and of a folder of one's own
            continue
        done = cli(*words[1:])
        assert done.code == 0, (command, done.err)
