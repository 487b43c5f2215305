"""LaTeX of texts from outside: nothing in them acts, read by a parser that knows only what conqret writes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conqret.show.markup import escaped, tables_latex
from conqret.show.table import Alarm, Column, Table
from conqret.show.visible_text import visible

SAID = {
    r"\textbackslash": "\\",
    r"\textasciitilde": "~",
    r"\textasciicircum": "^",
    r"\textless": "<",
    r"\textgreater": ">",
    r"\textbar": "|",
    r"\textasciigrave": "`",
    r"\ldots": "…",
}
LAYOUT = set(
    r"\begin \end \centering \small \caption \label \toprule \midrule \bottomrule \multicolumn \textbf \par \smallskip"
    r" \parbox \linewidth \footnotesize".split()
)
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\$-\$|\$\\pm\$|[{}&$#_%~^]|[^\\{}&$#_%~^]+", re.DOTALL)
HOSTILE = (
    r"\input{/etc/passwd}",
    "100% \\\\ & $x_1^2$ #1 ~ {",
    "}\\end{table}\\write18{rm}",
    "[2em]",
    "* star",
    'a -- b --- c ?` <<x>> "q"',
    "line\n\nbreak\t\\",
    "%\n\\evil",
    "}}}",
    "^^5c",
    "-0.5 [-0.7, -.2]",
)


def read(latex):
    """What a text shows, where it holds nothing but text; anything else is an error."""
    shown, depth = [], 0
    for token in TOKEN.findall(latex):
        if token in "{}":
            depth += 1 if token == "{" else -1
            assert depth >= 0
        elif token in ("$-$", r"$\pm$"):
            shown.append("-" if token == "$-$" else "±")
        elif token.startswith("\\"):
            assert token in SAID or token[1:] in set("{}$&#_%"), token
            shown.append(SAID.get(token, token[1:]))
        else:
            assert token not in set("&$#_%~^"), token
            shown.append(token)
    assert depth == 0
    return "".join(shown)


def as_shown(text):
    """The same text in the characters that LaTeX shows for it."""
    line = " ".join(visible(text).split())
    return line.replace('"', "''").replace("–", "--")


@given(st.text(alphabet=st.sampled_from("\\{}$&#_%~^<>|`\"'-–…±[]*?! \n0a.é"), max_size=30))
def test_whatever_is_written_is_read_again(text):
    assert read(escaped(text)) == as_shown(text)


def test_hyphens_stay_apart_and_numbers_have_a_minus():
    assert escaped("a--b") == "a-{}-b"
    assert escaped("-0.1 [-.2, 2026-11-22]") == "$-$0.1 [$-$.2, 2026-11-22]"


def table_of(text):
    return Table(
        text,
        (Column(text, "name"), text, Column("c", "text")),
        [(text, -0.25, Alarm(text)), (text or "heading",), ("b", None, "")],
        foot=[("all", 1, text)],
        note=text,
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_tables_keep_their_form_whatever_stands_in_them(text):
    latex = tables_latex([table_of(text), table_of("plain")])
    body = latex
    for name in ("table", "tabular"):
        assert body.count(rf"\begin{{{name}}}") == body.count(rf"\end{{{name}}}") == 2
    assert body.index(r"\begin{tabular}{lrl}") < body.index(r"\end{tabular}") < body.index(r"\end{table}")
    assert r"\label{tab:plain-2}" in body
    rows = [line for line in body.splitlines() if line.endswith(r" \\")]
    assert len(rows) == 2 * 5
    for row in rows:
        apart = len(re.findall(r"(?<!\\)&", row.replace(r"\\", "")))
        assert row.startswith((r"\multicolumn{3}{l}{\textbf{", "{}"))
        assert apart == (0 if row.startswith(r"\multicolumn") else 2)
    depth = 0
    for token in TOKEN.findall(body):
        depth += (token == "{") - (token == "}")
        assert depth >= 0
        known = (
            not token.startswith("\\") or token in SAID or token in LAYOUT or token[1:] in set("{}$&#_%\\")
        )
        assert known, token
    assert depth == 0
