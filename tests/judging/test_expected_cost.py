"""Expected tokens and dollars: worked by hand, and against prompts as they are really filled."""

from pathlib import Path

import pytest

from conqret.data import Document, Item
from conqret.io import open_items
from conqret.judging.cost import (
    COUNTED,
    TEXT_TOKENS,
    VALUE_TOKENS,
    Sizes,
    Total,
    answer_tokens,
    counter,
    expected,
    judged_tokens,
    times,
)
from conqret.judging.instrument import filled
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.judge_parts import JUDGES, Case
from conqret.judging.rubric_files import rubrics_of
from conqret.judging.rubrics import rubric_judge
from conqret.judging.setup import set_up
from conqret.llm.client_options import ClientOptions
from conqret.llm.prompt_fitting import prompt_tokens
from conqret.perturb import PERTURBATIONS
from conqret.prompts import Library
from conqret.studies.sensitivity.sensitivity_plan import rewriting

ITEMS = list(open_items(Path(__file__).resolve().parents[2] / "fixtures" / "demo" / "items.jsonl"))
PRICED = ClientOptions("a-model-of-mine", input_price=2.0, output_price=10.0)


def test_dollars_are_tokens_times_prices_a_million() -> None:
    one = expected("judge", PRICED, 3, 500_000, 6_000, by="direct")
    assert one.cost_usd == pytest.approx(0.5 * 2 + 0.006 * 10)
    assert one.stage == "judge by direct"
    assert expected("judge", ClientOptions("offline"), 3, 500_000, 6_000).cost_usd == 0


def test_one_unknown_price_makes_the_sum_unknown() -> None:
    known = expected("judge", PRICED, 1, 1_000_000, 0, of="bm25+writer", by="direct")
    unknown = expected(
        "rewrite", ClientOptions("a-model-of-mine"), 2, 10, 20, of="bm25+writer", by="hallucinate"
    )
    assert Total.of([known, known]) == Total(2, 2_000_000, 0, 4.0)
    assert Total.of([known, unknown]) == Total(3, 1_000_010, 20, None)
    assert Total.of([]) == Total(0, 0, 0, 0)
    assert unknown.stage == "rewrite bm25+writer for hallucinate"


@pytest.mark.parametrize("name", ["rag-fine-grained", "direct", "citation-support", "g-eval"])
def test_a_prompt_has_the_tokens_of_the_filled_one(name: str) -> None:
    setup = set_up(name, PRICED, JudgeOptions())
    client, sizes = counter(PRICED), Sizes()
    for ask in setup.judge.select(()):
        for item in ITEMS[:4]:
            whole = prompt_tokens(filled(setup.library[ask.prompt], ask, Case(item, setup.options)), client)
            assert judged_tokens(item, ask, setup, client, sizes) == pytest.approx(whole, rel=0.01)


def test_a_prompt_is_never_longer_than_the_window() -> None:
    setup = set_up("rag-fine-grained", ClientOptions("a-model-of-mine", context_window=6_000), JudgeOptions())
    (ask,) = setup.judge.select(())
    found = judged_tokens(ITEMS[0], ask, setup, counter(setup.client), Sizes())
    assert found == 6_000 - 4_096 - 64


@pytest.mark.parametrize("window", [1_000, None])
def test_an_argument_that_is_read_has_two_contexts(window: int | None) -> None:
    options = ClientOptions("local/a/model@0123456789ab", context_window=window or 10**6)
    setup = set_up("likelihood", options, JudgeOptions())
    (ask,) = setup.judge.select(())
    client, item = counter(setup.client), ITEMS[0]
    argument = client.count_tokens(item.argument or "")
    whole, bare = (
        prompt_tokens(filled(setup.library[ask.prompt], ask, Case(one, setup.options)), client)
        for one in (item, item.model_copy(update={"documents": ()}))
    )
    room = 10**6 if window is None else window - argument - 64  # below an answer's room there would be none
    assert window is None or bare < room < whole
    found = judged_tokens(item, ask, setup, client, Sizes())
    assert found == pytest.approx(min(whole, room) + bare + 2 * argument, rel=0.01)
    more = judged_tokens(item, ask, setup, client, Sizes(), unwritten=100) - found
    assert more == (200 if window is None else 100)  # in a full window it takes the place of documents
    assert answer_tokens(ask, ITEMS) == 0


def test_a_long_document_is_scaled_up_from_its_beginning() -> None:
    client, sizes = counter(PRICED), Sizes()
    short = Document(id="a", text="one two three four " * 10)
    long = Document(id="b", text="one two three four " * 10_000)
    assert sizes.of(short, client) == client.count_tokens(short.text)
    assert len(long.text) > 5 * COUNTED
    assert sizes.of(long, client) == pytest.approx(client.count_tokens(long.text), rel=0.01)
    changed = short.model_copy(update={"text": "one"})  # the same id, another text
    assert sizes.all([short, changed], client) == client.count_tokens(short.text) + 1


def test_orders_and_samples_multiply() -> None:
    setup = set_up("direct", PRICED, JudgeOptions(samples=3))
    (ask,) = (ask for ask in setup.judge.asks if ask.both_orders)
    assert times(ask, setup) == 6
    assert answer_tokens(ask, ITEMS) == VALUE_TOKENS


def test_a_rewrite_shows_documents_only_if_the_perturbation_needs_them() -> None:
    words = Document(id="d", text="word " * 500)
    item = Item(id="i", topic="Zoos?", stance="pro", documents=(words,), argument="Zoos teach [1].")
    with_documents, without = (
        rewriting([(item, 100)], PERTURBATIONS[name], PRICED, Library(), Sizes())
        for name in ("hallucinate", "paraphrase")
    )
    assert (with_documents.calls, with_documents.completion_tokens) == (1, 100)
    assert with_documents.prompt_tokens - without.prompt_tokens > 500
    assert without.prompt_tokens < 600


@pytest.mark.parametrize("key", ["i", "Zoos?"])
def test_the_answer_to_a_rubric_has_its_length_whatever_names_it(key: str) -> None:
    item = Item(id="i", topic="Zoos?", argument="Zoos teach.")
    (ask,) = rubric_judge(rubrics_of({key: ["It is clear", "It is short"]})).asks
    assert answer_tokens(ask, [item]) == 2 * (TEXT_TOKENS + VALUE_TOKENS)


def test_an_answer_is_as_long_as_what_is_asked_for() -> None:
    item = Item(id="i", topic="?", documents=tuple(Document(id=f"{n}", text="A page.") for n in range(12)))
    judge = JUDGES["rag-fine-grained"]
    (whole,), (relevance,) = judge.select(()), judge.select(["context_relevance"])
    each = 2 * VALUE_TOKENS + TEXT_TOKENS  # a document's number, explanation and rating
    assert answer_tokens(relevance, [item]) == 12 * each
    assert answer_tokens(whole, [item]) == 12 * each + 17 * (TEXT_TOKENS + VALUE_TOKENS)
    (citations,) = JUDGES["citation-support"].asks
    assert answer_tokens(citations, [item]) == 12 * (3 * VALUE_TOKENS + TEXT_TOKENS)
    assert answer_tokens(whole, []) == 0
