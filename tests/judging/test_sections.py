"""A question for several things holds what is asked for, and no more: prompt, schema, scores and name."""

from __future__ import annotations

from typing import Any

from conqret import judge
from conqret.io import open_items
from conqret.judging.instrument import filled
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.judge_parts import JUDGES, Case, JudgePrompt
from conqret.judging.setup import set_up
from conqret.llm.client_options import ClientOptions
from conqret.prompts import Library
from conqret.studies.sensitivity.sensitivity_plan import PerturbationLevels
from conqret.studies.sensitivity.sensitivity_study import sensitivity_setups
from tests.contract.items import demo
from tests.judging.scripted import ITEM


def asked(name: str, *metrics: str) -> JudgePrompt[Any]:
    (ask, *_) = JUDGES[name].select(metrics)
    return ask


def system(ask: JudgePrompt[Any]) -> str:
    return filled(Library()[ask.prompt], ask, Case(ITEM)).system


def test_only_what_is_asked_for_stands_in_prompt_and_schema() -> None:
    ask = asked("rag-fine-grained", "predicted_precision", "clarity")
    assert ask.metrics == ("context_relevance", "predicted_precision", "clarity")
    assert list(ask.answer(Case(ITEM)).model_fields) == ["context_relevance", "clarity"]
    text = system(ask)
    assert all(word in text for word in ("context_relevance:", "- clarity:", "answer null"))
    assert not any(word in text for word in ("answer_relevance", "groundedness", "cogency", "- arrangement"))
    alone = system(asked("rag-fine-grained", "context_relevance"))
    assert "null instead" not in alone
    assert "dimension" not in alone


def test_an_argument_that_nothing_is_asked_about_is_neither_needed_nor_sent() -> None:
    bare = ITEM.model_copy(update={"argument": None})
    for name in ("rag-fine-grained", "listwise-rag"):
        ask = asked(name, "context_relevance")
        assert ask.needs == {"documents"}
        rendered = filled(Library()[ask.prompt], ask, Case(bare))
        assert "argument that is to take" not in rendered.system
        assert "<argument>" not in rendered.user
        assert "then the argument" not in rendered.user
        assert "<argument>" in filled(Library()[ask.prompt], asked(name, "clarity"), Case(ITEM)).user
    (judgment,) = judge([bare], format="rag-fine-grained", metrics=["context_relevance"], model="offline")
    assert judgment.status == "scored"


def test_a_damaged_version_goes_to_the_instrument_that_judges() -> None:
    source = open_items(list(demo()[:2]))
    damages = [PerturbationLevels.from_name("irrelevant")]
    client = ClientOptions("offline")
    (whole,) = sensitivity_setups(source, ["rag-fine-grained"], [client], damages)
    plain = set_up("rag-fine-grained", client, JudgeOptions())
    assert whole.fingerprint == plain.fingerprint
    (part,) = sensitivity_setups(source, ["rag-fine-grained"], [client], damages, metrics=["groundedness"])
    assert part.metrics == ("groundedness",)
    assert part.fingerprint != plain.fingerprint
