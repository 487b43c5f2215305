"""The judge card as a page (one HTML file that asks nothing of any network), as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from conqret.reliability.cards.card import FILE_NAME, Card
from conqret.report import words
from conqret.report.card_figures import agreement_figure, bias_figure, curve_figure
from conqret.report.card_tables import (
    SHOWN,
    card_markdown,
    is_calibrated,
    main_curves,
    repeatability_table,
    strongest,
)
from conqret.report.page import page, write_files

_SHOULD = {
    "fall": "should fall",
    "rise": "should rise",
    "unchanged": "should stay",
    "no rise": "should not rise",
}
PAGE_NAME, MARKDOWN_NAME = "card.html", "card.md"


def write_card(card: Card, folder: Path) -> list[Path]:
    """Write ``card.html``, ``card.md`` and ``card.json`` into ``folder``; returns their paths."""
    files = {
        PAGE_NAME: card_page(card),
        MARKDOWN_NAME: card_markdown(card),
        FILE_NAME: card.model_dump_json(indent=1) + "\n",
    }
    return write_files(folder, files)


def card_page(card: Card) -> Iterator[str]:
    """The page, piece by piece."""
    return page(
        "card.html.j2",
        card=card,
        statistics=SHOWN,
        absent=_absent(card),
        calibrated=is_calibrated(card),
        should=lambda expected: f"{_SHOULD[expected]}; " if expected else "",
        agreement_figure=agreement_figure,
        curve_figure=curve_figure,
        bias_figure=bias_figure,
        strongest=strongest(card.bias) if card.bias is not None else [],
        every_row=[(row, 1) for row in card.bias.rows] if card.bias is not None else [],
        main_curves=main_curves(card),
        repeated=repeatability_table(card.repeatability),
        widest=_widest(card),
        price="unknown (no price for the model)" if card.cost.usd is None else words.money(card.cost.usd),
    )


def _absent(card: Card) -> list[str]:
    """Why cells of the agreement table are empty, each reason once."""
    cells = [
        (name, one)
        for row in card.agreement
        for name, one in (
            *([("calibrated", row.calibrated)] if is_calibrated(card) else []),
            ("judge as one", row.as_person),
            ("one person", row.person),
            ("people", row.people),
            *((one.title, row.statistics[one.name]) for one in SHOWN),
        )
    ]
    return list(dict.fromkeys(f"{name}, {one.reason}" for name, one in cells if one.value is None))


def _widest(card: Card) -> float:
    """The furthest end of an interval that was tested: the half width of the bias figures."""
    rows = card.bias.rows if card.bias is not None else ()
    ends = [
        max(abs(end or row.effect.value) for end in (row.effect.low, row.effect.high))
        for row in rows
        if row.effect is not None and row.effect.p is not None and row.verdict != "too few topics"
    ]
    return max(ends, default=0.0) or 1.0
