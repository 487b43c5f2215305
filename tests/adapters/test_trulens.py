"""conqret's metrics as feedback functions of TruLens."""

import logging
import math
import os

import pytest

os.environ.setdefault("TRULENS_OTEL_TRACING", "1")
pytest.importorskip("trulens.core", reason="the extra trulens is not installed")

from trulens.apps.app import TruApp
from trulens.core import BatchEvaluator, Metric, Selector, TruSession
from trulens.core.otel.instrument import instrument
from trulens.otel.semconv.trace import SpanAttributes as Span

from conqret.adapters.trulens import feedback
from tests.adapters import referred
from tests.adapters.examples import run_example
from tests.adapters.referred import LOOKS_AT_A_REFERENCE

ROW = {
    "input": "Should zoos be banned?",
    "output": "Yes: cages are small, and animals suffer [1].",
    "contexts": ["Cages are small, and animals suffer.", "Keepers care."],
    "expected": "No, keepers care.",
}
COLUMNS = {
    "question": Selector.from_column("input"),
    "answer": Selector.from_column("output"),
    "context": Selector.from_column("contexts", collect_list=True),
}


def metric_of(format_, name, **more):
    return Metric(name=name, implementation=feedback(name, format_), selectors={**COLUMNS, **more})


def test_in_a_batch():
    expected = {"expected": Selector.from_column("expected")}
    found = BatchEvaluator(
        [
            metric_of("direct", "groundedness"),
            metric_of("rag-fine-grained", "context_relevance"),
            metric_of("rag-direct", "preference", **expected),
        ],
        max_workers=1,
    ).evaluate([ROW])
    (row,) = found.to_dict("records")
    assert row["groundedness"] > 0.3
    assert 0 <= row["preference"] <= 1
    parts = row["context_relevance_explanation"]["parts"]
    assert [part["id"] for part in parts] == ["d1", "d2"]


class Keeper:
    """An application that TruLens records."""

    @instrument(
        span_type=Span.SpanType.RETRIEVAL,
        attributes={Span.RETRIEVAL.QUERY_TEXT: "query", Span.RETRIEVAL.RETRIEVED_CONTEXTS: "return"},
    )
    def retrieve(self, query):
        return ROW["contexts"] if "zoos" in query else ["Lions are loud."]

    @instrument(attributes={Span.RECORD_ROOT.INPUT: "query", Span.RECORD_ROOT.OUTPUT: "return"})
    def ask(self, query):
        self.retrieve(query)
        return ROW["output"]


def test_in_an_app_what_has_no_score_is_an_error_with_its_reason_and_in_no_mean(tmp_path):
    selectors = {
        "question": Selector.select_record_input(),
        "answer": Selector.select_record_output(),
        "context": Selector.select_context(collect_list=True),
    }
    metrics = [
        Metric(name=name, implementation=feedback(name, format_), selectors=selectors)
        for format_, name in (("direct", "groundedness"), ("controllability", "controllability"))
    ]
    session = TruSession(database_url=f"sqlite:///{tmp_path}/trulens.sqlite")
    keeper = Keeper()
    app = TruApp(keeper, app_name="keeper", app_version="1", feedbacks=metrics)
    with app:
        keeper.ask("Should zoos be banned?")
        keeper.ask("Should circuses be banned?")
    session.force_flush()
    app.compute_feedbacks(raise_error_on_no_feedbacks_computed=False)
    session.force_flush()
    app.stop_evaluator()
    records, _ = session.get_records_and_feedback()
    assert sorted(records["groundedness"].between(0, 1)) == [True, True]
    assert session.get_leaderboard()["groundedness"].iloc[0] == pytest.approx(records["groundedness"].mean())
    assert "controllability" not in records or records["controllability"].isna().all()
    database = (tmp_path / "trulens.sqlite").read_bytes()
    assert b"skipped because no score: there was nothing to judge" in database


def test_a_record_without_what_the_format_needs_is_skipped(caplog):
    evaluator = BatchEvaluator([metric_of("direct", "groundedness")], max_workers=1)
    with caplog.at_level(logging.DEBUG, "trulens.core.batch"):
        first, second = evaluator.evaluate([ROW, {**ROW, "contexts": []}])["groundedness"]
    assert first > 0.3
    assert second is None or math.isnan(second)
    assert "because no score: documents is missing or empty" in caplog.text


def test_the_example_of_the_page():
    names = run_example("TruLens")
    assert names["found"]["groundedness"][0] > 0.3


@LOOKS_AT_A_REFERENCE
def test_what_is_expected_is_the_reference(format_, metric):
    row = {
        "input": referred.TOPIC,
        "output": referred.ANSWER,
        "contexts": referred.DOCUMENTS,
        "expected": referred.REFERENCE,
        "stance": "pro",
    }
    more = {name: Selector.from_column(name) for name in ("expected", "stance")}
    found = BatchEvaluator([metric_of(format_, metric, **more)], max_workers=1).evaluate([row])
    assert found[metric][0] == referred.value_of(format_, metric)
