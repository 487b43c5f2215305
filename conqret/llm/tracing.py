"""Spans of OpenTelemetry for each request to a model: off, unless the environment says otherwise.

Names and attributes are those of the semantic conventions for generative AI (client spans of the operation ``chat``,
version 1.39 and later). They lie inside those of runs, so that a run is one trace, and of items, which have the scores
(:mod:`conqret.judging.judgments`). Spans go to the tracer provider that the program has; ``conqret`` itself sets one
up where it is the program (:mod:`conqret.cli.main`). What a recording answers is no request, and has no span.
"""

from __future__ import annotations

import contextlib
import contextvars
import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from conqret._optional import require
from conqret._version import __version__
from conqret.data import Measure, Reason
from conqret.errors import DeclarationError
from conqret.llm.client_options import ClientOptions
from conqret.llm.failed_requests import ProviderError
from conqret.llm.providers import provider_of
from conqret.llm.request import Completion, Request

VARIABLE = "CONQRET_TRACES"
"""Holds one of :data:`KINDS`; empty or absent: no spans."""

KINDS = ("spans", "contents")
"""Spans without contents, or with prompts, answers and the ids of items."""

SEMANTIC_CONVENTIONS = "https://opentelemetry.io/schemas/1.39.0"
"""The version of the semantic conventions that names of attributes and events are from."""

_PROVIDERS = {
    "azure": "azure.ai.openai",
    "azure_ai": "azure.ai.inference",
    "bedrock": "aws.bedrock",
    "gemini": "gcp.gemini",
    "mistral": "mistral_ai",
    "offline": "conqret",
    "vertex_ai": "gcp.vertex_ai",
    "watsonx": "ibm.watsonx.ai",
    "xai": "x_ai",
}
"""Providers that the conventions call otherwise than litellm does."""

_QUIET = {"record_exception": False, "set_status_on_exception": False}

OnCompletion = Callable[[Completion, int], None]
"""Takes the completion, and the number of attempts."""


def trace_kind() -> str:
    """Return the kind of traces set in the environment variable ``CONQRET_TRACES``: ``spans``,
    ``contents``, or empty (off).

    Raises:
        DeclarationError: the kind is unknown.
        MissingDependencyError: the extra ``otel`` is not installed.
    """
    kind = os.environ.get(VARIABLE, "").strip()
    if kind and kind not in KINDS:
        raise DeclarationError(
            f"{VARIABLE}={kind!r} is not a kind of traces: write {' or '.join(KINDS)}, or unset the variable"
        )
    if kind:
        opentelemetry()
    return kind


def opentelemetry() -> Any:
    """Return the module ``opentelemetry.trace``.

    Raises:
        MissingDependencyError: the extra ``otel`` is not installed.
    """
    return require("opentelemetry.trace", extra="otel")


@contextlib.contextmanager
def request_span(options: ClientOptions, sent: Request[Any], key: str) -> Iterator[OnCompletion | None]:
    """Open a trace span around a request with all its retries.

    The ``with`` block gets a function that records the completion, or None if tracing is off. ``options``
    are those of the client, ``sent`` is the request and ``key`` its key.
    """
    kind = trace_kind()
    if not kind:
        yield None
        return
    api = opentelemetry()
    attributes = {**_request_attributes(options, kind, sent), "conqret.key": key}
    about = {"kind": api.SpanKind.CLIENT, "attributes": attributes, **_QUIET}
    with tracer().start_as_current_span(f"chat {options.model}", **about) as span:
        try:
            yield lambda completion, attempts: span.set_attributes(
                _completion_attributes(kind, completion, attempts)
            )
        except BaseException as error:
            code = error.code.value if isinstance(error, ProviderError) else type(error).__name__
            span.set_attributes({"error.type": code, "conqret.attempts": getattr(error, "attempts", 0)})
            span.set_status(api.Status(api.StatusCode.ERROR, code))
            raise


def _request_attributes(options: ClientOptions, kind: str, sent: Request[Any]) -> dict[str, Any]:
    model = options.model
    prefix = model.partition("/")[0] if "/" in model else provider_of(model) or model
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _PROVIDERS.get(prefix, prefix),
        "gen_ai.request.model": model,
        "gen_ai.output.type": "text" if sent.plain else "json",
        "gen_ai.request.temperature": sent.sampling_temperature,
        "gen_ai.request.top_p": sent.top_p,
        "gen_ai.request.max_tokens": sent.max_tokens,
        "conqret.ask": sent.ask,
        "conqret.sample": sent.sample,
        **_address(options.api_base),
    }
    if kind == "contents":
        contents = [(message.role, _part(message.content)) for message in sent.messages]
        system = [part for role, part in contents if role == "system"]
        others = [{"role": role, "parts": [part]} for role, part in contents if role != "system"]
        attributes["conqret.item"] = sent.item
        attributes["gen_ai.system_instructions"] = json.dumps(system)
        attributes["gen_ai.input.messages"] = json.dumps(others)
    return {name: value for name, value in attributes.items() if value is not None}


