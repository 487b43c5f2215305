"""The likelihood judge: its score by hand, its texts, a model in memory that copies, and the offline baseline."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from conqret import Document, Item, judge
from conqret.data import Measure
from conqret.judges.likelihood import PAIR_WEIGHT, STOP_SHARE, VOCABULARY, WORD_WEIGHT, LanguageModel, texts
from conqret.judging.instrument import judge_item
from conqret.llm.request import Request
from conqret.local.likelihoods import TargetScore
from conqret.text.analysis import words_of
from conqret.text.lexicons import STOP_WORDS
from tests.judging.scripted import ITEM, instrument, measures

SENTENCES = 3  # in the argument of ITEM


def answer(whole: tuple[int, float, float], *parts: tuple[int, float, float]) -> dict[str, Any]:
    def one(found: tuple[int, float, float]) -> dict[str, Any]:
        return dict(zip(("tokens", "with_documents", "without_documents"), found, strict=True))

    filled = [*parts, *[(4, -4.0, -8.0)] * (SENTENCES - len(parts))]
    return {
        "argument": one(whole),
        "sentences": [{"sentence": n, **one(found)} for n, found in enumerate(filled, start=1)],
    }


def measure(*found: tuple[int, float, float]) -> Measure:
    return measures("likelihood", answer(*found))["groundedness"]


def test_the_share_of_information_that_the_documents_account_for() -> None:
    found = measure((20, -30.0, -40.0), (10, -5.0, -20.0), (5, -20.0, -10.0), (2, -3.0, 0.0))
    assert found.value == pytest.approx(1 - 30 / 40)
    assert found.raw == pytest.approx((-30 + 40) / 20)
    assert found.explanation == "+0.50 nats a token with the documents: -1.50 against -2.00 (20 tokens)"
    first, second, third = found.parts
    quoted = "\u201cBears pace in their cages.\u201d: +1.50 nats a token with the documents: "
    assert first.explanation == f"{quoted}-0.50 against -2.00 (10 tokens)"
    assert (first.id, first.value, first.raw) == ("sentence 1", pytest.approx(3 / 4), pytest.approx(1.5))
    assert (second.value, second.raw) == (0.0, pytest.approx(-2.0))  # less likely with them
    assert (third.value, third.raw) == (None, pytest.approx(-1.5))  # certain without them: no share


def test_what_is_read() -> None:
    whole, parts = texts("It <rose> by 4% [1]. ***\n\nNobody knows why [2, 3].")
    assert whole == "It ‹rose> by 4%. ***\n\nNobody knows why."
    assert list(parts.values()) == ["It ‹rose> by 4%.", "Nobody knows why."]
    seen: list[Request[Any]] = []

    def note(request: Request[Any]) -> Any:
        seen.append(request)
        return answer((20, -30.0, -40.0))

    asyncio.run(judge_item(ITEM, instrument("likelihood", note)))
    (request,) = seen
    assert request.reading is not None
    assert not request.written
    (given, targets), (bare, same) = request.reading.pairs
    assert targets == same
    assert targets[0] == "Bears pace in their cages. Cranes do not need a cage. So it must end."
    assert targets[1:] == ("Bears pace in their cages.", "Cranes do not need a cage.", "So it must end.")
    for document in ITEM.documents:
        assert document.text in given
        assert document.text not in bare
    for context in (given, bare):
        assert ITEM.topic in context
        assert targets[0] not in context
        assert context.rstrip().endswith("The argument, in plain sentences:")
    assert given == f"{request.messages[0].content}\n\n{request.messages[1].content}"


class Copying:
    """A model that finds the words of its context, and the words that follow them there, likelier than others."""

    dtype, device, window = "float64", "memory", 10**6

    def stream(self, pairs: Sequence[tuple[str, Sequence[str]]]) -> Iterator[list[TargetScore]]:
        for number, (context, targets) in enumerate(pairs):
            model = LanguageModel([words_of(context)])
            yield [
                TargetScore(number, place, 1.0, model.log_likelihood(words), len(words), len(context.split()))
                for place, words in enumerate(map(words_of, targets))
            ]


def test_a_model_that_copies_sees_which_documents_an_argument_is_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conqret.llm.backends.local._loaded", lambda name, identity: Copying())
    (tmp_path / "config.json").write_text("{}")

    def item(name: str, text: str) -> Item:
        documents = (Document(id="a", text=text), Document(id="b", text="Ice is sold by the bag."))
        return ITEM.model_copy(update={"id": name, "documents": documents})

    argument = "Bears pace in their cages. Cranes do not need a cage. So it must end."
    found = judge(
        [
            item("copied", f"It was said: {argument}"),
            item("half", "Bears pace in their cages. Nothing else was seen."),
            item("elsewhere", "Trams run late on Sundays, and nobody likes it."),
        ],
        format="likelihood",
        model=f"local/{tmp_path}",
    )
    copied, half, elsewhere = (one.measures["groundedness"] for one in found)
    assert copied.value > half.value > elsewhere.value
    assert half.parts[0].value > half.parts[1].value
    assert half.parts[0].raw > 0 > elsewhere.parts[0].raw
    assert found[0].model.startswith(f"local/{tmp_path}@")


def test_probabilities_of_the_baseline_by_hand() -> None:
    model = LanguageModel([["bears", "pace", "bears", "sleep"], ["the", "bears"]])
    other = (1 - STOP_SHARE) / VOCABULARY
    bears = WORD_WEIGHT * 3 / 6 + (1 - WORD_WEIGHT) * other
    assert model.probability("bears") == pytest.approx(bears)
    assert model.probability("bears", "walrus") == pytest.approx(bears)  # never seen before a word
    pace = WORD_WEIGHT / 6 + (1 - WORD_WEIGHT) * other
    assert model.probability("pace", "bears") == pytest.approx(PAIR_WEIGHT * 1 / 2 + (1 - PAIR_WEIGHT) * pace)
    the = WORD_WEIGHT / 6 + (1 - WORD_WEIGHT) * STOP_SHARE / len(STOP_WORDS)
    assert model.probability("the") == pytest.approx(the)
    expected = math.log(bears) + math.log(model.probability("pace", "bears"))
    assert model.log_likelihood(["bears", "pace"]) == pytest.approx(expected)
    assert LanguageModel([]).log_likelihood(["walrus"]) == pytest.approx(math.log(other))
    vocabulary = {"bears", "pace", "sleep", *STOP_WORDS}
    rest = VOCABULARY - 3
    for before in (None, "bears", "sleep"):
        known = sum(model.probability(word, before) for word in vocabulary)
        assert known + rest * model.probability("walrus", before) == pytest.approx(1.0)
