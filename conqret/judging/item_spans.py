"""The span of an item, which holds those of its requests, with an event ``gen_ai.evaluation.result`` for each measure.

Names are those of the semantic conventions for generative AI (1.39 and later). The events are events of the span, which
every collector of traces gets; what has no score has our reason as its ``error.type``, and no value. The same stands
in attributes, as Phoenix (``evaluations``) and any table of spans (``conqret.score``) read them. Texts, an explanation
too, are only there where contents are asked for.
"""

from __future__ import annotations

from typing import Any

from conqret.data import Item, Judgment, Measure, Reason
from conqret.judging.instrument import Instrument, judge_item
from conqret.llm.tracing import KIND, TYPE, tracer, wanted

EVENT = "gen_ai.evaluation.result"


def span_attributes(*instruments: Instrument) -> dict[str, Any]:
    """What the spans of a run and of its items say of the judge, or of several: each value once, by commas."""
    values = {
        "conqret.format": [instrument.judge.name for instrument in instruments],
        "conqret.model": [instrument.model for instrument in instruments],
        "conqret.fingerprint": [instrument.fingerprint for instrument in instruments],
    }
    return {name: ", ".join(dict.fromkeys(of_each)) for name, of_each in values.items()}


async def judge_in_span(item: Item, instrument: Instrument) -> Judgment:
    """As :func:`judge_item`, in a span where spans are asked for."""
    kind = wanted()
    if not kind:
        return await judge_item(item, instrument)
    attributes = {**span_attributes(instrument), KIND: "EVALUATOR", TYPE: "evaluator"}
    contents, judge = kind == "contents", "CODE" if getattr(instrument.client, "baseline", False) else "LLM"
    if contents:
        attributes["conqret.item"] = item.id
    with tracer().start_as_current_span(
        f"evaluate {instrument.judge.name}", attributes=attributes, record_exception=False
    ) as span:
        judgment = await judge_item(item, instrument)
        measures = [
            (metric, measure)
            for metric, measure in judgment.measures.items()
            if measure.reason is not Reason.AWAITED
        ]
        for place, (metric, measure) in enumerate(measures):
            span.add_event(EVENT, _result(metric, measure, contents=contents))
            span.set_attributes(_attributes(place, metric, measure, judge, contents=contents))
        return judgment


def _result(metric: str, measure: Measure, *, contents: bool) -> dict[str, Any]:
    """The attributes of the event."""
    attributes: dict[str, Any] = {
        "gen_ai.evaluation.name": metric,
        "gen_ai.evaluation.score.value": measure.value,
        "gen_ai.evaluation.score.label": measure.label,
        "gen_ai.evaluation.explanation": _explanation(measure) if contents else None,
        "error.type": None if measure.reason is None else measure.reason.value,
    }
    return {name: value for name, value in attributes.items() if value is not None}


def _attributes(place: int, metric: str, measure: Measure, judge: str, *, contents: bool) -> dict[str, Any]:
    """The same as attributes of the span."""
    theirs: dict[str, Any] = {
        "name": metric,
        "score": measure.value,
        "label": measure.label if measure.reason is None else measure.reason.value,
        "explanation": _explanation(measure) if contents else None,
        "annotator_kind": judge,
    }
    attributes = {
        f"evaluations.{place}.evaluation.{name}": attribute
        for name, attribute in theirs.items()
        if attribute is not None
    }
    return attributes if measure.value is None else {**attributes, f"conqret.score.{metric}": measure.value}


def _explanation(measure: Measure) -> str | None:
    return measure.explanation or measure.detail or None
