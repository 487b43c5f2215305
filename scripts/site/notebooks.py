"""Execute the notebooks of docs/notebooks/, and make a page of each with what came of it.

A notebook stands in the repository without outputs, so that all that the page shows is from this very build. A cell
that fails, fails the build.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.structure.files import File, Files
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "notebooks"
LONGEST = 300
"""Seconds that a cell may take."""


def on_files(files: Files, config: Any) -> Files:
    """The files of the site, with a page for each notebook. The notebooks lie beside them, to be opened elsewhere."""
    for file in sorted(FOLDER.glob("*.ipynb")):
        page = f"{FOLDER.name}/{file.stem}.md"
        files.append(File.generated(config, page, content=page_of(executed(file), file.name)))
    return files


def executed(file: Path) -> Any:
    """The notebook with its outputs.

    Raises:
        CellExecutionError: a cell failed; the error names it.
    """
    notebook = nbformat.read(file, as_version=4)
    beside = {"metadata": {"path": str(file.parent)}}
    return NotebookClient(notebook, timeout=LONGEST, resources=beside).execute()


def page_of(notebook: Any, name: str) -> str:
    """A notebook as Markdown: texts, code, and what the code gave. Links between notebooks lead to their pages."""
    title, *rest = (piece for cell in notebook.cells for piece in pieces(cell))
    first, _, more = title.partition("\n")
    opened = f"[This page as a notebook]({name}){{ download }}"
    return "\n\n".join([first, opened, more.strip(), *rest]) + "\n"


def pieces(cell: Any) -> list[str]:
    """The parts of a page that a cell makes."""
    if cell.cell_type == "markdown":
        return [cell.source.replace(".ipynb)", ".md)")]
    return [fenced(cell.source, "python"), *(shown(output) for output in cell.outputs)]


def shown(output: Any) -> str:
    """What a cell gave: a frame as its table, all else as text."""
    if output.output_type == "stream":
        return fenced(output.text, "text")
    html = output.data.get("text/html")
    return plain_table(html) if html else fenced(output.data["text/plain"], "text")


def plain_table(html: str) -> str:
    """The table of a frame in the look of the site: without a style of its own, and without quotes round texts."""
    html = re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL).replace(
        ' border="1" class="dataframe"', ""
    )
    return re.sub(r"(?<=<td>)&quot;(.*?)&quot;(?=</td>)", r"\1", html).replace("\n\n", "\n")


def fenced(text: str, kind: str) -> str:
    """A block of code."""
    return f"```{kind}\n{text.rstrip()}\n```"
