"""Write the page of a run: one HTML file that asks nothing of any network."""

from __future__ import annotations

from pathlib import Path

from conqret.judging.folder import JudgeFolder
from conqret.report.figures import HEIGHT, WIDTH
from conqret.report.maps import maps
from conqret.report.overview import overview
from conqret.report.page import page, write_files
from conqret.report.parts import KINDS
from conqret.report.tables import Beside
from conqret.report.tally import MAX_ITEMS, Tally
from conqret.report.view import item_view


def write_report(
    run: JudgeFolder,
    to: Path | None = None,
    *,
    max_items: int = MAX_ITEMS,
    tally: Tally | None = None,
    beside: Beside | None = None,
) -> Path:
    """Write the page of ``run`` and return where it is.

    Args:
        run: a run directory; the run may still be going on, and the page says how many items are to come.
        to: the file to write, ``report.html`` in the run directory if None. It appears whole or not at all.
        max_items: how many items are shown in full: first those that are unscored, failed or flagged, then
            in file order. What is said of all items is over all of them.
        beside: the means of another run over the same items, such as the offline floor's.
        tally: what was counted while the judgments were read, in place of reading them again.

    Raises:
        DeclarationError: ``run`` is no run directory.
    """
    record = run.record()
    if tally is None:
        tally = Tally(max_items, {item.id: number for number, item in enumerate(run.items(), start=1)})
        for judgment in run.judgments():
            tally.add(judgment)
    summary = tally.summariser.summary()
    shown = tally.shown()
    wanted = {judgment.item for _, judgment in shown}
    items = {item.id: item for item in run.items() if item.id in wanted}
    target = run.report_file if to is None else Path(to)
    chunks = page(
        "judgments.html.j2",
        script="page.js",
        maps=maps(shown, summary, tally),
        items=(item_view(items.get(judgment.item), judgment) for _, judgment in shown),
        shown=len(shown),
        kinds=KINDS,
        figure={"width": WIDTH, "height": HEIGHT},
        **overview(record, summary, tally, beside),
    )
    write_files(target.parent, {target.name: chunks})
    return target
