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
    tracer_provider = TracerProvider()
    trace.set_tracer_provider(tracer_provider)
    return tracer_provider


@pytest.fixture
def spans(provider):
    exporter = InMemorySpanExporter()
    processor = SimpleSpanProcessor(exporter)
    provider.add_span_processor(processor)
    yield exporter.get_finished_spans
    processor.shutdown()


def asked(server, *metrics, **settings):
    """The settings of a judge that asks a server."""
    whose = {"model": "openai/mine", "api_base": server.url, "api_key": "none-at-all"}
    return {"format": "direct", "metrics": metrics or ["groundedness"], **whose, **settings}


def judged(server, *metrics, **settings):
    return conqret.judge(ITEM, **asked(server, *metrics, **settings))[0]


def requests(spans):
    """The spans of requests, without those of the items and the run that hold them."""
    return [span for span in spans() if span.name.startswith("chat ")]


def items(spans):
    return [span for span in spans() if span.name.startswith("evaluate ")]


def results(span):
    assert {event.name for event in span.events} <= {"gen_ai.evaluation.result"}
    return [dict(event.attributes) for event in span.events]


def test_a_span_for_each_request_without_contents(spans, monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, "spans")
    store = tmp_path / "answers.sqlite"
    with FaultServer(FaultPlan(script=("server_error",))) as server:
        call = judged(server, recordings=store).trace.calls[0]
        judged(server, recordings=store)  # which the recording answers
    (span,) = requests(spans)
    assert len(items(spans)) == 2
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
        settings = asked(server, batch=True, input_price=1.0, output_price=1.0, output=tmp_path / "run")
        conqret.judge(ITEM, **settings)
        server.status = "completed"
        conqret.judge(ITEM, **settings)
    assert requests(spans) == []
    assert [len(results(span)) for span in items(spans)] == [0, 1], "what is awaited has no result yet"


def test_contents_where_they_are_asked_for(spans, monkeypatch):
    monkeypatch.setenv(VARIABLE, "contents")
    with FaultServer() as server:
        judged(server)
    (span,) = requests(spans)
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
    (span,) = requests(spans)
    assert measure.value is None
    assert span.attributes["error.type"] == measure.reason == "bad_request"
    assert (span.status.status_code, span.status.description) == (trace.StatusCode.ERROR, "bad_request")
    assert span.events == ()
    assert "gen_ai.usage.output_tokens" not in span.attributes, "no count is made up"


def test_the_score_of_each_metric_is_an_event_of_the_item(spans, monkeypatch):
    monkeypatch.setenv(VARIABLE, "spans")
    with FaultServer(FaultPlan(script=("refusal",))) as server:
        judgment = judged(server, "groundedness", "context_relevance", max_concurrency=1)
    (span,) = items(spans)
    names = {measure.value: metric for metric, measure in judgment.measures.items()}
    lost, ((value, scored),) = names.pop(None), names.items()
    found = {result["gen_ai.evaluation.name"]: result for result in results(span)}
    assert found == {
        scored: {"gen_ai.evaluation.name": scored, "gen_ai.evaluation.score.value": value},
        lost: {"gen_ai.evaluation.name": lost, "error.type": "refusal"},
    }
    told = dict(span.attributes)
    assert told[f"conqret.score.{scored}"] == value
    assert f"conqret.score.{lost}" not in told, "what is missing is no 0"
    assert told["conqret.fingerprint"] == judgment.fingerprint
    assert (told["openinference.span.kind"], told["langfuse.observation.type"]) == ("EVALUATOR", "evaluator")
    assert not any(word in span.to_json() for word in CONTENTS)


def test_a_run_of_many_items_is_one_trace(spans, monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, "spans")
    several = [{**ITEM, "id": f"i{place}", "topic": f"Ban zoo {place}?"} for place in range(10)]
    for output in (None, tmp_path / "run"):
        with FaultServer() as server:
            conqret.judge(several, **asked(server, max_concurrency=4, output=output))
    runs = [span for span in spans() if span.name == "judge direct"]
    assert len(runs) == 2
    for run in runs:
        inside = [span for span in spans() if span.context.trace_id == run.context.trace_id]
        evaluated = [span for span in inside if span.name == "evaluate direct"]
        assert {span.parent.span_id for span in evaluated} == {run.context.span_id}
        holders = [span.parent.span_id for span in inside if span.name.startswith("chat ")]
        assert len(holders) == 10
        assert sorted(holders) == sorted(span.context.span_id for span in evaluated)
    assert trace.get_current_span().get_span_context().span_id == 0


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


def test_the_command_sends_them_where_the_variables_say(tmp_path):
    path = "/api/public/otel"  # as Langfuse has it
    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as collector:
        collector.got = []
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        (tmp_path / "items.jsonl").write_text(json.dumps(ITEM))
        variables = {
            VARIABLE: "spans",
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}{path}",
            "OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Basic%20cGs6c2s=,x-langfuse-ingestion-version=4",
        }
        done = subprocess.run(
            [sys.executable, "-m", "conqret", "judge", "items.jsonl", "--format", "direct", "-o", "run"],
            cwd=tmp_path,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        collector.shutdown()
    assert done.returncode == 0, done.stderr
    assert {place for place, _, _ in collector.got} == {f"{path}/v1/traces"}
    assert {given["Authorization"] for _, given, _ in collector.got} == {"Basic cGs6c2s="}
    resources = [resource_span for _, _, got in collector.got for resource_span in got.resource_spans]
    names = {
        each.key: each.value.string_value for resource in resources for each in resource.resource.attributes
    }
    assert names["service.name"] == "conqret"
    sent = [span for resource in resources for scope in resource.scope_spans for span in scope.spans]
    names = ["chat offline"] * 2 + ["conqret judge", "evaluate direct", "judge direct"]
    assert sorted(span.name for span in sent) == names
    assert len({span.trace_id for span in sent}) == 1
    (item,) = (span for span in sent if span.name == "evaluate direct")
    assert [event.name for event in item.events] == ["gen_ai.evaluation.result"] * 2
    assert not any(word in str(resources) for word in CONTENTS)
