"""The judge card as one HTML file without requests to other servers, as Markdown and as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from conqret.judging.dimensions import BY_NAME
from conqret.judging.judge_parts import JURY
from conqret.judging.summary_tables import judge_name
from conqret.show import words
from conqret.show.page import write_files
from conqret.show.report_page import PageRemarks, Part, ReportPage, Section
from conqret.show.table import Alarm, Cell, Column, Table
from conqret.studies.agreement.annotator_agreement import OVERALL
from conqret.studies.agreement.judge_agreement import (
    agreement_answer,
    agreement_picture,
    agreement_table,
    missing_words,
)
from conqret.studies.agreement.pass_fail import pass_fail_answers, pass_fail_table
from conqret.studies.agreement.statistics import STATISTICS
from conqret.studies.bias.result import bias_parts, headlines
from conqret.studies.card.result import FILE_NAME, Card, identity_in_words, last_checked
from conqret.studies.sensitivity.page import answer, chart, how_decided, perturbation_words
from conqret.studies.sensitivity.result import Curve
from conqret.studies.variance.result import repeatability_table

PAGE_NAME, MARKDOWN_NAME = "card.html", "card.md"


def write_card(card: Card, folder: Path) -> list[Path]:
    """Write ``card.html``, ``card.md`` and ``card.json`` into ``folder``; return their paths."""
    sheet, plain = card_page(card), card.model_dump_json(indent=1) + "\n"
    return write_files(folder, {PAGE_NAME: sheet.html(), MARKDOWN_NAME: sheet.markdown(), FILE_NAME: plain})


def card_page(card: Card) -> ReportPage:
    """Return the report page of a judge card: known limits first, then the results behind them."""
    run, basis, bias = card.run, card.basis, card.bias
    found = list(answer(card.sensitivity))
    # drawn are all curves but those of single dimensions of quality that are as they should be
    single = BY_NAME.keys() - {OVERALL}
    shown = [row for row in card.sensitivity if row.verdict == "no" or row.metric not in single]
    charts: list[Part] = [*(chart([row]) for row in shown), verdict_rows(card.sensitivity)] if shown else []
    about_bias = [] if bias is None else headlines(bias)[:1]
    statistics = [statistic for statistic in STATISTICS.values() if statistic.on_card]
    each, price = card.cost.item["usd"], "unknown (no price for the model)"
    if card.cost.usd is not None:
        price = words.money(card.cost.usd) + (f", {words.money(each)} an item" if each else "")
    seconds, calls, tokens = (card.cost.item[name] or 0 for name in ("seconds", "calls", "tokens"))
    speed = f"per item: {words.seconds(seconds)} of model time, {calls:.3g} request{'s' * (calls != 1)}"
    speed += f", {words.count(round(tokens))} tokens" if tokens else ""
    rates = {row.dimension: row.pass_fail for row in card.agreement}
    symmetry = words.symmetry_note(min((curve.topics for curve in card.sensitivity), default=0))
    detects = [*found, _CURVES, how_decided(card.sensitivity), symmetry]
    return ReportPage(
        "judge card",
        f"How far {judge_name(run.format, run.model)} can be trusted",
        [
            Section("Known limits", [PageRemarks(card.limits)]),
            Section(
                "Agreement with annotators",
                [
                    *filter(None, [pass_fail_table(rates)]),
                    agreement_table(card.agreement, card.average, basis, statistics),
                ],
            ),
            Section("Does it detect perturbations?", charts, " ".join(filter(None, detects))),
            Section("Does it repeat itself?", list(_repeatability(card))),
            *(Section("Consistency and bias", list(bias_parts(bias)), text) for text in about_bias if bias),
            Section("Missing scores", [PageRemarks([missing_words(card.missing)])]),
            Section("Judge configuration", [instrument_table(card)], _INSTRUMENT),
        ],
        answer=[
            *pass_fail_answers(rates),
            *agreement_answer(card.agreement, basis, card.average),
            *found[: bool(card.sensitivity)],
            *about_bias,
        ],
        picture=agreement_picture(card.agreement, basis, card.average),
        how_to_read=[_measures(card)],
        badges=words.baseline_badges([run.baseline]),
        facts=[
            ("Judged", run.created[:10]),
            ("Last checked", last_checked(card)),
            (
                "Items",
                f"{words.count(run.items_count)}, on {words.number(card.topics, 'topic')} ({run.items_name})",
            ),
            (
                "Labels",
                f"{basis.labels} ({basis.layout}), by {words.number(card.annotators, 'annotator')}, "
                f"on {words.count(card.compared)} of the items",
            ),
            ("Cost", price),
            ("Speed", speed),
            ("Fingerprint", run.fingerprint),
        ],
    )


_INSTRUMENT = (
    "The fingerprint changes with any part of this configuration, and the card holds for this one only."
)
_CURVES = (
    "The charts show mean scores by perturbation level, with 95% intervals over topics, without single dimensions of "
    "quality whose scores change as expected."
)


def _repeatability(card: Card) -> Iterator[Part]:
    rows = card.repeatability
    if rows and not any(row.deviation.value for row in rows):
        scores = words.count(sum(row.scores for row in rows))
        same = f"Judged again, the same items got the same scores on {words.number(len(rows), 'metric')}"
        yield PageRemarks([f"{same} ({scores} scores)."])
    elif rows:
        yield repeatability_table(rows)


def _measures(card: Card) -> str:
    """Return sentences on what the judge measures, its scale and its source; of a jury on its members and rule."""
    judge = card.judge
    if card.run.format == JURY.name:
        made, members = card.run.identity, card.run.identity["members"]
        return (
            f"This card treats the jury as one judge. Its members are {', '.join(members)}. Scale: {judge.scale}. A "
            f"score of the jury is the {made['rule']} of the scores of its {len(members)} members."
        )
    source = re.sub("^own", "conqret's own", judge.source)
    return (
        f"The judge measures {judge.summary}. Scale: {judge.scale}. Score: {judge.score}. Source: {source}."
    )


def verdict_rows(curves: Sequence[Curve]) -> Table:
    """Return the table of the expected and the observed change of each metric, grouped by perturbation."""
    lines: dict[str, list[tuple[Cell, ...]]] = {}
    for row in curves:
        levels = ", ".join(f"{point.level:g}" for point in row.points)
        heading = f"{row.perturbation} ({perturbation_words(row.perturbation)}), at {levels} {row.unit}"
        means = ", ".join(f"{point.mean:.3f}" for point in row.points)
        verdict = f"{row.verdict or 'nothing is expected'}: {row.words}"
        shown = Alarm(verdict) if row.verdict == "no" else verdict
        cells = (words.label(row.metric), row.expected or "", means, shown)
        lines.setdefault(heading, [(heading,)]).append(cells)
    columns = [Column(name, "text") for name in ("Metric", "Should", "Means", "As it should")]
    return Table("All curves", columns, [line for group in lines.values() for line in group])


def instrument_table(card: Card) -> Table:
    """Return the table of the parts of the judge configuration that the fingerprint covers."""
    parts = {**identity_in_words(card.run.identity), "metrics": ", ".join(map(words.label, card.run.metrics))}
    rows = [
        (
            name.replace("_", " "),
            ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value),
        )
        for name, value in parts.items()
        if value is not None
    ]
    return Table("Judge configuration", ("Part", Column("Value", "text")), rows)
