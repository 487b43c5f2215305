"""Judges that ask a decision model: expected values, distributions in the record, and nothing made up."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import math
from typing import Any

import pytest

from conqret import Criterion, judge
from conqret.judging.deciding import CANNOT, expected_rating
from conqret.judging.judge_parts import JUDGES, Case
from conqret.judging.scales import ZERO_TO_FIVE
from conqret.judging.setup import PROBE
from tests.contract.items import demo
from tests.llm.decider import real_decider, served, shares
from tests.llm.scripted import serving

LEVELS = shares(6)
RATING = math.fsum(level * share for level, share in enumerate(LEVELS))
SPREAD = math.sqrt(math.fsum(share * (level - RATING) ** 2 for level, share in enumerate(LEVELS))) / 5


def can_be_judged(name: str, said: dict[str, Any]) -> dict[str, Any]:
    """The model answers that there is something to judge, where it is asked that."""
    probabilities = said.get("probabilities", {})
    if CANNOT in probabilities and len(probabilities) == 2:
        said["probabilities"] = {label: float(label != CANNOT) for label in probabilities}
    return said


async def judged(url: str, **settings: Any) -> Any:
    given: dict[str, Any] = {"model": "decision/judge", "api_base": url, "items": list(demo()[:2])} | settings
    return await asyncio.to_thread(judge, given.pop("items"), **given)


def test_typed_questions_cover_all_metrics_of_their_prompt() -> None:
    for name in JUDGES:
        for part in JUDGES[name].judge_prompts:
            if part.typed is not None:
                assert {*part.questions.measures} == {*part.metrics}, name
                assert part.questions.questions(Case(PROBE)), name


async def test_fine_grained_ratings_are_expected_values(tmp_path):
    async with serving(served(can_be_judged)) as (url, heard):
        judgments = await judged(url, output=tmp_path / "run")
        replayed = await judged(url, replay=tmp_path / "run")
        assert len(heard) == 2
    sent = json.loads(heard[0].raw)
    (item,) = (item for item in demo()[:2] if item.argument == sent["state"]["argument"])
    assert set(sent["state"]) == {"topic", "stance", "documents", "argument"}
    assert len(sent["questions"]) == len(item.documents) + 15 + 2  # it cites, and is long: it can be judged
    first = judgments[0]
    clarity, relevance, precision = (
        first.measures[name] for name in ("clarity", "context_relevance", "predicted_precision")
    )
    assert (clarity.raw, clarity.value) == (pytest.approx(RATING), pytest.approx(RATING / 5))
    assert clarity.distribution == pytest.approx(dict(zip("012345", LEVELS, strict=True)))
    assert (clarity.method, clarity.explanation) == ("probabilities", "")
    assert clarity.confidence == {"probabilities": pytest.approx(1 - 2 * SPREAD)}
    assert relevance.value == pytest.approx(RATING / 5)
    assert [part.id for part in relevance.parts] == [document.id for document in demo()[0].documents]
    assert relevance.parts[0].distribution == clarity.distribution
    assert precision.value == pytest.approx(math.fsum(LEVELS[3:]))
    assert [one.measures for one in replayed] == [one.measures for one in judgments]


async def test_what_cannot_be_judged_has_no_score_and_says_so():
    def alter(name: str, said: dict[str, Any]) -> dict[str, Any]:
        if name == "facts":
            return said | {"probabilities": {"states facts": 0.2, CANNOT: 0.8}}
        return can_be_judged(name, said)

    short = demo()[0].model_copy(update={"argument": "Nobody should treat animals so."})
    async with serving(served(alter)) as (url, heard):
        judgments = await judged(url, metrics=["groundedness", "clarity"], items=[short, demo()[1]])
    asked = {frozenset(json.loads(one.raw)["questions"]) for one in heard}
    assert asked == {frozenset({"groundedness", "clarity"} | more) for more in ({"facts", "argument"}, set())}
    assert judgments[1].measures["groundedness"].value == pytest.approx(RATING / 5)
    lost = judgments[0].measures["groundedness"]
    assert (lost.reason, lost.detail) == ("cannot_judge", "the model finds nothing to judge (P = 0.80)")
    assert judgments[0].measures["clarity"].value == pytest.approx(RATING / 5)
    measure = expected_rating({"0": 0.2, "5": 0.6, "1": 0, "2": 0, "3": 0, "4": 0, CANNOT: 0.2}, ZERO_TO_FIVE)
    assert measure.raw == pytest.approx(3.75)


async def test_criteria_are_yes_no_or_levels_by_their_anchors():
    criteria = [
        "The answer cites a source.",
        Criterion("tone", "How civil is the answer?", (1, 3), {1: "rude", 3: "courteous"}),
        "overall: How good is the answer? 0-10",
    ]
    async with serving(served()) as (url, heard):
        judgments = await judged(url, criteria=criteria)
    sent = json.loads(heard[0].raw)
    assert set(sent["state"]) == {"question", "stance", "answer"}
    assert [question["type"] for question in sent["questions"].values()] == ["noul", "score", "choice"]
    assert sent["questions"]["criterion_2"]["criteria"] == ["rude", "2", "courteous"]
    cites, tone, overall = judgments[0].measures.values()
    assert (cites.value, cites.raw, cites.distribution) == (0.7, 0.7, pytest.approx({"yes": 0.7, "no": 0.3}))
    assert tone.raw == pytest.approx(0.29 + 2 * 0.7 + 3 * 0.01)
    assert overall.raw == pytest.approx(math.fsum(level * share for level, share in enumerate(shares(11))))


async def test_a_rubric_puts_probabilities_together():
    rubric = [
        {"name": "cites", "question": "The answer cites a source.", "weight": 3},
        {"name": "fault", "question": "The answer insults somebody.", "weight": -1},
    ]
    async with serving(served()) as (url, _):
        judgments = await judged(url, rubric=rubric)
    score = judgments[0].measures["rubric_score"]
    assert score.value == pytest.approx((3 * 0.7 - 0.7) / 3)
    assert score.parts[0].label == "met with P = 0.70, weight 3"


@pytest.mark.skipif(
    importlib.util.find_spec("sparrow_decider") is None, reason="sparrow-decider is not installed"
)
def test_a_real_decision_model_judges_and_is_replayed(tmp_path):
    with real_decider() as url:
        live = judge(list(demo()[:3]), model="decision/sparrow", api_base=url, output=tmp_path / "run")
    replayed = judge(list(demo()[:3]), replay=tmp_path / "run")
    assert [one.measures for one in replayed] == [one.measures for one in live]
    for one in live:
        relevance = one.measures["context_relevance"]
        assert relevance.value is not None
        assert all(math.isclose(math.fsum(part.distribution.values()), 1) for part in relevance.parts)
