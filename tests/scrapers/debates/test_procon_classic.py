"""ProCon's classic layout, on small pages written for each case."""

from conqret.data import Debate
from conqret.scrapers.debates import LayoutProblem, read_debate

URL = "https://zoos.example.org/"
PAGE = """<html><head><title>Zoos - Pros & Cons - ProCon.org</title></head><body><nav><p>menu</p></nav>
<div id="topic-question-image-wrapper"><h1 class="text-center">Should Zoos Exist?</h1></div>
<div class="entry-content"><p>First of all.[1]</p><div class=share><p>Share this</p></div>
<p>Then <script>alert(1)</script>more.</p>
<div class="row no-gutters arguments-container">
 <div class="col-6 arguments-column arguments-column-pro"><h2>Pro Arguments</h2>
  <div class="argument-container"><blockquote><h3>Pro 1</h3><h4>They teach.</h4>
   <p>Zoos teach[<a href="#2">2</a>][<a href="#3">3</a>].</p><p>And more<sup><a href="#fn3">3</a></sup> so.</p>
   <ul><li>one</li><li>two</li></ul><p><a href="#">Read More</a></p></blockquote></div>
  <div class="argument-container"><h4>Pro 2: They breed.</h4><p>Breeding [1, 4-5].</p></div></div>
 <div class="col-6 arguments-column arguments-column-con">
  <div class="argument-container"><h4>They harm</h4>Text without a paragraph [1].</div></div></div>
<p>Discussion Questions</p><p>1. What do you think?</p>
<p><strong>Sources</strong></p>
<table><tr><td>1.</td><td>A. Author, "T," x.org, Mar. 7, 2019</td></tr></table></div></body>"""


def read(html: str) -> Debate:
    debate = read_debate(html, URL)
    assert isinstance(debate, Debate), debate
    return debate


def test_a_page_without_text_on_one_side_is_a_problem() -> None:
    empty = PAGE.replace("They harm</h4>Text without a paragraph [1].", "They harm</h4>")
    debate = read_debate(empty, URL)
    assert debate == LayoutProblem(
        URL, ("cons: 1 titles found, and no paragraph under any",), "procon-classic"
    )


def test_hidden_text_is_left_out_but_what_a_click_opens_is_read() -> None:
    hidden = "<p style='display: none'>Never seen.</p><p hidden>Nor this.</p>"
    opened = "<div class='collapse' style='display:none'><p>Opened by a click [1].</p></div>"
    found = read(PAGE.replace("<p>Breeding [1, 4-5].</p>", hidden + opened))
    assert found.pros[1].paragraphs == ("Opened by a click [1].",)


def test_no_markup_even_where_it_was_escaped() -> None:
    nasty = "a &lt;script&gt;evil()&lt;/script&gt;b &lt;b onclick=x&gt;c &lt; d &lt;img src=x onerror=y"
    found = read(PAGE.replace("Breeding [1, 4-5].", nasty))
    assert found.pros[1].paragraphs == ("a b c < d < img src=x onerror=y",)
