"""Which models are called directly, without litellm: those of servers with OpenAI's interface, with their
addresses and keys.

Some of OpenAI's models have the Responses interface alone: requests are written in its form, and its
responses converted to chat completions. Such models take no temperature and no log-probabilities; nothing is
stored at OpenAI.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, quote, unquote, urlsplit

from conqret.errors import DeclarationError
from conqret.io.jsonl import compact
from conqret.llm.client_options import ClientOptions
from conqret.llm.hosted.connection import NO_KEY, Format
from conqret.llm.hosted.response_bodies import mapping
from conqret.llm.providers import is_provider, missing_key, mode_of, provider_of
from conqret.llm.request import Request

PATH = "/responses"

NAMED = "responses/"
"""The prefix by which a user says that a model has the Responses interface alone, where conqret does not
know it.
"""

_NAMES = re.compile(r"responses/|(o\d|gpt-\d[\d.]*)(-mini)?-(pro|codex|deep-research)|codex-mini")


def responses_body(request: Request[Any], model: str, shaped: Format) -> bytes:
    """Return the body of a request to OpenAI's Responses interface as JSON bytes.

    ``model`` is the model's name there, and ``shaped`` the format of the response
    (:func:`~conqret.llm.hosted.connection.format_for`).
    """
    body: dict[str, Any] = {
        "input": [_input(message) for message in shaped.messages(request.messages)],
        "model": model,
        "store": False,
    }
    if request.max_tokens is not None:
        body["max_output_tokens"] = request.max_tokens
    schema = shaped.arguments.get("response_format", {}).get("json_schema")
    if schema:
        body["text"] = {"format": {"type": "json_schema", "strict": False, **schema}}
    if tools := shaped.arguments.get("tools"):
        body["tools"] = [{"type": "function", "strict": False, **tool["function"]} for tool in tools]
        body["tool_choice"] = "required"
    return compact(body)


def as_chat(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Convert a body of the Responses interface to chat format; an error body is returned unchanged."""
    output = body.get("output")
    if body.get("error") or not isinstance(output, list):
        return body
    parts = list(_parts(output))
    texts = [str(part.get("text") or "") for part in parts if part.get("type") == "output_text"]
    refusals = [str(part["refusal"]) for part in parts if part.get("refusal")]
    calls = [{"function": entry} for entry in output if mapping(entry).get("type") == "function_call"]
    message = {"content": "".join(texts), "refusal": " ".join(refusals) or None, "tool_calls": calls}
    details, usage = mapping(body.get("incomplete_details")), mapping(body.get("usage"))
    reason = str(details.get("reason") or "stop")
    return {
        "model": body.get("model"),
        "choices": [
            {"message": message, "finish_reason": "length" if reason == "max_output_tokens" else reason}
        ],
        "usage": {
            "prompt_tokens": usage.get("input_tokens"),
            "completion_tokens": usage.get("output_tokens"),
            "prompt_tokens_details": usage.get("input_tokens_details"),
        },
    }


def _input(message: Mapping[str, Any]) -> Mapping[str, Any]:
    content = message["content"]
    if isinstance(content, str):
        return message
    parts = [
        {"type": "input_text", "text": part["text"]}
        if part["type"] == "text"
        else {"type": "input_image", "image_url": part["image_url"]["url"]}
        for part in content
    ]
    return {**message, "content": parts}


