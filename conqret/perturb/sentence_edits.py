"""An argument by its sentences: which cite, how to exchange them, what closes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from conqret.text.citations import citations, find_marks, strip_citations
from conqret.text.sentences import CLOSING, END_MARKS, Span, sentences


@lru_cache(maxsize=1024)
def split(text: str) -> tuple[Span, ...]:
    """The sentences of ``text``; kept, because every level of every perturbation needs them again."""
    return sentences(text)


def cited_sentences(text: str) -> list[int]:
    """The numbers, from 1, of the sentences that cite something and say something."""
    return [
        number
        for number, span in enumerate(split(text), start=1)
        if citations(span.text) and any(char.isalpha() for char in strip_citations(span.text))
    ]


def replace_sentences(text: str, replacements: Mapping[int, str]) -> str:
    """``text`` with some of its sentences (counted from 1) exchanged; every other character stays."""
    pieces, end = [], 0
    for number, span in enumerate(split(text), start=1):
        if number in replacements:
            pieces += [text[end : span.start], replacements[number]]
            end = span.end
    return "".join([*pieces, text[end:]])


def put_after(text: str, added: Mapping[int, Iterable[str]], space: str = " ") -> str:
    """``text`` with more sentences behind some of its own (counted from 0), ``space`` between them."""
    longer = {place + 1: space.join([split(text)[place].text, *more]) for place, more in added.items()}
    return replace_sentences(text, longer)


def same_elsewhere(before: str, after: str, changed: Iterable[int]) -> bool:
    """Whether ``after`` has the sentences of ``before``, all alike but exactly those numbered ``changed``."""
    old, new, numbers = split(before), sentences(after), set(changed)
    return len(old) == len(new) and all(
        (first.text != other.text) == (number in numbers)
        for number, (first, other) in enumerate(zip(old, new, strict=True), start=1)
    )


def split_close(sentence: str) -> tuple[str, str]:
    """A sentence and what closes it: its end mark, closing quotes and trailing citations."""
    starts = {match.end(): match.start() for match in find_marks(sentence)}
    before_marks = _without_marks(sentence, starts)
    end_then_marks = before_marks.rstrip(CLOSING).rstrip(END_MARKS)
    before_end = sentence.rstrip().rstrip(CLOSING).rstrip(END_MARKS)
    marks_then_end = _without_marks(before_end, starts)
    place = len(end_then_marks)
    if marks_then_end != before_end.rstrip():  # there are marks
        place = min(place, len(marks_then_end))
    return sentence[:place], sentence[place:]


def _without_marks(text: str, starts: Mapping[int, int]) -> str:
    """``text`` without white space and citation marks at its end; ``starts`` has the place of each mark by its end."""
    end = len(text.rstrip())
    while end in starts:
        end = starts[end]
        while end and text[end - 1].isspace():
            end -= 1
    return text[:end]
