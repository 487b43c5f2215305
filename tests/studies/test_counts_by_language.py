"""What a dry run counts for items in other languages is what is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from conqret.data import Item
from conqret.judging.cost import costs_of
from conqret.llm.client_options import ClientOptions
from conqret.studies.bias.bias_run import bias
from conqret.studies.sensitivity.sensitivity_plan import estimate as estimate_sensitivity
from conqret.studies.sensitivity.sensitivity_study import sensitivity_plan

ITEMS = Path(__file__).parents[2] / "fixtures" / "languages" / "items.jsonl"
NAMES = ("bees", "tram", "homework")


@pytest.fixture(scope="module")
def items() -> list[Item]:
    every = map(Item.model_validate_json, ITEMS.read_text(encoding="utf-8").splitlines())
    return [item for item in every if item.id.rsplit("-", 1)[0] in NAMES]


def calls(estimates) -> int:
    return sum(estimate.calls for estimate in estimates)


def of(items: list[Item], *codes: str) -> list[Item]:
    return [item for item in items if item.language in codes]


@pytest.mark.parametrize("codes", [("zh",), ("en", "ar")])
def test_probes(items: list[Item], codes: tuple[str, ...], tmp_path: Path) -> None:
    chosen = of(items, *codes)
    counted = calls(costs_of(lambda: bias(chosen, dry_run=True)))
    table = bias(chosen, output=tmp_path / "run")
    assert table.session.sent == counted
    assert {row.metric for row in table.primary} <= {
        "overall_quality",
        "answer_relevance",
        "context_relevance",
    }
    assert all(row.effect is not None for row in table.primary)


def test_what_a_model_will_rewrite_is_counted_without_rules(items: list[Item]) -> None:
    model = ClientOptions("openai/gpt-4o", api_key="k")
    chosen = of(items, "zh", "hi")
    plan = sensitivity_plan(chosen, perturb="paraphrase:100,hallucinate:100%", models=model, rewriter=model)
    by_task = {}
    for cost in estimate_sensitivity(plan, model):
        by_task[cost.task, cost.by] = cost.calls
    assert by_task["rewrite", "paraphrase"] == 6
    assert by_task["rewrite", "hallucinate-share"] == 6
    assert set(plan.left_out) == set()
