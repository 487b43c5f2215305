"""Write the page of a run: one HTML file that asks nothing of any network.

The judgments are read twice and never held: once for everything that is said of all of them, once for the
items that are shown in full.
"""

from __future__ import annotations

from pathlib import Path

from conqret.data import Item, Judgment
from conqret.judging.folder import JudgeFolder
from conqret.report.figures import HEIGHT, WIDTH
from conqret.report.maps import maps
from conqret.report.overview import overview
from conqret.report.page import page, write_files
from conqret.report.tally import Tally
from conqret.report.view import item_view

MAX_ITEMS = 200
"""Items that the page shows in full: more make it slow to open."""

Shown = list[tuple[int, Item | None, Judgment]]


def write_report(run: JudgeFolder, to: Path | None = None, *, max_items: int = MAX_ITEMS) -> Path:
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
    chunks = page(
        "judgments.html.j2",
        script="page.js",
        overview=overview(record, summary, tally),
        maps=maps([(number, judgment) for number, _, judgment in shown], list(summary.metrics), tally),
        items=(item_view(*one) for one in shown),
        shown=len(shown),
        max_items=max_items,
        figure={"width": WIDTH, "height": HEIGHT},
    )
    write_files(target.parent, {target.name: chunks})
    return target


def select(run: JudgeFolder, tally: Tally, max_items: int) -> Shown:
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
