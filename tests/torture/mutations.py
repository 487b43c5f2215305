"""Answers that are nearly right: a valid one with one thing changed, by seed."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Iterator
from typing import Any

from conqret.llm.request import Completion, TokenLogprobs

ODD: tuple[Any, ...] = (
    *(-1, 0, 1, 2, 5, 6, 100, -0.0, 0.5, 4.999999, 1e308, -1e308, 10**400, 2**63, math.nan, math.inf),
    *(True, False, None, [], {}, [[]], [5], {"rating": 5}, {"value": 5}, "", "\ud800", "x" * 100_000),
    *"5|five|٥|5/5| 5 |NaN|-1|{{ 7 * 7 }}|</answer>|[1] [2] [99999999999999999999]".split("|"),
)
"""What may stand where a rating, a verdict, a number of a document or an explanation does."""

LOGPROBS = (0.0, -0.1, -50.0, -9999.0, 1.0, 1000.0, -1e308, 5e-324)


def mutated(text: str, rng: random.Random) -> str:
    """The answer with one thing changed: a value, a key, an entry of a list, or letters of the text."""
    try:
        answer = json.loads(text)
    except ValueError:
        return _letters(text, rng)
    places = list(_places(answer))
    if not places or rng.random() < 0.2:
        return _letters(text, rng)
    parent, key = rng.choice(places)
    way = rng.randrange(6)
    if way <= 2:
        parent[key] = copy.deepcopy(rng.choice(ODD))
    elif way == 3:
        del parent[key]
    elif isinstance(parent, list):
        parent.insert(rng.randrange(len(parent) + 1), copy.deepcopy(parent[key]))
        if way == 5:
            parent *= 20
    else:
        parent[f"{key}{rng.choice(['', '_', ' '])}"] = parent.pop(key)
        parent[rng.choice(["", "extra", "rating", "__proto__"])] = copy.deepcopy(rng.choice(ODD))
    changed = json.dumps(answer)
    return changed.replace("{", '{"rating": 5, ', 1) if way == 4 and changed.startswith("{") else changed


def completion(found: Completion, rng: random.Random) -> Completion:
    """A recorded answer changed: its text, or how it ended, or the log-probabilities beside it."""
    text = mutated(found.text, rng)
    finish = (
        "stop" if rng.random() < 0.9 else rng.choice(["length", "content_filter", "tool_calls", "", "None"])
    )
    tokens = None
    if rng.random() < 0.5:
        tokens = tuple(
            TokenLogprobs(letter, {letter: rng.choice(LOGPROBS), str(rng.randrange(9)): rng.choice(LOGPROBS)})
            for letter in text[:2000]
        )
    return Completion(text, finish_reason=finish, logprobs=tokens)


def _letters(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    way = rng.randrange(4)
    if way == 0:
        return text[:at]
    if way == 1:
        return text[:at] + text[at + rng.randrange(1, 5) :]
    if way == 2:
        return (
            text[:at]
            + rng.choice(['"', "{", "}", "]", ",", "9", "-", "e9", "\\", "\x00", "[" * 5000])
            + text[at:]
        )
    return f"{text}\n{text}" if rng.random() < 0.5 else text[at:] + text[:at]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict | list):
        for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
            yield value, key
            yield from _places(inner)
