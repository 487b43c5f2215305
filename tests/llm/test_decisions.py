"""Decision models: both wires field by field, limits, and what a hostile or broken server sends."""

from __future__ import annotations

import json
from typing import Any

import pytest
from aiohttp import web

from conqret import judge
from conqret.data import Reason
from conqret.errors import DeclarationError, MissingKeyError
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.setup import set_up
from conqret.llm.backends.decision import WIRES
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.decisions import Decision, choice, rating, yes_no
from conqret.llm.recordings import Recordings
from tests.contract.items import demo
from tests.llm.decider import served, shares
from tests.llm.samples import SECRET, options
from tests.llm.scripted import serving

pytestmark = pytest.mark.usefixtures("quick")

STATE = {"topic": "May cities ban cars?", "argument": "Yes: it is quieter without them."}
QUESTIONS = {
    "clear": yes_no("Is it clear?", yes="One reading is enough.", no="It has to be read twice."),
    "short": yes_no("Is it short?"),
    "side": choice("Which side?", {"for": "", "against": "", "neither": "It takes none."}),
    "quality": rating("How good?", {1: "bad", 2: "", 3: "good"}),
    "score": rating("How good, from 0 to 10?", dict.fromkeys(range(11), "")),
}
DECISION = Decision(STATE, QUESTIONS)
NAMES = {"systemone": "decision/judge", "decisions": "decision/openai/judge"}


def settings(url: str, wire: str = "systemone", **fields: Any) -> ClientOptions:
    return options(url, model=NAMES[wire], max_attempts=2, **fields)


async def decide(client_options: ClientOptions, decision: Decision = DECISION, **fields: Any) -> Any:
    async with Client(client_options, **({"store": None} | fields)) as client:
        return await client.decide("test", "item-1", decision)


@pytest.mark.parametrize("wire", NAMES)
async def test_both_wires_carry_every_question_and_every_answer(tmp_path, wire):
    async with serving(served()) as (url, heard):
        with Recordings(tmp_path / "store.sqlite") as store:
            decided, (call,) = await decide(settings(url, wire, input_price=1, output_price=9), store=store)
            again, (replayed,) = await decide(settings(url, wire), store=store, replay=True)
    assert [(one.path, one.headers["Authorization"]) for one in heard] == [
        (f"/v1{WIRES[wire].path}", f"Bearer {SECRET}")
    ]
    assert {name: decided[name] for name in QUESTIONS} == {
        "clear": pytest.approx({"yes": 0.7, "no": 0.3}),
        "short": pytest.approx({"yes": 0.7, "no": 0.3}),
        "side": pytest.approx({"for": 0.29, "against": 0.7, "neither": 0.01}),
        "quality": pytest.approx({"1": 0.29, "2": 0.7, "3": 0.01}),
        "score": pytest.approx(dict(zip(map(str, range(11)), shares(11), strict=True))),
    }
    assert (call.prompt_tokens, call.completion_tokens, call.cost_usd) == (1000, 0, pytest.approx(0.001))
    assert (again, replayed.attempts) == (decided, 0)
    assert SECRET not in (tmp_path / "store.sqlite").read_bytes().decode("latin-1")


def test_both_bodies_are_what_litellm_takes_them_for() -> None:
    from litellm.types.decisions import DecisionsRequest, OpenAIDecisionRequest

    for wire, kind in (("systemone", DecisionsRequest), ("decisions", OpenAIDecisionRequest)):
        body = WIRES[wire].body("judge", DECISION)
        read = kind.model_validate_json(json.dumps(body)).model_dump(mode="json", exclude_unset=True)
        assert read == json.loads(json.dumps(body))


@pytest.mark.parametrize(
    ("base", "model", "path"),
    [
        ("", "decision/judge", "/v1/systemone"),
        ("/v1/systemone", "decision/judge", "/v1/systemone"),
        ("/api/v1/decisions", "decision/judge", "/api/v1/decisions"),
        ("/v1/", "decision/gpt-6-luna", "/v1/decisions"),
    ],
)
async def test_an_address_may_name_the_interface_or_not(base, model, path):
    async with serving(served()) as (url, heard):
        await decide(options(url.removesuffix("/v1") + base, model=model))
    assert [one.path for one in heard] == [path]


async def test_questions_are_split_within_the_limits_and_what_is_too_large_is_not_sent(monkeypatch):
    many = Decision(STATE, {f"q{number}": yes_no(f"Is {number} even?") for number in range(300)})
    async with serving(served()) as (url, heard):
        decided, calls = await decide(settings(url, "decisions"), many)
        assert [len(json.loads(one.raw)["questions"]) for one in heard] == [128, 128, 44]
        assert (len(decided.answers), len(calls), len({call.key for call in calls})) == (300, 3, 3)
        long = Decision({"argument": "word " * 40_000}, QUESTIONS)
        decided, calls = await decide(options(url, model="decision/typesafe/jev-1.13.0"), long)
        assert (len(heard), calls) == (3, ())
    assert {reason for reason, _ in decided.faults.values()} == {Reason.CONTEXT_OVERFLOW}
    assert "and the model 32,768" in decided.faults["clear"][1]


NAN = float("nan")
HOSTILE: dict[str, tuple[Any, str]] = {
    "missing": (None, "no answer to this question"),
    "refused": ({"type": "refusal", "name": "quality"}, "refuses"),
    "another name": (
        {"name": "side", "probabilities": {"0": 1, "1": 0, "2": 0}},
        "another question ('side')",
    ),
    "no probabilities": ({"score": 2.0}, "no probabilities"),
    "a level short": ({"probabilities": {"0": 0.5, "1": 0.5}}, "no probability of '3'"),
    "an unknown level": ({"probabilities": {"0": 0.5, "1": 0.25, "2": 0.25, "7": 0}}, "no option"),
    "nan": ({"probabilities": {"0": NAN, "1": 0.5, "2": 0.5}}, "sum to nan"),
    "negative": ({"probabilities": {"0": -0.5, "1": 1, "2": 0.5}}, "[0, 1]"),
    "true": ({"probabilities": {"0": True, "1": 0, "2": 0}}, "not a number"),
    "two megabytes": ({"probabilities": {"x" * 2_000_000: 1}}, "no probability of '1'"),
}


