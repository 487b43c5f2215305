"""Turns and images on the pages of a run and of a labelling study: shown, escaped, and nothing fetched."""

from __future__ import annotations

import re
from pathlib import Path

import conqret
from conqret.io import open_items
from conqret.labels.task import shows
from tests.io.test_conversations import DATA, OPENAI

HOSTILE = '<script>alert(1)</script><img src="https://evil.example/x.png">'
CHAT = {"id": "chat", "messages": [{"role": "user", "content": HOSTILE}, *OPENAI[4:]]}
TOOLS = {"id": "tools", "messages": OPENAI}
PICTURE = {
    "id": "picture",
    "topic": "T?",
    "argument": "So [1].",
    "documents": [{"image": DATA, "caption": "A chart."}, "https://example.org/a.png"],
}


def report(folder: Path, *items: object, **settings: object) -> str:
    conqret.judge(list(items), format="pointwise", metrics=["clarity"], output=folder / "run", **settings)
    return (folder / "run" / "report.html").read_text(encoding="utf-8")


def policy(page: str) -> str:
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert found
    return found[1]


def test_a_report_shows_the_turns_under_their_roles(tmp_path: Path) -> None:
    page = report(tmp_path, CHAT, TOOLS, conversation="whole")
    assert page.count('<li class="tool">') == 1
    assert (
        page.count("3 messages before") + page.count("5 messages before") + page.count("2 messages before")
        == 2
    )
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "img-src" not in policy(page), "no image is shown where there is none"


def test_a_report_shows_images_that_it_holds_and_asks_nobody_for_others(tmp_path: Path) -> None:
    page = report(tmp_path, PICTURE)
    assert re.findall(r'<img src="([^"]*)"', page) == [DATA]
    assert "img-src data:" in policy(page)
    assert "image: https://example.org/a.png" in page


def test_annotators_of_a_sheet_read_what_came_before() -> None:
    (item,) = open_items([TOOLS])
    text = shows(item)["text"]
    assert text.startswith("Before the question:\nSystem: Be brief.")
    assert text.index("Before the question") < text.index("[1] ")
