"""Is a judge card of this instrument, and if not, what has changed?"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from conqret.data import Item
from conqret.judging.base import Case, Judge, JudgeOptions
from conqret.judging.dimensions import DIMENSIONS
from conqret.judging.setup import Setup

if TYPE_CHECKING:
    from conqret.reliability.cards.card import Card

_SETTINGS = ("max_tokens",)
"""The model's settings that belong to the fingerprint."""


def changes(card: Card, setup: Setup) -> list[str]:
    """What has changed between the instrument of the card and ``setup``, in words; empty where the card fits."""
    was = card.instrument
    if was.fingerprint == setup.fingerprint:
        return []
    judge, options = setup.judge, setup.options
    metrics = tuple(one for one in judge.metrics if not options.metrics or one in options.metrics)
    found = []
    for name, old, new in (("format", was.format, judge.name), ("model", was.model, setup.client.model)):
        if old != new:
            found.append(f"{name}: {new}, and {old} on the card")
    asks = judge.select(options.metrics)
    prompts = {ask.prompt: setup.library[ask.prompt].digest for ask in asks}
    for name in sorted({*prompts, *was.prompts}):
        if prompts.get(name) != was.prompts.get(name):
            how = (
                "added" if name not in was.prompts else "no longer used" if name not in prompts else "changed"
            )
            found.append(f"prompt {name}: {how}")
    if set(metrics) != set(was.metrics):
        found.append(f"metrics: {', '.join(metrics)}, and {', '.join(was.metrics)} on the card")
    elif was.format == judge.name and was.answers != answers_digest(judge, metrics, options):
        found.append("scale, answer schema or definitions of the dimensions: changed")
    now = {
        "samples": options.samples,
        "order": options.order,
        "seed": options.seed,
        "relevant_from": options.relevant_from,
        "temperature": options.temperature,
    }
    for name, value in now.items():
        if name in was.options and was.options[name] != value:
            found.append(f"{name}: {value}, and {was.options[name]} on the card")
    settings = model_settings({name: getattr(setup.client, name) for name in _SETTINGS})
    found += [
        f"model's {name}: {settings.get(name)}, and {was.settings.get(name)} on the card"
        for name in sorted({*settings, *was.settings})
        if settings.get(name) != was.settings.get(name)
    ]
    return found or ["something that this version of conqret counts and the card's version did not"]


def answers_digest(judge: Judge, metrics: Iterable[str], options: JudgeOptions) -> str:
    """A digest (16 hex digits) of what an answer may be: scale, schemas and dimensions."""
    case = Case(Item(id="fingerprint", topic="fingerprint"), options)
    parts = {
        "scale": [judge.scale, judge.score],
        "schemas": [ask.response(case).model_json_schema() for ask in judge.select(metrics)],
        "dimensions": [[one.name, one.question, one.definition] for one in DIMENSIONS],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def model_settings(found: Mapping[str, Any]) -> dict[str, Any]:
    """Those of a model's settings that belong to the fingerprint and are set."""
    return {name: found[name] for name in _SETTINGS if found.get(name) is not None}
