"""The page of a sensitivity run: one HTML file that asks nothing of any network, and its tables and plots."""

from __future__ import annotations

import base64
from pathlib import Path

from conqret.errors import MissingDependencyError
from conqret.reliability.sensitivity.results import SensitivityResults
from conqret.report.markdown import tables_markdown
from conqret.report.page import page, write_files
from conqret.report.sensitivity_plots import plots
from conqret.report.sensitivity_tables import all_tables


def write_sensitivity(results: SensitivityResults, folder: Path) -> list[Path]:
    """Write ``report.html``, ``tables.md`` and, with matplotlib, ``plots/*.svg``; returns what was written."""
    try:
        pictures = plots(results)
    except MissingDependencyError:
        pictures = {}
    tables = list(all_tables(results))
    chunks = page(
        "sensitivity.html.j2",
        sheets=("tables.css",),
        pictures=True,
        results=results,
        record=results.record,
        tables=tables,
        plots={name: base64.b64encode(data).decode() for name, data in pictures.items()},
    )
    named = {f"plots/{name}.svg": data for name, data in pictures.items()}
    return write_files(folder, {"report.html": chunks, "tables.md": tables_markdown(tables), **named})
