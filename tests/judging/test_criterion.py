"""Criteria in a sentence: read, refused, judged in one request, recorded, shown again and probed as any other judge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import conqret
from conqret.data import Reason, Status
from conqret.data.criterion import Criterion, criteria_of, parse_criterion
from conqret.errors import DeclarationError
from conqret.io.rubric_files import rubrics_of
from conqret.judging.rubrics import MAX_IN_ONE_CALL, criteria_judge
from tests.judging.runs import some
from tests.runs.killed import Forks
from tests.server import FaultServer

STATEMENT = "The answer names at least one source for every figure"
CLARITY = "clarity: How clear is the wording? 1-5"
ITEM = {"id": "a", "topic": "Should zoos be banned?", "argument": "Zoos should go."}


@pytest.mark.parametrize(
    ("text", "name", "question", "scale"),
    [
        (STATEMENT, "names_at_least_one_source_for_every", STATEMENT, None),
        (CLARITY, "clarity", "How clear is the wording?", (1, 5)),
        (
            "Use of sources: Are sources used well? (0 to 10)",
            "use_of_sources",
            "Are sources used well?",
            (0, 10),
        ),
        ("How civil is it? 1–3.", "how_civil_it", "How civil is it?", (1, 3)),
        ("It names 3 of 5 causes", "it_names_3_of_5_causes", None, None),
        ("The answer says: vote", "says_vote", None, None),
    ],
)
def test_read_as_typed(text: str, name: str, question: str | None, scale: tuple[int, int] | None) -> None:
    criterion = parse_criterion(text)
    assert (criterion.name, criterion.question, criterion.scale) == (name, question or text, scale)


@pytest.mark.parametrize(
    ("question", "shows"),
    [
        ("It is clear", ("answer", "question")),
        ("The documents bear it out", ("answer", "documents", "question")),
        ("It agrees with the reference answer", ("answer", "question", "reference")),
        ("It is better than the other answer", ("answer", "question", "second_answer")),
    ],
)
def test_what_it_looks_at_is_found(question: str, shows: tuple[str, ...]) -> None:
    assert Criterion("x", question).shows == shows
    assert Criterion("x", question, looks_at=["documents"]).shows == ("documents",)


@pytest.mark.parametrize(
    "faulty",
    [
        "",
        "clarity: How clear is the wording?",
        "criteria.toml",
        "clarity: How clear? 5-1",
        "clarity: How clear? 0-900",
        {"question": "How clear?", "anchors": {"1": "not at all"}},
        {"question": "How clear?", "scale": [1, 5], "anchors": {"6": "more than clear"}},
        {"question": "How clear?", "looks_at": ["answer", "author"]},
        {"question": "How clear?", "weight": 3},
        {"name": "Bad Name", "question": "How clear?"},
    ],
)
def test_faulty_ones_are_refused(faulty: object) -> None:
    with pytest.raises(DeclarationError):
        criteria_of([faulty])  # type: ignore[list-item]
    with pytest.raises(DeclarationError):
        criteria_of([CLARITY, "clarity: Another? 1-3"])


def test_names_that_were_made_are_told_apart() -> None:
    given = ("答案引用了来源", {"question": "答案很清楚"}, "الإجابة واضحة", "names: 它说了什么? 1-5")
    assert [one.name for one in criteria_of(given)] == ["criterion", "criterion_2", "criterion_3", "names"]
    alike = [f"It says in the very same words of everybody that {end}" for end in ("it is", "it was")]
    first, second = (one.name for one in criteria_of(alike))
    assert second == f"{first}_2"
    rubric = rubrics_of(given[:3]).shared
    assert [one.name for one in rubric] == ["criterion", "criterion_2", "criterion_3"]


def test_one_request_for_twelve_and_one_each_where_wanted() -> None:
    criteria = criteria_of([f"c{number}: Is it so? 1-5" for number in range(MAX_IN_ONE_CALL + 1)])
    assert [len(ask.metrics) for ask in criteria_judge(criteria).judge_prompts] == [MAX_IN_ONE_CALL, 1]
    assert {len(ask.metrics) for ask in criteria_judge(criteria, in_one_call=1).judge_prompts} == {1}


def test_the_fingerprint_is_text_and_scale() -> None:
    def fingerprint(*criteria: str, **settings: object) -> str:
        return conqret.judge([ITEM], criteria=criteria, **settings)[0].fingerprint  # type: ignore[arg-type]

    assert fingerprint(CLARITY) == fingerprint(CLARITY + " ")
    prints = [fingerprint(one) for one in (CLARITY, CLARITY.replace("1-5", "1-4"), STATEMENT)]
    prints += [fingerprint(CLARITY, STATEMENT), fingerprint(CLARITY, STATEMENT, criteria_per_call=1)]
    assert len({*prints}) == len(prints)
    with pytest.raises(DeclarationError, match="leave format out"):
        fingerprint(CLARITY, format="direct")


def test_what_an_item_lacks_is_not_asked(tmp_path: Path) -> None:
    with FaultServer() as server:
        settings = {
            "model": "openai/m",
            "api_base": server.url,
            "criteria": [CLARITY, "The documents bear it out"],
        }
        whole, bare = conqret.judge([{**ITEM, "id": "b", "documents": ["Cages."]}, ITEM], **settings)  # type: ignore[arg-type]
        assert len(server.requests) == 2
        assert conqret.judge([ITEM], **{**settings, "criteria": ["The documents bear it out"]})[0]  # type: ignore[arg-type]
        assert len(server.requests) == 2  # nothing is left to be asked
    assert {measure.status for measure in whole.measures.values()} == {Status.SCORED}
    assert bare.measures["clarity"].value is not None
    assert bare.measures["documents_bear_it_out"].reason is Reason.NOTHING_TO_JUDGE


def test_from_the_command_to_the_report(forks: Forks, tmp_path: Path) -> None:
    items, run = some(tmp_path, 4), tmp_path / "run"
    words = ("--criterion", STATEMENT, "--criterion", CLARITY, "--model", "openai/m")
    with FaultServer() as server:
        judge = ("judge", items, *words, "--api-base", server.url)
        assert forks.run(*judge, "-o", run, "--require", "clarity >= 0") == 0
        assert len(server.requests) == 4  # one an item
        system = server.requests[0].body["messages"][0]["content"]
        assert STATEMENT in system
        assert forks.run(*judge, "-o", run) == 0
    summary = json.loads((run / "summary.json").read_text())
    assert summary["scored"] == 4
    assert forks.run("judge", items, "--replay", run, "-o", tmp_path / "again") == 0
    again = json.loads((tmp_path / "again" / "summary.json").read_text())
    assert again["metrics"] == summary["metrics"]
    export = tmp_path / "answers.jsonl.gz"  # which holds no criteria
    assert forks.run("runs", "recordings", "export", run, export) == 0
    assert forks.run("judge", items, "--replay", export, "-o", tmp_path / "which") == 2
    assert forks.run("judge", items, *words[:4], "--replay", export, "-o", tmp_path / "those") == 0
