"""Both orders: agreement, flips, one order missing, ratings under each other's name."""

from __future__ import annotations

from typing import Any

import pytest

from conqret import Judgment
from conqret.data import Reason
from conqret.judging.instrument import filled, judge_item
from conqret.judging.judge_parts import JUDGES, Case
from conqret.judging.scales import both_orders
from conqret.llm.request import Request
from conqret.prompts import Library
from tests.judging.scripted import ITEM, Scripted, instrument, measures
from tests.judging.test_scoring import nuggets


async def compared(given: Any, swapped: Any, name: str = "direct", metric: str = "preference") -> Judgment:
    def answer(request: Request[Any]) -> Any:
        return swapped if request.ask.endswith("(swapped)") else given

    return await judge_item(ITEM, instrument(name, answer, metrics=(metric,)))


def prefers(side: str) -> dict[str, str]:
    return {"preference": side}


@pytest.mark.parametrize(
    ("given", "swapped", "label", "value", "flipped"),
    [
        ("argument_1", "argument_2", "first", 1.0, False),
        ("tie", "tie", "tie", 0.5, False),
        ("argument_1", "argument_1", "tie", 0.5, True),
        ("argument_1", "tie", "tie", 0.5, True),
        ("argument_2_slightly", "argument_1", "second", 0.125, False),
    ],
)
async def test_two_orders(given: str, swapped: str, label: str, value: float, flipped: bool) -> None:
    judgment = await compared(prefers(given), prefers(swapped))
    measure = judgment.measures["preference"]
    assert (measure.label, measure.value, measure.flipped) == (label, value, flipped)
    assert len(judgment.trace.calls) == 2


@pytest.mark.parametrize(
    ("given", "swapped", "which"),
    [(Reason.REFUSAL, prefers("tie"), "given"), (prefers("tie"), Reason.SERVER_ERROR, "swapped")],
)
async def test_one_order_alone_is_no_verdict(given: Any, swapped: Any, which: str) -> None:
    measure = (await compared(given, swapped)).measures["preference"]
    assert (measure.status, measure.reason, measure.value) == ("unscored", Reason.ONE_ORDER_ONLY, None)
    assert f"no answer in the {which} order" in measure.detail
    assert "as scripted" in measure.detail


async def test_the_swapped_request_holds_the_arguments_swapped() -> None:
    tool = instrument("direct", lambda request: prefers("tie"), metrics=("preference",))
    await judge_item(ITEM, tool)
    assert isinstance(tool.client, Scripted)
    given, swapped = (request.messages[1].content for request in tool.client.requests)
    assert given.index(ITEM.argument or "") < given.index(ITEM.second_argument or "")
    assert swapped.index(ITEM.second_argument or "") < swapped.index(ITEM.argument or "")
    assert tool.client.requests[0].messages[0] == tool.client.requests[1].messages[0]


@pytest.mark.parametrize("name", ["direct", "static-rubric", "g-eval"])
async def test_two_arguments_are_enough(name: str) -> None:
    ask = JUDGES[name].judge_prompts[-1]
    alone = ITEM.model_copy(update={"documents": ()})
    shown = filled(Library()[ask.prompt], ask, Case(alone))
    assert "<documents>" not in shown.user
    assert "<documents>" in filled(Library()[ask.prompt], ask, Case(ITEM)).user
    assert "Where none are shown" in shown.system or "Where documents are shown" in shown.system
    tool = instrument(name, lambda request: request.baseline(), metrics=("preference",))
    measure = (await judge_item(alone, tool)).measures["preference"]
    assert measure.status == "scored"
    assert measure.label in {"first", "second", "tie"}


def rag_direct(first: int, second: int, side: str, words: str = "because") -> dict[str, Any]:
    pair = {"explanation": words, "argument_1": first, "argument_2": second}
    metrics = dict.fromkeys(("context_relevance", "answer_relevance", "groundedness"), pair)
    return {**metrics, "preference": {"explanation": words, "preference": side}}


async def test_ratings_are_averaged_with_the_names_exchanged() -> None:
    judgment = await compared(
        {"groundedness": rag_direct(4, 2, "argument_1")["groundedness"]},
        {"groundedness": rag_direct(1, 5, "argument_2", "so")["groundedness"]},
        "rag-direct",
        "groundedness",
    )
    assert set(judgment.measures) == {"groundedness"}
    whole = both_orders(
        measures("rag-direct", rag_direct(4, 2, "argument_1")),
        measures("rag-direct", rag_direct(1, 5, "argument_2", "so")),
    )
    assert whole["groundedness"].raw == pytest.approx((4 + 5) / 2)  # the first stood second the other time
    assert whole["groundedness"].value == pytest.approx((0.75 + 1.0) / 2)
    assert whole["second.groundedness"].raw == pytest.approx((2 + 1) / 2)
    assert whole["preference"].explanation.startswith("because (With the arguments swapped")
    assert judgment.measures["groundedness"] == whole["groundedness"]


def test_parts_of_both_orders_are_joined_by_name() -> None:
    one = {"nuggets": nuggets(better=["argument_1"])}
    other = {"nuggets": [*nuggets(better=["argument_2"])[:19], {"nugget": "another", "better": "argument_1"}]}
    joined = both_orders(
        measures("query-rubric", one, "preference"), measures("query-rubric", other, "preference")
    )["preference"]
    assert (joined.label, joined.flipped) == ("first", False)
    labels = {part.id: part.label for part in joined.parts}
    assert len(labels) == 21
    assert labels["point 0"] == "first"
    assert labels["another"] == "second"  # said of what stood first when swapped
