"""The upper half of the page: what was judged by what, and all items together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from conqret.errors import UnknownNameError
from conqret.judging.base import Judge
from conqret.judging.dimensions import DIMENSIONS
from conqret.judging.folder import JudgeRecord
from conqret.judging.summary import MetricSummary, Summary
from conqret.report import words
from conqret.report.figures import Histogram, Share, histogram, shares
from conqret.report.tables import Beside, usage_rows
from conqret.report.tally import Tally
from conqret.report.texts import visible

ASPECTS = ("cogency", "effectiveness", "reasonableness")
OVERALL = "overall_quality"
DIMENSION_NAMES = frozenset(dimension.name for dimension in DIMENSIONS)
VERDICTS = {"first": "first argument better", "tie": "tie", "second": "second argument better"}


@dataclass(frozen=True, slots=True)
class Figure:
    """One metric over all items; ``floor`` is its mean in the run that stands beside it."""

    label: str
    question: str
    metric: MetricSummary
    histogram: Histogram
    verdicts: tuple[Share, ...]
    floor: float | None


@dataclass(frozen=True, slots=True)
class Aspect:
    """An aspect of argument quality with its own rating, if there is one, and its dimensions'."""

    name: str
    head: Figure | None
    rows: tuple[Figure, ...]


def overview(
    record: JudgeRecord, summary: Summary, tally: Tally, beside: Beside | None = None
) -> dict[str, Any]:
    """What the page's upper half and its end speak of, by name, from sums alone."""
    floors = {} if beside is None else beside.means
    figures = {
        name: _figure(name, metric, tally, floors.get(name)) for name, metric in summary.metrics.items()
    }
    statuses = {"scored": summary.scored, "unscored": summary.unscored, "failed": summary.failed}
    return {
        "record": record,
        "beside": beside,
        "calibrated": any(metric.calibrated is not None for metric in summary.metrics.values()),
        "summary": summary,
        "tally": tally,
        "created": _date(record.created),
        "judge": (judge := judge_here(record)),
        "second_judged": judge is None or any("second_argument" in ask.needs for ask in judge.asks),
        "figures": [figures[name] for name in plain_metrics(summary)],
        "overall": figures.get(OVERALL),
        "aspects": list(_aspects(figures)),
        "outstanding": max(record.items_count - summary.total, 0),
        "statuses": shares(statuses, {name: name for name in statuses}),
        "missing": list(_missing(tally, summary)),
        "usage": usage_rows(summary.usage),
        "settings": list(_settings(record)),
    }


def plain_metrics(summary: Summary) -> list[str]:
    """The metrics but the dimensions of argument quality; which of two arguments is better stands first, as what such
    a run is made for."""
    plain = [name for name in summary.metrics if name not in DIMENSION_NAMES]
    return sorted(plain, key=lambda name: not VERDICTS.keys() & summary.metrics[name].labels.keys())


def _figure(name: str, metric: MetricSummary, tally: Tally, floor: float | None) -> Figure:
    missing = metric.total - metric.scored
    return Figure(
        label=words.label(name),
        question=words.question(name),
        metric=metric,
        histogram=histogram(tally.histograms[name], missing, metric.mean),
        verdicts=shares(metric.labels, VERDICTS),
        floor=floor,
    )


def _aspects(figures: dict[str, Figure]) -> Iterable[Aspect]:
    for aspect in ASPECTS:
        names = [dimension.name for dimension in DIMENSIONS if dimension.aspect == aspect]
        rows = tuple(figures[name] for name in names if name in figures)
        if rows or aspect in figures:
            yield Aspect(words.label(aspect), figures.get(aspect), rows)


def _missing(tally: Tally, summary: Summary) -> Iterable[tuple[str, str, str, str]]:
    """For each reason: in words, how many scores it cost, of which metrics, and an example."""
    ranked = sorted(tally.missing.items(), key=lambda pair: -sum(pair[1].values()))
    for reason, metrics in ranked:
        total = sum(metrics.values())
        if len(set(metrics.values())) == 1 and len(metrics) == len(tally.histograms):
            where = "every metric"
        else:
            where = words.counts({words.label(metric): n for metric, n in metrics.items()})
        yield words.reason(reason), words.count(total), where, visible(summary.examples.get(reason, ""))


def _settings(record: JudgeRecord) -> Iterable[tuple[str, str]]:
    for name, value in {**record.options, **record.model_options}.items():
        if value not in (None, [], (), {}, ""):
            shown = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            shown = {"True": "yes", "False": "no"}.get(shown, shown.removesuffix(".0"))
            yield words.label(name).replace("imeout", "imeout (seconds)"), shown
    for name, value in record.identity.items():
        if name.startswith("prompt "):
            yield words.label(name), str(value)
    yield "Judged with", f"conqret {record.conqret}"


def judge_here(record: JudgeRecord) -> Judge | None:
    """The judge of a run, for its scale, its scoring rule and its source; None where its format is not known here."""
    from conqret.judging.own_judge import recorded_judge

    try:
        return recorded_judge(record.format, record.metrics)
    except UnknownNameError:
        return None


def _date(created: str) -> str:
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return created
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC)
    return f"{moment:%Y-%m-%d %H:%M}" + (" UTC" if moment.tzinfo is not None else "")
