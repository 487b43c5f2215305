"""The judge card as a page (one HTML file that asks nothing of any network), as Markdown and as JSON."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from conqret.evaluation.card import FILE_NAME, Card
from conqret.io.atomic import replacing
from conqret.report import words
from conqret.report.card_figures import agreement_figure, bias_figure, curve_figure
from conqret.report.card_tables import card_markdown, effect_text, estimate_text
from conqret.report.texts import visible

_HERE = Path(__file__).resolve().parent
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
        agreement_figure=agreement_figure,
        curve_figure=curve_figure,
        bias_figure=bias_figure,
        widest=max(
            (abs(end) for row in (card.bias.rows if card.bias else ()) for end in (row.low, row.high) if end),
            default=1.0,
        ),
        price="unknown (no price for the model)" if card.cost.usd is None else words.money(card.cost.usd),
    )


def _shown(value: Any) -> Any:
    """Plain strings with their hidden characters written out, before the escaping."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
