"""Write the page of a run: one HTML file that asks nothing of any network.

The judgments are read twice and never held: once for everything that is said of all of them, once for the
items that are shown in full. Every text is escaped by the templates, and a policy in the page itself allows
no script and no style but its own, no connection, no image, no form and no frame.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from conqret.data import Item, Judgment
from conqret.io.atomic import replacing
from conqret.judging.folder import RunDirectory
from conqret.report import words
from conqret.report.figures import HEIGHT, WIDTH
from conqret.report.maps import maps
from conqret.report.overview import overview
from conqret.report.tally import Tally
from conqret.report.texts import visible
from conqret.report.view import ItemView, item_view

MAX_ITEMS = 200
"""Items that the page shows in full: more make it slow to open."""

_HERE = Path(__file__).resolve().parent

Shown = list[tuple[int, Item | None, Judgment]]


def write_report(run: RunDirectory, to: Path | None = None, *, max_items: int = MAX_ITEMS) -> Path:
    """Write the page of ``run`` and return where it is.

    Args:
        run: a run directory; the run may still be going on, and the page says how many items are to come.
        to: the file to write, ``report.html`` in the run directory if None. It appears whole or not at all.
        max_items: how many items are shown in full: first those that are unscored, failed or flagged, then
            in file order. What is said of all items is over all of them.

    Raises:
        DeclarationError: ``run`` is no run directory.
    """
    target = run.report_file if to is None else Path(to)
    record = run.record()
    tally = Tally()
    for judgment in run.judgments():
        tally.add(judgment)
    summary = tally.summariser.summary()
    shown = select(run, tally, max_items)
    rows = [(number, judgment) for number, _, judgment in shown]
    css, js = (Markup((_HERE / name).read_text(encoding="utf-8")) for name in ("page.css", "page.js"))  # noqa: S704
    stream = (
        _environment()
        .get_template("page.html.j2")
        .stream(
            css=css,
            js=js,
            policy=policy(css, js),
            overview=overview(record, summary, tally),
            maps=maps(rows, list(summary.metrics), tally),
            items=_views(shown),
            shown=len(shown),
            max_items=max_items,
            figure={"width": WIDTH, "height": HEIGHT},
            words=words,
        )
    )
    stream.enable_buffering(64)
    _write(target, stream)
    return target


def select(run: RunDirectory, tally: Tally, max_items: int) -> Shown:
    """The items to show with their numbers in the file and their judgments: those that need attention first."""
    urgent: list[tuple[int, Item | None]] = []
    others: list[tuple[int, Item | None]] = []
    room = max(max_items - len(tally.urgent), 0)
    left = set(tally.judged)
    number = 0
    for number, item in enumerate(run.items(), start=1):
        if item.id not in left:
            continue
        left.discard(item.id)
        if item.id in tally.urgent:
            if len(urgent) < max_items:
                urgent.append((number, item))
        elif len(others) < room:
            others.append((number, item))
    wanted = {item.id: (place, item) for place, item in [*urgent, *others] if item is not None}
    strays: dict[str, tuple[int, Item | None]] = {
        name: (place, None)
        for place, name in enumerate(sorted(left)[: max(max_items - len(wanted), 0)], start=number + 1)
    }
    found: dict[str, Judgment] = {}
    for judgment in run.judgments():
        if judgment.item in wanted or judgment.item in strays:
            found[judgment.item] = judgment
    return [
        (place, item, found[name]) for name, (place, item) in {**wanted, **strays}.items() if name in found
    ]


def policy(css: str, js: str) -> str:
    """The content security policy of the page: nothing at all but this style and this script."""
    style, script = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (css, js))
    return (
        f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )


def _views(shown: Shown) -> Iterator[ItemView]:
    for number, item, judgment in shown:
        yield item_view(number, item, judgment)


def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )


def _shown(value: Any) -> Any:
    """What a template prints: plain strings with their hidden characters written out, before the escaping."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _write(target: Path, chunks: Iterable[str]) -> None:
    """Write all of it beside ``target`` before it takes the name: a reader never sees half a page."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as file:
        for chunk in chunks:
            file.write(chunk.encode("utf-8"))
