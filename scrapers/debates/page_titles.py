"""The title of a debate page, and the question that it asks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from conqret.scrapers.debates.layout import DebatePage
from conqret.scrapers.debates.page_text import HEADINGS, text_of, with_class

_ASKS = re.compile(
    r"(?:should|shall|is|are|was|were|do|does|did|can|could|will|would|has|have|had|may|must|ought|"
    r"who|what|when|where|why|which|how)\b",
    re.IGNORECASE,
)
_SITE = re.compile(  # it begins where nothing longer could: so each place is tried once
    r"(?:(?<!\s)\s*+(?:[|–—]\s*+|-(?:\s++|(?=www\.)))|(?<!\s)\s++|(?<![\sA-Za-z0-9-])|(?=www\.))"
    r"(?:www\.)?[A-Za-z0-9-]++\.(?:org|com|net)\s*+$"
)
_COUNT = r"(?:the\s++)?+(?:top\s++)?+(?:[0-9]{1,2}\s++)?+"
_SIDES = r"(?:pros?\s*+(?:and|&|/|vs\.?)\s*+cons?|arguments?\s++for\s++and\s++against)(?:\s++arguments?)?"
_SUFFIX = re.compile(rf"(?<!\s)\s*+(?:[|–—:-]\s*+)?+{_COUNT}{_SIDES}\s*+$", re.IGNORECASE)
TOP_N = re.compile(r"\btop\s+[0-9]{1,2}\s+pros?\s*(?:and|&)\s*cons?\b", re.IGNORECASE)
"""What the title of a headline page says."""


MAX_TITLE = 400
"""Characters; no heading is longer."""


def choose_question(candidates: Sequence[str]) -> str:
    """The first candidate that asks something, else the first that is left once its suffix is gone.

    ``choose_question(["Vaping – Top 3 Pros and Cons", "Is Vaping Safe? Top 3 Pros and Cons"])`` is
    ``"Is Vaping Safe?"``. Empty if there is no candidate with a letter in it.
    """
    names = [name for candidate in candidates if any(map(str.isalpha, name := bare_title(candidate)))]
    marked = [name for name in names if name.endswith("?")]
    asking = [name for name in names if _ASKS.match(name)]
    return next(iter([*(name for name in marked if name in asking), *marked, *asking, *names]), "")


def bare_title(title: str) -> str:
    """A title without the site's name and without "Top 3 Pros and Cons"; a question ends at its mark."""
    name = _SITE.sub("", title.strip()[:MAX_TITLE])
    question, mark, rest = name.partition("?")
    if mark and (not rest.strip() or _SUFFIX.fullmatch(rest) or _SUFFIX.fullmatch(" " + rest)):
        return question.strip() + "?"
    return _SUFFIX.sub("", name).strip() or name


def page_title(page: DebatePage, headings: Sequence[str]) -> str:
    """The first heading given, else the document's ``<title>``."""
    return headings[0] if headings else document_title(page)


def page_question(page: DebatePage, headings: Sequence[str]) -> str:
    """What the page asks: looked for in the headings given, then in the document's ``<title>``."""
    return choose_question([*headings, document_title(page)])


def main_headings(page: DebatePage, *classes: str) -> list[str]:
    """Texts of the headings with one of ``classes``, in the order of the classes, then of all ``h1``.

    ProCon shows the question of some pages as a picture only; its ``alt`` text counts as a heading.
    """
    headings = [text_of(element) for name in classes for element in with_class(page.root, name, *HEADINGS)]
    headings += [text_of(element) for element in page.root.iter("h1")]
    for box in page.root.iter("div"):
        if "topic-question-image-wrapper" in (box.get("id"), *(box.get("class") or "").split()):
            headings += [picture.get("alt") or "" for picture in (box, *box.iter("img"))]
            break
    return list(dict.fromkeys(text for heading in headings if (text := heading.strip()[:MAX_TITLE])))


def document_title(page: DebatePage) -> str:
    """The text of the page's ``<title>``, on one line."""
    titles = (" ".join((element.text or "").split())[:MAX_TITLE] for element in page.root.iter("title"))
    return next(titles, "")
