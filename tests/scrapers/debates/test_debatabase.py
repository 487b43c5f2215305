"""Debatabase's pages, on small pages written for each case."""

from conqret.data import Debate, DebateArgument, Source
from conqret.scrapers.debates import LayoutProblem, read_debate

URL = "https://www.example.org/this-house-would-close-zoos~b12/"
ITEM = '<div class="accordion__item"><h4 class="accordion__subtitle">{0}</h4><div>{1}</div></div>'
HEAD = "<h1>This House would close zoos</h1><p>Zoos are old.</p>"
AGAINST = "<h3>Points Against</h3>"


def read(html: str) -> Debate:
    debate = read_debate(html, URL)
    assert isinstance(debate, Debate), debate
    return debate


def test_marks_of_an_item_never_lead_to_another_ones_source() -> None:
    first = ITEM.format("A", "<p>POINT</p><p>So [1].</p><p>[1] Alpha, 2001</p>")
    second = ITEM.format("B", "<p>Not so [1], and [2].</p><p>COUNTERPOINT</p><p>But [2].</p><p>[2] Beta</p>")
    found = read(HEAD + first + AGAINST + second)
    assert found.sources == (
        Source(number=1, title="Alpha, 2001", cited="2001"),
        Source(number=2, title="Beta"),
    )
    assert found.pros == (DebateArgument(title="A", paragraphs=("So [1].",)),)
    assert found.cons == (
        DebateArgument(title="B", paragraphs=("Not so [3], and [2].",), counterpoint=("But [2].",)),
    )


def test_a_list_of_sources_for_the_whole_page_keeps_its_numbers() -> None:
    items = ITEM.format("A", "<p>So [2].</p>") + AGAINST + ITEM.format("B", "<p>No [1].</p>")
    found = read(HEAD + items + "<h3>Bibliography</h3><p>[1] Alpha</p><p>[2] Beta</p>")
    assert [(source.number, source.title) for source in found.sources] == [(1, "Alpha"), (2, "Beta")]
    assert (found.pros[0].paragraphs, found.cons[0].paragraphs) == (("So [2].",), ("No [1].",))


def test_without_points_against_there_is_one_side_and_a_problem_that_says_what_parts_them() -> None:
    debate = read_debate(HEAD + ITEM.format("A", "<p>So.</p>"), URL)
    assert isinstance(debate, LayoutProblem)
    assert debate.layout == "debatabase"
    assert debate.missing[0] == "cons: no argument found"
    assert "Points Against" in debate.missing[1]
