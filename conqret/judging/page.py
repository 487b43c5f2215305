"""Write the page of a run: one HTML file that asks nothing of any network."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace as View
from typing import Any

from conqret.data import Item, Judgment, Measure
from conqret.errors import DeclarationError
from conqret.judging.conversation import whole
from conqret.judging.dimensions import BY_NAME
from conqret.judging.item_view import KINDS, PREFERRED, Cell, cell, item_view
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.overview import HEIGHT, OVERALL, WIDTH, overview, plain_metrics
from conqret.judging.summary import Summariser, Summary
from conqret.judging.tally import MAX_ITEMS, Tally, group_table
from conqret.show import words
from conqret.show.page import Ways, page, write_files
from conqret.show.visible_text import cut

NO_PAGES: Mapping[str, Iterator[str]] = {}


def write_report(
    run: JudgeFolder,
    to: Path | None = None,
    *,
    tally: Tally | None = None,
    pages: Mapping[str, Iterator[str]] = NO_PAGES,
    asked_at: Callable[[int, int], str] | None = None,
) -> Path:
    """Write the page of ``run`` and return where it is.

    Args:
        run: a run directory; the run may still be going on, and the page says how many items are to come.
        to: the file to write, ``report.html`` in the run directory if None. It appears whole or not at all.
        tally: what was counted while the judgments were read, in place of reading them again.
        pages: further pages by their names, which are written beside it.
        asked_at: as of :func:`report_page`.

    Raises:
        DeclarationError: ``run`` is no run directory.
    """
    if tally is None:
        tally = counted(run)
    target = run.report_file if to is None else Path(to)
    write_files(target.parent, {**pages, target.name: report_page(run, tally, asked_at=asked_at)})
    return target


def counted(run: JudgeFolder, max_items: int = MAX_ITEMS) -> Tally:
    """The judgments of a run so far, counted, with ``max_items`` of them to be shown in full: first those that are
    unscored, failed or flagged, then in file order.

    Raises:
        DeclarationError: ``run`` is no run directory.
    """
    record, summariser = run.record(), Summariser()
    order: dict[str, int] = {}
    tally = Tally(max_items, order)
    for number, item in enumerate(run.items(), start=1):
        order[item.id] = number
        tally.scores.add_item(item)
    for judgment in run.judgments():
        tally.add(judgment)
        summariser.add(judgment)
    tally.summary = summariser.summary().of_all(record.items_count, record.items_left_out)
    with contextlib.suppress(DeclarationError):
        known = {name: metric.calibrated for name, metric in run.summary().metrics.items()}
        if means := {name: mean for name, mean in known.items() if mean is not None}:
            tally.summary = tally.summary.with_calibrated(means)
    return tally


def report_page(
    run: JudgeFolder, tally: Tally, *, asked_at: Callable[[int, int], str] | None = None, around: Ways = ()
) -> Iterator[str]:
    """The page, piece by piece. ``asked_at`` says where what was asked for an item stands, by its place among those
    that are shown (from 0) and its number in the run; None: nowhere. ``around`` is what else there is."""
    record = run.record()
    summary = tally.summary or run.so_far()
    shown = tally.shown()
    items = _items(run, {judgment.item for _, judgment in shown})
    if record.options.get("conversation") == "whole":
        items = {name: whole(item) for name, item in items.items()}
    listed = item_list(shown, summary)
    return page(
        "judgments.html.j2",
        scripts=["page.js"],
        around=around,
        listed=listed,
        groups=group_table(tally.scores, listed.metrics),
        items=(item_view(items.get(judgment.item), judgment) for _, judgment in shown),
        shown=len(shown),
        kinds=KINDS,
        figure={"width": WIDTH, "height": HEIGHT},
        asked_at=asked_at,
        folder=str(run.path),
        images=any(map(attrgetter("pictures"), items.values())),
        **overview(record, summary, tally),
    )


def _items(run: JudgeFolder, wanted: Collection[str]) -> dict[str, Item]:
    """The items of these ids; those behind the last of them are not read."""
    found: dict[str, Item] = {}
    for item in run.items() if wanted else ():
        if item.id in wanted:
            found[item.id] = item
        if len(found) == len(wanted):
            break
    return found


MOST_HEADS = 7
"""Metrics that find room beside an item in the list, and in the table of groups."""


def item_list(shown: Sequence[tuple[int, Judgment]], summary: Summary) -> View:
    """The list of the judgments shown, in their order: ``columns`` holds (metric, label) of all metrics, ``metrics``
    those that stand beside an item, ``heads`` their places, and ``data`` what the script filters and sorts by."""
    plain = plain_metrics(summary)
    ordered = [*plain, *filter(BY_NAME.__contains__, summary.metrics)]
    heads = ([*plain, OVERALL] if OVERALL in ordered else plain)[:MOST_HEADS]
    rows, facts = [], []
    for number, judgment in shown:
        cells = [_cell(metric, judgment.measures.get(metric)) for metric in heads]
        rows.append(View(number=number, judgment=judgment, heads=cells))
        facts.append(_facts(number, judgment, ordered))
    return View(
        columns=list(zip(ordered, map(words.label, ordered), strict=True)),
        rows=rows,
        metrics=heads,
        heads=list(map(ordered.index, heads)),
        data={"metrics": ordered, "rows": facts},
    )


def _cell(metric: str, measure: Measure | None) -> Cell:
    name = words.label(metric)
    if measure is None:
        return Cell("", title=f"{name}: not judged")
    value_text = words.score(measure.value)
    if measure.value is None:
        value_text = f"{measure.status.value}, {words.reason(measure.reason)}"
    return cell(measure.value, PREFERRED.get(measure.label or "", ""), f"{name}: {value_text}")


def _facts(number: int, judgment: Judgment, metrics: Sequence[str]) -> dict[str, Any]:
    """What the script knows of an item."""
    measures = map(judgment.measures.get, metrics)
    return {
        "n": number,
        "id": cut(judgment.item, 200),
        "topic": cut(judgment.topic, 300),
        "stance": judgment.stance,
        "status": judgment.status.value,
        "flagged": bool(judgment.addressed),
        "trimmed": bool(judgment.trims),
        "values": [None if measure is None else measure.value for measure in measures],
    }
