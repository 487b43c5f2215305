"""The written page: whole, closed to the world, and unmoved by hostile texts."""

import base64
import hashlib
import html.parser
import json
import re
import tracemalloc
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from conqret.data import Document, Item, Judgment, Status
from conqret.judging.page import counted, write_report
from conqret.judging.tally import Tally
from tests.show import factory, hostile


class Tags(html.parser.HTMLParser):
    """Counts elements and collects attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def values(self, tag: str, name: str) -> list[str]:
        return [value for t, n, value in self.attributes if (t, n) == (tag, name)]


def hostile_page(folder: Path) -> Path:
    item = hostile.item()
    script = hostile.SCRIPT
    record = dict.fromkeys(("items_name", "items_layout", "created", "items_digest"), script)
    more = {"notes": [script], "options": {script: script}, "identity": {f"prompt {script}": script}}
    return write_report(factory.make_run(folder, [item], [hostile.judgment(item)], **record, **more))


def test_every_format_gives_a_page(pages: dict[str, Path]) -> None:
    for name, page in pages.items():
        text = page.read_text(encoding="utf-8")
        tags = Tags(text)
        assert tags.values("details", "id")[0].startswith("i"), name
        assert text.count('class="item ') == len(factory.items())
        ids = [value for _, attribute, value in tags.attributes if attribute == "id"]
        assert [name for name, number in Counter(ids).items() if number > 1] == []
        inner = {value[1:] for value in tags.values("a", "href") if value.startswith("#")}
        assert inner <= set(ids), name
        (navigation,) = re.findall(r'<nav aria-label="Sections">(.*?)</nav>', text)
        named = {
            (f"#{place}", title) for place, title in re.findall(r'<h2 id="([a-z-]+)">([^<]+)</h2>', text)
        }
        found = set(re.findall(r'<a href="(#[a-z]+)">([^<]+)</a>', navigation))
        assert {title for _, title in found - named} == {"Item by item"}


def test_the_policy_allows_only_the_pages_own_style_and_script(pages: dict[str, Path]) -> None:
    text = pages["rag-fine-grained"].read_text(encoding="utf-8")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)
    policy = policy.replace("&#39;", "'")
    assert policy.startswith("default-src 'none'; ")
    for tag, source in (("style", "style-src"), ("script", "script-src")):
        (inline,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
        assert f"{source} 'sha256-{digest}';" in policy
    assert "unsafe" not in policy


def test_hostile_texts_add_no_element_and_no_attribute(tmp_path: Path) -> None:
    text = hostile_page(tmp_path).read_text(encoding="utf-8")
    tags = Tags(text)
    assert tags.tags["script"] == 2
    assert tags.tags["style"] == 1
    assert not tags.tags.keys() & {"img", "iframe", "base", "i2", "svg/onload", "textarea"}
    assert [name for _, name, _ in tags.attributes if name.startswith("on")] == []
    assert tags.values("meta", "http-equiv") == ["Content-Security-Policy"]
    outside = {value for value in tags.values("a", "href") if not value.startswith("#")}
    assert outside == {url for url in hostile.URLS if url.startswith("https://") and "[" not in url}
    for tag, name, value in tags.attributes:
        if tag == "a" and name == "rel":
            assert value == "noopener noreferrer nofollow"
    assert "{{ 7 * 7 }}" in text, "template syntax stands as text"
    assert not re.search("[\x00-\x08\u202a-\u202e\u2066-\u2069]", text)
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert json.loads(data)["rows"][0]["id"] == hostile.item().id
    assert "<" not in data


def test_urgent_items_come_first_then_file_order(tmp_path: Path) -> None:
    items = factory.items()
    order = [item.id for item in items]
    given = factory.judge_all(items, "direct")
    urgent = [one.item for one in given if one.status is not Status.SCORED or one.addressed]
    assert 3 < len(urgent) < 10
    wanted = urgent + [name for name in order if name not in urgent]
    for limit in (0, 2, len(urgent) + 3, 1000):
        tally = Tally(limit, {name: number for number, name in enumerate(order, start=1)})
        for judgment in reversed(given):
            tally.add(judgment)
        assert [judgment.item for _, judgment in tally.shown()] == wanted[:limit]
        assert all(order[number - 1] == judgment.item for number, judgment in tally.shown())


def test_what_is_not_shown_or_not_there_is_said(tmp_path: Path) -> None:
    items = factory.items()

    def page(folder: str, given: Sequence[Item], judged: Sequence[Item], most: int | None = None) -> str:
        run = factory.make_run(tmp_path / folder, given, factory.judge_all(judged, "direct"))
        written = write_report(run) if most is None else write_report(run, tally=counted(run, most))
        return written.read_text(encoding="utf-8")

    text = page("few", items, items, 5)
    assert "shows 5 of 24 items" in text
    assert "19 are not on this page" in text
    assert "--max-items 24" in text
    assert text.count('class="item ') == 5
    assert "14 of 24 items have no judgment yet" in page("unfinished", items, items[:10])
    assert "0 items judged" in page("none", items, [])
    assert "does not hold this item" in page("unknown", [], items[:2])


def test_memory_does_not_grow_with_the_judgments(tmp_path: Path) -> None:
    document = Document(id="d", text="word " * 6000)
    count = 400  # 12 MB of items

    def items() -> Iterator[Item]:
        return (Item(id=str(n), topic="t", documents=(document,), argument="a [1]") for n in range(count))

    first = Item(id="0", topic="t", documents=(document,), argument="a [1]")
    (judgment,) = factory.judge_all([first], "rag-fine-grained", faults=False)
    judgments: Iterator[Judgment] = (judgment.model_copy(update={"item": str(n)}) for n in range(count))
    run = factory.make_run(tmp_path, items(), judgments)
    tracemalloc.start()
    write_report(run, tally=counted(run, 10))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e6
