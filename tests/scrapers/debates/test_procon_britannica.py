"""ProCon's pages at britannica.com, on small pages written for each case."""

from conqret.data import Debate, DebateArgument, Source
from conqret.scrapers.debates import LayoutProblem, read_debate, wanted_pages

URL = "https://www.example.org/procon/zoos-debate"
CONS = f"{URL}/Cons"
PRO = """<h1>Zoos</h1><div class="topic-identifier x">Should zoos exist?</div><p class=topic-paragraph>First.</p>
<section class=pro><h2 class=h2>Pro 1: They teach.</h2><p>Much [1].</p></section>"""
CON = "<section class=con><h2 class=h2>Con 1: They harm.</h2><p>Harm [{0}].</p></section>"
NOTES = "<section class=sources><h2>Sources</h2>{0}</section>"


def read(html: str, cons: str = "") -> Debate:
    debate = read_debate(html, URL, further={CONS: cons} if cons else {})
    assert isinstance(debate, Debate), debate
    return debate


def test_the_other_side_is_wanted_from_its_own_page() -> None:
    assert wanted_pages(PRO, URL) == (CONS,)
    assert wanted_pages(PRO, URL + "/?a=b#c") == (CONS,)
    assert wanted_pages(PRO + CON.format(1), URL) == (CONS,)  # for its sources
    assert wanted_pages(PRO + CON.format(1) + NOTES.format("<p>[1] A</p>"), URL) == ()
    assert wanted_pages(CON.format(1), CONS) == ()
    found = read(PRO, cons=CON.format(2) + NOTES.format("<p>[1] A, 2001</p><p>[2] <a href='/b'>B</a>"))
    assert (found.title, found.question, found.introduction) == ("Zoos", "Should zoos exist?", "First.")
    assert found.pros == (DebateArgument(title="They teach.", paragraphs=("Much [1].",)),)
    assert found.cons == (DebateArgument(title="They harm.", paragraphs=("Harm [2].",)),)
    assert found.sources == (
        Source(number=1, title="A, 2001", cited="2001"),
        Source(number=2, title="B", url="https://www.example.org/b"),
    )


def test_a_second_list_that_begins_again_at_1_gets_numbers_of_its_own() -> None:
    first = PRO + NOTES.format("<p>[1] A</p>")
    second = CON.format("1-2, 7") + NOTES.format("<p>[1] B</p><p>[2] C</p>")
    found = read(first, cons=second)
    assert [(source.number, source.title) for source in found.sources] == [(1, "A"), (8, "B"), (2, "C")]
    assert found.pros[0].paragraphs == ("Much [1].",)
    assert found.cons[0].paragraphs == ("Harm [8, 2, 7].",)
    same = read(first, cons=CON.format(1) + NOTES.format("<p>[1] A</p>"))
    assert [source.number for source in same.sources] == [1]


def test_a_renamed_section_is_a_problem() -> None:
    changed = PRO.replace("class=pro", "class=pros-list").replace("Pro 1: ", "")
    debate = read_debate(changed, URL)
    assert debate == LayoutProblem(
        URL, ("pros: no argument found", "cons: no argument found"), "procon-britannica"
    )
