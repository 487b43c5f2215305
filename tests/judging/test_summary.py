"""Means with the number behind them, bounds, flips and cost."""

from __future__ import annotations

import statistics
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conqret.data import Call, Flag, Judgment, Measure, Reason, Status, Trace, Trim
from conqret.judging.summary_tables import coverage
from conqret.judging.tally import summarise
from conqret.stats.estimate import Estimate


def scored(value: float, **fields: Any) -> Measure:
    return Measure(status=Status.SCORED, value=value, **fields)


def judgment(measure: Measure, *calls: Call, topic: str = "t", **fields: Any) -> Judgment:
    return Judgment(
        item="i",
        topic=topic,
        stance="pro",
        format="f",
        model="m",
        fingerprint="x",
        measures={"groundedness": measure},
        trace=Trace(calls=calls),
        **fields,
    )


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), min_size=1, max_size=50))
def test_mean_deviation_and_bounds(values: list[float | None]) -> None:
    missing = Measure.missing(Reason.REFUSAL)
    summary = summarise(judgment(missing if value is None else scored(value)) for value in values)
    metric = summary.metrics["groundedness"]
    known = [value for value in values if value is not None]
    assert (metric.total, metric.scored) == (len(values), len(known))
    assert metric.mean == (pytest.approx(statistics.fmean(known), abs=1e-12) if known else None)
    assert metric.deviation == (pytest.approx(statistics.stdev(known), abs=1e-9) if len(known) > 1 else None)
    assert metric.worst_case == pytest.approx(sum(known) / len(values), abs=1e-12)
    assert metric.best_case == pytest.approx((sum(known) + len(values) - len(known)) / len(values), abs=1e-12)
    assert metric.reasons == ({"refusal": len(values) - len(known)} if len(known) < len(values) else {})
    assert summary.scored + summary.unscored + summary.failed == summary.total == len(values)


def test_means_have_intervals_over_topics_or_say_why_not() -> None:
    def of(*values: float | None) -> Estimate:
        missing = Measure.missing(Reason.REFUSAL)
        given = [
            judgment(missing if value is None else scored(value), topic="abc"[place % 3])
            for place, value in enumerate(values)
        ]
        return summarise(given).metrics["groundedness"].interval

    found = of(0.5, 0.25, 1.0, 0.75)
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low < found.value < found.high < 1
    assert of(0.5, 0.25, None).reason == "no interval: 2 clusters, and 3 are needed"
    assert of(0.5).reason == "no interval: one cluster only"
    assert of(None).reason == "nothing was scored"
    assert of(0.5, 0.5, 0.5).reason == "no interval: no variation between topics (or groups)"


def test_labels_flips_and_methods_are_counted() -> None:
    metric = summarise(
        [
            judgment(scored(1.0, label="first", flipped=False, method="rating")),
            judgment(scored(0.5, label="tie", flipped=True, method="logprobs")),
            judgment(scored(0.5, label="tie", flipped=False, method="rating")),
        ]
    ).metrics["groundedness"]
    assert metric.labels == {"first": 1, "tie": 2}
    assert metric.flipped == 1
    assert metric.methods == {"logprobs": 1, "rating": 2}
    assert summarise([judgment(scored(1.0))]).metrics["groundedness"].flipped is None


def call(**fields: Any) -> Call:
    return Call(key="k", ask="a", **fields)


def test_usage_counts_what_was_sent_and_what_is_unpriced() -> None:
    usage = summarise(
        [
            judgment(
                scored(1.0),
                call(
                    attempts=3,
                    prompt_tokens=10,
                    completion_tokens=5,
                    cached_tokens=4,
                    cost_usd=0.5,
                    seconds=2,
                    finish_reason="stop",
                ),
                call(recorded=True, prompt_tokens=1, cost_usd=0.25, seconds=1, finish_reason="stop"),
                call(attempts=1, error="invalid_json: no", finish_reason="stop"),  # paid for, price unknown
                call(attempts=2, error="timeout: none"),  # no answer came
                call(error="not_recorded: none", cost_usd=0.0),  # never sent
            )
        ]
    ).usage
    assert (usage.calls, usage.recorded, usage.attempts) == (3, 1, 6)
    assert (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens) == (11, 5, 4)
    assert (usage.cost_usd, usage.unpriced, usage.seconds) == (0.75, 1, 3)


def test_flagged_and_trimmed() -> None:
    flagged = judgment(scored(1), flags=(Flag(where="topic", kind="override", excerpt="e"),))
    trimmed = judgment(scored(1), trims=(Trim(document="d", before=9, after=3),))
    page = judgment(scored(1), flags=(Flag(where="document:1", kind="html", excerpt="<script>"),))
    summary = summarise([flagged, trimmed, trimmed, page])
    assert (summary.flagged, summary.trimmed, summary.html) == (1, 2, 1), "a web page is no attack"
    assert summary.attacks == {"override": flagged.item}
    shown = coverage(summary)
    assert "1 with a possible prompt injection" in shown
    assert "1 with scripts of a web page in a text" in shown


def test_items_with_some_scores_and_every_reason_of_an_item_are_counted() -> None:
    cannot, refused = Measure.missing(Reason.CANNOT_JUDGE, "one line"), Measure.missing(Reason.REFUSAL)
    some = judgment(scored(1.0)).model_copy(
        update={"measures": {"clarity": scored(1.0), "arrangement": cannot, "cogency": cannot, "x": refused}}
    )
    summary = summarise([some, judgment(cannot), judgment(refused), judgment(scored(0.0))])
    assert (summary.scored, summary.unscored, summary.partly) == (1, 3, 1)
    assert summary.reasons == {"cannot_judge": 2, "refusal": 2}
    assert "1 with a score for some of the metrics" in coverage(summary)
    assert "some of the metrics" not in coverage(summarise([judgment(refused)]))
