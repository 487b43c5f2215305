"""Where the noise of a judge comes from, and what more of anything buys, as tables and as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conqret.reliability.generalizability import Averaged, MetricNoise, NoiseStudy, Source
from conqret.report import words
from conqret.report.charts import Chart, Line, Point
from conqret.report.sheet import Section, Sheet, Texts, section
from conqret.report.table import Cell, Column, Table

TITLE = "Where the noise comes from"
_LEDE = (
    "How much of what differs between scores lies with the items, which is wanted, and how much with samples, prompts "
    "or models, which is noise."
)
_BUYS = (
    "How well an item's score holds (generalizability, 1 at best), by how many samples or others it averages."
)


def noise_words(found: NoiseStudy) -> list[str]:
    """What was compared, and what these runs leave open, in sentences."""
    unknown = dict.fromkeys(text for one in found.metrics.values() for text in one.unknown)
    return [
        f"{words.number(len(found.runs), 'run')}: {words.number(found.models, 'model')}, "
        f"{words.number(found.prompts, 'prompt')}"
        + (f"; what differs: {', '.join(found.differs)}" if found.differs else "")
        + ".",
        *(f"{text[:1].upper()}{text[1:]}." for text in [*unknown, *found.notes]),
    ]


def noise_tables(found: NoiseStudy, *, every: bool = False) -> Iterator[Table]:
    """What is known of a metric; where there are several, their shares side by side (and what is known of each of them,
    where ``every`` table is wanted)."""
    rows = list(found.metrics.values())
    if len(rows) > 1:
        yield _overview(rows)
    if every or len(rows) == 1:
        for one in rows:
            yield _sources(one, found.confidence)
            yield _scores(one)
            yield _means(one)


def _overview(rows: Sequence[MetricNoise]) -> Table:
    names = list(dict.fromkeys(_name(source) for one in rows for source in one.sources))
    shares = [{_name(source): source.share for source in one.sources} for one in rows]
    return Table(
        "Shares of the variance of scores",
        (Column("metric", "name"), *names, "repeated"),
        [
            (words.label(one.metric), *(_percent(of.get(name)) for name in names), one.repeatability)
            for one, of in zip(rows, shares, strict=True)
        ],
        note="Repeated: the standard deviation of samples of one request. Topics and items are what is measured; the "
        "rest is noise.",
    )


def _sources(one: MetricNoise, confidence: float) -> Table:
    below = [
        f"{_name(source)} ({source.variance.value:.2g})"
        for source in one.sources
        if (source.variance.value or 0) < 0
    ]
    low = f" Variance estimated below 0, shown as 0: {', '.join(below)}." if below else ""
    return Table(
        f"{words.label(one.metric)}: where {words.count(one.scores)} scores differ",
        (Column("source", "text"), "levels", "standard deviation", "share"),
        [(_name(source), source.levels, source.deviation, _percent(source.share)) for source in one.sources],
        note=f"{words.number(one.items, 'item')} of {words.number(one.topics, 'topic')}; {confidence:.0%} "
        f"jackknife-t intervals over {'topics' if one.topics > 1 else 'items'}. Items are what is measured; what is "
        f"not topic or item alone is noise.{low}",
    )


def _scores(one: MetricNoise) -> Table:
    return Table(
        f"{words.label(one.metric)}: one item's score",
        (Column("averaged over", "text"), "standard error", "generalizability", "dependability"),
        [(_design(row), row.score_error, row.generalizability, row.dependability) for row in one.averaged],
        note="Generalizability: how much of the variance of such scores is that of items, so that their order would "
        "come out again. Dependability: the same for the scores as they are.",
    )


def _means(one: MetricNoise) -> Table:
    topics = list(one.averaged[0].mean_error)
    return Table(
        f"{words.label(one.metric)}: standard error of the mean",
        (Column("averaged over", "text"), *(words.number(count, "topic") for count in topics)),
        [(_design(row), *(row.mean_error[count] for count in topics)) for row in one.averaged],
        note=f"{one.items / one.topics:.3g} items a topic. As an estimate of what other topics, "
        f"{', '.join(f'{name}s' for name in one.varies) or 'samples'} of their kind would give.",
    )


def noise_sheet(found: NoiseStudy) -> Sheet:
    """The page: what is known of each metric, and what more of anything buys as a chart."""
    overview, *others = noise_tables(found, every=True)
    if len(found.metrics) == 1:
        others = [overview, *others]
    charts = Section("What more of each buys", list(map(_chart, found.metrics.values())), _BUYS)
    tables = [
        Section(words.label(one.metric), others[3 * place : 3 * place + 3], folded=len(found.metrics) > 1)
        for place, one in enumerate(found.metrics.values())
    ]
    each = [charts, *tables]
    runs = Section("Runs", [Texts([*found.runs, *noise_words(found)[1:]])])
    first = [section(overview)] if len(found.metrics) > 1 else []
    return Sheet("components", TITLE, [*first, *each, runs], lede=[_LEDE, *noise_words(found)[:1]])


def _chart(one: MetricNoise) -> Chart:
    single, *more = one.averaged
    lines = [
        Line(
            f"{facet}s",
            [
                Point(row.numbers[facet], good.value, good.low, good.high)
                for row in [single, *(row for row in more if _only(row.numbers, facet))]
                if (good := row.generalizability).value is not None
            ],
        )
        for facet in one.varies
    ]
    return Chart(words.label(one.metric), "how many are averaged", "generalizability", lines)


def _only(numbers: Mapping[str, int], facet: str) -> bool:
    return all(number == 1 for name, number in numbers.items() if name != facet)


def _design(row: Averaged) -> str:
    """How many of what, the ones left out where there are others."""
    many = {name: number for name, number in row.numbers.items() if number > 1}
    return ", ".join(words.number(number, name) for name, number in many.items()) or "one of each"


def _name(source: Source) -> str:
    return " or ".join(source.names)


def _percent(share: float | None) -> Cell:
    return None if share is None else f"{share:.0%}"
