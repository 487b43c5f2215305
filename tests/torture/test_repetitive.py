"""Texts of one thing many times, through every format of the baseline: twice the text takes about twice the time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

import conqret
from conqret.data import Reason
from conqret.errors import FaultsError
from conqret.judging.judge_parts import JUDGES
from tests.torture.effort import FULL, times

CITED = "Later start times raised attendance by 12 percent in Seattle schools [1]. "
TOPIC = {"topic": "Should schools start later?", "stance": "pro"}


def _same(text: str) -> dict[str, Any]:
    """An argument, with its source in the same words."""
    return {**TOPIC, "documents": [text.replace(" [1]", "")], "argument": text}


SHAPES: dict[str, Callable[[int], dict[str, Any]]] = {
    "one cited sentence": lambda size: _same(CITED * (size // len(CITED))),
    "sentences that differ in a number": lambda size: _same(
        "".join(f"In {number} schools attendance rose [1]. " for number in range(size // 36))
    ),
    "tiny documents": lambda size: {**TOPIC, "documents": ["a"] * (size // times(8, 1)), "argument": CITED},
    "a topic of many words": lambda size: {
        **_same(words := " ".join(f"w{number} abc" for number in range(size // 10))),
        "topic": words,
    },
    "one word": lambda size: _same("schools " * (size // 8)),
    "digits": lambda size: _same("1" * size),
    "ranges of citations": lambda size: {
        **TOPIC,
        "documents": ["a"] * 100,
        "argument": "It is [1-100]. " * (size // 200),
    },
}
FORMATS = tuple(JUDGES) if FULL else ("rag-fine-grained", "response-quality")
SHORTER, GROWTH = times(40_000, 100_000), 3.2
"""Characters; and the growth with a doubled text, which is 2 for what is linear and 4 for a square."""


def seconds(shape: str, size: int, name: str) -> float:
    """Of this process, for judging the text anew; 0 where the format wants what the item has not."""
    item = SHAPES[shape](size)
    began = time.process_time()
    try:
        conqret.judge(item, format=name, model="offline")
    except FaultsError:
        conqret.judge({**item, "second_argument": item["argument"]}, format=name, model="offline")
    return time.process_time() - began


@pytest.mark.parametrize("name", FORMATS)
def test_a_repetitive_text_takes_time_in_proportion(name: str) -> None:
    seconds("one word", 100, name)  # what is loaded once
    for shape in SHAPES if FULL else [*SHAPES][:2]:
        grown = list[float]()
        for _ in range(3):  # what else runs here may take the time
            one, two = (seconds(shape, size, name) for size in (SHORTER, 2 * SHORTER))
            grown.append(two / max(one, 0.02))
            if grown[-1] < GROWTH:
                break
        assert min(grown) < GROWTH, (shape, grown)


@pytest.mark.parametrize("name", ["citations", "citation-support"])
def test_an_argument_of_a_million_citations_is_unscored_and_ends_nothing(name: str) -> None:
    long = {**TOPIC, "id": "long", "documents": ["a"] * 100, "argument": "It is [1-100]. " * 10_001}
    few = {**TOPIC, "id": "few", "documents": ["It is."], "argument": CITED}
    judged = conqret.judge([long, few], format=name, model="offline")
    first, second = judged
    assert {measure.reason for measure in first.measures.values()} == {Reason.CONTEXT_OVERFLOW}
    assert "1,000,100 citations" in next(iter(first.measures.values())).detail
    assert any(measure.value is not None for measure in second.measures.values())
