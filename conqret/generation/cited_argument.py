"""The typed response of a generator (:class:`GeneratedArgument`), its rendering as text, and the check of
its citations.

ConQRet, section 3.2.2 and Table 10: an argument is a set of conclusions, each followed by the premises that
justify it, and a premise that uses documents ends in their citations ``[1]``, ``[2]``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

from conqret.data.item import Document, Frozen
from conqret.judging.responses import Typed, Written
from conqret.text.citations import citations, find_marks
from conqret.text.sentences import sentences
from conqret.text.words import UNSPACED, count_words

_END_MARKS = ".!?\u2026\u3002\uff01\uff1f"
_CLOSED = re.compile(r"[.!?\u2026\u3002\uff01\uff1f][\"'\u2019\u201d\u00bb)\]*_]+$")


def _start_of_marks(line: str, end: int) -> int:
    """Return the place at which the row of citation marks directly before ``end`` begins; ``end`` if there is
    no mark."""
    start = end
    for mark in reversed(list(find_marks(line))):
        if mark.end() <= end:
            if line[mark.end() : start].strip():
                break
            start = mark.start()
    return start


def _one_line(text: str) -> str:
    """A blank text is no answer; white space of any kind is one space (a blank line would end a sentence)."""
    line = " ".join(text.split())
    if not line:
        raise ValueError("the text is empty")
    return line


Line = Annotated[Written, AfterValidator(_one_line)]


class Premise(Typed):
    """One reason, and the numbers (from 1) of the documents that it rests on."""

    text: Line
    citations: list[int]


class Conclusion(Typed):
    """One claim in support of the stance, and what justifies it."""

    conclusion: Line
    premises: list[Premise] = Field(min_length=1)


class LeftOut(Typed):
    """A document that was of no use to the argument, and why."""

    document: int
    reason: str


class GeneratedArgument(Typed):
    """A whole argument: its conclusions, none where nothing speaks for the stance, and the documents left out."""

    conclusions: list[Conclusion]
    left_out: list[LeftOut]


def render(argument: GeneratedArgument) -> str:
    """Return the argument as text: one paragraph per conclusion, followed by its premises.

    Each conclusion and premise ends as a sentence, with its citations before the final full stop.
    Therefore ``conqret.text.sentences`` and ``conqret.text.citations`` recover the same structure.
    """
    paragraphs = []
    for conclusion in argument.conclusions:
        premises = (cited(premise.text, premise.citations) for premise in conclusion.premises)
        paragraphs.append(" ".join([cited(conclusion.conclusion, ()), *premises]))
    return "\n\n".join(paragraphs)


def cited(text: str, numbers: Sequence[int]) -> str:
    """Return ``text`` as one sentence that ends in citation marks for ``numbers``, without duplicates;
    numbers below 0 are left out.

    Citation marks at the end of the text are merged with the new ones; marks inside the text stay in place.
    For example, ``cited("It rose [2].", [1])`` is ``"It rose [2][1]."``.
    """
    line = " ".join(text.split())
    existing: tuple[int, ...] = ()
    end = len(line.rstrip(_END_MARKS).rstrip())
    start = _start_of_marks(line, end)
    if start < end:
        existing = citations(line[start:end])
        line = line[:start].rstrip() + line[end:].lstrip()
    marks = "".join(f"[{number}]" for number in dict.fromkeys((*existing, *numbers)) if number >= 0)
    if _CLOSED.search(line):  # a closing quotation mark comes last: the citation follows it
        return f"{line} {marks}".rstrip()
    body = line.rstrip(_END_MARKS)
    body, stop = (body, line[len(body) :]) if body != line else (line.rstrip(" ,;:"), ".")
    return f"{body} {marks}{stop}" if marks else f"{body}{stop}"


QUOTED_WORDS = 3
"""Shorter quotations (in words) are names, titles of works and scare quotes, which need not be in the
document.
"""

_QUOTATION = re.compile(
    "\u201e([^\u201c\u201d\u201e]{1,2000})[\u201c\u201d]|\u201c([^\u201c\u201d]{1,2000})\u201d"
    '|(?<!\\w)"([^"]{1,2000})"|\u00ab([^\u00ab\u00bb]{1,2000})\u00bb|\u00bb(?=\\S)([^\u00ab\u00bb]{1,2000})(?<=\\S)\u00ab'
    "|\u300c([^\u300c\u300d]{1,2000})\u300d|\u300e([^\u300e\u300f]{1,2000})\u300f"
)
_GAP = re.compile(r"\[?(?:\u2026|\.{3,})\]?|\[[^\]]{0,80}\]")
_LOOK_ALIKE = str.maketrans("\u2018\u2019\u201c\u201d\u2013\u2014\u2010\u2011", "''\"\"----")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_NOT_WORD = re.compile(r"[^\w%]+")


class OutOfRange(Frozen):
    """A citation of a document number that does not exist; sentences count from 1."""

    sentence: int
    number: int


class Misquotation(Frozen):
    """A quotation that none of the documents cited for it contains.

    ``cites`` are the documents that were searched. ``found_in`` are other documents that do contain the
    quotation.
    """

    sentence: int
    quote: str
    cites: tuple[int, ...]
    found_in: tuple[int, ...]


class CitationCheck(Frozen):
    """The result of a citation check; document numbers count from 1.

    ``sentences`` is the number of sentences, ``cited_sentences`` the number with a citation, and ``quotes``
    the number of quotations of three words or more. ``out_of_range`` are citations of documents that do not
    exist, ``never_cited`` the documents that no sentence cites, and ``misquoted`` the quotations that their
    documents do not contain.
    """

    sentences: int
    cited_sentences: int
    quotes: int
    out_of_range: tuple[OutOfRange, ...]
    never_cited: tuple[int, ...]
    misquoted: tuple[Misquotation, ...]


def check_citations(argument: str, documents: Sequence[Document]) -> CitationCheck:
    """Check the citations and quotations of ``argument`` against ``documents``, which are numbered from 1.

    A quotation of three words or more must occur in a document that its sentence cites. If that sentence
    cites nothing, the next citing sentence of the paragraph counts. Case, punctuation and white space are
    ignored. ``…`` or ``[words]`` inside a quotation match anything.
    """
    texts = [_plain(f"{document.title} {document.text}") for document in documents]
    out_of_range, misquoted = [], []
    used: set[int] = set()
    total = cited = quotes = 0
    for paragraph in argument.split("\n\n"):
        spans = sentences(paragraph)
        cites = [citations(span.text) for span in spans]
        for number, those in enumerate(cites, start=total + 1):
            cited += bool(those)
            used.update(those)
            strange = (n for n in those if not 1 <= n <= len(documents))
            out_of_range += [OutOfRange(sentence=number, number=n) for n in strange]
        for end, quote in _quotations(paragraph):  # an ellipsis may end a sentence inside a quotation
            quotes += 1
            place = next((n for n, span in enumerate(spans) if span.end >= end), len(spans) - 1)
            looked_into = next(filter(None, cites[place:]), ())
            holding = tuple(n for n, text in enumerate(texts, start=1) if _holds(text, quote))
            if looked_into and set(holding).isdisjoint(looked_into):
                number = total + place + 1
                misquoted.append(
                    Misquotation(sentence=number, quote=quote, cites=looked_into, found_in=holding)
                )
        total += len(spans)
    return CitationCheck(
        sentences=total,
        cited_sentences=cited,
        quotes=quotes,
        out_of_range=tuple(out_of_range),
        never_cited=tuple(n for n in range(1, len(documents) + 1) if n not in used),
        misquoted=tuple(misquoted),
    )


def _quotations(text: str) -> Iterator[tuple[int, str]]:
    """What stands in double quotation marks and has at least three words, each with the place where its words end."""
    for match in _QUOTATION.finditer(text):
        quote = "".join(match.groups(default="")).strip()
        if count_words(quote) >= QUOTED_WORDS:
            yield match.end() - 1, quote


def _plain(text: str) -> str:
    """Words in lower case between single spaces, with one at either end; where a script has no spaces, characters."""
    folded = unicodedata.normalize("NFKC", text).translate(_LOOK_ALIKE).casefold()
    if not folded.isascii():
        folded = _UNSPACED.sub(r" \g<0> ", folded)
    return f" {_NOT_WORD.sub(' ', folded).strip()} "


def _holds(text: str, quote: str) -> bool:
    at = 0
    for part in _GAP.split(quote):
        plain = _plain(part)
        if not plain.strip():
            continue
        at = text.find(plain, at)
        if at < 0:
            return False
        at += len(plain) - 1
    return True
