"""All layouts by name, and the reading of a page with the first that fits (:func:`read_debate`).

- ``debatabase``: idebate.net; ``procon_britannica``: britannica.com/procon
- ``procon_classic``: ProCon's pages in two columns; ``procon_headlines``: its pages "Top 3 Pros and Cons"
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from conqret.data.corpus import Debate
from conqret.registry import Registry
from conqret.scrapers.debates.layout import NONE, DebatePage, DebateParts, Layout
from conqret.scrapers.debates.page_text import UnreadableHtmlError, plain
from conqret.text.citations import cited_against, cited_by

MAX_ID = 100
"""The most characters of an id, far below what file systems allow for a name."""
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$")
"""Names that Windows keeps for devices."""


def debate_id(url: str) -> str:
    """Return the id of the debate at ``url``: the last part of its path with its query, or else its host.

    The id has only letters, digits and single hyphens.
    ``debate_id("https://www.procon.org/headlines/zoos/")`` is ``"zoos"``, and
    ``debate_id("https://abortion.procon.org")`` is ``"abortion-procon-org"``.
    """
    try:
        parts = urlsplit(url)
        path, query, host = unquote(parts.path), unquote(parts.query), parts.hostname or ""
    except ValueError:
        path, query, host = "", "", ""
    names = [name for part in path.split("/") if (name := _slug(part))]
    slug = "-".join(filter(None, (names[-1] if names else _slug(host.removeprefix("www.")), _slug(query))))
    if not slug:
        return f"debate-{_digest(url)}"
    if _DEVICES.match(slug):
        slug = f"debate-{slug}"
    return slug if len(slug) <= MAX_ID else told_apart(slug, url)


def told_apart(identifier: str, url: str) -> str:
    """Return ``identifier`` with a digest of ``url`` appended, for a second debate with the same id."""
    return f"{identifier[: MAX_ID - 9].rstrip('-')}-{_digest(url)}"


def _slug(text: str) -> str:
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[^a-z0-9]+", "-", ascii_text.lower()).strip("-")


def _digest(url: str) -> str:
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:8]


LAYOUTS = Registry(
    "layout of debate pages",
    "conqret.layouts",
    Layout,
    package="conqret.scrapers.debates.layouts",
    attribute="LAYOUT",
    first=("procon-britannica", "procon-headlines", "procon-classic"),
    shared=True,
)
"""All layouts by name, in the order in which they are tried: ProCon's three, the narrower ones first; conqret's others,
and those of plug-ins, each by name. (They share their group of entry points with the layouts of label files.)
"""
ALL = LAYOUTS.values()
"""The layouts, in this order."""


@dataclass(frozen=True, slots=True)
class LayoutProblem:
    """A page that gave no debate: its URL, and what was missing, one line each."""

    url: str
    missing: tuple[str, ...]
    layout: str = ""


def read_debate(
    html: str, url: str, *, further: Mapping[str, str] = NONE, layouts: Collection[Layout] = ALL
) -> Debate | LayoutProblem:
    """Read a debate page.

    Args:
        html: the HTML of the page.
        url: its URL, which gives the debate's id and resolves relative links.
        further: the HTML of the pages that :func:`wanted_pages` names, by URL: footnotes or the other
            side.
        layouts: the layouts to try, in order.

    Returns:
        The debate, or a :class:`LayoutProblem` if no layout fits, a side has no text, there is no
            question, or cited sources are not listed. No exception is raised.
    """
    try:
        page = DebatePage.read(html, url, further)
    except UnreadableHtmlError as error:
        return LayoutProblem(url, (str(error),))
    layout = next((layout for layout in layouts if layout.fits(page)), None)
    if layout is None:
        known = ", ".join(layout.name for layout in layouts)
        lines = [f"no layout fits: the page has the arguments of none of {known}"]
        if listed := max((len(layout.index(page).debates) for layout in layouts), default=0):
            lines.append(f"it lists {listed} debates: `conqret corpus topics` makes a list of them")
        return LayoutProblem(url, tuple(lines))
    reading = layout.read(page)
    if missing := missing_of(reading):
        return LayoutProblem(url, (*missing, *reading.remarks), layout.name)
    return Debate(
        id=debate_id(url),
        url=url,
        title=plain(reading.title),
        question=plain(reading.question),
        introduction=reading.introduction,
        pros=reading.pros,
        cons=reading.cons,
        sources=reading.sources,
        layout=layout.name,
    )


def wanted_pages(html: str, url: str) -> tuple[str, ...]:
    """Return the URLs of the further pages that the debate at ``url`` needs; empty if no layout fits."""
    try:
        page = DebatePage.read(html, url)
    except UnreadableHtmlError:
        return ()
    return next((layout.wants(page) for layout in ALL if layout.fits(page)), ())


def missing_of(reading: DebateParts) -> tuple[str, ...]:
    """Return one line for each required part of a debate that the page did not give."""
    problems = []
    if not plain(reading.question):
        problems.append("question: no heading and no title")
    for name, arguments in (("pros", reading.pros), ("cons", reading.cons)):
        if not arguments:
            problems.append(f"{name}: no argument found")
        elif not any(argument.paragraphs for argument in arguments):
            problems.append(f"{name}: {len(arguments)} titles found, and no paragraph under any")
    both = (*reading.pros, *reading.cons)
    cited = (*cited_by(both), *cited_against(both))
    if cited and not reading.sources:
        marks = f"[{min(cited)}]" if len(set(cited)) == 1 else f"[{min(cited)}] to [{max(cited)}]"
        problems.append(
            f"sources: the arguments cite {marks}, and neither the page nor its footnotes list sources"
        )
    return tuple(problems)
