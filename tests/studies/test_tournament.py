"""Tournaments: pairs in rounds, strengths with errors, scores that other studies read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import conqret
from conqret import Item
from conqret.data import Document, Nugget, Turn
from conqret.errors import ConqretError, DeclarationError
from conqret.judging.judge_folder import JudgeFolder
from conqret.stats.pair_design import GroupPairs
from conqret.studies.systems.ranked_systems import run_leaderboard
from conqret.studies.tournament.item_groups import item_groups, pair_id, pair_item
from conqret.studies.tournament.result import tournament_page, tournament_tables
from conqret.studies.tournament.tournament_run import TournamentFolder, tournament_plan
from tests.server import FaultServer

TOPICS = ("Should zoos be closed?", "Should cars be banned?")


def arguments(count: int = 6, topics: tuple[str, ...] = TOPICS) -> list[Item]:
    """Arguments of growing length, in an order that says nothing."""
    order = np.random.default_rng(1).permutation(count).tolist()
    return [
        Item(id=f"{number}-{place}", topic=topic, argument=" ".join(["word"] * (place + 1)))
        for number, topic in enumerate(topics)
        for place in order
    ]


def longer(item: dict[str, Any]) -> str:
    first, second = (len(item[name]) for name in ("argument", "second_argument"))
    return "first" if first > second else "tie" if first == second else "second"


def test_what_wins_more_is_stronger_and_the_run_is_that_of_a_judge(tmp_path: Path) -> None:
    found = conqret.tournament(arguments(), judge=longer, output=tmp_path / "run", comparisons=5)
    for number, group in enumerate(found.groups):
        assert [item.id for item in group.items] == [f"{number}-{place}" for place in range(5, -1, -1)]
        assert (group.items[0].unbounded, group.items[-1].unbounded) == ("above", "below")
        assert all(item.low < item.strength < item.high for item in group.items)
    assert found.answered == found.planned == 30
    assert found.length == pytest.approx(1)
    assert 0.5 < (found.reliability or 0) < 1
    page = tournament_page(found)
    assert "".join(page.html()).count("<svg") == 3
    assert len(tournament_tables(found)) == 3
    scores = pl.read_parquet(tmp_path / "run" / "scores.parquet")
    assert scores["metric"].unique().to_list() == ["strength"]
    rows = {(row["item"], row["part"]): row["raw"] for row in scores.iter_rows(named=True)}
    for item in (item for group in found.groups for item in group.items):
        assert rows[item.id, None] == pytest.approx(item.strength)
        assert rows[item.id, "standard_error"] == pytest.approx(item.standard_error)
    folder = JudgeFolder(tmp_path / "run")
    assert [judgment.item for judgment in folder.finished()] == [item.id for item in arguments()]
    assert folder.summary().scored == 12
    assert TournamentFolder(tmp_path / "run").tournament().groups == found.groups


FAILING: list[str] = []


def shaky(item: dict[str, Any]) -> str:
    if item["argument"] in FAILING:
        raise ValueError("no idea")
    return longer(item)


def test_rounds_that_were_planned_are_kept(tmp_path: Path) -> None:
    """Where a comparison failed, and its answer would have led to other pairs, those that were asked count."""
    FAILING.append(" ".join(["word"] * 4))
    first = conqret.tournament(arguments(), judge=shaky, output=tmp_path / "run", stop_after_failures=1.0)
    assert 0 < sum(first.unanswered.values()) == first.planned - first.answered
    FAILING.clear()
    again = conqret.tournament(arguments(), judge=shaky, output=tmp_path / "run", stop_after_failures=1.0)
    assert again.answered == again.planned
    assert [each.id for each in again.comparisons] == [each.id for each in first.comparisons]


def test_a_question_is_compared_with_its_turns_and_images() -> None:
    shown: dict[str, Any] = {
        "messages": (Turn(role="user", content="Are zoos old?"), Turn(role="assistant", content="Yes.")),
        "images": ("https://example.org/zoo.png",),
        "reference": "They are.",
        "nuggets": (Nugget(text="Zoos are old."),),
        "language": "en",
    }
    one, other = (item.model_copy(update=shown) for item in arguments(2, ("Why?",)))
    pair = pair_item(one, other)
    assert {name: getattr(pair, name) for name in shown} == shown
    lacking = other.model_copy(update={"reference": None, "nuggets": ()})
    pair = pair_item(one, lacking)
    assert (pair.reference, pair.nuggets) == (None, ())
    assert len(tournament_plan([one, lacking], judge=longer).notes) == 2
    with pytest.raises(DeclarationError, match="turns or images"):
        tournament_plan([one, other.model_copy(update={"messages": ()})], judge=longer)


@pytest.mark.parametrize(
    ("items", "how", "words"),
    [
        (arguments(3)[:4], {}, "one item"),
        ([*arguments(3), Item(id="x", topic=TOPICS[0])], {}, "missing or empty"),
        (arguments(3), {"comparisons": 0}, "comparisons"),
        (arguments(3), {"criterion": "It is better than the other answer"}, "second answer"),
        (arguments(3), {"criterion": "It is clear", "model": "offline"}, "offline"),
    ],
)
def test_faults_are_said(items: list[Item], how: dict[str, Any], words: str) -> None:
    items = [item.model_copy(update={"id": f"{n}"}) for n, item in enumerate(items)]
    with pytest.raises(ConqretError, match=words):
        conqret.tournament(items, **{"model": "openai/judge", "api_key": "x", **how})


def test_names_and_ids_do_not_collide() -> None:
    fields = [{"m": "a, b", "n": "c"}, {"m": "a", "n": "b, c"}]
    items = [
        item.model_copy(update={"metadata": fields[n % 2]}) for n, item in enumerate(arguments(4, ("t",)))
    ]
    groups = item_groups(items, ["m", "n"])
    assert len({group.name for group in groups}) == 2
    found = conqret.tournament(items, judge=longer, by="m,n")
    assert [item.comparisons for group in found.groups for item in group.items] == [2] * 4
    splits = [("a | b", "c"), ("a", "b | c"), ("a |", "b"), ("a", "| b")]
    assert len({pair_id(*(Item(id=name, topic="t") for name in pair)) for pair in splits}) == 4


def test_a_criterion_compares() -> None:
    """The prompt shows the criterion, and what it does not speak of is not shown."""
    shown: dict[str, Any] = {"documents": (Document(id="d", text="Zoos are old."),), "reference": "They are."}
    items = [item.model_copy(update=shown) for item in arguments(2, ("Why?",))]
    with FaultServer(answer=lambda body: {"preference": "argument_2_slightly"}) as server:
        how: dict[str, Any] = {"model": "openai/judge", "api_base": server.url, "api_key": "x"}
        found = conqret.tournament(items, criterion="How clear is it?", comparisons=1, **how)
        conqret.tournament(items, criterion="Its documents bear it out", comparisons=1, **how)
        plain, documented = (request.body["messages"] for request in server.requests)
    assert "How clear is it?" in plain[0]["content"]
    assert "Zoos are old." not in plain[1]["content"]
    assert "Zoos are old." in documented[1]["content"]
    assert "They are." not in documented[1]["content"]
    assert found.judge == "comparison"
    assert [each.outcome for each in found.comparisons] == [0.25]


def told(body: Mapping[str, Any], *, right: float) -> dict[str, str]:
    """The answer of a model that prefers the longer argument in so many of all pairs, and else the shorter one."""
    prompt = body["messages"][-1]["content"]
    one, other = (
        prompt.partition(f"<argument_{number}>")[2].partition("</argument")[0].split() for number in (1, 2)
    )
    chance = int.from_bytes(hashlib.sha256(f"{body['model']} {prompt}".encode()).digest()[:4]) / 2**32
    return {"preference": f"argument_{1 if (len(one) > len(other)) == (chance < right) else 2}"}


def test_several_models_compare(tmp_path: Path) -> None:
    items = arguments(6, tuple(f"Is {number} too many?" for number in range(3)))
    rights = {"good": 0.95, "fine": 0.9, "poor": 0.5}
    with FaultServer(answer=lambda body: told(body, right=rights[body["model"]])) as server:
        how: dict[str, Any] = {"api_base": server.url, "api_key": "x"}
        models = [f"openai/{name}" for name in rights]
        found = conqret.tournament(items, model=models, output=tmp_path / "run", **how)
        assert len(server.requests) == found.planned == found.answered == 3 * 3 * 12
        again = conqret.tournament(items, model=models, output=tmp_path / "run", **how)
        assert len(server.requests) == found.planned
    assert again.groups == found.groups
    assert [judge.answered for judge in found.judges] == [36] * 3
    record = JudgeFolder(tmp_path / "run").record()
    assert record.model == "openai/good, openai/fine, openai/poor"
    assert any("Judges" in table.title for table in tournament_tables(found))
    with pytest.raises(DeclarationError, match="twice"):
        conqret.tournament(items, model=["openai/a", "openai/a"])


def test_groups_of_which_the_best_are_known_are_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conqret.studies.tournament.ranking.CONFIDENCE", 0.8)
    items = arguments(6)
    whole = conqret.tournament(items, judge=longer, comparisons=5)
    how: dict[str, Any] = {"judge": longer, "comparisons": 5, "top": 1, "output": tmp_path / "run"}
    short = conqret.tournament(items, **how)
    assert short.planned < whole.planned
    assert short.settled == 2
    assert all((group.top_probability or 0) >= 0.8 for group in short.groups)
    assert [group.items[0].id for group in short.groups] == ["0-5", "1-5"]
    assert conqret.tournament(items, **how).comparisons == short.comparisons
    with pytest.raises(DeclarationError, match="top"):
        conqret.tournament(items, judge=longer, top=6)


def test_systems_have_strengths_and_other_commands_read_them(tmp_path: Path) -> None:
    topics = tuple(f"Is {number} too many?" for number in range(6))
    items = [
        item.model_copy(update={"metadata": {"run_id": f"s{item.id[-1]}", "topic_id": item.id[0]}})
        for item in arguments(4, topics)
    ]
    found = conqret.tournament(items, judge=longer, output=tmp_path / "run")
    assert [(system.rank, system.name, system.items) for system in found.systems] == [
        (rank, f"s{4 - rank}", 6) for rank in range(1, 5)
    ]
    for system in found.systems:
        assert (system.strength.low or 9) < (system.strength.value or 0.0) < (system.strength.high or 0)
        assert (system.standard_error or 0.0) > 0
    board = run_leaderboard("run", items, JudgeFolder(tmp_path / "run").finished())
    assert set(board.runs) == {"s0", "s1", "s2", "s3"}
    assert board.measures == ("strength",)
    lacking = [*items[:-1], items[-1].model_copy(update={"metadata": {}})]
    with pytest.raises(DeclarationError, match="system"):
        conqret.tournament(lacking, judge=longer, system="run_id")


def test_a_seed_gives_the_random_pairs_that_were_recorded_with_it() -> None:
    """Answers are recorded for those pairs (docs/results/tournament.md): others would have to be asked anew."""
    pairs = GroupPairs(8, [13, 0]).at_random(6)
    assert pairs == [(0, 3), (4, 5), (7, 1), (6, 2), (2, 3), (6, 7)]
