"""Broken HTML: never a crash, a hang, or markup in a text."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from conqret.data import Debate
from conqret.scrapers.debates import LayoutProblem, read_debate
from fixtures.site import FIXTURES, OTHER_SITES, read_topics, read_truth
from fixtures.site_pages import debate_page

URL = "https://www.example.org/debates/zoos/"
TOPICS, TRUTH = read_topics(), read_truth()
PAGES = [
    debate_page(TOPICS[slug], TRUTH[slug], "https://www.example.org")
    for slug in ("zoos", "single-use-plastics", "animal-testing")
] + [(FIXTURES / "sites" / name).read_text(encoding="utf-8") for name in OTHER_SITES.values()]
MARKUP = re.compile(r"<[A-Za-z/!?]|[\x00-\x08\x0b-\x1f]")
_PIECES = st.sampled_from(
    """<p> </p> <div class=arguments-column-pro> <div class="arguments-column-con"> </div> <h4> </h4>
    <div class=argument-container> <h3>Pro&nbsp;1</h3> <h3>Con&nbsp;1</h3> <table> <tr> <td> 1. </td> <th> </table>
    <script> </script> <style> <!-- --> <![CDATA[ ]]> <?php &lt;script&gt; &#0; &#x110000; &amp <a&nbsp;href=#1>
    <a href="http://[::1"> [1] [2-9999] <sup> <sub> <b> <svg> <template> <p>Sources</p> <h1>Should&nbsp;it?</h1> <html>
    <body> <title> \x00 \ufffe ☃ ] > < " ' <h1 class=entry-title> Top&nbsp;3""".split()
)
_SITES = st.sampled_from(
    [
        "<section class=pro>",
        "<section class=con>",
        "</section>",
        "<section class=sources>",
        "<h2>Pro 1: So",
        "<div class=topic-identifier>",
        "<p class=topic-paragraph>",
        "<div class=accordion__item>",
        "<h4 class=accordion__subtitle>",
        "</h4>",
        "<p>COUNTERPOINT",
        "<h3>Points Against</h3>",
        "<p>[1] A source",
        "<br>",
        "<ol><li>",
    ]
)


def check(html: str) -> Debate | LayoutProblem:
    debate = read_debate(html, URL)
    if isinstance(debate, LayoutProblem):
        assert debate.missing
        return debate
    assert any(pro.paragraphs for pro in debate.pros)
    assert any(con.paragraphs for con in debate.cons)
    texts = [
        debate.title,
        debate.question,
        *debate.introduction.split("\n\n"),
        *(source.title for source in debate.sources),
        *(text for one in (*debate.pros, *debate.cons) for text in one.counterpoint),
    ]
    texts += [text for one in (*debate.pros, *debate.cons) for text in (one.title, *one.paragraphs)]
    assert [text for text in texts if MARKUP.search(text)] == []
    return debate


@settings(deadline=None, max_examples=40)
@given(st.lists(st.one_of(_PIECES, _SITES, st.text(max_size=8)), max_size=60).map(" ".join))
def test_pieces_of_pages(html: str) -> None:
    check(html)


def test_pages_made_to_be_slow() -> None:
    column = "<div class=arguments-column-pro><div class=argument-container>"
    item = "<div class=accordion__item><h4 class=accordion__subtitle>t</h4><p>so [1]</p><p>[1] A</p></div>"
    pages = [
        "<div>" * 40000,
        column * 10000,
        "<p><b>" * 20000,
        f"{column}<h4>t</h4>" + "<p>[1][2-99]</p>" * 10000,
        "<h3>Pro 1</h3><p>x</p>" * 6000 + "<h3>Con 1</h3><p>y</p>",
        "[" * 1_000_000,
        "<title>" + "? Top 3 Pros and " * 10000,
        "<h1>" + " " * 80000 + "x</h1><h3>Pro 1</h3>",
        "<section class=pro><h2>Pro 1: a</h2><p>b [1]</section>" * 1500 + "<section class=con><h2>Con 1<p>c",
        item * 1500 + "<h3>Points Against</h3>" + item * 1500,
        "<section class=sources><ol>" + "<li>A<br>[1] B" * 3000,
        "<div class=topic-identifier>x?" + "".join(f"<i class='pr{n}'>" for n in range(5000)),
    ]
    for page in pages:
        check(page)  # one that goes back and forth over such a page would take hours
