"""Texts and tables as Markdown and LaTeX, escaped so that nothing in a text acts as a command, comment or
mathematics.

A LaTeX document needs ``\\usepackage{booktabs}``; where texts have scripts that are not Latin, XeLaTeX or LuaLaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from conqret.show.table import Alarm, Table
from conqret.show.visible_text import before_command, visible

_MARKDOWN_ESCAPED = re.compile(r"[\\`*|#!~]|\](?=[(\[:])")
"""Characters of Markdown; of brackets those alone that end the text of a link."""


def safe(text: str) -> str:
    """Return text on one line, with the special characters of Markdown and HTML escaped."""
    line = " ".join(visible(text).split()).replace("&", "&amp;").replace("<", "&lt;")
    line = f"&gt;{line[1:]}" if line.startswith(">") else line  # which begins a quotation
    return _MARKDOWN_ESCAPED.sub(r"\\\g<0>", line)


def safe_prose(text: str) -> str:
    """Return text as :func:`safe` does, with the command line that ends it as code."""
    words, command = before_command(text)
    code = f"`{visible(command)}`" if command and "`" not in command else safe(command)
    return f"{safe(words)} {code}".strip()


def tables_markdown(tables: Iterable[Table], heading: str = "###") -> str:
    """Return tables as Markdown, each below its title.

    ``heading`` is the heading mark of the titles; if it is empty, titles are left out.
    """
    return "\n\n".join(block for table in tables for block in _markdown_blocks(table, heading)) + "\n"


def _markdown_blocks(table: Table, heading: str) -> Iterator[str]:
    if table.title and heading:
        yield f"{heading} {safe(table.title)}"
    marks = ["---:" if column.kind == "figure" else "---" for column in table.columns]
    rows = [table.header, *table.rows, *table.foot]
    header, *lines = (_markdown_line(row, len(marks)) for row in rows)
    yield "\n".join([header, f"| {' | '.join(marks)} |", *lines])
    if table.note:
        yield safe(table.note)


def _markdown_line(row: Sequence[str], columns: int) -> str:
    """A row; a heading, and a cell that must not be missed, in bold."""
    cells = [
        f"**{safe(cell)}**" if cell and (len(row) < columns or isinstance(cell, Alarm)) else safe(cell)
        for cell in row
    ]
    return f"| {' | '.join([*cells, *[''] * (columns - len(row))])} |"


PREAMBLE = "% The tables need \\usepackage{booktabs}."
WIDE = 4
"""The most columns of a table that fits into one column of a page."""

_LATEX_ESCAPES = str.maketrans(
    {
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "_": r"\_",
        "%": r"\%",
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "`": r"\textasciigrave{}",
        '"': "''",
        "\u2026": r"\ldots{}",
        "\u00b1": r"$\pm$",
    }
)
_HYPHENS = re.compile(r"-(?=-)")
_MINUS = re.compile(r"(?<![\w.)}-])-(?=[\d.])")
_DASH = "\u2013"
_WORD = re.compile(r"[a-z0-9]+")


def escaped(text: str) -> str:
    """Return text on one line, with the special characters of LaTeX escaped."""
    line = " ".join(visible(text).split()).translate(_LATEX_ESCAPES)
    return _MINUS.sub("$-$", _HYPHENS.sub("-{}", line)).replace(_DASH, "--")


def tables_latex(tables: Iterable[Table]) -> str:
    """Return tables as LaTeX floats with title as caption, note, and a label of the title's first words, so that the
    tables of several commands fit into one document.
    """
    floats = []
    for number, table in enumerate(tables, start=1):
        title = _WORD.findall(table.title.partition("(")[0].lower())[:5]
        floats.append("\n".join(_latex_lines(table, f"tab:{'-'.join([*title, str(number)])}")))
    return "\n\n".join(floats)


def _latex_lines(table: Table, label: str) -> Iterator[str]:
    columns = len(table.columns)
    float_ = "table*" if columns > WIDE else "table"
    yield rf"\begin{{{float_}}}"
    yield r"\centering\small"
    yield rf"\caption{{{escaped(table.title)}}}\label{{{label}}}"
    yield rf"\begin{{tabular}}{{{''.join('r' if column.kind == 'figure' else 'l' for column in table.columns)}}}"
    yield r"\toprule"
    yield _latex_row(table.header, columns)
    yield r"\midrule"
    yield from (_latex_row(row, columns) for row in table.rows)
    if table.foot:
        yield r"\midrule"
        yield from (_latex_row(row, columns) for row in table.foot)
    yield r"\bottomrule"
    yield r"\end{tabular}"
    if table.note:
        yield rf"\par\smallskip\parbox{{\linewidth}}{{\footnotesize {escaped(table.note)}}}"
    yield rf"\end{{{float_}}}"


def _latex_row(row: Sequence[str], columns: int) -> str:
    """A row. A cell that must not be missed is bold, and so is a heading, over all columns. The empty group keeps what
    stands first from being read as an option of the line before."""
    if len(row) < columns:
        return rf"\multicolumn{{{columns}}}{{l}}{{\textbf{{{escaped(row[0])}}}}} \\"
    cells = [rf"\textbf{{{escaped(cell)}}}" if isinstance(cell, Alarm) else escaped(cell) for cell in row]
    return rf"{{}}{' & '.join(cells)} \\"
