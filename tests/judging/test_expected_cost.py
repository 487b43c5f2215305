"""Expected calls, tokens and dollars: worked by hand, and against prompts as they are really filled."""

from pathlib import Path

import pytest

from conqret.data import Document, Item
from conqret.io import open_items
from conqret.judging.cost import MAX_ITEMS_COUNTED, expected_judging
from conqret.judging.instrument import filled
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.judge_parts import Case
from conqret.judging.setup import set_up
from conqret.llm.client_options import ClientOptions
from conqret.llm.expected_cost import ExpectedCost
from conqret.llm.prompt_fitting import prompt_tokens
from conqret.runs.dry_run import SIZED, TEXT_TOKENS, VALUE_TOKENS, CountingClient

ITEMS = list(open_items(Path(__file__).resolve().parents[2] / "fixtures" / "demo" / "items.jsonl"))
PRICED = ClientOptions("a-model-of-mine", input_price=2.0, output_price=10.0)


def expected_of(judge, items, client=PRICED, **options) -> ExpectedCost:
    return expected_judging(set_up(judge, client, JudgeOptions(**options)), items)


@pytest.mark.parametrize("name", ["rag-fine-grained", "citation-support", "g-eval"])
def test_a_prompt_has_the_tokens_of_the_filled_one(name: str) -> None:
    setup, client = set_up(name, PRICED, JudgeOptions()), CountingClient(PRICED)
    whole = [
        prompt_tokens(filled(setup.library[ask.prompt], ask, Case(item, setup.options)), client)
        for ask in setup.judge_prompts
        for item in ITEMS[:4]
    ]
    found = expected_judging(setup, ITEMS[:4])
    orders = 1 + any(ask.both_orders for ask in setup.judge_prompts)
    assert len(whole) <= found.calls <= orders * len(whole)
    assert found.prompt_tokens / found.calls == pytest.approx(sum(whole) / len(whole), rel=0.1)


@pytest.mark.parametrize("window", [1_000, 10**6])
def test_an_argument_that_is_read_has_two_contexts(window: int) -> None:
    options, item = ClientOptions("local/a/model@0123456789ab", context_window=window), ITEMS[0]
    setup, client = set_up("likelihood", options, JudgeOptions()), CountingClient(options)
    (ask,) = setup.judge_prompts
    argument = client.count_tokens(item.argument or "")
    whole, bare = (
        prompt_tokens(filled(setup.library[ask.prompt], ask, Case(one, setup.options)), client)
        for one in (item, item.model_copy(update={"documents": ()}))
    )
    room = window - argument - 64  # below an answer's room there would be none
    found = expected_judging(setup, [item])
    behind = 4 * argument  # behind either context as a whole, and sentence by sentence
    assert found.prompt_tokens == pytest.approx(min(whole, room) + bare + behind, rel=0.1)
    assert found.completion_tokens == 0


def test_orders_and_samples_multiply_and_what_is_alike_is_asked_once() -> None:
    again = [item.model_copy(update={"id": f"{item.id} again"}) for item in ITEMS[:2]]
    found = expected_of("direct", [*ITEMS[:2], *again], samples=3, metrics=("preference",))
    assert found.calls == 2 * 3 * 2
    assert found.completion_tokens == found.calls * VALUE_TOKENS


def test_of_many_items_some_stand_for_all() -> None:
    texts = [
        Item(id=f"{n}", topic=f"Is it {n // 2}?", argument=f"It is {n}. " + "It is so. " * 9)
        for n in range(3 * MAX_ITEMS_COUNTED)
    ]
    whole, some = (
        expected_of("direct", items, metrics=("groundedness",)) for items in (texts[:SIZED], texts)
    )
    assert (whole.calls, some.calls) == (SIZED, 3 * MAX_ITEMS_COUNTED)
    assert whole.sampled == 1
    assert some.sampled < 1 / 3
    assert some.prompt_tokens / some.calls == pytest.approx(whole.prompt_tokens / whole.calls, rel=0.02)


def test_an_answer_is_as_long_as_what_is_asked_for() -> None:
    documents = tuple(Document(id=f"{n}", text="A page.") for n in range(12))
    argument = " ".join(f"So it is [{n}]." for n in range(1, 13))
    items = [Item(id="i", topic="?", documents=documents, argument=argument)]
    each = 2 * VALUE_TOKENS + TEXT_TOKENS  # a document's number, explanation and rating
    relevance = expected_of("rag-fine-grained", items, metrics=("context_relevance",))
    assert relevance.completion_tokens == 12 * each
    whole = 12 * each + 17 * (TEXT_TOKENS + VALUE_TOKENS)
    assert expected_of("rag-fine-grained", items).completion_tokens == whole
    supported = 12 * (3 * VALUE_TOKENS + TEXT_TOKENS)
    found = expected_of("citation-support", items)
    assert found.completion_tokens == supported
    assert found.cost_usd == pytest.approx(found.prompt_tokens * 2e-6 + supported * 10e-6)
