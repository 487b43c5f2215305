"""The page in a real Chromium: no errors, no requests, keyboard, hostile texts, phone, dark."""

import csv
import io
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.show import factory
from tests.show.chromium import Chromium, Page
from tests.show.test_html import hostile_page

pytestmark = pytest.mark.browser

SHOWN = "[...document.querySelectorAll('#items > .item')].filter(i => !i.hidden).map(i => i.dataset.n)"
COUNT = "document.querySelector('#count').textContent"
FOCUS = "document.activeElement.id || document.activeElement.closest('[id]').id"

Open = Callable[..., Page]


@pytest.fixture
def visit(browser: Chromium, pages: dict[str, Path]) -> Iterator[Open]:
    opened: list[Page] = []

    def go(name: str | Path = "rag-fine-grained", **view: object) -> Page:
        opened.append(browser.page(pages[name] if isinstance(name, str) else name, **view))
        return opened[-1]

    yield go
    for page in opened:
        complaints, requests = page.complaints, page.requests
        page.close()
        assert complaints == []
        assert [url for url in requests if not url.startswith("file://")] == []
        assert len(requests) == 1


def test_search_filter_and_sort_by_keyboard(visit: Open) -> None:
    page = visit()
    page.press("/")
    assert page.js(FOCUS) == "q"
    page.write("crane elephant")
    shown = page.js(SHOWN)
    assert [factory.items()[int(n) - 1].topic for n in shown] == ["Should zoos be closed?"] * 2
    assert page.js(COUNT) == "2 of 24 items"
    assert "q=crane+elephant" in page.js("location.hash")
    page.press("Escape")
    assert page.js(COUNT) == "24 of 24 items"
    page.js(
        "document.querySelector('#sort').value = '3';"
        "document.querySelector('#filters').dispatchEvent(new Event('input', {bubbles: true}))"
    )
    fourth = "i => i.querySelectorAll('.values > .cell')[3].textContent"
    ordered = f"[...document.querySelectorAll('#items > .item')].map({fourth})"
    for reverse in (False, True):
        texts = [text.split()[-1] for text in page.js(ordered)]
        values = [text for text in texts if text != "–"]
        assert values == sorted(values, key=float, reverse=reverse)
        assert texts[-1] == "–", "items without a value stand last"
        page.js("document.querySelector('#direction').focus()")
        page.press("Enter")


CHOOSE = """document.querySelector('#clear').click();
{{ const field = document.querySelector('#{}'); field.{};
field.dispatchEvent(new Event('input', {{bubbles: true}})) }}"""
SAVE = """URL.createObjectURL = (blob) => { window.saved = blob; return '#'; };
HTMLAnchorElement.prototype.click = function () { window.named = this.download; };
document.querySelector('#csv').click()"""


def test_what_filters_leave_and_its_csv(visit: Open) -> None:
    page = visit()
    expected = factory.judge_all(factory.items(), "rag-fine-grained")

    def chosen(field: str, value: str) -> list[str]:
        page.js(CHOOSE.format(field, value))
        return [factory.items()[int(n) - 1].id for n in sorted(page.js(SHOWN), key=int)]

    assert chosen("status", "value = 'failed'") == [one.item for one in expected if one.status == "failed"]
    assert chosen("flagged", "checked = true") == [one.item for one in expected if one.flags]
    assert chosen("trimmed", "checked = true") == [one.item for one in expected if one.trims]
    low = [one.item for one in expected if (one.measures["context_relevance"].value or 1) < 0.45]
    assert low
    assert chosen("below", "value = '0.45'") == low
    con = {one.item: one.measures["groundedness"].value for one in expected if one.stance == "con"}
    assert chosen("stance", "value = 'con'") == list(con)
    page.js(SAVE)
    rows = list(csv.DictReader(io.StringIO(page.js("window.saved.text()").lstrip("\ufeff"))))
    assert page.js("window.named") == "scores.csv"
    found = {row["item"]: float(row["groundedness"]) if row["groundedness"] else None for row in rows}
    assert found == con


def test_arrows_move_enter_opens_escape_closes(visit: Open) -> None:
    page = visit()
    first, second = page.js(SHOWN)[:2]
    page.press("/", "ArrowDown")
    assert page.js(FOCUS) == f"i{first}"
    page.press("ArrowDown", "Enter")
    assert page.js(FOCUS) == f"i{second}"
    assert page.js(f"document.querySelector('#i{second}').open")
    page.press("Escape")
    assert not page.js(f"document.querySelector('#i{second}').open")


