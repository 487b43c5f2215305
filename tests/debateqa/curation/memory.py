"""A source of evidence in memory, and a model that answers each step of Algorithm 1."""

from __future__ import annotations

import contextlib
import re
from typing import Any

from conqret.data import Document
from conqret.debateqa.curation.page_sources import PageEvidence

SITES = (
    "https://a.org/1",
    "https://b.gov/2",
    "https://c.com/3",
    "https://d.edu/4",
    "http://e.org/5",
    "",
    "https://f.pro/6",
)


class MemorySource:
    """Finds all of its documents with every query, in their order."""

    name = "memory"

    def __init__(
        self, urls: tuple[str, ...] = SITES, text: str = "Trams are cheap. See https://x.y/z and ____."
    ) -> None:
        self.evidence = {
            f"d{n}": PageEvidence(
                Document(id=f"d{n}", text=text, title=f"T{n}", url=url), "CC0" if n == 1 else ""
            )
            for n, url in enumerate(urls, start=1)
        }
        self.asked: list[str] = []

    described = "memory"

    def opened(self, folder: Any) -> Any:
        return contextlib.nullcontext()

    async def search(self, queries: Any, depth: int) -> list[list[str]]:
        self.asked += queries
        return [list(self.evidence)[:depth] for _ in queries]

    def read(self, identifiers: Any) -> list[PageEvidence]:
        return [self.evidence[identifier] for identifier in identifiers if identifier in self.evidence]


def scripted(views: Any = 3) -> Any:
    """What the model answers: one query, so many views (or these), the last document first."""

    def answer(body: dict[str, Any]) -> Any:
        schema = str(body)
        shown = body["messages"][1]["content"]
        count = len(re.findall("<document number", shown))
        if "points_of_view" in schema:
            if not isinstance(views, int):
                return views
            each = ({"point_of_view": f"View {n}.", "documents": [n % count + 1, 1]} for n in range(views))
            return {"points_of_view": list(each)}
        if "ranking" in schema:
            return {"ranking": list(range(count, 0, -1))}
        if "'queries'" in schema:
            return {"queries": ["trams cost"]}
        view = shown.partition("<perspective>")[2].partition("</perspective>")[0].strip()
        return {"explanation": f"Because of {view}"}

    return answer
