"""The tables of the judge card and of the bias command, as plain cells and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.judging.dimensions import DIMENSIONS
from conqret.reliability.bias.table import BiasRow, BiasTable
from conqret.reliability.cards.card import Card
from conqret.reliability.sensitivity.curves import Curve
from conqret.reliability.validation.people import OVERALL
from conqret.reliability.validation.statistics import STATISTICS
from conqret.report import words
from conqret.report.texts import visible
from conqret.stats.effects import Effect
from conqret.stats.estimate import Estimate

_ESCAPED = "\\`*_{}[]<>|#!~&"
HEAD = ("comparison", "metric", "effect", "p", "pairs", "topics", "moved", "verdict")


def effect_text(effect: Effect | None) -> str:
    """The effect with its interval: ``+0.031 [+0.012, +0.050]``."""
    if effect is None:
        return "none"
    return f"{effect.value:+.3f} [{effect.low:+.3f}, {effect.high:+.3f}]"


def p_text(p: float | None) -> str:
    """A p-value with three places; empty where there is none."""
    return "" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def estimate_text(estimate: Estimate) -> str:
    """A value with its interval, or the reason why there is none."""
    if estimate.value is None:
        return f"none: {estimate.reason}"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def strongest(table: BiasTable) -> list[tuple[BiasRow, int]]:
    """For each comparison the rows to show first, each with the number of metrics of its comparison: those that
    raise an alarm, or else the one that moved furthest."""
    groups: dict[tuple[str, str], list[BiasRow]] = {}
    for row in table.rows:
        groups.setdefault((row.probe, row.name.partition(",")[0]), []).append(row)
    return [
        (row, len(rows))
        for rows in groups.values()
        for row in [one for one in rows if one.verdict == "alarm"] or [max(rows, key=_movement)]
    ]


def _movement(row: BiasRow) -> tuple[float, float]:
    return (0.0, 0.0) if row.effect is None else (abs(row.effect.value), row.effect.moved)


def main_curves(card: Card) -> list[Curve]:
    """The curves to show first: all but those of single dimensions of quality, and those that are not as they
    should be."""
    single = {dimension.name for dimension in DIMENSIONS} - {OVERALL}
    return [row for row in card.sensitivity if row.verdict is False or row.metric not in single]


def bias_cells(row: BiasRow) -> tuple[str, ...]:
    """One row of the bias table, under :data:`HEAD`."""
    effect = row.effect
    counts = ("", "0", "0", "")
    if effect is not None:
        counts = (p_text(effect.p), str(effect.n), str(effect.clusters), f"{effect.moved:.3f}")
    return (
        row.name,
        words.label(row.metric),
        effect_text(effect),
        *counts,
        f"{row.verdict}: {row.words}",
    )


def bias_markdown(table: BiasTable) -> str:
    """The bias table as a page of Markdown."""
    floor = " (the lexical baseline: a floor, not a judge)" if table.baseline else ""
    lines = [
        f"# Consistency and bias of {safe(table.format)} with {safe(table.model)}",
        "",
        f"Fingerprint `{safe(table.fingerprint)}`{floor}. {table.items} items on {table.topics} topics, "
        f"{table.judgments} judgments; seed {table.seed}.",
        "",
        *bias_section(table),
    ]
    return "\n".join(lines) + "\n"


def bias_section(table: BiasTable, *, brief: bool = False) -> list[str]:
    """Table, warnings and what was left out, as lines of Markdown; ``brief`` keeps the strongest rows."""
    chosen = [row for row, _ in strongest(table)] if brief else list(table.rows)
    rows = [[safe(cell) for cell in bias_cells(row)] for row in chosen]
    kept = [
        f"{len(chosen)} of {len(table.rows)} rows: the alarms, or what moved furthest; card.json has all.",
        "",
    ]
    return [
        *markdown_table(HEAD, rows),
        *(kept if brief else []),
        f"Effects are differences of scores in [0, 1] with {table.confidence:.0%} intervals over {table.resamples} "
        f"resamples of topics; p is corrected for all rows together (sign flips of whole topics, maxT). An alarm "
        f"needs p < {table.alpha:g}, an interval without 0, and the direction that is a bias.",
        "",
        *(f"- **{safe(text)}**" for text in table.warnings),
        *(f"- Left out: {safe(name)} ({safe(reason)})." for name, reason in table.left_out.items()),
        *(f"- {safe(text)}." for text in table.notes),
        "",
    ]


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a Markdown table and an empty one; the cells are taken to be safe."""
    return [
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
        *(f"| {' | '.join(row)} |" for row in rows),
        "",
    ]


