"""``--judge`` on the command line: a run like any other, and hostile answers that are never scores."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conqret import judge
from tests.cli.conftest import Cli

ITEM = {"id": "one", "topic": "Should cars be banned?", "argument": "Yes, they are loud."}
ITEMS = [{**ITEM, "id": f"item-{n}", "topic": f"Should {n % 4} be banned?"} for n in range(8)]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "rater_of_a_test", None)  # what the test imports goes with it
    del sys.modules["rater_of_a_test"]
    code = "def rate(item):\n    return len(item['argument']) % 7 / 10\n"
    (tmp_path / "rater_of_a_test.py").write_text(code, encoding="utf-8")
    lines = [json.dumps({**item, "argument": "Yes. " * n + "It is."}) for n, item in enumerate(ITEMS)]
    (tmp_path / "items.jsonl").write_text("\n".join(lines), encoding="utf-8")
    people = [f"item-{n},{who},overall_quality,{1 + (n + ord(who)) % 3}" for n in range(8) for who in "ab"]
    (tmp_path / "labels.csv").write_text("\n".join(["item,annotator,dimension,value", *people]), "utf-8")
    return tmp_path


def test_metrics_that_a_function_does_not_return_are_refused_before_it_judges(cli: Cli, here: Path) -> None:
    Path("rater_of_a_test.py").write_text("def rate(item):\n    return {'rule': 1.0}\n", encoding="utf-8")
    own = ("items.jsonl", "--judge", "rater_of_a_test:rate", "--metric", "faithfulness", "-o", "run")
    done = cli("judge", *own)
    why = "returned rule for the first item, but not faithfulness"
    assert (done.code, why in done.err, Path("run").exists()) == (2, True, False), done.err


def test_an_error_of_the_function_is_named_last(cli: Cli, here: Path) -> None:
    Path("rater_of_a_test.py").write_text("def rate(item):\n    return item['answer']\n", encoding="utf-8")
    lines = [{**ITEM, "id": f"item-{n}"} for n in range(30)]
    Path("items.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    done = cli("judge", "items.jsonl", "--judge", "rater_of_a_test:rate", "-o", "run")
    assert done.code == 1
    error = done.err.splitlines()[-1]
    assert "the function rater_of_a_test:rate raised KeyError: 'answer' (it gets a dictionary of" in error


def test_the_condition_of_a_gate_says_which_scores_are_worst(cli: Cli, here: Path) -> None:
    own = ("items.jsonl", "--judge", "rater_of_a_test:rate", "-o", "run")
    for condition, sign in (("overall_quality.max <= 0.3", -1), ("overall_quality.min >= 0.9", 1)):
        assert cli("judge", *own, "--require", condition, "--require", "coverage >= 1").code == 1
        listed = json.loads(cli("runs", "show", "run", "--worst", "overall_quality", "--json").out)
        scores = [sign * row["scores"]["overall_quality"] for row in listed]
        assert scores == sorted(scores)
        page = Path("run/report.html").read_text("utf-8")
        worst, best = (page.index(f"<bdi>{listed[place]['item']}</bdi>") for place in (0, -1))
        assert worst < best
        assert ("lower is better" in page) == (sign < 0)


def test_a_run_of_ones_own_judge_is_read_as_any_other(cli: Cli, here: Path) -> None:
    own = ("items.jsonl", "--judge", "rater_of_a_test:rate")
    done = cli("judge", *own, "-o", "run", "--require", "overall_quality >= 0")
    assert done.code == 0, done.err
    assert "judged by own-judge with function/rater_of_a_test:rate" in done.err
    assert cli("bias", *own, "--probe", "length", "-o", "bias", "-q").code == 0
    done = cli("validate", "run", "--labels", "labels.csv", "--scale", "1:3", "--bias", "bias", "-o", "card")
    assert done.code == 0, done.err
    card = json.loads((here / "card" / "card.json").read_text(encoding="utf-8"))
    assert card["judge"]["summary"].startswith("a judge of your own")
    assert card["bias"]["record"]["fingerprint"] == card["run"]["fingerprint"]
    assert "a judge of your own gets the item" in cli("runs", "show", "run", "item-0").out
    same = ("runs", "diff", "run", "run", "--metric", "overall-quality")
    assert "no score differs" in cli(*same).err
    failed = cli(*same, "--require", "difference[overall-quality] > 0", "--junit", "junit.xml", "--json")
    assert (failed.code, json.loads(failed.out)["requirements"][0]["met"]) == (1, False)
    assert 'name="conqret runs diff" tests="1" failures="1"' in Path("junit.xml").read_text(encoding="utf-8")
    assert cli(*same, "--require", "difference[overall-quality] >= 0").code == 0
    (here / "rater_of_a_test.py").write_text("def rate(item):\n    return 0.5\n", encoding="utf-8")
    changed = cli("judge", *own, "-o", "run")
    assert (changed.code, "--overwrite" in changed.err) == (2, True)


def test_ones_own_judge_has_no_format_and_is_in_no_settings(cli: Cli, here: Path) -> None:
    assert "leave format out" in cli("judge", "items.jsonl", "--judge", "a:b", "--format", "direct").err
    (here / "conqret.toml").write_text('[judge]\njudge = "rater_of_a_test:rate"\n', encoding="utf-8")
    done = cli("judge", "items.jsonl")
    assert done.code == 2
    assert "rater_of_a_test" not in sys.modules


def _endless() -> Any:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    return deep


def _raise(error: BaseException) -> Any:
    raise error


async def _sleeps(item: dict[str, Any]) -> None:
    await asyncio.sleep(60)


HOSTILE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "nan": lambda item: float("nan"),
    "huge": lambda item: 10**400,
    "huger": lambda item: 10**5000,
    "number as text": lambda item: "0.5",
    "half a character": lambda item: "\ud800",
    "long": lambda item: "x" * (5 << 20),
    "deep": lambda item: _endless(),
    "odd keys": lambda item: {(1, 2): 3},
    "leaves": lambda item: _raise(SystemExit(3)),
    "interrupts": lambda item: _raise(StopIteration("early")),
    "hangs": lambda item: threading.Event().wait(),
    "sleeps": _sleeps,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_answers_are_no_scores_and_end_nothing(name: str) -> None:
    (found,) = judge([ITEM], judge=HOSTILE[name], timeout=0.2 if name in ("hangs", "sleeps") else 60.0)
    measure = found.measures["overall_quality"]
    assert measure.value is None
    wanted = {"leaves": "SystemExit: 3", "hangs": "deadline", "sleeps": "deadline", "long": "more than 4 MiB"}
    assert wanted.get(name, "") in measure.detail
    held = [one for one in threading.enumerate() if one.name == "conqret-judge"]
    assert all(one.daemon for one in held)  # a program ends all the same
