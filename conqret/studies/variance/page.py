"""Where the noise of a judge comes from, as tables and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conqret.data.digest import gathered
from conqret.show import words
from conqret.show.report_page import PageRemarks, ReportPage, Section, section
from conqret.show.table import Cell, Column, Table
from conqret.stats.design_study import OBJECTS, ORDER, SAMPLE
from conqret.stats.estimate import undefined
from conqret.stats.resampling import pooling
from conqret.studies.variance.result import MetricVariance, Repeatability, VarianceSource, VarianceStudy

_MEASURED = "The variance of topics and items is what the judge is to measure; all other variance is noise."


def variance_words(study: VarianceStudy) -> list[str]:
    """What was compared, and what these runs leave open, in sentences."""
    unknown = dict.fromkeys(text for metric in study.metrics.values() for text in metric.unknown)
    runs, models = words.number(len(study.runs), "run"), words.number(study.models, "model")
    differ = f"; the runs differ in {', '.join(study.differs)}" if study.differs else ""
    return [
        f"The study has {runs} of {models} with {words.number(study.prompts, 'prompt')}{differ}.",
        *(f"{words.capitalised(text)}." for text in [*unknown, *study.notes]),
    ]


def variance_finding(study: VarianceStudy) -> str:
    """Of how many metrics most of the variance is noise, and where that comes from, in a sentence."""
    noise = [
        {_name(source): source.share or 0.0 for source in metric.sources if not {*source.names} & {*OBJECTS}}
        for metric in study.metrics.values()
        if _varies(metric)
    ]
    if not noise:
        return "All scores of an item are equal."
    sources = {name: sum(shares.get(name, 0.0) for shares in noise) for shares in noise for name in shares}
    largest = max(sources, key=lambda name: sources[name])
    named = {SAMPLE: "samples of one request", ORDER: "the order of questions"}.get(largest, largest)
    source = "the only source of noise in these runs is" if len(sources) == 1 else "most of it comes from"
    of = f"; {source} {named}" if sources[largest] else ""
    if len(noise) == 1:
        return f"Noise is estimated at {sum(noise[0].values()):.0%} of the variance of scores{of}."
    much = sum(sum(shares.values()) >= 0.495 for shares in noise)
    return f"On {much} of {len(noise)} metrics noise is estimated to be half or more of the variance of scores{of}."


def variance_tables(study: VarianceStudy, *, every: bool = False) -> Iterator[Table]:
    """What is known of a metric; where there are several, their shares side by side (and what is known of each of them,
    where ``every`` table is wanted)."""
    rows = list(study.metrics.values())
    if len(rows) > 1:
        yield _overview(rows)
    if every or len(rows) == 1:
        yield _sources(rows, study.confidence)
        if varied := [row for row in rows if _varies(row)]:
            yield _errors(varied)


def _overview(rows: Sequence[MetricVariance]) -> Table:
    names = list(dict.fromkeys(_name(source) for row in rows for source in row.sources))
    sources = [{_name(source): source for source in row.sources} for row in rows]
    return Table(
        "Shares of the variance of scores",
        (Column("Metric", "name"), *map(words.label, names), "SD of samples"),
        [
            (words.label(row.metric), *(_share(of.get(name)) for name in names), row.repeatability)
            for row, of in zip(rows, sources, strict=True)
        ],
        note=f"{_MEASURED} “SD of samples” is the standard deviation of repeated samples of one request.",
    )


def _sources(rows: Sequence[MetricVariance], confidence: float) -> Table:
    """The sources of one metric, or of several under their names."""
    first, basis, title = rows[0], "", "Where scores differ"
    low = [part for row in rows for part in row.sources if (part.variance.value or 0) < 0]
    below = " A variance whose estimate is below 0 is shown as 0." * bool(low)
    lines: list[tuple[Cell, ...]] = []
    for row in rows:
        if len(rows) > 1:
            same = "" if _varies(row) else f": all {words.count(row.scores)} scores are the same"
            lines.append((f"{words.label(row.metric)}{same}",))
        if len(rows) == 1 or _varies(row):
            lines += [(_name(part), part.levels, part.deviation, _share(part)) for part in row.sources]
    if len(rows) == 1:
        title = f"{words.label(first.metric)}: where {words.count(first.scores)} scores differ"
        basis = f"Of {words.number(first.items, 'item')} of {words.number(first.topics, 'topic')}. "
        if low:
            named = ", ".join(f"{_name(part)} ({part.variance.value:.2g})" for part in low)
            below = f" These variances are estimated below 0 and shown as 0: {named}."
    over = f"topics{pooling(first.topics)}" if first.topics > 1 else f"items{pooling(first.items)}"
    return Table(
        title,
        (Column("Source", "text"), "Levels", "Standard deviation", "Share"),
        lines,
        note=f"{basis}Brackets hold {confidence:.0%} jackknife-t intervals over {over}. {_MEASURED}{below}",
    )


def _errors(rows: Sequence[MetricVariance]) -> Table:
    first, title = rows[0], "the error of one score and of the mean"
    topics = list(first.mean_error)
    means = (f"Error of the mean, {words.number(count, 'topic')}" for count in topics)
    return Table(
        f"{words.label(first.metric)}: {title}" if len(rows) == 1 else words.capitalised(title),
        (Column("Metric", "name"), "Error of one score", "Generalizability", *means),
        [
            (
                words.label(row.metric),
                row.score_error,
                row.generalizability,
                *(row.mean_error[count] for count in topics),
            )
            for row in rows
        ],
        note="Standard errors: how much a score, or the mean over so many other topics of "
        f"{first.items / first.topics:.3g} items each, would vary with other samples, prompts and models as far as "
        "these runs vary them. “Generalizability” is the share of the variance of single scores that is due to topics "
        "and items.",
    )


def _varies(noise: MetricVariance) -> bool:
    return any(source.share for source in noise.sources)


def variance_sheet(study: VarianceStudy) -> ReportPage:
    """The page: what is known of each metric."""
    tables = list(variance_tables(study, every=True))
    first, *others = variance_words(study)
    return ReportPage(
        "variance",
        "Where the noise comes from",
        [*map(section, tables), Section("Runs", [PageRemarks([*study.runs, *others])])],
        [first],
        words.floor_badges(study.baselines),
        answer=[variance_finding(study)],
        how_to_read=[_MEASURED],
    )


def _name(source: VarianceSource) -> str:
    return " or ".join(source.names)


def _share(source: VarianceSource | None) -> Cell:
    """A share in per cent; a dash with its reason where nothing varies, and nothing where there is no such source."""
    if source is None:
        return None
    return undefined("no score differs") if source.share is None else f"{source.share:.0%}"


def repeatability_table(rows: Sequence[Repeatability]) -> Table:
    """How far the judge repeats itself; metrics that it repeats alike are one row."""
    alike = gathered(((row.scores, str(row.deviation), str(row.generalizability)), row) for row in rows)
    lines = []
    for first, *others in alike.values():
        names = ", ".join(words.label(row.metric) for row in (first, *others))
        lines.append((names, first.scores, first.deviation, first.generalizability))
    return Table(
        "Repeatability",
        (Column("Metric", "text"), "Scores", "Standard deviation", "Generalizability"),
        lines,
        note="“Standard deviation” is that of the scores of one item that is judged several times; “Generalizability” "
        "is the share of the variance of scores that is due to differences between items.",
    )
