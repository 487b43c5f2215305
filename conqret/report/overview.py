"""The upper half of the page: what was judged by what, and all items together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from conqret.errors import UnknownNameError
from conqret.judging.dimensions import DIMENSIONS
from conqret.judging.folder import JudgeRecord
from conqret.judging.summary import MetricSummary, Summary
from conqret.report import words
from conqret.report.figures import Histogram, Share, histogram, level, shares
from conqret.report.tables import reason_rows, usage_rows
from conqret.report.tally import Tally

ASPECTS = ("cogency", "effectiveness", "reasonableness")
OVERALL = "overall_quality"
DIMENSION_NAMES = frozenset(dimension.name for dimension in DIMENSIONS)
VERDICTS = {"first": "first argument better", "tie": "tie", "second": "second argument better"}


@dataclass(frozen=True, slots=True)
class Figure:
    """One metric over all items. ``low`` and ``high`` are its bounds where items are missing, else None."""

    name: str
    label: str
    question: str
    mean: str
    value: float | None
    level: int
    deviation: str
    n: str
    missing: int
    low: str | None
    high: str | None
    worst: float
    best: float
    histogram: Histogram
    verdicts: tuple[Share, ...]
    flips: str
    methods: str


@dataclass(frozen=True, slots=True)
class Aspect:
    """An aspect of argument quality with its own rating, if there is one, and its dimensions'."""

    name: str
    head: Figure | None
    rows: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """All that stands above the items."""

    record: JudgeRecord
    created: str
    scale: str
    score: str
    source: str
    figures: tuple[Figure, ...]
    overall: Figure | None
    aspects: tuple[Aspect, ...]
    total: int
    outstanding: int
    statuses: tuple[Share, ...]
    missing: tuple[tuple[str, str, str], ...]
    reasons: tuple[tuple[str, ...], ...]
    usage: tuple[tuple[str, ...], ...]
    settings: tuple[tuple[str, str], ...]
    flagged: int
    trimmed: int


def overview(record: JudgeRecord, summary: Summary, tally: Tally) -> Overview:
    """The page's upper half, from sums alone."""
    figures = {name: _figure(name, metric, tally) for name, metric in summary.metrics.items()}
    scale, score, source = _format(record.format)
    statuses = {"scored": summary.scored, "unscored": summary.unscored, "failed": summary.failed}
    return Overview(
        record=record,
        created=_date(record.created),
        scale=scale,
        score=score,
        source=source,
        figures=tuple(figure for name, figure in figures.items() if name not in DIMENSION_NAMES),
        overall=figures.get(OVERALL),
        aspects=tuple(_aspects(figures)),
        total=summary.total,
        outstanding=max(record.items_count - summary.total, 0),
        statuses=shares(statuses, {name: name for name in statuses}),
        missing=tuple(_missing(tally)),
        reasons=tuple(reason_rows(summary.reasons)),
        usage=tuple(usage_rows(summary.usage)),
        settings=tuple(_settings(record)),
        flagged=summary.flagged,
        trimmed=summary.trimmed,
    )


def _figure(name: str, metric: MetricSummary, tally: Tally) -> Figure:
    missing = metric.total - metric.scored
    return Figure(
        name=name,
        label=words.label(name),
        question=words.question(name),
        mean=words.score(metric.mean),
        value=metric.mean,
        level=0 if metric.mean is None else level(metric.mean),
        deviation=words.score(metric.deviation),
        n=f"n = {words.count(metric.scored)} of {words.count(metric.total)}",
        missing=missing,
        low=words.score(metric.worst_case) if missing else None,
        high=words.score(metric.best_case) if missing else None,
        worst=round(100 * metric.worst_case, 2),
        best=round(100 * metric.best_case, 2),
        histogram=histogram(tally.histograms[name], missing, metric.mean),
        verdicts=shares(metric.labels, VERDICTS),
        flips=""
        if metric.flipped is None
        else f"{words.count(metric.flipped)} of {words.count(metric.scored)}",
        methods=", ".join(f"{method} {words.count(number)}" for method, number in metric.methods.items()),
    )


def _aspects(figures: dict[str, Figure]) -> Iterable[Aspect]:
    for aspect in ASPECTS:
        names = [dimension.name for dimension in DIMENSIONS if dimension.aspect == aspect]
        rows = tuple(figures[name] for name in names if name in figures)
        if rows or aspect in figures:
            yield Aspect(words.label(aspect), figures.get(aspect), rows)


def _missing(tally: Tally) -> Iterable[tuple[str, str, str]]:
    """For each reason: in words, how many scores it cost, and of which metrics."""
    ranked = sorted(tally.missing.items(), key=lambda pair: -sum(pair[1].values()))
    for reason, metrics in ranked:
        total = sum(metrics.values())
        if len(set(metrics.values())) == 1 and len(metrics) == len(tally.histograms):
            where = "every metric"
        else:
            where = ", ".join(f"{words.label(metric)} {words.count(n)}" for metric, n in metrics.items())
        yield words.reason(reason), words.count(total), where


def _settings(record: JudgeRecord) -> Iterable[tuple[str, str]]:
    for name, value in {**record.options, **record.model_options}.items():
        if value not in (None, [], (), {}, ""):
            shown = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            yield name.replace("_", " "), shown
    for prompt, digest in record.prompts.items():
        yield f"prompt {prompt}", digest


def _format(name: str) -> tuple[str, str, str]:
    """Scale, scoring rule and source of a format; empty for one that this version does not know."""
    from conqret.judging.registry import JUDGES

    try:
        judge = JUDGES[name]
    except UnknownNameError:
        return "", "", ""
    return judge.scale, judge.score, judge.source


def _date(created: str) -> str:
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return created
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC)
    return f"{moment.day} {moment:%B %Y, %H:%M}" + (" UTC" if moment.tzinfo is not None else "")
