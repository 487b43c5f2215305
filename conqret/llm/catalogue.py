"""What is known of a model without asking anyone: window, longest answer, prices, abilities.

litellm ships its price list as a JSON file. It is read from the installed package directly: that takes
some 25 ms where importing litellm takes 3 s, and nothing is fetched.
"""

from __future__ import annotations

import functools
import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conqret.llm.options import ClientOptions

_PRICE_LIST = "model_prices_and_context_window_backup.json"
_PER_MILLION = 1e-6


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Facts about a model; None where the price list does not say.

    ``context_window`` and ``max_output`` in tokens, prices in US dollars a token (``cached_price`` for
    prompt tokens that the provider had cached). ``tiered`` marks models whose price depends on the
    prompt's length. ``schema`` and ``tools`` say whether the model takes a JSON schema or functions.
    """

    context_window: int | None = None
    max_output: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    cached_price: float | None = None
    tiered: bool = False
    listed: bool = False
    schema: bool = False
    tools: bool = False

    @property
    def priced(self) -> bool:
        """Whether the cost of a call can be told."""
        return self.input_price is not None and self.output_price is not None

    def cost(self, prompt: int | None, completion: int | None, cached: int | None = None) -> float | None:
        """Dollars for a call: (prompt - cached) * input + cached * cached_price + completion * output.

        None where a price or a count is unknown.
        """
        if self.input_price is None or self.output_price is None or prompt is None or completion is None:
            return None
        hits = min(cached or 0, prompt) if self.cached_price is not None else 0
        saved = hits * (self.input_price - (self.cached_price or 0.0))
        return prompt * self.input_price - saved + completion * self.output_price


def facts_for(options: ClientOptions) -> ModelFacts:
    """The facts about the model of ``options``, with its overrides applied. What runs on this machine is free."""
    if options.offline or options.local:
        return ModelFacts(options.context_window, None, 0.0, 0.0, listed=True)
    entry = _entry(options.model)
    overridden = options.input_price is not None and options.output_price is not None
    return ModelFacts(
        context_window=options.context_window or _count(entry, "max_input_tokens"),
        max_output=_count(entry, "max_output_tokens"),
        input_price=_per_token(options.input_price) if overridden else entry.get("input_cost_per_token"),
        output_price=_per_token(options.output_price) if overridden else entry.get("output_cost_per_token"),
        cached_price=None if overridden else entry.get("cache_read_input_token_cost"),
        tiered=not overridden and any("_above_" in name for name in entry),
        listed=bool(entry),
        schema=bool(entry.get("supports_response_schema")),
        tools=bool(entry.get("supports_function_calling")),
    )


def litellm_folder() -> Path | None:
    """Where litellm is installed, found without importing it; None if it is not."""
    spec = importlib.util.find_spec("litellm")
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def _entry(model: str) -> Mapping[str, Any]:
    """The list's entry for ``model``, by its full name, or without the provider if the provider fits."""
    prices = _price_list()
    if model in prices:
        return prices[model]
    provider, _, bare = model.partition("/")
    entry = prices.get(bare, {})
    return entry if entry.get("litellm_provider") == provider else {}


@functools.cache
def _price_list() -> Mapping[str, Mapping[str, Any]]:
    folder = litellm_folder()
    path = folder / _PRICE_LIST if folder else None
    if path is None or not path.is_file():
        return {}
    prices: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return prices


def _count(entry: Mapping[str, Any], name: str) -> int | None:
    value = entry.get(name)
    return value if isinstance(value, int) and value > 0 else None


def _per_token(price: float | None) -> float | None:
    return None if price is None else price * _PER_MILLION
