"""A Python function as the judge: what it is told, what it may say, and what becomes of the rest."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conqret
from conqret import bias
from conqret.errors import DeclarationError
from conqret.judging.own_judge import read_verdict
from conqret.llm.backends.function import admit, identity
from conqret.studies.bias.result import BiasRow, BiasTable

PAIRS = [
    {
        "id": f"pair-{n}",
        "topic": f"Should thing {n % 6} be banned?",
        "argument": f"Yes, since reason {n} holds. It is cheap. People like it.",
        "second_argument": f"No, as reason {n + 50} is stronger. It costs money. Nobody wants it.",
        "metadata": {"secret": n},
    }
    for n in range(12)
]
SINGLES = [{**pair, "second_argument": None} for pair in PAIRS]


def first_wins(item: dict[str, Any]) -> str:
    return "first"


async def longer(item: dict[str, Any]) -> dict[str, Any]:
    return {"preference": 1.0 if len(item["argument"]) > len(item["second_argument"]) else 0.0, "other": 3}


def length(item: dict[str, Any]) -> Any:
    return np.float32(min(1.0, len(item["argument"]) / 1000))


def broken(item: dict[str, Any]) -> float:
    raise KeyError("score")


def row(table: BiasTable, probe: str) -> BiasRow:
    return next(one for one in table.rows if one.probe == probe)


def test_a_function_that_always_says_first_is_found_on_pairs_without_documents() -> None:
    table = bias(PAIRS, judge=first_wins, probes=["position", "repeatability"])
    found = row(table, "position")
    assert (found.verdict, found.effect and found.effect.value) == ("alarm", 1.0)
    assert row(table, "repeatability").words == "says the same every time"
    assert table.record.model.startswith("function/")
    assert table.session.sent > 0


def test_an_asynchronous_function_says_a_mapping_of_which_one_metric_is_asked() -> None:
    found = row(bias(PAIRS, judge=longer, probes=["position"]), "position")
    assert found.effect is not None
    assert found.effect.value == 0.0


def test_it_is_told_what_judges_are_shown_and_nothing_that_would_give_a_change_away() -> None:
    told: list[dict[str, Any]] = []

    def watching(item: dict[str, Any]) -> float:
        told.append(dict(item))
        item.clear()  # a copy: whoever spoils it spoils nothing else
        return 0.5

    bias([{**PAIRS[0], "documents": ["A text."]}], judge=watching, probes=["position"])
    wanted = {"topic", "stance", "argument", "second_argument", "documents", "language"}
    assert {name for one in told for name in one} == wanted
    assert told[0]["documents"][0]["text"] == "A text."
    assert {one["argument"] for one in told} == {PAIRS[0]["argument"], PAIRS[0]["second_argument"]}


def test_what_raises_or_says_nonsense_is_no_score() -> None:
    lost = row(bias(PAIRS[:3], judge=broken, probes=["position"]), "position")
    assert (lost.effect, lost.missing) == (None, {"judge_failed": 3})
    odd = bias(PAIRS[:3], judge=lambda item: "maybe", probes=["position"])
    assert row(odd, "position").missing == {"invalid_answer": 3}
    assert "first, second, tie or a number" in next(iter(odd.session.failures.values()))
    unsaid = bias(PAIRS[:3], judge=lambda item: object(), probes=["position"])
    assert "no plain data" in next(iter(unsaid.session.failures.values()))


@pytest.mark.parametrize(
    ("said", "metrics", "expected"),
    [
        (0.25, ["overall_quality"], {"overall_quality": (0.25, "")}),
        (" Second ", ["preference"], {"preference": (0.0, "")}),
        ({"a": 1, "b": 0.5, "more": "x"}, ["a", "b"], {"a": (1.0, ""), "b": (0.5, "")}),
        ({"score": 0.25, "reason": "why"}, ["a"], {"a": (0.25, "why")}),
        (
            {"a": {"score": False, "reason": "why"}, "b": ["tie", 1], "preference": ("tie", "alike")},
            ["a", "preference"],
            {"a": (0.0, "why"), "preference": (0.5, "alike")},
        ),
        (
            {"measures": {"groundedness": {"status": "scored", "value": 0.5, "explanation": "why"}}},
            ["groundedness"],
            {"groundedness": (0.5, "why")},
        ),
    ],
)
def test_what_it_may_say(said: Any, metrics: list[str], expected: dict[str, tuple[float, str]]) -> None:
    assert read_verdict(said, metrics) == expected


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (1.5, "must lie between 0 and 1"),
        ("first", "a number from 0 to 1"),
        ({"clarity": 0.5}, "no value for overall_quality but for clarity: name with --metric"),
        ({"measures": {"overall_quality": {"value": None}}}, "no value for overall_quality"),
    ],
)
def test_what_it_may_not_say(said: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_verdict(said, ["overall_quality"])


def test_reasons_are_kept_and_the_metrics_of_a_format_are_refused() -> None:
    def judge(item: Any) -> Any:
        return {"polite": (False, "no greeting"), "brief": True}

    judgment = conqret.judge(PAIRS[:1], judge=judge)[0]
    polite = judgment.measures["polite"]
    assert (polite.value, polite.explanation, judgment.value("brief")) == (0.0, "no greeting", 1.0)
    with pytest.raises(DeclarationError, match="not faithfulness: the metrics of a format"):
        conqret.judge(PAIRS[:1], judge=judge, metrics=["polite", "faithfulness"])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in ("own_module_of_a_test", "own_broken_module"):
        sys.modules.pop(name, None)


def test_a_module_of_the_working_directory_is_imported_because_it_is_named(here: Path) -> None:
    file = here / "own_module_of_a_test.py"
    file.write_text("def better(item):\n    return 'tie'\n", encoding="utf-8")
    before = list(sys.path)
    with pytest.raises(DeclarationError, match="imports one only on request"):
        bias(PAIRS, model="function/own_module_of_a_test:better", format="direct", metrics=["preference"])
    assert "own_module_of_a_test" not in sys.modules
    name = admit("own_module_of_a_test:better")
    assert (name, sys.path) == ("function/own_module_of_a_test:better", before)
    known = identity(name)
    file.write_text("def better(item):\n    return 'first'\n", encoding="utf-8")
    assert identity(name) != known


def test_a_version_makes_it_another_judge() -> None:
    def judge(least: float) -> Any:
        made = partial(first_wins)
        made.version = f"least-{least}"  # type: ignore[attr-defined]
        return made

    assert admit(judge(1)) == admit(judge(1)) != admit(judge(2))
    assert admit(first_wins) == f"function/{__name__}:first_wins"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("better", "module:function"),
        ("own_missing_module:better", "no module 'own_missing_module'"),
        ("json:lodes", "json has no function 'lodes'"),
        ("own_broken_module:better", "cannot be imported: ZeroDivisionError"),
    ],
)
def test_what_cannot_be_imported_is_said(here: Path, name: str, words: str) -> None:
    (here / "own_broken_module.py").write_text("1 / 0\n", encoding="utf-8")
    with pytest.raises(DeclarationError, match=words):
        bias(PAIRS, judge=name)
