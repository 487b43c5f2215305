"""Where the noise of a judge comes from, as tables and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conqret.data.digest import gathered
from conqret.show import words
from conqret.show.report_page import PageRemarks, ReportPage, Section, section
from conqret.show.table import Cell, Column, Table
from conqret.stats.estimate import undefined
from conqret.stats.resampling import pooling
from conqret.stats.variance_components import OBJECTS, ORDER, SAMPLE
from conqret.studies.variance.result import MetricVariance, Repeatability, VarianceStudy

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
        {source.name: source.share or 0.0 for source in metric.sources if not {*source.names} & {*OBJECTS}}
        for metric in study.metrics.values()
        if metric.varies
    ]
    if not noise:
        return "All scores of an item are equal."
    sources = {name: sum(shares.get(name, 0.0) for shares in noise) for shares in noise for name in shares}
    largest = max(sources, key=sources.__getitem__)
    named = {SAMPLE: "samples of one request", ORDER: "the order of questions"}.get(largest, largest)
    source = "the only source of noise in these runs is" if len(sources) == 1 else "most of it comes from"
    of = f"; {source} {named}" * bool(sources[largest])
    if len(noise) == 1:
        return f"Noise is estimated at {sum(noise[0].values()):.0%} of the variance of scores{of}."
    much = sum(sum(shares.values()) >= 0.495 for shares in noise)
    return f"On {much} of {len(noise)} metrics noise is estimated to be half or more of the variance of scores{of}."


def variance_tables(study: VarianceStudy, *, every: bool = False) -> Iterator[Table]:
    """What is known of a metric; where there are several, their shares side by side (and what is known of each of them,
    where ``every`` table is wanted)."""
    rows = list(study.metrics.values())
    if several := len(rows) > 1:
        names = dict.fromkeys(source.name for row in rows for source in row.sources)
        yield Table(
            "Shares of the variance of scores",
            {
                "Metric": lambda row: words.label(row.metric),
                **{words.label(name): lambda row, name=name: _share(row, name) for name in names},
                "SD of samples": "repeatability",
            },
            rows,
            note=f"{_MEASURED} “SD of samples” is the standard deviation of repeated samples of one request.",
        )
    if several and not every:
        return
    lines: list[object] = []
    for row in rows:
        same = "" if row.varies else f": all {words.count(row.scores)} scores are the same"
        lines += [(f"{words.label(row.metric)}{same}",)] * several
        lines += [(row, source) for source in row.sources if row.varies or not several]
    first, of = rows[0], "" if several else f"{words.label(rows[0].metric)}: "
    over = f"topics{pooling(first.topics)}" if first.topics > 1 else f"items{pooling(first.items)}"
    below = any((source.variance.value or 0) < 0 for row in rows for source in row.sources)
    yield Table(
        words.capitalised(f"{of}where {f'{words.count(first.scores)} ' * (not several)}scores differ"),
        {
            Column("Source", "text"): (1, "name"),
            "Levels": (1, "levels"),
            "Standard deviation": (1, "deviation"),
            "Share": lambda pair: _share(pair[0], pair[1].name),
        },
        lines,
        note=f"Brackets hold {study.confidence:.0%} jackknife-t intervals over {over}. {_MEASURED}"
        + " A variance whose estimate is below 0 is shown as 0." * below,
    )
    if varied := [row for row in rows if row.varies]:
        yield Table(
            words.capitalised(f"{of}the error of one score and of the mean"),
            {
                "Metric": lambda row: words.label(row.metric),
                "Error of one score": "score_error",
                "Generalizability": "generalizability",
                **{
                    f"Error of the mean, {words.number(n, 'topic')}": ("mean_error", n)
                    for n in varied[0].mean_error
                },
            },
            varied,
            note="Standard errors: how much a score, or the mean over so many other topics of "
            f"{varied[0].items / varied[0].topics:.3g} items each, would vary with other samples, prompts and models "
            "as far as these runs vary them. “Generalizability” is the share of the variance of single scores that is "
            "due to topics and items.",
        )


def variance_sheet(study: VarianceStudy) -> ReportPage:
    """The page: what is known of each metric."""
    first, *others = variance_words(study)
    return ReportPage(
        "variance",
        "Where the noise comes from",
        [
            *map(section, variance_tables(study, every=True)),
            Section("Runs", [PageRemarks([*study.runs, *others])]),
        ],
        [first],
        words.floor_badges(study.baselines),
        answer=[variance_finding(study)],
        how_to_read=[_MEASURED],
    )


def _share(metric: MetricVariance, name: str) -> Cell:
    """A share in per cent; a dash with its reason where nothing varies, and where there is no such source."""
    for source in metric.sources:
        if source.name == name:
            return undefined("no score differs") if source.share is None else f"{source.share:.0%}"
    return None


def repeatability_table(rows: Sequence[Repeatability]) -> Table:
    """How far the judge repeats itself; metrics that it repeats alike are one row."""
    alike = gathered(((row.scores, str(row.deviation), str(row.generalizability)), row) for row in rows)
    return Table(
        "Repeatability",
        {
            Column("Metric", "text"): lambda same: ", ".join(words.label(row.metric) for row in same),
            "Scores": (0, "scores"),
            "Standard deviation": (0, "deviation"),
            "Generalizability": (0, "generalizability"),
        },
        alike.values(),
        note="“Standard deviation” is that of the scores of one item that is judged several times; “Generalizability” "
        "is the share of the variance of scores that is due to differences between items.",
    )