def safe(text: str) -> str:
    """Text from outside on one line, with what Markdown or HTML would act on escaped."""
    line = " ".join(visible(text).split())
    marked = "".join(f"\\{char}" if char in _ESCAPED else char for char in line)
    return marked.replace("\\<", "&lt;").replace("\\>", "&gt;").replace("\\&", "&amp;").replace("\\_", "_")


def card_markdown(card: Card) -> str:
    """The judge card as Markdown."""
    instrument, data = card.instrument, card.data
    usd = "unknown" if card.cost.usd is None else words.money(card.cost.usd)
    lines = [
        f"# Judge card: {safe(instrument.format)} with {safe(instrument.model)}",
        "",
        f"Fingerprint `{safe(instrument.fingerprint)}`. It measures {safe(instrument.summary)}. Scale: "
        f"{safe(instrument.scale)}. Score: {safe(instrument.score)}. Source: {safe(instrument.source)}.",
        "",
        f"{data.count} items on {data.topics} topics ({safe(data.items)}); labels: {safe(data.labels)}, read as "
        f"{safe(data.layout)}, {data.annotators} annotators, {data.compared} items judged and labelled.",
        "",
        "## Known limits",
        "",
        *(f"- {safe(sentence)}" for sentence in card.limits),
        "",
        "## Agreement with people (Krippendorff's alpha)",
        "",
        *_agreement(card),
        *_sensitivity(card),
        *(
            ["## Consistency and bias", "", *bias_section(card.bias, brief=True)]
            if card.bias is not None
            else []
        ),
        "## Cost, speed and what has no score",
        "",
        f"{card.cost.calls} requests, {card.cost.prompt_tokens} prompt and {card.cost.completion_tokens} completion "
        f"tokens, {usd}, {words.seconds(card.cost.seconds)} of the model's time for {card.cost.judgments} items. "
        f"{card.missing.unscored} unscored, {card.missing.failed} failed of {card.missing.total}.",
        "",
        "## The instrument",
        "",
        *markdown_table(
            ("part", "value"),
            [
                *(
                    [f"prompt {safe(name)}", f"`{safe(digest)}`"]
                    for name, digest in instrument.prompts.items()
                ),
                ["answers and scale", f"`{safe(instrument.answers)}`"],
                *(
                    [safe(name), safe(str(value))]
                    for name, value in instrument.options.items()
                    if value is not None
                ),
                *([f"model's {safe(name)}", safe(str(value))] for name, value in instrument.settings.items()),
                ["metrics", safe(", ".join(instrument.metrics))],
            ],
        ),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _agreement(card: Card) -> list[str]:
    shown = [one for one in STATISTICS.values() if one.on_card]
    titles = [one.title for one in shown]
    head = ("dimension", "units", "judge and people", "one person", "people", *titles)
    rows = [
        [
            safe(words.label(row.dimension)),
            str(row.compared),
            *(safe(estimate_text(one)) for one in (row.alpha, row.person, row.people)),
            *(safe(estimate_text(row.statistics[one.name])) for one in shown),
        ]
        for row in card.agreement
    ]
    if card.average is not None:
        average = card.average
        texts = [safe(estimate_text(one)) for one in (average.judge["mean"], average.person, average.people)]
        name = f"average of {len(average.dimensions)}, without overall quality"
        rows.append([name, "", *texts, *[""] * len(shown)])
    note = f"Intervals: {card.confidence:.0%}, over {card.clusters} {card.clustered_by}s."
    return [*markdown_table(head, rows), note, ""]


def _sensitivity(card: Card) -> list[str]:
    if not card.sensitivity:
        return []
    rows = [
        [
            safe(f"{row.perturbation} ({row.unit})"),
            safe(words.label(row.metric)),
            safe(row.expected or ""),
            ", ".join(f"{point.mean:.3f} at {point.level:g}" for point in row.points),
            safe("" if row.verdict is None else f"{'yes' if row.verdict else 'no'}: {row.words}"),
        ]
        for row in main_curves(card)
    ]
    head = ("damage", "metric", "should", "means", "as it should")
    return ["## Does it notice known damage?", "", *markdown_table(head, rows)]
