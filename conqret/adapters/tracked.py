"""A judged run as trackers of experiments keep it: parameters, numbers, rows, and what has no number."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from conqret.data import Judgment
from conqret.judging.judge_folder import JudgeFolder, JudgeRecord
from conqret.judging.judgments import Judgments
from conqret.judging.summary import Summary
from conqret.show.words import reason

Run = str | Path | Judgments
"""The folder of a judge's run, or what :func:`conqret.judge` returned."""


@contextlib.contextmanager
def run_folder(run: Run) -> Iterator[JudgeFolder]:
    """The folder of a finished run; one that is in memory is written into one that goes again.

    Raises:
        DeclarationError: there is no finished run.
    """
    if not isinstance(run, Judgments):
        folder = JudgeFolder(Path(run))
        folder.summary()
        yield folder
    elif run.folder is not None:
        yield run.folder
    else:
        with TemporaryDirectory(prefix="conqret-run-") as scratch:
            yield run.save(Path(scratch) / "run")


def parameters(record: JudgeRecord) -> dict[str, str]:
    """What the run was made with: the parts of the instrument's identity, and the items."""
    values = {"fingerprint": record.fingerprint, "metrics": ", ".join(record.metrics), **record.identity}
    values |= {"model": record.model, "items": record.items_name, "items_digest": record.items_digest}
    return {name: str(value) for name, value in values.items()}


def numbers(summary: Summary) -> dict[str, float]:
    """The numbers of a run: of each metric its mean, with the ends of the 95% interval over topics (``.low``,
    ``.high``), the bounds for what is missing (``.worst_case``, ``.best_case``), and how many are scored and missing.
    What has no value is not among them."""
    values: dict[str, float | None] = {
        "items": summary.total,
        "items.scored": summary.scored,
        "items.unscored": summary.unscored,
        "items.failed": summary.failed,
        "cost_usd": summary.usage.cost_usd if not summary.usage.unpriced else None,
    }
    for name, metric in summary.metrics.items():
        values |= {
            name: metric.mean,
            f"{name}.low": metric.low,
            f"{name}.high": metric.high,
            f"{name}.worst_case": metric.worst_case,
            f"{name}.best_case": metric.best_case,
            f"{name}.scored": metric.scored,
            f"{name}.missing": metric.total - metric.scored,
        }
    return {name: float(value) for name, value in values.items() if value is not None}


def without_number(summary: Summary) -> dict[str, str]:
    """Why numbers are missing, in words: the reasons of a metric's missing values, and why there is no interval."""
    reasons = {}
    for name, metric in summary.metrics.items():
        if metric.reasons:
            counted = (f"{reason(why)} ({count})" for why, count in metric.reasons.items())
            reasons[f"{name}.missing"] = "; ".join(counted)
        if metric.no_interval:
            reasons[f"{name}.interval"] = metric.no_interval
    if summary.usage.unpriced:
        reasons["cost_usd"] = f"the price of {summary.usage.unpriced} answers is not known"
    return reasons


COLUMNS = ("item", "topic", "stance", "metric", "value", "status", "reason", "explanation", "parts")


def rows(judgment: Judgment) -> Iterator[dict[str, Any]]:
    """A row for each measure, with :data:`COLUMNS`; one without a value has None, and its reason in words."""
    for metric, measure in judgment.measures.items():
        why = "" if measure.reason is None else reason(measure.reason)
        missing_reason = f"{why} ({measure.detail})" if measure.detail else why
        parts = [part.model_dump(mode="json") for part in measure.parts]
        values = (metric, measure.value, measure.status.value, missing_reason, measure.explanation, parts)
        yield dict(zip(COLUMNS, (judgment.item, judgment.topic, judgment.stance, *values), strict=True))
