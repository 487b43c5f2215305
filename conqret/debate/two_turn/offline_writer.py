"""The offline writer: it quotes what shares most words with its option, and says so. A floor, and no author."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from conqret.debate.two_turn.two_turn_files import quoted_in
from conqret.text.analysis import weight
from conqret.text.sentences import sentences
from conqret.text.text_passages import stems

QUOTED = 2
"""Sentences that an argument quotes at most."""
LONGEST = 40
"""Words of a sentence that are quoted at most: as many as a snippet may have."""


def argue(passage: str, question: str, option: str) -> tuple[str, tuple[str, ...]]:
    """An argument for an option: the sentences that share most of its words, by weight, and of the question's."""
    snippets = tuple(_nearest(passage, f"{question} {option}", ()))[:QUOTED]
    cited = " and ".join(f"(#{n})" for n in range(1, len(snippets) + 1))
    return f'That the answer is "{_short(option.rstrip(" ."))}" is borne out by {cited}.', snippets


def answer(passage: str, option: str, quoted: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """An answer to the other side's argument: the nearest sentence to one's own option that nobody has quoted."""
    snippets = tuple(_nearest(passage, option, quoted))[:1]
    if not snippets:
        return f'What is quoted against "{_short(option.rstrip(" ."))}" leaves it open.', ()
    return f'The argument leaves out (#1), which speaks for "{_short(option.rstrip(" ."))}".', snippets


def _nearest(passage: str, wanted: str, quoted: Collection[str]) -> Iterator[str]:
    """Snippets from the passage, those that share most with ``wanted`` first, without those ``quoted`` already."""
    roots = stems(wanted)
    found = [(one.text, _shared(one.text, roots)) for one in sentences(passage)]
    for text, _ in sorted(found, key=lambda pair: -pair[1]):
        snippet = quoted_in(passage, _short(text))
        if snippet is not None and not any(one in snippet or snippet in one for one in quoted):
            yield snippet


def _shared(text: str, roots: Collection[str]) -> float:
    return sum(map(weight, sorted(stems(text) & set(roots))))


def _short(text: str) -> str:
    return " ".join(text.split()[:LONGEST])
