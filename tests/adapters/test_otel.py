"""Spans of what is asked of models, as the SDK sees them and as a collector gets them."""

import gzip
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

pytest.importorskip("opentelemetry.sdk", reason="the extra otel is not installed")
pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="the extra otel is not installed")

from opentelemetry import trace
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import conqret
from conqret.llm.tracing import VARIABLE
from tests.server import FaultPlan, FaultServer
from tests.server.batches import BatchServer

ITEM = {
    "id": "a-name",
    "topic": "Ban zoos?",
    "argument": "Cages are small [1].",
    "documents": ["Cages are small."],
}
CONTENTS = ("zoos", "Cages", "a-name")


@pytest.fixture(scope="module")
def provider():
    found = TracerProvider()
    trace.set_tracer_provider(found)
    return found


@pytest.fixture
def spans(provider):
    exporter = InMemorySpanExporter()
    processor = SimpleSpanProcessor(exporter)
    provider.add_span_processor(processor)
    yield exporter.get_finished_spans
    processor.shutdown()


def judged(server, **settings):
    return conqret.judge(
        ITEM, format="direct", metrics=["groundedness"], model="openai/mine", api_base=server.url,
        api_key="none-at-all", **settings,
    )[0]  # fmt: skip


def test_none_unless_asked_for(spans, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    with FaultServer() as server:
        judged(server)
    assert spans() == ()


def test_a_span_for_each_request_without_contents(spans, monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, "spans")
    store = tmp_path / "answers.sqlite"
    with FaultServer(FaultPlan(script=("server_error",))) as server:
        call = judged(server, recordings=store).trace.calls[0]
        judged(server, recordings=store)  # which the recording answers
    (span,) = spans()
    assert (span.name, span.kind) == ("chat openai/mine", trace.SpanKind.CLIENT)
    assert span.instrumentation_scope.name == "conqret"
    found = dict(span.attributes)
    assert found.pop("gen_ai.usage.input_tokens") == call.prompt_tokens
    assert found.pop("gen_ai.usage.output_tokens") == call.completion_tokens
    assert found.pop("gen_ai.usage.cache_read.input_tokens") == call.cached_tokens
    assert found.pop("server.port") == server.port
    assert found.pop("gen_ai.response.model")
    assert found == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "openai/mine",
        "gen_ai.request.temperature": 0.0,
        "gen_ai.output.type": "json",
        "gen_ai.response.finish_reasons": ("stop",),
        "server.address": "127.0.0.1",
        "conqret.ask": "direct/groundedness",
        "conqret.sample": 0,
        "conqret.attempts": 2,
        "conqret.key": call.key,
    }
    assert not any(word in span.to_json() for word in (*CONTENTS, "none-at-all"))


def test_what_a_batch_answers_has_no_span(spans, monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, "spans")
    with BatchServer() as server:
        asked = {
            "format": "direct", "metrics": ["groundedness"], "model": "openai/mine", "api_base": server.url,
            "api_key": "none-at-all", "batch": True, "input_price": 1.0, "output_price": 1.0,
            "output": tmp_path / "run",
        }  # fmt: skip
        conqret.judge(ITEM, **asked)
        server.status = "completed"
        (found,) = conqret.judge(ITEM, **asked)
    assert found.measures["groundedness"].value is not None
    assert found.trace.calls[0].key, "the judgment's own trace has the call"
    assert spans() == ()


def test_contents_where_they_are_asked_for(spans, monkeypatch):
    monkeypatch.setenv(VARIABLE, "contents")
    with FaultServer() as server:
        judged(server)
    (span,) = spans()
    (question,) = json.loads(span.attributes["gen_ai.input.messages"])
    (answer,) = json.loads(span.attributes["gen_ai.output.messages"])
    assert question["role"] == "user"
    assert "Cages are small" in question["parts"][0]["content"]
    assert json.loads(span.attributes["gen_ai.system_instructions"])[0]["type"] == "text"
    assert (answer["role"], answer["finish_reason"]) == ("assistant", "stop")
    assert span.attributes["conqret.item"] == "a-name"
    assert "none-at-all" not in span.to_json()


def test_a_request_that_failed_says_why_and_nothing_more(spans, monkeypatch):
    monkeypatch.setenv(VARIABLE, "spans")
    with FaultServer(FaultPlan(always="echo")) as server:
        measure = judged(server).measures["groundedness"]
    (span,) = spans()
    assert measure.value is None
    assert span.attributes["error.type"] == measure.reason == "bad_request"
    assert (span.status.status_code, span.status.description) == (trace.StatusCode.ERROR, "bad_request")
    assert span.events == ()
    assert "gen_ai.usage.output_tokens" not in span.attributes, "no count is made up"


def test_spans_of_handlers_of_ones_own_hold_them(spans, monkeypatch):
    monkeypatch.setenv(VARIABLE, "spans")
    with trace.get_tracer("mine").start_as_current_span("mine"):
        conqret.judge(ITEM, format="direct", metrics=["groundedness"])
    inner, outer = spans()
    assert (inner.name, outer.name) == ("chat offline", "mine")
    assert inner.parent.span_id == outer.context.span_id


class Collector(BaseHTTPRequestHandler):
    """Takes what an OTLP exporter sends."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.got.append((self.path, self.headers, ExportTraceServiceRequest.FromString(body)))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass


@pytest.mark.parametrize(
    ("path", "headers", "wanted"),
    [
        (
            "/api/public/otel",
            "Authorization=Basic%20cGs6c2s=,x-langfuse-ingestion-version=4",
            "Basic cGs6c2s=",
        ),
        ("", "Authorization=Bearer%20a-key-of-phoenix", "Bearer a-key-of-phoenix"),
    ],
    ids=["langfuse", "phoenix"],
)
def test_the_command_sends_them_where_the_variables_say(tmp_path, path, headers, wanted):
    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as collector:
        collector.got = []
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        (tmp_path / "items.jsonl").write_text(json.dumps(ITEM))
        variables = {
            VARIABLE: "spans",
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}{path}",
            "OTEL_EXPORTER_OTLP_HEADERS": headers,
        }
        done = subprocess.run(
            [sys.executable, "-m", "conqret", "judge", "items.jsonl", "--format", "direct", "-o", "run"],
            cwd=tmp_path, env={**os.environ, **variables}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        collector.shutdown()
    assert done.returncode == 0, done.stderr
    assert {place for place, _, _ in collector.got} == {f"{path}/v1/traces"}
    assert {given["Authorization"] for _, given, _ in collector.got} == {wanted}
    resources = [one for _, _, got in collector.got for one in got.resource_spans]
    names = {each.key: each.value.string_value for one in resources for each in one.resource.attributes}
    assert names["service.name"] == "conqret"
    sent = [span.name for one in resources for scope in one.scope_spans for span in scope.spans]
    assert sent == ["chat offline"] * 2
    assert not any(word in str(resources) for word in CONTENTS)
