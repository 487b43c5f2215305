"""Broken HTML: never a crash, a hang, or markup in a text."""

import re

from conqret.data import Debate
from conqret.scrapers.debates import read_debate

MARKUP = re.compile(r"<[A-Za-z/!?]|[\x00-\x08\x0b-\x1f]")


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
    for page in pages:  # one that goes back and forth over such a page would take hours
        debate = read_debate(page, "https://www.example.org/debates/zoos/")
        if isinstance(debate, Debate):
            arguments = [*debate.pros, *debate.cons]
            texts = [debate.title, debate.question, *(source.title for source in debate.sources)]
            texts += [text for one in arguments for text in (one.title, *one.paragraphs, *one.counterpoint)]
            assert [text for text in texts if MARKUP.search(text)] == []
