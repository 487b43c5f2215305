"""A part of a page as lines: the text of each block or line of a block, with its links.

For sites that mark the beginning of something by what it says ("Pro 1: …", "COUNTERPOINT", "[12] …") rather than by an
element of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from lxml import etree
from lxml.html import HtmlElement

from conqret.scrapers.debates.layout import HEADINGS
from conqret.scrapers.debates.page_arguments import TABLES_TOO
from conqret.scrapers.debates.page_html import plain
from conqret.scrapers.markup import BLOCKS


@dataclass(frozen=True, slots=True)
class PageLine:
    """One line of a page: its text without markup, the links in it, and the block that it stands in."""

    text: str
    links: tuple[str, ...]
    block: HtmlElement

    @property
    def level(self) -> int:
        """1 to 6 for the text of a heading, else 0."""
        return int(self.block.tag[1]) if self.block.tag in HEADINGS else 0


def lines(root: HtmlElement, without: Collection[str] = TABLES_TOO) -> Iterator[PageLine]:
    """The lines under ``root`` that hold text, in order; elements with a tag of ``without`` are passed over."""
    texts: list[str] = []
    links: list[str] = []
    within = [root]

    def taken() -> Iterator[PageLine]:
        if text := plain("".join(texts)):
            yield PageLine(text, tuple(links), within[-1])
        texts.clear()
        links.clear()

    walk = etree.iterwalk(root, events=("start", "end"))
    for event, node in walk:
        ends = node.tag in BLOCKS or node is root
        if ends:
            yield from taken()
        if event == "start":
            if ends and node.tag != "br" and node is not root:
                within.append(node)
            if node.tag in without and node is not root:
                walk.skip_subtree()
                continue
            if node.tag == "a":
                links.append(node.get("href") or "")
            texts.append(node.text or "")
        else:
            if node is within[-1] and node is not root:
                within.pop()
            if node is not root:
                texts.append(node.tail or "")