def _parts(output: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    """The parts of the messages among what a model put out; its thoughts are no message."""
    for entry in output:
        content = mapping(entry).get("content") if mapping(entry).get("type") == "message" else None
        yield from map(mapping, content if isinstance(content, list) else ())


OPENAI = "openai"
OPENAI_URL = "https://api.openai.com/v1"
AZURE = "azure"
AZURE_VERSION = "2025-02-01-preview"
"""The version of Azure's interface that is requested where none is set: litellm's."""

_PLAIN = re.compile(r"(ft:)?gpt-(3\.5|4)(?!.*(audio|search|realtime))")
"""OpenAI's own models whose parameters are those of everybody; litellm knows how the others differ."""

_REASONING = re.compile(r"(^|/)(o\d|gpt-([5-9]|\d\d))")
"""Models that litellm sends other parameters, on any server."""

_DATED = re.compile(r"(2024-(0[89]|1\d)|202[5-9]-\d\d)-\d\d(-preview)?")
"""Versions of Azure's interface that take schemas (from August 2024), by their dates; litellm knows the others."""

_OTHERWISE = re.compile(r"o\d|o_series|gpt-?[35-9]|/")
"""In names of Azure's deployments: models that litellm sends other parameters, or by other addresses."""

_PATH = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Server:
    """Where and how a model is called.

    ``provider`` is litellm's name of the provider, ``model`` the model's name there, and ``url`` the address
    of completions. ``headers`` go with every request, including ``Authorization``. ``base`` is the address to
    check for a listening server. ``responses`` is True for OpenAI's Responses interface.
    """

    provider: str
    model: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    base: str | None = None
    responses: bool = False

    @property
    def root(self) -> str:
        """The address without the path of chat completions, common to all interfaces of the server."""
        return self.url.partition("?")[0].removesuffix(_PATH)


@dataclass(frozen=True, slots=True)
class _Provider:
    """The environment variables of a provider's address and key, its usual address, and whether it wants a key."""

    bases: tuple[str, ...]
    keys: tuple[str, ...]
    url: str | None = None
    keyed: bool = False


_PROVIDERS = {
    OPENAI: _Provider(("OPENAI_BASE_URL", "OPENAI_API_BASE"), ("OPENAI_API_KEY",), OPENAI_URL, keyed=True),
    "hosted_vllm": _Provider(("HOSTED_VLLM_API_BASE",), ("HOSTED_VLLM_API_KEY",)),
    "lm_studio": _Provider(("LM_STUDIO_API_BASE",), ("LM_STUDIO_API_KEY",)),
    "llamafile": _Provider(("LLAMAFILE_API_BASE",), ("LLAMAFILE_API_KEY",), "http://127.0.0.1:8080/v1"),
    AZURE: _Provider(("AZURE_API_BASE",), ("AZURE_OPENAI_API_KEY", "AZURE_API_KEY")),
}


def directly(options: ClientOptions) -> bool:
    """Return True if conqret calls the model of the options itself, False if it uses litellm."""
    named = _named(options)
    if options.client == "litellm" or named is None:
        return False
    provider, model = named
    if provider == AZURE:
        return _deployed(options, model)
    if by_responses(options):
        return True
    own_server = _base(options, provider) is not None
    return provider != OPENAI or not (_REASONING.search(model) if own_server else not _PLAIN.match(model))


def by_responses(options: ClientOptions) -> bool:
    """Return True if OpenAI serves the model only through its Responses interface, by the price list or its
    name.
    """
    provider, model = _named(options) or ("", "")
    return provider == OPENAI and (mode_of(model) == "responses" or _NAMES.match(model) is not None)


def server_of(options: ClientOptions) -> Server:
    """Return the server to call directly for a model.

    Raises:
        DeclarationError: its address is unknown, or its key is missing or cannot be sent.
    """
    provider, model = _named(options) or (OPENAI, options.model)
    known, base = _PROVIDERS[provider], _base(options, provider)
    url = base or known.url
    if url is None:
        raise DeclarationError(
            f"the model {options.model} has no address: give the address of its server (--api-base, or the environment "
            f"variable {known.bases[0]})"
        )
    key = _key(options, provider)
    if not key and base is None and known.keyed:
        missing_key(options.model, provider, known.keys)
    if provider == AZURE:
        headers = {"api-key": checked_key(key, provider)}
        deployment = f"{url.rstrip('/')}/openai/deployments/{quote(model)}{_PATH}?api-version={_version()}"
        return Server(provider, model, deployment, headers, base)
    headers = _headers(url, key or NO_KEY, provider)
    if by_responses(options):
        return Server(provider, model.removeprefix(NAMED), _address(url, PATH), headers, base, responses=True)
    return Server(provider, model, _address(url, _PATH), headers, base)


def _base(options: ClientOptions, provider: str) -> str | None:
    """The address that is given, or set."""
    return options.api_base or next(filter(None, map(os.environ.get, _PROVIDERS[provider].bases)), None)


def _key(options: ClientOptions, provider: str) -> str:
    """The key that is given, or set; empty where there is none."""
    keys = (options.api_key, *map(os.environ.get, _PROVIDERS[provider].keys))
    return next((key.strip() for key in keys if key and key.strip()), "")


def _version() -> str:
    return os.environ.get("AZURE_API_VERSION") or AZURE_VERSION


def _deployed(options: ClientOptions, model: str) -> bool:
    """Whether a deployment of Azure's is called by the usual rules: at the address of a resource, with a key, for a
    schema. litellm knows the others: tokens, versions without a date, models with parameters of their own."""
    address = urlsplit(_base(options, AZURE) or "")
    plain = address.hostname and address.path in ("", "/") and "@" not in address.netloc and not address.query
    return bool(
        plain and not _OTHERWISE.search(model) and _key(options, AZURE) and _DATED.fullmatch(_version())
    )


def _named(options: ClientOptions) -> tuple[str, str] | None:
    """Return the provider (one that conqret calls itself) and the model's name there; None for a model of
    another one.

    A model at a user's own server counts as OpenAI's, unless its name begins with a provider.
    """
    model = options.model
    provider, _, name = model.partition("/")
    if provider in _PROVIDERS and name:
        return provider, name
    if provider_of(model) == OPENAI or (options.api_base is not None and not is_provider(provider)):
        return OPENAI, model
    return None


def _address(base: str, interface: str) -> str:
    """Return the address of an interface (the end of its path) at a base address, without a password."""
    try:
        parts = urlsplit(base)
    except ValueError:
        return base  # it is refused when it is connected to
    path = parts.path.rstrip("/").removesuffix(_PATH).removesuffix(PATH) + interface
    return SplitResult(parts.scheme, parts.netloc.rpartition("@")[2], path, parts.query, "").geturl()


def checked_key(key: str, provider: str) -> str:
    """Return ``key`` if it can be sent in a header.

    Raises:
        DeclarationError: it has characters that cannot be.
    """
    if not key.isascii() or not key.isprintable():
        raise DeclarationError(
            f"the key for {provider} contains characters that no key has: check that it is the right key"
        )
    return key


def _headers(base: str, key: str, provider: str) -> dict[str, str]:
    headers = {"Authorization": f"Bearer {checked_key(key, provider)}"}
    user, at_sign, host = base.partition("://")[2].partition("/")[0].rpartition("@")
    if at_sign and host:
        name, _, password = user.partition(":")
        pair = f"{unquote(name)}:{unquote(password)}".encode()
        headers["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"
    if provider == OPENAI and os.environ.get("OPENAI_ORG_ID"):
        headers["OpenAI-Organization"] = os.environ["OPENAI_ORG_ID"]
    return headers
