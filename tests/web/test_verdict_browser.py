"""A table of a judge's verdicts, labeled by key in a real browser, without a sign of what the judge said."""

from __future__ import annotations

import csv
from pathlib import Path

from conqret.studies.check.read_table import read_checked_table
from tests.labels.verdict_rows import written_table
from tests.show.chromium import Chromium
from tests.web.annotators import come_in, until
from tests.web.commands import started


def test_a_key_labels_a_row_and_check_reads_it(browser: Chromium, tmp_path: Path) -> None:
    table, labels = written_table(tmp_path / "results.csv", 40), tmp_path / "labels"
    with started("labels", "collect", table, "--sample", 6, "-o", labels) as server:
        page = browser.apart()
        come_in(page, server.links["annotator"])
        meant = {}
        for place, key in enumerate("p2fs1"):
            until(page, f"document.querySelector('progress')?.value == {place}")
            shown = page.js("document.body.innerText")
            assert "judge" not in shown.casefold()
            assert "because" not in shown.casefold()
            assert [name in shown for name in ("Input", "Output", "Pass p 1", "Fail f 2", "Skip s")] == [
                True
            ] * 5
            meant[page.js("document.querySelector('h1').innerText")] = {"p": "1", "1": "1", "s": ""}.get(
                key, "0"
            )
            page.press(key)
        until(page, "document.querySelector('progress')?.value == 5")
        page.close()
    with (labels / "labels.csv").open() as file:
        rows = {row["item"]: row["value"].replace("cannot judge", "") for row in csv.DictReader(file)}
    assert rows == meant
    read = read_checked_table(table, labels=labels / "labels.csv")
    places = [read.texts["id"].index(item) for item, value in meant.items() if value]
    assert read.chances is not None
    weights = 1 / read.chances[places]
    assert round(float(weights.sum())) == 40
