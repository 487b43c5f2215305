"""What a layout looks for, as data: so that a page that changed can be compared with it.

Sites rename a class, or use another element for it, more often than they are rebuilt; both leave something on the page
that is nearly what was looked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from lxml.html import HtmlElement

MAX_KINDS = 2000
"""Kinds of elements of a page that are compared with a selector; the largest pages of the sites have some 600."""
MAX_NAME = 60
"""Characters of a class that are compared."""
NEAR = 0.7
"""The share of two names that must agree for one to be nearly the other: ``pro-section`` and ``section-pro`` are."""
SHOWN = 3
"""Near ones that are named."""


@dataclass(frozen=True, slots=True)
class Selector:
    """Elements with a tag and a class, which hold one ``part`` of a debate ("pros", "question" …).

    With ``begins``, a class that begins with ``name`` is enough. Written ``section.pro``, ``div.topic-identifier…``.
    """

    part: str
    tag: str
    name: str
    begins: bool = False

    def __str__(self) -> str:
        return f"{self.tag}.{self.name}{'…' if self.begins else ''}"

    def matches(self, element: HtmlElement) -> bool:
        """Whether the element is one of these."""
        return element.tag == self.tag and any(
            name == self.name or (self.begins and name.startswith(self.name))
            for name in (element.get("class") or "").split()
        )

    def find(self, root: HtmlElement) -> Iterator[HtmlElement]:
        """These elements under ``root`` (itself included), in document order."""
        return (element for element in root.iter(self.tag) if self.matches(element))


def kinds(root: HtmlElement) -> Counter[tuple[str, str]]:
    """How many elements of a page have each tag and class, an element once for each of its classes."""
    counts: Counter[tuple[str, str]] = Counter()
    for element in root.iter("*"):
        for name in dict.fromkeys((element.get("class") or "").split()):
            if (element.tag, name) in counts or len(counts) < MAX_KINDS:
                counts[element.tag, name] += 1
    return counts


def nearest(
    selector: Selector, there: Counter[tuple[str, str]], others: Collection[Selector] = ()
) -> list[str]:
    """What a page has that is nearly what ``selector`` looks for, the nearest first: ``section.pros (2)``.

    ``there`` is from :func:`kinds`; what one of the ``others`` looks for is not named.
    """
    taken = {(other.tag, other.name) for other in others}
    scored = [
        (_likeness(selector, tag, name), tag, name, count)
        for (tag, name), count in there.items()
        if (tag, name) not in taken
    ]
    best = sorted(
        (candidate for candidate in scored if candidate[0] >= NEAR),
        key=lambda candidate: (-candidate[0], candidate[1:3]),
    )
    return [f"{tag}.{name[:MAX_NAME]} ({count})" for _, tag, name, count in best[:SHOWN]]


def _likeness(selector: Selector, tag: str, name: str) -> float:
    """From 0 to 1: how alike the names are, the same words in another order included; a bit less for another tag."""
    ours, theirs = selector.name.lower(), name.lower()[:MAX_NAME]
    if all(
        any(candidate.rstrip("s") == word.rstrip("s") for candidate in _words(theirs))
        for word in _words(ours)
    ):
        alike = 0.9
    else:
        matcher = SequenceMatcher(None, ours, theirs)
        quick = min(matcher.real_quick_ratio(), matcher.quick_ratio())
        alike = matcher.ratio() if quick >= NEAR else 0.0
    return (1.0 if ours == theirs else alike) - (0.0 if tag == selector.tag else 0.05)


def _words(name: str) -> list[str]:
    return name.replace("_", "-").split("-")
