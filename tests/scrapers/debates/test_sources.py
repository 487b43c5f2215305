"""Tables of sources in all their variants."""

import pytest

from conqret.data import Source
from conqret.scrapers.debates import DebatePage
from conqret.scrapers.debates.cited_sources import cited_date, footnotes_url, page_sources, web_address

URL = "https://www.example.org/debates/zoos/"
LINK = '<a href="https://x.example/a?b=1#c">A Title, Mar. 7, 2019</a>'
ROW = Source(number=7, title="A Title, Mar. 7, 2019", url="https://x.example/a?b=1#c", cited="Mar. 7, 2019")


def sources(html: str) -> tuple[Source, ...]:
    return page_sources(DebatePage.read(html, URL))


@pytest.mark.parametrize(
    "row",
    [
        f"<td>7.</td><td>{LINK}</td>",
        f"<td>[7]</td><td>{LINK}</td>",
        f"<th>7</th><td>{LINK}</td>",
        f'<td><a href="#back">↑</a></td><td>7</td><td>{LINK}</td>',
        f'<td><a href="{URL}#back">^</a></td><td>7.</td><td>{LINK}</td>',
        f'<td></td><td><a name="7"></a></td><td>{LINK}</td>',
        f'<td><a id="footnote-7"></a></td><td>{LINK}</td>',
        "<td>7</td><td>A Title, Mar. 7, 2019</td><td>https://x.example/a?b=1#c</td>",
        "<td>7</td><td>A Title, Mar. 7, 2019</td><td><a href='https://x.example/a?b=1#c'>link</a></td>",
    ],
)
def test_rows(row: str) -> None:
    assert sources(f"<p>Sources</p><table><tr>{row}</tr></table>") == (ROW,)


def test_sources_without_address() -> None:
    rows = "<tr><td>1</td><td>Just a title</td></tr><tr><td>2</td><td>T</td><td></td></tr>"
    assert sources(f"<h3>Sources:</h3><table>{rows}</table>") == (
        Source(number=1, title="Just a title"),
        Source(number=2, title="T"),
    )


@pytest.mark.parametrize(
    "href",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "#7",
        "mailto:a@b.example",
        "http://",
        "https://[bad",
        "file:///x",
    ],
)
def test_links_that_are_no_addresses(href: str) -> None:
    found = sources(f'<p>Sources</p><table><tr><td>7</td><td><a href="{href}">T</a></td></tr></table>')
    assert found == (Source(number=7, title="T"),)


def test_a_box_of_facts_is_no_table_of_sources() -> None:
    facts = '<table class="tablepress {}"><tr><td>1.</td><td>{}</td></tr></table>'
    real = '<table class="tablepress x"><tr><td>1</td><td>Real</td></tr></table>'
    for box in (facts.format("did-you-know", "fact"), facts.format("", "Did You Know? fact")):
        assert sources(box + real) == (Source(number=1, title="Real"),)


def test_tables_may_go_on_and_the_first_entry_of_a_number_counts() -> None:
    table = '<table class="tablepress"><tr><td>{}</td><td>{}</td></tr></table>'
    found = sources(table.format(1, "one") + table.format(2, "two") + table.format(1, "again"))
    assert [(one.number, one.title) for one in found] == [(1, "one"), (2, "two")]


def test_a_header_row_and_a_table_of_something_else() -> None:
    head = "<tr><th>No.</th><th>Source</th></tr>"
    assert sources(f"<p>Sources</p><table>{head}<tr><td>1</td><td>T</td></tr></table>")[0].title == "T"
    assert sources("<p>Sources</p><table><tr><td>Mon</td><td>Tue</td></tr></table>") == ()
    assert sources("<table><tr><td>1</td><td>not named, not tablepress</td></tr></table>") == ()


@pytest.mark.parametrize(
    ("title", "date"),
    [
        ("USA Cheer, “What Is It?,” usacheer.org (accessed Feb. 8, 2023)", "Feb. 8, 2023"),
        ("A, “In 1999 We Knew,” x.org, July 1, 2019", "July 1, 2019"),
        ("A, “B,” x.org, Feb. 2021", "Feb. 2021"),
        ("A, “B,” x.org, 2008", "2008"),
        ("A, “B,” x.org, 2021-03-04", "2021-03-04"),
        ("A, “Nineteen Eighty-Four,” x.org", ""),
    ],
)
def test_dates_as_printed(title: str, date: str) -> None:
    assert cited_date(title) == date


def test_where_the_footnotes_are() -> None:
    assert footnotes_url(DebatePage.read("<p>x", URL)) == URL + "footnotes/"
    assert (
        footnotes_url(DebatePage.read("<p>x", "https://zoos.example.org"))
        == "https://zoos.example.org/footnotes/"
    )
    linked = '<a href="/zoos/footnotes/#3">Footnotes</a>'
    assert footnotes_url(DebatePage.read(linked, URL)) == "https://www.example.org/zoos/footnotes/"
    elsewhere = '<a href="https://evil.example/footnotes/">Footnotes</a>'
    assert footnotes_url(DebatePage.read(elsewhere, URL)) == URL + "footnotes/"


def test_addresses() -> None:
    assert web_address(" https://x.example/ä ") == "https://x.example/ä"
    for text in (
        "",
        "x.example",
        "https://",
        "http://a b",
        "https://x.example/\x00",
        "ftp://x",
        "http://x:99999/",
    ):
        assert web_address(text) == ""
    assert web_address("https://x.example/" + "a" * 3000) == ""
