"""An answer that stays invalid costs only what is invalid in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conqret.data import Reason
from conqret.judging.instrument import judge_item
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.judge_parts import JUDGES, Case
from conqret.judging.responses import valid_alone
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.request import Answer, Completion, Request
from conqret.llm.sender import Sender
from tests.contract.items import demo
from tests.judging.runs import run, said
from tests.judging.scripted import ITEM, Scripted, instrument
from tests.judging.test_scoring import fine_grained
from tests.llm.samples import options, request
from tests.server import FaultServer


def salvaged(name: str, given: dict[str, Any]) -> dict[str, Any]:
    return valid_alone(JUDGES[name].judge_prompts[0], Case(ITEM), given)


@pytest.mark.parametrize(
    ("change", "lost", "words"),
    [
        ({"clarity": {"explanation": "e", "rating": 9}}, "clarity", "clarity.rating"),
        ({"clarity": None}, "clarity", "clarity"),
        ({"groundedness": {"explanation": "e", "rating": True}}, "groundedness", "groundedness.rating"),
    ],
)
def test_each_field_stands_for_itself(change: dict[str, Any], lost: str, words: str) -> None:
    found = salvaged("rag-fine-grained", {**fine_grained(5, 3, 1), **change, "a comment": "more"})
    assert [name for name, measure in found.items() if measure.value is None] == [lost]
    assert words in found[lost].detail
    assert found["context_relevance"].value == pytest.approx(9 / 15)


async def test_in_one_of_two_orders_a_part_is_lost_with_that_part_alone() -> None:
    pair = {"explanation": "e", "argument_1": 2, "argument_2": 5}
    whole = dict.fromkeys(("context_relevance", "answer_relevance", "groundedness"), pair)
    whole["preference"] = {"explanation": "p", "preference": "tie"}

    class Half(Scripted):
        async def request(self, request: Request[Any]) -> Answer[Any]:
            if not request.ask.endswith("(swapped)"):
                return await Scripted.request(self, request)
            given = {**whole, "groundedness": {**pair, "argument_1": 0}}
            return Answer(None, (), reason=Reason.INVALID_ANSWER, detail="all of it", given=given)

    judging = instrument("rag-direct", lambda request: whole)
    object.__setattr__(judging, "client", Half(lambda request: whole))
    judgment = await judge_item(ITEM, judging)
    assert judgment.reasons == dict.fromkeys(("groundedness", "second.groundedness"), "one_order_only")
    assert judgment.value("preference") == 0.5


def test_documents_left_out_repeated_or_invented_are_named() -> None:
    rated = [{"document": number, "explanation": "", "rating": 1} for number in (1, 1, 7, 0)]
    detail = salvaged("rag-fine-grained", {**fine_grained(), "context_relevance": rated})[
        "context_relevance"
    ].detail
    for words in ("document 2, 3 missing", "document 1 given more than once", "document 0, 7 not among"):
        assert words in detail


def completions(monkeypatch: pytest.MonkeyPatch, *texts: str, finish: str = "stop") -> None:
    left = list(texts)

    async def send(self: Sender, sent: Request[Any]) -> tuple[Completion, int]:
        return Completion(left.pop(0), finish_reason=finish if not left else "stop"), 1

    monkeypatch.setattr(Sender, "send", send)


@pytest.mark.parametrize(
    ("texts", "finish", "given", "reason"),
    [
        (['{"a": 1}', '{"a": 2}', '{"a": 3}'], "stop", {"a": 3}, Reason.INVALID_ANSWER),
        (['{"a": 1}', '{"a": 2}', "prose"], "stop", {"a": 2}, Reason.INVALID_JSON),
        (['{"a": 1}', "So", '{"a": 2}'], "content_filter", {"a": 1}, Reason.REFUSAL),
        (["[]", '"a"', "3"], "stop", {}, Reason.INVALID_ANSWER),
    ],
)
async def test_the_client_passes_the_last_object_on(
    monkeypatch: pytest.MonkeyPatch, texts: list[str], finish: str, given: dict[str, Any], reason: Reason
) -> None:
    completions(monkeypatch, *texts, finish=finish)
    async with Client(options(), store=None) as client:
        answer = await client.request(request())
    assert (answer.value, answer.given, answer.reason) == (None, given, reason)
    assert len(answer.calls) == 3


def test_a_replay_keeps_the_same_parts(tmp_path: Path) -> None:
    first = JudgeFolder(tmp_path / "first")
    settings: dict[str, Any] = {"name": "rag-fine-grained", "samples": 2}
    with FaultServer() as server:  # whose answers name documents that are not there
        client = ClientOptions("openai/judge", api_base=server.url, api_key="sk-none")
        outcome = run(first.path, demo()[:2], client=client, **settings)
        assert len(server.requests) == 2 * 2 * 3  # items, samples, and asked again twice
    assert (outcome.summary.unscored, outcome.summary.failed) == (2, 0)
    lost = {name for name, metric in outcome.summary.metrics.items() if metric.scored == 0}
    assert lost == {"context_relevance", "predicted_precision"}
    assert all(metric.scored in (0, 2) for metric in outcome.summary.metrics.values())
    again = JudgeFolder(tmp_path / "again")
    repeated = run(
        again.path, demo()[:2], client=ClientOptions("openai/judge"), replay=first.path, **settings
    )
    assert repeated.missing == ()
    assert said(again.judgments()) == said(first.judgments())
    for judgment in again.judgments():
        assert len(judgment.measures["clarity"].samples) == 2
        assert all(call.error for call in judgment.trace.calls)
