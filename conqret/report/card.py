"""The judge card as a page (one HTML file that asks nothing of any network), as Markdown and as JSON."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from conqret.io.atomic import replacing
from conqret.reliability.cards.card import FILE_NAME, Card
from conqret.report import words
from conqret.report.card_figures import agreement_figure, bias_figure, curve_figure
from conqret.report.card_tables import (
    card_markdown,
    effect_text,
    estimate_text,
    main_curves,
    p_text,
    strongest,
)
from conqret.report.texts import visible
from conqret.stats.estimate import Estimate

_HERE = Path(__file__).resolve().parent
_SHOULD = {
    "fall": "should fall",
    "rise": "should rise",
    "unchanged": "should stay",
    "no rise": "should not rise",
}
PAGE_NAME, MARKDOWN_NAME = "card.html", "card.md"


def write_card(card: Card, folder: Path) -> list[Path]:
    """Write ``card.html``, ``card.md`` and ``card.json`` into ``folder``; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        PAGE_NAME: card_page(card),
        MARKDOWN_NAME: card_markdown(card),
        FILE_NAME: card.model_dump_json(indent=1) + "\n",
    }
    for name, text in files.items():
        with replacing(folder / name) as file:
            file.write(text.encode())
    return [folder / name for name in files]


def card_page(card: Card) -> str:
    """The page as a text; its policy allows its own style and nothing else."""
    css = Markup("\n".join((_HERE / name).read_text(encoding="utf-8") for name in ("page.css", "card.css")))  # noqa: S704
    style = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    environment = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    return environment.get_template("card.html.j2").render(
        css=css,
        policy=f"default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'",
        card=card,
        words=words,
        estimate=estimate_text,
        effect=effect_text,
        p_text=p_text,
        brief=_brief,
        absent=_absent(card),
        should=lambda expected: f"{_SHOULD[expected]}; " if expected else "",
        agreement_figure=agreement_figure,
        curve_figure=curve_figure,
        bias_figure=bias_figure,
        strongest=strongest(card.bias) if card.bias is not None else [],
        every_row=[(row, 1) for row in card.bias.rows] if card.bias is not None else [],
        main_curves=main_curves(card),
        widest=_widest(card),
        price="unknown (no price for the model)" if card.cost.usd is None else words.money(card.cost.usd),
    )


def _brief(estimate: Estimate) -> str:
    return "" if estimate.value is None else estimate_text(estimate)


def _absent(card: Card) -> list[str]:
    """Why cells of the agreement table are empty, each reason once."""
    cells = [
        (name, one)
        for row in card.agreement
        for name, one in (
            ("one person", row.person),
            ("people", row.people),
            ("Spearman", row.spearman),
            ("accuracy", row.accuracy),
        )
    ]
    return list(dict.fromkeys(f"{name}, {one.reason}" for name, one in cells if one.value is None))


def _widest(card: Card) -> float:
    """The furthest end of an interval that was tested: the half width of the bias figures."""
    rows = card.bias.rows if card.bias is not None else ()
    ends = [
        abs(end)
        for row in rows
        if row.p is not None and row.verdict != "too few topics"
        for end in (row.low, row.high)
        if end is not None
    ]
    return max(ends, default=0.0) or 1.0


def _shown(value: Any) -> Any:
    """Plain strings with their hidden characters written out, before the escaping."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
