"""The tables of the judge card and of the bias command, for terminals and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from conqret.data.gathering import gathered
from conqret.judging.dimensions import DIMENSIONS
from conqret.reliability.bias.table import BiasRow, BiasTable
from conqret.reliability.cards.card import Card
from conqret.reliability.generalizability import Repeatability
from conqret.reliability.sensitivity.curves import Curve
from conqret.reliability.validation.people import OVERALL
from conqret.reliability.validation.statistics import STATISTICS
from conqret.reliability.validation.variants import CALIBRATED
from conqret.report import words
from conqret.report.markdown import safe, tables_markdown
from conqret.report.sheet import Section, Sheet, Texts, section
from conqret.report.table import Alarm, Cell, Column, Table

SHOWN = [one for one in STATISTICS.values() if one.on_card]
"""The statistics that a card shows."""


def strongest(table: BiasTable) -> list[tuple[BiasRow, int]]:
    """For each comparison the rows to show first, each with the number of metrics of its comparison: those that
    raise an alarm, or else the one that moved furthest."""
    groups = gathered(((row.probe, row.name.partition(",")[0]), row) for row in table.rows)
    return [
        (row, len(rows))
        for rows in groups.values()
        for row in [one for one in rows if one.verdict == "alarm"] or [max(rows, key=_movement)]
    ]


def main_curves(card: Card) -> list[Curve]:
    """The curves to show first: all but those of single dimensions of quality, and those that are not as they
    should be."""
    single = {dimension.name for dimension in DIMENSIONS} - {OVERALL}
    return [row for row in card.sensitivity if row.verdict == "no" or row.metric not in single]


def is_calibrated(card: Card) -> bool:
    """Whether the card has an alpha of calibrated scores."""
    return any(row.calibrated.value is not None for row in card.agreement)


def bias_rows_table(rows: Iterable[BiasRow], note: str = "") -> Table:
    """Rows of the bias table."""
    cells: list[tuple[Cell, ...]] = []
    for row in rows:
        effect, verdict = row.effect, f"{row.verdict}: {row.words}"
        said = Alarm(verdict) if row.verdict == "alarm" else verdict
        counts: tuple[Cell, ...] = (effect.n, effect.clusters, effect.moved) if effect else (0, 0, "")
        p = words.p_value(effect.p if effect else None)
        cells.append((row.name, words.label(row.metric), effect or "none", p, said, *counts))
    names = (Column("comparison", "text"), Column("metric", "name"))
    columns = (*names, "effect", "p", Column("verdict", "text"), "pairs", "topics", "moved")
    return Table("", columns, cells, note=note)


def repeatability_table(rows: Sequence[Repeatability]) -> Table:
    """How far the judge repeats itself."""
    return Table(
        "Repeatability",
        (Column("metric", "name"), "scores", "standard deviation", "generalizability"),
        [(words.label(one.metric), one.scores, one.deviation, one.generalizability) for one in rows],
        note="The standard deviation of scores of one item asked again, and the share of the variance of scores that "
        "is that of items: 1 where the judge always says the same. Samples of a run may ask for the dimensions in "
        "another order; the bias probes send the very same request.",
    )


def bias_sheet(table: BiasTable) -> Sheet:
    """The page of the bias table."""
    judge = table.record
    failed = [
        f"Some questions failed: {words.reason(reason)}, as for {example}"
        for reason, example in table.session.failures.items()
    ]
    alarms = f"{len(table.alarms)} of {words.number(len(table.rows), 'row')} raise an alarm."
    floor = [("Offline baseline", "the lexical baseline: a floor, not a judge")] if judge.baseline else []
    return Sheet(
        "bias",
        f"Consistency and bias of {judge.format} with {judge.model}",
        [
            section(bias_rows_table(table.rows, _bias_note(table)), title="Comparisons"),
            *([section(repeatability_table(table.repeatability))] if table.repeatability else []),
            Section("Remarks", [Texts(lines)] if (lines := [*failed, *_remarks(table)]) else []),
        ],
        lede=["Does the judge say the same twice, and does it favour what it should not?", alarms],
        badges=[*floor, *(("Warning", text) for text in table.warnings)],
        facts=[
            ("Fingerprint", judge.fingerprint),
            ("Items", f"{words.count(judge.items)} on {words.number(table.topics, 'topic')}"),
            ("Judgments", words.count(table.judgments)),
            ("Seed", str(judge.seed)),
        ],
    )


def card_markdown(card: Card) -> str:
    """The judge card as Markdown."""
    run, judge, basis, cost, missing = card.run, card.judge, card.basis, card.cost, card.missing
    lines = [
        f"# Judge card: {safe(run.format)} with {safe(run.model)}",
        f"Fingerprint `{safe(run.fingerprint)}`. It measures {safe(judge.summary)}. Scale: {safe(judge.scale)}. "
        f"Score: {safe(judge.score)}. Source: {safe(judge.source)}.",
        f"{words.number(run.items_count, 'item')} on {words.number(card.topics, 'topic')} ({safe(run.items_name)}); "
        f"labels: {safe(basis.labels)}, read as {safe(basis.layout)}, {words.number(card.annotators, 'annotator')}, "
        f"{words.number(card.compared, 'item')} judged and labelled.",
        "## Known limits",
        "\n".join(f"- {safe(sentence)}" for sentence in card.limits),
        tables_markdown(_agreement_and_damage(card), "##").rstrip(),
        *([tables_markdown([repeatability_table(card.repeatability)], "##")] if card.repeatability else []),
        *(["## Consistency and bias", *_bias(card.bias)] if card.bias is not None else []),
        "## Cost, speed and what has no score",
        f"{cost.calls} requests, {cost.prompt_tokens} prompt and {cost.completion_tokens} completion tokens, "
        f"{words.money(cost.usd)}, {words.seconds(cost.seconds)} of the model's time for {cost.judgments} items. "
        f"{missing.unscored} unscored, {missing.failed} failed of {missing.total}.",
        tables_markdown([_instrument(card)], "##"),
    ]
    return "\n\n".join(lines)


def _bias(table: BiasTable) -> Iterator[str]:
    """The strongest rows, warnings and what was left out, as Markdown."""
    chosen = [row for row, _ in strongest(table)]
    few = f"{len(chosen)} of {len(table.rows)} rows: the alarms, or what moved furthest; card.json has all. "
    yield tables_markdown([bias_rows_table(chosen, few + _bias_note(table))]).rstrip()
    remarks = [f"- **{safe(text)}**" for text in table.warnings]
    yield "\n".join([*remarks, *(f"- {safe(text)}" for text in _remarks(table)), ""])


def _bias_note(table: BiasTable) -> str:
    return (
        f"Effects are differences of scores in [0, 1] with {table.confidence:.0%} intervals over topics; p is "
        "corrected for all rows together (sign flips of whole topics, maxT). An alarm needs "
        f"p < {table.alpha:g}, an interval without 0, and the direction that is a bias."
    )


def _remarks(table: BiasTable) -> Iterator[str]:
    yield from (f"Left out: {name} ({reason})." for name, reason in table.left_out.items())
    yield from (f"{text}." for text in table.notes)


def _agreement_and_damage(card: Card) -> Iterator[Table]:
    mapped = is_calibrated(card)
    rows: list[tuple[Cell, ...]] = [
        (
            words.label(row.dimension), row.compared, row.alpha, *([row.calibrated] if mapped else []), row.as_person,
            row.person, row.people, *(row.statistics[one.name] for one in SHOWN),
        )
        for row in card.agreement
    ]  # fmt: skip
    foot: list[tuple[Cell, ...]] = []
    if card.average is not None:
        average = card.average
        raw_and_mapped = [average.judge.get(name, "") for name in ("mean", *([CALIBRATED] if mapped else []))]
        alphas = (*raw_and_mapped, average.as_person, average.person, average.people)
        name = f"average of {len(card.average.dimensions)}, without overall quality"
        foot = [(name, "", *alphas, *[""] * len(SHOWN))]
    yield Table(
        "Agreement with people (Krippendorff's alpha)",
        (
            "dimension",
            "units",
            "judge and people",
            *(["calibrated"] if mapped else []),
            "judge as one",
            "one person",
            "people",
            *(one.title for one in SHOWN),
        ),
        rows,
        foot=foot,
        note=f"{card.basis.intervals}. One person: with the others; judge as one: in that person's place."
        + mapped * " Calibrated: with scores put onto people's scale by the labels of other topics.",
    )
    curves = [
        (
            f"{row.perturbation} ({row.unit})",
            words.label(row.metric),
            row.expected or "",
            ", ".join(f"{point.mean:.3f} at {point.level:g}" for point in row.points),
            f"{row.verdict}: {row.words}",
        )
        for row in main_curves(card)
    ]
    if card.sensitivity:
        columns = [Column(name, "text") for name in ("damage", "metric", "should", "means", "as it should")]
        yield Table("Does it notice known damage?", columns, curves)


def _instrument(card: Card) -> Table:
    parts = {**card.run.identity, "metrics": ", ".join(card.run.metrics)}
    rows = [(name.replace("_", " "), str(value)) for name, value in parts.items() if value is not None]
    return Table("The instrument", ("part", Column("value", "text")), rows)


def _movement(row: BiasRow) -> tuple[float, float]:
    return (0.0, 0.0) if row.effect is None else (abs(row.effect.value), row.effect.moved)