def test_citations_jump_to_documents_and_back(visit: Open) -> None:
    page = visit()
    page.js("document.querySelector('#i6').open = true")
    page.js("document.querySelector('#i6-a .cite').focus()")
    target = page.js("document.activeElement.getAttribute('href').slice(1)")
    page.press("Enter")
    assert page.js(FOCUS) == target
    top = page.js("document.activeElement.getBoundingClientRect().top")
    assert -1 <= top < page.js("innerHeight")
    assert f"at={target}" in page.js("location.hash")
    page.js("document.querySelector('#' + document.activeElement.id + ' .extras a').focus()")
    page.press("Enter")
    assert page.js(FOCUS).startswith("i6-a")


def test_the_address_restores_the_view_and_a_broken_one_does_no_harm(visit: Open) -> None:
    page = visit(fragment="#stance=con&sort=topic&reverse=1&at=i2-d3")
    topics = [factory.items()[int(n) - 1].topic for n in page.js(SHOWN)]
    assert len(topics) == 12
    assert topics == sorted(topics, reverse=True)
    assert page.js(FOCUS) == "i2-d3"
    broken = "#%00%ff=<b>&sort=999&metric=x&below=abc&at=nothing&q="
    assert "of 24 items" in visit(fragment=broken).js(COUNT)


def test_hostile_texts_stay_text(visit: Open, tmp_path: Path) -> None:
    page = visit(hostile_page(tmp_path), width=375, height=800)
    page.js("document.querySelectorAll('details').forEach(d => d.open = true)")
    page.js(
        "document.querySelectorAll('a, button').forEach("
        "e => e.dispatchEvent(new MouseEvent('mouseover', {bubbles: true})))"
    )
    assert page.js("window.pwned === undefined && parent.pwned === undefined")
    assert page.js("document.scripts.length") == 2
    assert page.js("document.querySelectorAll('img, iframe, base, link, object, embed').length") == 0
    names = set(page.js("[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames())"))
    assert [name for name in names if name.startswith("on") or name == "style"] == []
    assert "<script>window.pwned = 1</script>" in page.js(
        "document.querySelector('.argument .text').textContent"
    )
    assert page.js("document.documentElement.scrollWidth") <= 375, "a word of 100,000 letters breaks"
    schemes = "[...new Set([...document.querySelectorAll('a')].map(a => a.protocol))].sort().join()"
    assert page.js(schemes) == "file:,https:"
    page.press("/")
    page.write("<script>")
    assert page.js(COUNT) == "1 of 1 items"


def test_without_scripts_everything_is_there(browser: Chromium, pages: dict[str, Path]) -> None:
    page = browser.page(pages["rag-fine-grained"])
    page.scripts(allowed=False)
    page.go(pages["rag-fine-grained"].as_uri() + "?plain#i3")
    try:
        assert not page.js("document.documentElement.classList.contains('js')")
        assert (
            page.js("[...document.querySelectorAll('.item')].filter(i => i.checkVisibility()).length") == 24
        )
        assert not page.js("document.querySelector('#filters').checkVisibility()")
        assert page.js("document.querySelector('#i3').textContent").count("[") > 3
    finally:
        page.close()


def test_nothing_runs_over_the_edge_of_a_phone_and_all_has_a_name(visit: Open) -> None:
    page = visit("rag-rubric", width=375, height=800)
    page.js("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert page.js("document.documentElement.scrollWidth") == 375
    fields = "[...document.querySelectorAll('input, select')]"
    assert page.js(f"{fields}.filter(f => !f.labels.length && !f.ariaLabel).length") == 0
    figures = "[...document.querySelectorAll('svg[role=img]')]"
    assert page.js(f"{figures}.every(s => s.ariaLabel.includes('Items by score'))")
    levels = page.js("[...document.querySelectorAll('h1, h2, h3, h4')].map(h => Number(h.tagName[1]))")
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_dark_follows_the_system_and_the_button(visit: Open) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    page = visit(dark=True)
    page.js("localStorage.clear()")
    dark = page.js(ground)
    page.js("document.querySelector('#theme').click()")
    light = page.js(ground)
    assert (dark, light) == ("rgb(20, 23, 28)", "rgb(251, 250, 247)")
    page.js("document.querySelector('#theme').click()")
    assert page.js(ground) == dark
    assert page.js("document.querySelector('#theme').textContent") == "Theme: dark"
    page.js("document.querySelector('#theme').click(); localStorage.clear()")
