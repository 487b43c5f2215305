"""What is known of models and their providers without a request (window, prices and abilities), and the
checks before the first request: a key is set, and the address answers.

litellm ships its price list as a JSON file. It is read from the installed package directly: that takes some
25 ms where importing litellm takes 3 s, and nothing is fetched.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import ipaddress
import json
import os
import socket
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from conqret.data import Reason
from conqret.errors import DeclarationError, MissingKeyError
from conqret.llm.client_options import ClientOptions, ModelFacts, stated
from conqret.llm.failed_requests import ProviderError
from conqret.llm.tokens import litellm_folder

_PRICE_LIST = "model_prices_and_context_window_backup.json"
_PROVIDERS = "provider_endpoints_support_backup.json"


def listed(options: ClientOptions) -> ModelFacts:
    """Return the facts about the model of ``options`` from the price list; facts set in the options take
    precedence.
    """
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
    """Return the provider of a model whose name has none (``gpt-4o``), by the price list; empty for any
    other.
    """
    return str(_table(_PRICE_LIST).get(model, {}).get("litellm_provider") or "") if "/" not in model else ""


def mode_of(model: str) -> str:
    """Return the mode of a model in the price list (``chat``, ``responses``); empty where it has none."""
    return str(_entry(model).get("mode") or "")


def is_provider(name: str) -> bool:
    """Return True if litellm has a provider of this name (``openai``, ``gemini``)."""
    return name in _providers()


@functools.cache
def _providers() -> frozenset[str]:
    named = {str(entry.get("litellm_provider")) for entry in _table(_PRICE_LIST).values()}
    return frozenset(named | _table(_PROVIDERS).get("providers", {}).keys())


def _entry(model: str) -> Mapping[str, Any]:
    """Return the list's entry for ``model``, by its full name, or without the provider if the provider fits;
    else an empty one.
    """
    prices: Mapping[str, Mapping[str, Any]] = _table(_PRICE_LIST)
    if model in prices:
        return prices[model]
    provider, _, bare = model.partition("/")
    entry = prices.get(bare, {})
    return entry if entry.get("litellm_provider") == provider else {}


@functools.cache
def _table(name: str) -> Mapping[str, Any]:
    """Return the content of a JSON file in litellm's folder; empty if there is none."""
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
"""A small model of each provider, by the environment variable of the provider's key."""


def suggestion() -> tuple[str, str] | None:
    """Return command-line options for a model whose key is set (such as ``--model gpt-4o-mini``), and the
    reason; None if there is none.
    """
    for variable, model in BY_KEY.items():
        if os.environ.get(variable, "").strip():
            return f"--model {model}", f"{variable} is set"
    return None


CONNECT_SECONDS = 5.0
"""Seconds to wait for an address; a slow one may still answer the request, which has a time limit of its own."""

HERE = ("localhost", "127.0.0.1", "::1")
"""The names of this machine in addresses."""

PORTS = {"http": 80, "https": 443}
"""The default port of each scheme."""

_OTHER_NAMES = {
    "cohere": "CO_API_KEY",
    "huggingface": "HF_TOKEN",
    "openrouter": "OR_API_KEY",
    "replicate": "REPLICATE_API_TOKEN",
}
"""Variables that litellm reads besides those that it says are missing."""


def check_key(litellm: Any, options: ClientOptions, provider: str, provider_key: str | None) -> None:
    """Check that a key for the model is set: in the options, in the environment, or ``provider_key`` by
    litellm.

    A user's own server (``api_base``) needs no key, nor do providers with other credentials (AWS, Google
    Cloud, Azure's tokens).

    Raises:
        MissingKeyError: no key is set; the message names the environment variables.
    """
    known = (options.api_key, options.api_base, provider_key, os.environ.get(_OTHER_NAMES.get(provider, "")))
    if any(setting and setting.strip() for setting in known):
        return
    missing = litellm.validate_environment(options.model)["missing_keys"]
    usual = f"{provider.upper()}_API_KEY"
    if not missing and usual in os.environ and not os.environ[usual].strip():
        missing = [usual]  # an empty one counts as set for litellm
    if missing and all(name.endswith("_API_KEY") for name in missing):
        missing_key(options.model, provider, missing)


def missing_key(model: str, provider: str, names: Sequence[str]) -> NoReturn:
    """Raise the error that the model has no key.

    Raises:
        MissingKeyError: always; the message names the environment variables.
    """
    raise MissingKeyError(
        f"the model {model} needs a key of {provider}, and none is set: put it into the "
        f"environment variable {' or '.join(names)}, or give the address of your own server (--api-base)"
    )


async def check_address(url: str) -> None:
    """Check that a server listens at the address, by connecting to it for at most 5 seconds; skipped where
    a proxy is used.

    A slow or unreachable server passes, because its requests have a time limit of their own.

    Raises:
        DeclarationError: the address is invalid, its name does not resolve, or the connection is refused.
    """
    shown, (scheme, host, port) = address(url), _parts(url)
    if scheme not in PORTS or host is None or port is None:
        raise DeclarationError(
            f"{shown} is not the address of a server: write one such as http://localhost:8000/v1"
        )
    if proxy_of(url):
        return
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            _, writer = await asyncio.open_connection(host, port)
    except socket.gaierror:
        raise DeclarationError(
            f"the name {host} of the address {shown} cannot be resolved: check its spelling"
        ) from None
    except ConnectionRefusedError:
        raise DeclarationError(
            f"the connection to {shown} was refused: check that the server is running and the port is right"
        ) from None
    except OSError:  # unreachable for now, or too slow (TimeoutError): the requests will say
        return
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


def is_loopback(host: str) -> bool:
    """Return True if only this machine can reach an address."""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def proxy_of(url: str) -> str | None:
    """Return the proxy that the environment sets for an address; None without one.

    For this machine's own addresses it is always None, so that requests and keys go nowhere else.
    """
    scheme, host, _ = _parts(url)
    if host is None or proxy_bypass(host):
        return None
    try:
        parsed = ipaddress.ip_address(host)
        here = parsed.is_loopback or parsed.is_unspecified
    except ValueError:
        here = host == "localhost"
    if here:
        return None
    proxies = getproxies()
    proxy = proxies.get(scheme) or proxies.get("all")
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


def address(url: str) -> str:
    """Return an address without its password, query and fragment, safe to print."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "the address given"
    return SplitResult(parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", "").geturl()


def sent_on(url: str, target: str) -> ProviderError:
    """Return the error for an address (``url``) that redirects to another one (``target``), to which a key
    must not be sent.
    """
    where = f"{address(url)} sends on to {address(target) or 'nowhere'}"
    return ProviderError(Reason.BAD_REQUEST, f"{where}: give the address itself (--api-base)")


def _parts(url: str) -> tuple[str, str | None, int | None]:
    """Scheme, host and port, as far as they can be told."""
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname, parts.port or PORTS.get(parts.scheme)
    except ValueError:
        return "", None, None
