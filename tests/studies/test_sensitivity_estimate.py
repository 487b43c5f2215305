"""What a sensitivity run will ask, counted before it, and what rewriting costs."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conqret.data import Item
from conqret.llm.client_options import ClientOptions, backend_of
from conqret.llm.request import Completion, Request
from conqret.llm.sender import Sender
from conqret.llm.tokens import count_tokens
from conqret.runs.session import Session
from conqret.studies.sensitivity.sensitivity_plan import PerturbationLevels, estimate
from conqret.studies.sensitivity.sensitivity_study import (
    perturbation_materials,
    run_sensitivity,
    sensitivity_plan,
)
from tests.studies.sensitivity_plans import DEMO, plan_of

FORMATS = ("rag-fine-grained", "citation-support", "static-rubric")
DAMAGES = (("irrelevant", (50, 100)), ("hallucinate", (5,)), ("wrong-citations", (100,)))


def test_the_estimate_is_what_is_then_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls exactly, prompt tokens within 1%: against every request of the run, its messages counted."""
    sent: dict[str, list[int]] = {}
    written: dict[str, list[int]] = {}
    send = Sender.send

    async def counted(self: Sender, sending: Request[Any]) -> tuple[Completion, int]:
        tokens = sum(count_tokens(message.content) for message in sending.messages)
        sent.setdefault(current[0], []).append(tokens)
        completion, attempts = await send(self, sending)
        written.setdefault(current[0], []).append(count_tokens(completion.text))
        return completion, attempts

    monkeypatch.setattr(Sender, "send", counted)
    perturbations = [PerturbationLevels.from_name(name, levels) for name, levels in DAMAGES]
    plan = plan_of(perturbations, FORMATS, items=2)
    setups = [replace(setup, options=replace(setup.options, samples=2)) for setup in plan.setups]
    plan = replace(plan, setups=tuple(setups))
    found = estimate(plan, ClientOptions("offline"))
    assert not sent
    assert [one.by for one in found] == list(FORMATS)
    for one, setup in zip(found, plan.setups, strict=True):
        current = [one.by]
        run_sensitivity(replace(plan, setups=(setup,)), tmp_path / one.by)
        assert one.calls == len(sent[one.by])
        assert one.prompt_tokens == pytest.approx(sum(sent[one.by]), rel=0.01)
        assert 1 / 3 < one.completion_tokens / sum(written[one.by]) < 3
        assert one.cost_usd == 0


def test_rewriting_is_asked_once_an_item_for_all_levels() -> None:
    perturbations = [
        PerturbationLevels.from_name("hallucinate", (2, 5)),
        PerturbationLevels.from_name("irrelevant", (50,)),
    ]
    plan = plan_of(perturbations, items=4)
    priced = ClientOptions("a-model-of-mine", input_price=1.0, output_price=2.0)
    *_, rewrite = estimate(plan, priced)
    assert (rewrite.stage, rewrite.calls) == ("rewrite for hallucinate", 4)
    argued = sum(count_tokens(item.argument or "") for item in plan.items)
    written = rewrite.completion_tokens
    assert 0 < written < argued  # of an argument only the sentences that are rewritten
    assert rewrite.cost_usd == pytest.approx((rewrite.prompt_tokens + 2 * written) / 1e6)
    assert [one.task for one in estimate(plan, ClientOptions("offline"))] == ["judge"]


def test_what_a_model_will_rewrite_is_counted_without_rules() -> None:
    """The rules rewrite English alone; a model rewrites every language."""
    file = DEMO.parent / "languages" / "items.jsonl"
    every = map(Item.model_validate_json, file.read_text(encoding="utf-8").splitlines())
    names = [f"{name}-{code}" for name in ("bees", "tram", "homework") for code in ("zh", "hi")]
    chosen = [item for item in every if item.id in names]
    model = ClientOptions("openai/gpt-4o", api_key="k")
    plan = sensitivity_plan(chosen, perturb="paraphrase:100,hallucinate:100%", models=model, rewriter=model)
    calls = {(cost.task, cost.by): cost.calls for cost in estimate(plan, model)}
    assert calls["rewrite", "paraphrase"] == calls["rewrite", "hallucinate-share"] == 6
    assert not plan.left_out


def test_rewriting_has_one_budget_in_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, demo: list[Item]
) -> None:
    asked = []

    class Dear:
        async def prepare(self) -> None: ...

        async def close(self) -> None: ...

        async def complete(self, sending: Request[Any]) -> Completion:
            asked.append(sending.ask)
            assert sending.baseline is not None
            return Completion(json.dumps(sending.baseline()), cost_usd=0.6)

    dear = replace(backend_of("a-model-of-mine"), open=lambda options: Dear())
    monkeypatch.setattr("conqret.llm.client_options.backend_of", lambda model: dear)
    perturbations = [
        PerturbationLevels.from_name("hallucinate", (2,)),
        PerturbationLevels.from_name("paraphrase", (100,)),
    ]
    rewriter = ClientOptions("a-model-of-mine", input_price=1.0, output_price=1.0, budget_usd=1.25)
    session = Session(rewriter, recordings=tmp_path / "recordings.sqlite")
    materials, unable = perturbation_materials(demo[:2], perturbations, rewriter=session)
    assert len(asked) == 2
    assert len(set(asked)) == 1  # 1.20 of 1.25 dollars are gone, and the second perturbation requests nothing
    assert len(materials["hallucinate"].rewrites) == 2
    assert unable["hallucinate"] == []
    assert [("budget" in one.reason) for one in unable["paraphrase"]] == [True, True]
