"""Texts and tables as LaTeX in which nothing from outside acts: no command, no comment, no mathematics.

A document needs ``\\usepackage{booktabs}``; where texts have scripts that are not Latin, XeLaTeX or LuaLaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from conqret.show.table import Alarm, Table
from conqret.show.visible_text import visible

PREAMBLE = "% The tables need \\usepackage{booktabs}."
WIDE = 4
"""Columns up to which a table stands in one column of a page."""

_ESCAPED = str.maketrans(
    {
        "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
        "|": r"\textbar{}", "`": r"\textasciigrave{}", '"': "''", "\u2026": r"\ldots{}", "\u00b1": r"$\pm$",
    }
)  # fmt: skip
_HYPHENS = re.compile(r"-(?=-)")
_MINUS = re.compile(r"(?<![\w.)}-])-(?=[\d.])")
_DASH = "\u2013"


def escaped(text: str) -> str:
    """Text from outside on one line, with all that LaTeX acts on written so that it is only seen."""
    line = " ".join(visible(text).split()).translate(_ESCAPED)
    return _MINUS.sub("$-$", _HYPHENS.sub("-{}", line)).replace(_DASH, "--")


def tables_latex(tables: Iterable[Table], label: str = "conqret") -> str:
    """Each table as a float with its title as caption, its note below, and the label ``tab:LABEL-NUMBER``."""
    return "\n\n".join(
        "\n".join(_lines(table, f"tab:{label}-{number}")) for number, table in enumerate(tables, start=1)
    )


def _lines(table: Table, label: str) -> Iterator[str]:
    columns = len(table.columns)
    float_ = "table*" if columns > WIDE else "table"
    yield rf"\begin{{{float_}}}"
    yield r"\centering\small"
    yield rf"\caption{{{escaped(table.title)}}}\label{{{label}}}"
    yield rf"\begin{{tabular}}{{{''.join('r' if column.kind == 'figure' else 'l' for column in table.columns)}}}"
    yield r"\toprule"
    yield _row(table.header, columns)
    yield r"\midrule"
    yield from (_row(row, columns) for row in table.rows)
    if table.foot:
        yield r"\midrule"
        yield from (_row(row, columns) for row in table.foot)
    yield r"\bottomrule"
    yield r"\end{tabular}"
    if table.note:
        yield rf"\par\smallskip\parbox{{\linewidth}}{{\footnotesize {escaped(table.note)}}}"
    yield rf"\end{{{float_}}}"


def _row(row: Sequence[str], columns: int) -> str:
    """A row. A cell that must not be missed is bold, and so is a heading, over all columns. The empty group keeps what
    stands first from being read as an option of the line before."""
    if len(row) < columns:
        return rf"\multicolumn{{{columns}}}{{l}}{{\textbf{{{escaped(row[0])}}}}} \\"
    cells = [rf"\textbf{{{escaped(cell)}}}" if isinstance(cell, Alarm) else escaped(cell) for cell in row]
    return rf"{{}}{' & '.join(cells)} \\"
