"""conqret's metrics as scorers of inspect_ai, and its logs as items.

A sample's documents stand in its metadata, under ``documents``: texts, or objects with id and text. What its tools gave
back are documents, too; of a conversation the last answer is judged, and what came before it is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Unpack

from conqret._optional import require
from conqret.adapters.single import (
    MetricName,
    SingleMetric,
    SingleSettings,
    as_item,
    conversed,
    faults,
    kept,
    measure_text,
)
from conqret.data import Judgment, Status
from conqret.data.criterion import criterion_of
from conqret.errors import ItemsError
from conqret.judging.judge_options import CRITERIA, OVERALL, RUBRIC, VITAL
from conqret.judging.judge_parts import JUDGES
from conqret.judging.metric_homes import ALIASES

scorers = require("inspect_ai.scorer", extra="inspect")
models = require("inspect_ai.model", extra="inspect")
counts: Any = getattr(models, "_model", None)

DOCUMENTS = "documents"
ROLE = "grader"
"""The role of the judge's model, as inspect's own scorers name it."""


def conqret_metric(
    metric: MetricName,
    format: str | None = None,  # noqa: A002
    **settings: Unpack[SingleSettings],
) -> Any:
    """Return an Inspect scorer that applies one metric, from 0 to 1.

    It reads a sample's input, output, documents and target (the reference), and the stance, nuggets and
    language in its metadata. ``settings`` are those of :func:`conqret.judge`. The scorer's name in logs is
    ``conqret_METRIC``, or ``conqret_FORMAT_METRIC`` if a format is given (``conqret_criteria`` for a
    custom criterion). Logs never contain ``api_key``.

    A sample without a score, or without a field that the format needs, is marked as unscored with its
    reason. The score's metadata holds parts and fingerprint. The judge's tokens count as those of its
    model, under the role ``grader``.

    Raises:
        DeclarationError: the format, metric or setting does not exist.
    """
    single = SingleMetric.create(metric, format, **settings)
    key = settings.get("api_key")
    written: SingleSettings = {name: setting for name, setting in settings.items() if name != "api_key"}  # type: ignore[assignment]
    if single.format == CRITERIA:  # one scorer for all criteria, so that logs hold the criterion's text
        criterion = metric if isinstance(metric, str) else criterion_of(metric).plain()
        return _scorer(CRITERIA, "", key)(criterion=criterion, **written)
    name, inner = ("", single.metric) if "+" in single.format or format is None else (format, str(metric))
    return _scorer(name, inner, key)(**written)


def _scorer(format: str, metric: str, key: str | None = None) -> Any:  # noqa: A002
    """Return the function that makes the scorer of a metric, registered with inspect, which makes a log's scorers again
    by its name. Its arguments are written into logs, so that ``key`` is none of them. An item with faults has no score,
    with the reason."""

    def made(criterion: str | Mapping[str, Any] | None = None, **settings: Unpack[SingleSettings]) -> Any:
        if key is not None:
            settings["api_key"] = key
        single = SingleMetric.create(metric if criterion is None else criterion, format or None, **settings)

        async def score(state: Any, target: Any) -> Any:
            documents = state.metadata.get(DOCUMENTS)
            try:
                asked = conversed(state.messages) or state.input_text
                item = as_item(asked, state.output.completion, documents, target.text, state.metadata)
                judgment = await single.ajudged(item)
            except ItemsError as error:
                why = f"no score: {faults(error)}"
                return scorers.Score.unscored(reason="scoring_failed", explanation=why)
            _count_tokens(judgment)
            return _score(judgment, single.metric)

        return score

    name = "_".join(filter(None, ("conqret", format, metric))).replace("-", "_").replace(".", "_")
    return scorers.scorer(metrics=[scorers.mean(), scorers.stderr()], name=name)(made)


for _judge in JUDGES.values():
    for _metric in _judge.metrics:
        _scorer(_judge.name, _metric)
for _metric in dict.fromkeys(name for judge in JUDGES.values() for name in (*judge.metrics, *ALIASES)):
    _scorer("", _metric)
_scorer(CRITERIA, "")
for _metric in (OVERALL, VITAL):
    _scorer(RUBRIC, _metric)


def _count_tokens(judgment: Judgment) -> None:
    """Add what the judge used to what inspect counts for the sample and the log; recorded responses and calls without
    usage count nothing. inspect has no public place for this: if it has moved, nothing is counted."""
    try:
        places = [getattr(counts, name)() for name in ("model_usage", "sample_model_usage")]
        of_roles = [getattr(counts, name)() for name in ("role_usage", "sample_role_usage")]
        add = counts.set_model_usage
    except AttributeError:
        return
    for call in judgment.trace.calls:
        if call.recorded or call.prompt_tokens is None:
            continue
        cached, written = call.cached_tokens or 0, call.completion_tokens or 0
        used = models.ModelUsage(
            input_tokens=call.prompt_tokens - cached,
            output_tokens=written,
            total_tokens=call.prompt_tokens + written,
            input_tokens_cache_read=call.cached_tokens,
            total_cost=call.cost_usd,
        )
        for name, each in ((judgment.model, places), (ROLE, of_roles)):
            for place in each:
                add(name, used.model_copy(), place)


def items_of(log: Any) -> Iterator[dict[str, Any]]:
    """Yield the samples of an Inspect log (from ``read_eval_log``) as item records for :func:`conqret.judge`.

    The input becomes the topic, the output the argument and the target the reference. Other metadata is
    kept.
    """
    several = len({sample.epoch for sample in log.samples or ()}) > 1
    for sample in log.samples or ():
        alone = sample.input if isinstance(sample.input, str) else sample.input[-1].text
        asked = conversed(sample.messages or ([] if isinstance(sample.input, str) else sample.input)) or alone
        target = sample.target if isinstance(sample.target, str) else "\n".join(sample.target)
        name = f"{sample.id}:{sample.epoch}" if several else str(sample.id)
        metadata = sample.metadata
        item = as_item(asked, sample.output.completion, metadata.get(DOCUMENTS), target, metadata)
        others = {key: value for key, value in metadata.items() if key != DOCUMENTS and key not in item}
        yield {"id": name, **item, "metadata": others | {"model": log.eval.model}}


def _score(judgment: Judgment, metric: str) -> Any:
    measure, more = judgment.measures[metric], kept(judgment, metric)
    if measure.value is not None:
        return scorers.Score(value=measure.value, explanation=measure_text(measure), metadata=more)
    reason = "grader_failed" if measure.status is Status.UNSCORED else "scoring_failed"
    return scorers.Score.unscored(reason=reason, explanation=measure_text(measure), metadata=more)
