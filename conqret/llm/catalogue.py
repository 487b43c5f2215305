"""What is known of a model without asking anyone: window, longest answer, prices, abilities.

litellm ships its price list as a JSON file. It is read from the installed package directly: that takes
some 25 ms where importing litellm takes 3 s, and nothing is fetched. :func:`suggestion` looks which model could be
asked from here.
"""

from __future__ import annotations

import functools
import http.client
import json
import os
import shlex
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from conqret.llm.backend import ModelFacts, litellm_folder, stated

if TYPE_CHECKING:
    from conqret.llm.client_options import ClientOptions


_PRICE_LIST = "model_prices_and_context_window_backup.json"
_PROVIDERS = "provider_endpoints_support_backup.json"


def listed(options: ClientOptions) -> ModelFacts:
    """The facts about the model of ``options``, which come before those of the price list."""
    entry, option_facts, vision = _entry(options.model), stated(options), options.vision
    if vision is None and entry:
        vision = bool(entry.get("supports_vision"))
    return ModelFacts(
        context_window=option_facts.context_window or _count(entry, "max_input_tokens"),
        max_output=_count(entry, "max_output_tokens"),
        input_price=option_facts.input_price if option_facts.priced else entry.get("input_cost_per_token"),
        output_price=option_facts.output_price if option_facts.priced else entry.get("output_cost_per_token"),
        cached_price=None if option_facts.priced else entry.get("cache_read_input_token_cost"),
        tiered=not option_facts.priced and any("_above_" in name for name in entry),
        listed=bool(entry),
        schema=bool(entry.get("supports_response_schema")),
        tools=bool(entry.get("supports_function_calling")),
        vision=vision,
    )


def provider_of(model: str) -> str:
    """The provider of a model that the price list names without one (``gpt-4o``); empty for any other."""
    return str(_table(_PRICE_LIST).get(model, {}).get("litellm_provider") or "") if "/" not in model else ""


def mode_of(model: str) -> str:
    """What a model is for, by the price list: ``chat``, ``responses``; empty where it does not say."""
    return str(_entry(model).get("mode") or "")


def is_provider(name: str) -> bool:
    """Whether litellm knows a provider of this name."""
    return name in _providers()


@functools.cache
def _providers() -> frozenset[str]:
    named = {str(entry.get("litellm_provider")) for entry in _table(_PRICE_LIST).values()}
    return frozenset(named | _table(_PROVIDERS).get("providers", {}).keys())


def _entry(model: str) -> Mapping[str, Any]:
    """The list's entry for ``model``, by its full name, or without the provider if the provider fits."""
    prices: Mapping[str, Mapping[str, Any]] = _table(_PRICE_LIST)
    if model in prices:
        return prices[model]
    provider, _, bare = model.partition("/")
    entry = prices.get(bare, {})
    return entry if entry.get("litellm_provider") == provider else {}


@functools.cache
def _table(name: str) -> Mapping[str, Any]:
    """A table of litellm's, empty where there is none."""
    folder = litellm_folder()
    path = folder / name if folder else None
    if path is None or not path.is_file():
        return {}
    table: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return table


def _count(entry: Mapping[str, Any], name: str) -> int | None:
    value = entry.get(name)
    return value if isinstance(value, int) and value > 0 else None


BY_KEY = {
    "OPENAI_API_KEY": "gpt-4o-mini",
    "ANTHROPIC_API_KEY": "claude-haiku-4-5",
    "GEMINI_API_KEY": "gemini/gemini-2.5-flash",
    "MISTRAL_API_KEY": "mistral/mistral-small-latest",
    "DEEPSEEK_API_KEY": "deepseek/deepseek-chat",
    "TOGETHERAI_API_KEY": "together_ai/meta-llama/Llama-3.3-70B-Instruct-Turbo",
}
"""A small model of each provider, by the variable of its key."""

PORTS = {11434: "Ollama", 8000: "vLLM", 1234: "LM Studio"}
"""Where servers of one's own usually listen."""

PATIENCE = 0.3
"""Seconds that a server on this machine has to name its models."""
MOST_BYTES = 1 << 16
MOST_CHARACTERS = 120


def suggestion() -> tuple[str, str] | None:
    """The options that name a model which can be asked from here, and why it can; None where there is none.

    The environment is looked at, then the usual ports of the loopback address; nothing else is asked.
    """
    for variable, model in BY_KEY.items():
        if os.environ.get(variable, "").strip():
            return f"--model {model}", f"{variable} is set"
    with ThreadPoolExecutor(len(PORTS)) as pool:
        first_models = pool.map(_first_model, PORTS)
        for (port, server), model in zip(PORTS.items(), first_models, strict=True):
            if model:
                base = f"http://localhost:{port}/v1"
                return (
                    f"--model {shlex.quote(f'openai/{model}')} --api-base {base}",
                    f"{server} answers on port {port}",
                )
    return None


def _first_model(port: int) -> str:
    """The first model of the server at a port of this machine; empty where none answers as OpenAI does."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", "/v1/models")
        answer = connection.getresponse()
        name = json.loads(answer.read(MOST_BYTES))["data"][0]["id"]
        return name if isinstance(name, str) and len(name) <= MOST_CHARACTERS and name.isprintable() else ""
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError, RecursionError):
        return ""
    finally:
        connection.close()
