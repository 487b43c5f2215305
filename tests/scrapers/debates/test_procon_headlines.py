"""ProCon's headline pages."""

from conqret.data import Debate, DebateArgument
from conqret.scrapers.debates import read_debate

URL = "https://www.example.org/headlines/vaping-top-3-pros-and-cons/"
HEAD = """<title>Vaping Pros and Cons - 3 Arguments For and Against</title>
<h3 class="boxed-blue" style="margin-top:1rem">Is Vaping Safe?</h3>
<h1 class="entry-title">Vaping – Top 3 Pros and Cons</h1><div class=entry-content><p>To begin with.</p>"""
STACKED = """<h3>Pro 1</h3><h4>Title a</h4><p>text [1]</p><ul><li>x</li><li>y</li></ul>
<p><strong>Pro 2: Title b</strong></p><p>text b<p>text c
<p><strong>Con 1</strong></p><p><b>Title</b> <b>c</b></p><p>con <b>text</b> [2]</p>
<p>Con 2 is mentioned in this paragraph, which is no heading.</p>"""
TAIL = """<p>Discussion Questions</p><p>1. What else?</p><p>Take Action</p><p>1. Read on.</p>
<p>Sources</p><table><tr><td>1.</td><td>S1</td></tr><tr><td>2.</td><td>S2</td></tr></table></div>"""


def read(html: str) -> Debate:
    debate = read_debate(html, URL)
    assert isinstance(debate, Debate), debate
    return debate


def test_arguments_under_numbered_headings() -> None:
    found = read(HEAD + STACKED + TAIL)
    assert (found.id, found.layout) == ("vaping-top-3-pros-and-cons", "procon-headlines")
    assert (found.title, found.question) == ("Vaping – Top 3 Pros and Cons", "Is Vaping Safe?")
    assert found.pros == (
        DebateArgument(title="Title a", paragraphs=("text [1]", "x", "y")),
        DebateArgument(title="Title b", paragraphs=("text b", "text c")),
    )
    assert found.cons == (
        DebateArgument(
            title="Title c",
            paragraphs=("con text [2]", "Con 2 is mentioned in this paragraph, which is no heading."),
        ),
    )
    assert [source.number for source in found.sources] == [1, 2]


def test_arguments_in_columns() -> None:
    block = "<div class=argument-container><h3>{0} 1</h3><h4>{0} title</h4><p>{0} text [1]</p></div>"
    columns = "".join(
        f"<div class=arguments-column-{side}>{block.format(side)}</div>" for side in ("pro", "con")
    )
    found = read(HEAD + columns + TAIL)
    assert found.layout == "procon-headlines"
    assert found.pros == (DebateArgument(title="pro title", paragraphs=("pro text [1]",)),)
    assert found.introduction == "To begin with."
