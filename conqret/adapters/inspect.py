"""conqret's metrics as scorers of inspect_ai, its logs as items, and our runs as logs that ``inspect view`` opens.

A sample's documents stand in its metadata, under ``documents``: texts, or objects with id and text.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Unpack

from conqret._optional import require
from conqret.adapters.single import SingleMetric, SingleSettings, as_item, kept, told
from conqret.api.judgments import Judgments
from conqret.data import Judgment, Status

scorers = require("inspect_ai.scorer", extra="inspect")
logs = require("inspect_ai.log", extra="inspect")
models = require("inspect_ai.model", extra="inspect")

DOCUMENTS = "documents"


@scorers.scorer(metrics=[scorers.mean(), scorers.stderr()])  # type: ignore[untyped-decorator]
def conqret_metric(format: str, metric: str, **settings: Unpack[SingleSettings]) -> Any:  # noqa: A002
    """A scorer: one metric of one of conqret's formats, 0 to 1, of a sample's input, output, documents and target (the
    second argument of formats that compare). ``settings`` are those of :func:`conqret.judge`.

    What has no score is unscored, which means leave out, with its reason; the metadata hold parts and fingerprint.

    Raises:
        DeclarationError: there is no such format, metric or setting.
    """
    single = SingleMetric.of(format, metric, **settings)

    async def score(state: Any, target: Any) -> Any:
        item = as_item(state.input_text, state.output.completion, state.metadata.get(DOCUMENTS), target.text)
        return _score(await single.ajudged(item), metric)

    return score


def items_of(log: Any) -> Iterator[dict[str, Any]]:
    """The samples of a log (as ``read_eval_log`` gives it) as records of items for :func:`conqret.judge`: input is the
    topic, output the argument, target the second argument. What else there is of metadata stays."""
    several = len({sample.epoch for sample in log.samples or ()}) > 1
    for sample in log.samples or ():
        asked = sample.input if isinstance(sample.input, str) else sample.input[-1].text
        target = sample.target if isinstance(sample.target, str) else "\n".join(sample.target)
        others = {name: value for name, value in sample.metadata.items() if name != DOCUMENTS}
        name = f"{sample.id}:{sample.epoch}" if several else str(sample.id)
        item = as_item(asked, sample.output.completion, sample.metadata.get(DOCUMENTS), target)
        yield {"id": name, **item, "metadata": others | {"model": log.eval.model}}


def as_log(found: Judgments, path: str | Path) -> Path:
    """Write the judgments as a log of inspect_ai (``.json`` or ``.eval``), a score for each metric; its model is the
    judge. Of an item without a score the sample is unscored, with the reason."""
    record, summary = found.record, found.summary
    samples = [
        logs.EvalSample(
            id=item.id,
            epoch=1,
            input=item.topic,
            target=item.second_argument or "",
            output=models.ModelOutput.from_content("item", item.argument or ""),
            metadata={
                **item.metadata,
                "stance": item.stance,
                DOCUMENTS: [one.model_dump() for one in item.documents],
            },
            scores={metric: _score(judgment, metric) for metric in judgment.measures},
        )
        for item, judgment in zip(found.source, found, strict=True)
    ]
    scores = [
        logs.EvalScore(
            name=metric,
            scorer=metric,
            scored_samples=one.scored,
            unscored_samples=one.total - one.scored,
            metrics={} if one.mean is None else {"mean": logs.EvalMetric(name="mean", value=one.mean)},
            metadata={"worst_case": one.worst_case, "best_case": one.best_case, "reasons": one.reasons},
        )
        for metric, one in summary.metrics.items()
    ]
    spec = logs.EvalSpec(
        created=record.created,
        task=f"conqret {record.format}",
        dataset=logs.EvalDataset(name=Path(found.source.name).name, samples=len(samples)),
        model=record.model,
        config=logs.EvalConfig(),
        metadata={"fingerprint": record.fingerprint},
    )
    results = logs.EvalResults(total_samples=len(samples), completed_samples=len(samples), scores=scores)
    logs.write_eval_log(
        logs.EvalLog(status="success", eval=spec, results=results, samples=samples), str(path)
    )
    return Path(path)


def _score(judgment: Judgment, metric: str) -> Any:
    measure, more = judgment.measures[metric], kept(judgment, metric)
    if measure.value is not None:
        return scorers.Score(value=measure.value, explanation=told(measure), metadata=more)
    reason = "grader_failed" if measure.status is Status.UNSCORED else "scoring_failed"
    return scorers.Score.unscored(reason=reason, explanation=told(measure), metadata=more)
