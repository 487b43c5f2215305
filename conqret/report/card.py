"""The judge card as a page (one HTML file that asks nothing of any network), as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from conqret.reliability.cards.card import FILE_NAME, Card
from conqret.reliability.cards.fit import last_checked
from conqret.report import words
from conqret.report.bias_tables import bias_parts
from conqret.report.card_tables import (
    agreement_rows,
    instrument_table,
    main_curves,
    repeatability_table,
    verdict_rows,
)
from conqret.report.drift import chart_table
from conqret.report.page import write_files
from conqret.report.sensitivity import FLOOR, chart
from conqret.report.sensitivity_tables import HOW_DECIDED
from conqret.report.sheet import Part, Section, Sheet, Texts

PAGE_NAME, MARKDOWN_NAME = "card.html", "card.md"


def write_card(card: Card, folder: Path) -> list[Path]:
    """Write ``card.html``, ``card.md`` and ``card.json`` into ``folder``; returns their paths."""
    sheet = card_sheet(card)
    files = {
        PAGE_NAME: sheet.html(),
        MARKDOWN_NAME: sheet.markdown(),
        FILE_NAME: card.model_dump_json(indent=1) + "\n",
    }
    return write_files(folder, files)


def card_sheet(card: Card) -> Sheet:
    """The page: known limits first, then what they rest on."""
    run, judge, basis = card.run, card.judge, card.basis
    shown = main_curves(card)
    damage: list[Part] = [*(chart([one]) for one in shown), verdict_rows(card.sensitivity)] if shown else []
    return Sheet(
        "judge card",
        f"How far {run.format} with {run.model} can be trusted",
        [
            Section("Known limits", [Texts(card.limits)]),
            Section("Agreement with people", [agreement_rows(card)]),
            Section("Does it notice known damage?", damage, _DAMAGE),
            Section(
                "Does it repeat itself?",
                [repeatability_table(card.repeatability)] if card.repeatability else [],
            ),
            Section("Consistency and bias", [] if card.bias is None else list(bias_parts(card.bias))),
            Section("Is it still as it was?", [] if card.drift is None else [chart_table(card.drift)]),
            Section("What has no score", [Texts(list(_missing(card)))]),
            Section("The instrument", [instrument_table(card)], _INSTRUMENT),
        ],
        lede=[
            f"It measures {judge.summary}. Scale: {judge.scale}. Score: {judge.score}. Source: {judge.source}."
        ],
        badges=[("Offline baseline", FLOOR)] if run.baseline else [],
        facts=[
            ("Fingerprint", run.fingerprint),
            ("Judged", run.created[:10]),
            ("Last checked", last_checked(card)),
            (
                "Items",
                f"{words.count(run.items_count)} on {words.number(card.topics, 'topic')} ({run.items_name})",
            ),
            (
                "Labels",
                f"{basis.labels}, read as {basis.layout}, by {words.number(card.annotators, 'annotator')}, "
                f"on {words.count(card.compared)} of the items",
            ),
            ("Cost", _price(card)),
            ("Speed", _speed(card)),
        ],
    )


_DAMAGE = (
    "Mean scores over levels of damage; curves, and how far a score fell or rose, with 95 % intervals over topics. "
    f"{HOW_DECIDED}"
)
_INSTRUMENT = "The fingerprint changes with any of this; the card then no longer holds."


def _price(card: Card) -> str:
    if card.cost.usd is None:
        return "unknown (no price for the model)"
    each = card.cost.item["usd"]
    return words.money(card.cost.usd) + (f", {words.money(each)} an item" if each else "")


def _speed(card: Card) -> str:
    item = card.cost.item
    told = f"{words.seconds(item['seconds'] or 0)} of the model's time an item, {item['calls'] or 0:.1f} requests"
    return told + (f", {words.count(round(item['tokens']))} tokens" if item["tokens"] else "")


def _missing(card: Card) -> Iterator[str]:
    missing = card.missing
    yield (
        f"{words.count(missing.scored)} of {words.count(missing.total)} judgments are whole, "
        f"{words.count(missing.unscored)} unscored, {words.count(missing.failed)} failed."
    )
    yield from (f"{words.count(count)}: {words.reason(name)}." for name, count in missing.reasons.items())
