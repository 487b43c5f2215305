"""The span of a run, under which the spans of its trials stand, so that a run is one trace and not one a request."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator, Mapping
from typing import Any

from conqret._version import __version__
from conqret.llm.tracing import SEMANTIC_CONVENTIONS, opentelemetry

KIND, TYPE = "openinference.span.kind", "langfuse.observation.type"
"""What Phoenix and Langfuse call a span that calls no model itself."""


def tracer() -> Any:
    """What makes conqret's spans."""
    return opentelemetry().get_tracer("conqret", __version__, schema_url=SEMANTIC_CONVENTIONS)


def run_span_here(name: str) -> Any:
    """A span that is the current one as long as it is held: for a program whose runs lie inside it."""
    return tracer().start_as_current_span(
        name, attributes={KIND: "CHAIN", TYPE: "chain"}, record_exception=False, set_status_on_exception=False
    )


@contextlib.contextmanager
def run_span(name: str, about: Mapping[str, Any]) -> Iterator[contextvars.Context]:
    """Yield the context in which the trials of a run belong: inside a span of its own, which lies inside the caller's.

    (The span is not the current one of whoever runs: trials are handed out by a generator, which lives in its
    consumer's context.)
    """
    from opentelemetry import context as contexts

    span = tracer().start_span(name, attributes={**about, KIND: "CHAIN", TYPE: "chain"})
    inside = contextvars.copy_context()
    inside.run(contexts.attach, opentelemetry().set_span_in_context(span))
    try:
        yield inside
    finally:
        span.end()
