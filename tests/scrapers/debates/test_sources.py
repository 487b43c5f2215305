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
        f'<td><a href="#back">↑</a></td><td>7</td><td>{LINK}</td>',
        "<td>7</td><td>A Title, Mar. 7, 2019</td><td>https://x.example/a?b=1#c</td>",
    ],
)
def test_rows(row: str) -> None:
    assert sources(f"<p>Sources</p><table><tr>{row}</tr></table>") == (ROW,)


@pytest.mark.parametrize(
    ("title", "date"),
    [
        ("USA Cheer, “What Is It?,” usacheer.org (accessed Feb. 8, 2023)", "Feb. 8, 2023"),
        ("A, “B,” x.org, Feb. 2021", "Feb. 2021"),
        ("A, “Nineteen Eighty-Four,” x.org", ""),
    ],
)
def test_dates_as_printed(title: str, date: str) -> None:
    assert cited_date(title) == date


def test_where_the_footnotes_are() -> None:
    assert footnotes_url(DebatePage.read("<p>x", URL)) == URL + "footnotes/"
    linked = '<a href="/zoos/footnotes/#3">Footnotes</a>'
    assert footnotes_url(DebatePage.read(linked, URL)) == "https://www.example.org/zoos/footnotes/"
    elsewhere = '<a href="https://evil.example/footnotes/">Footnotes</a>'
    assert footnotes_url(DebatePage.read(elsewhere, URL)) == URL + "footnotes/"


def test_addresses() -> None:
    assert web_address(" https://x.example/ä ") == "https://x.example/ä"
    for text in ("", "x.example", "http://a b", "https://x.example/\x00", "ftp://x", "http://x:99999/"):
        assert web_address(text) == ""