def _completion_attributes(kind: str, completion: Completion, attempts: int) -> Mapping[str, Any]:
    attributes: dict[str, Any] = {
        "gen_ai.response.model": completion.model or None,
        "gen_ai.response.finish_reasons": (completion.finish_reason,),
        "gen_ai.usage.input_tokens": completion.prompt_tokens,
        "gen_ai.usage.output_tokens": completion.completion_tokens,
        "gen_ai.usage.cache_read.input_tokens": completion.cached_tokens,
        "conqret.attempts": attempts,
        "conqret.cost_usd": completion.cost_usd,
    }
    if kind == "contents":
        text = completion.text if completion.refusal is None else completion.refusal
        answer = {"role": "assistant", "parts": [_part(text)], "finish_reason": completion.finish_reason}
        attributes["gen_ai.output.messages"] = json.dumps([answer])
    return {name: value for name, value in attributes.items() if value is not None}


def _part(text: str) -> dict[str, str]:
    return {"type": "text", "content": text}


def _address(base: str | None) -> dict[str, Any]:
    """The host and port of an address, without a password that stands in it."""
    with contextlib.suppress(ValueError):
        parts = urlsplit(base or "")
        return {"server.address": parts.hostname, "server.port": parts.port}
    return {}


KIND, TYPE = "openinference.span.kind", "langfuse.observation.type"
"""What Phoenix and Langfuse call a span that calls no model itself."""


def tracer() -> Any:
    """Return the OpenTelemetry tracer of conqret."""
    return opentelemetry().get_tracer("conqret", __version__, schema_url=SEMANTIC_CONVENTIONS)


def run_span_here(name: str) -> Any:
    """Return a context manager that opens the span ``name`` as the current one, for a program that contains
    runs.
    """
    return tracer().start_as_current_span(name, attributes={KIND: "CHAIN", TYPE: "chain"}, **_QUIET)


@contextlib.contextmanager
def run_span(name: str, about: Mapping[str, Any]) -> Iterator[contextvars.Context | None]:
    """Open a trace span ``name`` for a run, and yield the context in which its trials run; None if tracing
    is off.

    ``about`` are attributes of the span. The span is inside the caller's, but is not the caller's current
    one, because a generator starts the trials and runs in its consumer's context.
    """
    if not trace_kind():
        yield None
        return
    from opentelemetry import context as contexts

    span = tracer().start_span(name, attributes={**about, KIND: "CHAIN", TYPE: "chain"})
    inside = contextvars.copy_context()
    inside.run(contexts.attach, opentelemetry().set_span_in_context(span))
    try:
        yield inside
    finally:
        span.end()


EVENT = "gen_ai.evaluation.result"


def record_scores(span: Any, measures: Mapping[str, Measure], judge: str, *, contents: bool) -> None:
    """Add the scores of an item to its span: an event each, and the attributes of OpenInference.

    ``judge`` is the kind of judge (``LLM`` or ``CODE``); with ``contents`` explanations are added.
    """
    scores = [pair for pair in measures.items() if pair[1].reason is not Reason.AWAITED]
    for place, (metric, measure) in enumerate(scores):
        reason = None if measure.reason is None else measure.reason.value
        why = (measure.explanation or measure.detail or None) if contents else None
        event = {
            "gen_ai.evaluation.name": metric,
            "gen_ai.evaluation.score.value": measure.value,
            "gen_ai.evaluation.score.label": measure.label,
            "gen_ai.evaluation.explanation": why,
            "error.type": reason,
        }
        told = {"name": metric, "score": measure.value, "label": reason or measure.label, "explanation": why}
        told["annotator_kind"] = judge
        attributes = {f"evaluations.{place}.evaluation.{name}": value for name, value in told.items()}
        attributes[f"conqret.score.{metric}"] = measure.value
        span.add_event(EVENT, _there(event))
        span.set_attributes(_there(attributes))


def _there(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None}