@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.parametrize("wire", NAMES)
async def test_an_answer_that_cannot_be_used_costs_its_question_alone(wire, case):
    answer, words = HOSTILE[case]

    def alter(name: str, said: dict[str, Any]) -> Any:
        if name != "quality":
            return said
        if wire == "decisions" and isinstance(answer, dict) and isinstance(answer.get("probabilities"), dict):
            rows = [
                {"value": value, "probability": share} for value, share in answer["probabilities"].items()
            ]
            return answer | {"probabilities": rows}
        return answer

    async with serving(served(alter)) as (url, heard):
        decided, (call,) = await decide(settings(url, wire))
    reason, why = decided.faults.pop("quality")
    assert reason is (Reason.REFUSAL if case == "refused" else Reason.INVALID_ANSWER)
    assert words in why
    assert len(why) < 200
    assert (decided.answers.keys(), decided.faults) == (QUESTIONS.keys() - {"quality"}, {})
    assert (len(heard), call.attempts, call.error) == (1, 1, "")


async def test_a_model_that_refuses_everything_is_a_refusal():
    async with serving(served(lambda name, said: {"type": "refusal", "name": name})) as (url, _):
        decided, (call,) = await decide(settings(url, "decisions"))
    assert {reason for reason, _ in decided.faults.values()} == {Reason.REFUSAL}
    assert "refuses to answer any" in call.error


DETAIL = [{"loc": ["body", "questions", "clear", "criteria"], "msg": "Field required", "type": "missing"}]
BROKEN: dict[str, tuple[Any, Reason, str, int]] = {
    "413": (({"error": "request too large"}, 413), Reason.CONTEXT_OVERFLOW, "request too large", 1),
    "422": (({"detail": DETAIL}, 422), Reason.BAD_REQUEST, "questions.clear.criteria: Field required", 1),
    "429": (({"error": "slow down"}, 429), Reason.RATE_LIMITED, "slow down", 2),
    "401": (({"error": "invalid api key"}, 401), Reason.AUTHENTICATION, "invalid api key", 1),
    "html": (("<html>Welcome</html>", 200), Reason.SERVER_ERROR, "not valid JSON", 2),
    "no answers": (({"model": "judge"}, 200), Reason.SERVER_ERROR, "no answers", 2),
    "answers of none": (({"answers": {}}, 200), Reason.INVALID_ANSWER, "no question has a usable answer", 1),
    "two megabytes": (("x" * 2_000_000, 500), Reason.SERVER_ERROR, "xxx", 2),
    "elsewhere": (("", 302), Reason.BAD_REQUEST, "sends on to", 1),
}


@pytest.mark.parametrize("case", BROKEN)
async def test_errors_are_one_sentence_and_a_reason(case, monkeypatch):
    (said, status), reason, words, attempts = BROKEN[case]
    monkeypatch.setattr("conqret.llm.sender.RATE_WINDOW", 0.0)

    def answer(body: Any) -> web.Response:
        headers = {"Location": "http://elsewhere/"} if status == 302 else {"Retry-After": "0"}
        text = said if isinstance(said, str) else json.dumps(said)
        return web.Response(text=text, status=status, headers=headers)

    async with serving(answer) as (url, heard):
        decided, (call,) = await decide(settings(url))
    assert decided.answers == {}
    assert {one for one, _ in decided.faults.values()} == {reason}
    why = decided.faults["clear"][1]
    assert words in why
    assert "\n" not in why
    assert len(why) < 500
    assert (len(heard), call.attempts) == (attempts, attempts)


def test_what_a_user_can_correct_is_said_before_a_request(monkeypatch):
    for name in ("TYPESAFE_API_KEY", "SYSTEMONE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    cases: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"model": "decision/jev-1.13.0"}, MissingKeyError, "TYPESAFE_API_KEY"),
        ({"model": "decision/judge"}, DeclarationError, "--api-base http"),
        ({"model": "decision/judge", "api_base": "http://127.0.0.1:1"}, DeclarationError, "refused"),
        ({"model": "decision/jev-1.13.0", "format": "likelihood"}, DeclarationError, "typed questions"),
        ({"model": "decision/jev-1.13.0", "confidence": True}, DeclarationError, "--confidence"),
        ({"model": "decision/judge", "budget_usd": 1.0}, DeclarationError, "price of 'decision/judge'"),
    ]
    for wanted, kind, words in cases:
        with pytest.raises(kind, match=words):
            judge(list(demo()[:1]), **wanted)


def test_versions_questions_and_models_are_part_of_the_fingerprint():
    def fingerprint(model: str, **more: Any) -> str:
        return set_up("rag-fine-grained", ClientOptions(model), JudgeOptions(**more)).fingerprint

    prints = [fingerprint("decision/jev-1.13.0"), fingerprint("decision/jev-1.14.0"), fingerprint("offline")]
    prints.append(fingerprint("decision/jev-1.13.0", relevant_from=4))
    assert len(set(prints)) == len(prints)
    assert fingerprint("decision/jev-1.13.0", metrics=("clarity",)) == prints[0]
    (note,) = set_up(
        "direct", ClientOptions("decision/jev-latest"), JudgeOptions(metrics=("groundedness",))
    ).notes
    assert "name a version" in note
