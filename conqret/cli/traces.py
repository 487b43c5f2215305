"""Where the spans of a command go: to the address that OpenTelemetry's own variables name."""

from __future__ import annotations

import typer

from conqret._optional import require
from conqret.llm.tracing import wanted
from conqret.runs.run_spans import run_span_here

DEFAULT_SERVICE = "conqret"
"""What the spans are called by, where OTEL_SERVICE_NAME says nothing."""


SERVERS = {"labels", "serve"}
"""Commands that go on for days: what they are asked for has traces of its own."""


def send_traces(command: typer.Context) -> None:
    """Set up the sending of spans, if the environment asks for them (CONQRET_TRACES) and nobody else has; what is not
    sent yet is sent when the command ends. A span of the whole ``command`` holds all that it asks for: one trace.

    Raises:
        DeclarationError: it asks for another kind of traces, or the extra ``otel`` is missing.
    """
    if not wanted():
        return
    require(
        "opentelemetry.sdk.trace.export",
        "opentelemetry.exporter.otlp.proto.http.trace_exporter",
        extra="otel",
    )
    import os

    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    if isinstance(trace.get_tracer_provider(), TracerProvider):
        return
    os.environ.setdefault("OTEL_SERVICE_NAME", DEFAULT_SERVICE)
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    if (name := command.invoked_subcommand) and name not in SERVERS:
        command.with_resource(run_span_here(f"conqret {name}"))
