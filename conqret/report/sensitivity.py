"""The page of a sensitivity run: one HTML file that asks nothing of any network, and its tables and plots."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from conqret.errors import MissingDependencyError
from conqret.io.atomic import replacing
from conqret.reliability.sensitivity.results import SensitivityResults
from conqret.report.sensitivity_plots import plots
from conqret.report.sensitivity_tables import all_tables, markdown

_HERE = Path(__file__).resolve().parent


def write_sensitivity(results: SensitivityResults, folder: Path) -> list[Path]:
    """Write ``report.html``, ``tables.md`` and, with matplotlib, ``plots/*.svg``; returns what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        pictures = plots(results)
    except MissingDependencyError:
        pictures = {}
    files = {
        "report.html": page(results, pictures).encode(),
        "tables.md": markdown(all_tables(results)).encode(),
    }
    files |= {f"plots/{name}.svg": data for name, data in pictures.items()}
    for name, data in files.items():
        target = folder / name
        target.parent.mkdir(exist_ok=True)
        with replacing(target) as file:
            file.write(data)
    return [folder / name for name in files]


def page(results: SensitivityResults, pictures: dict[str, bytes]) -> str:
    """The page as a text; its policy allows its own style and pictures in the page, and nothing else."""
    sheets = "\n".join((_HERE / name).read_text(encoding="utf-8") for name in ("page.css", "sensitivity.css"))
    css = Markup(sheets)  # noqa: S704
    style = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    environment = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("sensitivity.html.j2").render(
        css=css,
        policy=f"default-src 'none'; style-src 'sha256-{style}'; img-src data:; base-uri 'none'; form-action 'none'",
        results=results,
        record=results.record,
        tables=list(all_tables(results)),
        pictures={name: base64.b64encode(data).decode() for name, data in pictures.items()},
    )
