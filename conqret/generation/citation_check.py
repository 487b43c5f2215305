"""Are the citations of an argument in order? Out of range, never cited, quoted but not there.

By rule, without a model; whether a cited document *supports* its sentence is the question of the format
``citation-support``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from conqret.data.item import Document, Frozen
from conqret.text.citations import citations
from conqret.text.sentences import sentences
from conqret.text.words import UNSPACED, count_words

QUOTED_WORDS = 3
"""Shorter quotations are names, titles of works and scare quotes, which need not be in the document."""

_QUOTATION = re.compile(
    "\u201e([^\u201c\u201d\u201e]{1,2000})[\u201c\u201d]|\u201c([^\u201c\u201d]{1,2000})\u201d"
    '|(?<!\\w)"([^"]{1,2000})"|\u00ab([^\u00ab\u00bb]{1,2000})\u00bb|\u00bb(?=\\S)([^\u00ab\u00bb]{1,2000})(?<=\\S)\u00ab'
    "|\u300c([^\u300c\u300d]{1,2000})\u300d|\u300e([^\u300e\u300f]{1,2000})\u300f"
)
_GAP = re.compile(r"\[?(?:\u2026|\.{3,})\]?|\[[^\]]{0,80}\]")
_LOOK_ALIKE = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2013": "-",
        "\u2014": "-",
        "\u2010": "-",
        "\u2011": "-",
    }
)
_UNSPACED = re.compile(f"[{UNSPACED}]")
_NOT_WORD = re.compile(r"[^\w%]+")


class OutOfRange(Frozen):
    """A citation of a document that is not there; sentences count from 1."""

    sentence: int
    number: int


class Misquotation(Frozen):
    """Words in quotation marks that none of the documents cited for them holds.

    ``cites`` are the documents that were looked into, ``found_in`` other documents that do hold the words.
    """

    sentence: int
    quote: str
    cites: tuple[int, ...]
    found_in: tuple[int, ...]


class CitationCheck(Frozen):
    """What a check found; numbers of documents count from 1.

    ``sentences`` is the number of sentences, ``cited_sentences`` how many of them cite anything, ``quotes``
    how many quotations were looked up.
    """

    sentences: int
    cited_sentences: int
    quotes: int
    out_of_range: tuple[OutOfRange, ...]
    never_cited: tuple[int, ...]
    misquoted: tuple[Misquotation, ...]

    @property
    def in_order(self) -> bool:
        """Whether no citation is out of range and no quotation wrong (a document may go uncited)."""
        return not self.out_of_range and not self.misquoted


def check_citations(argument: str, documents: Sequence[Document]) -> CitationCheck:
    """Check the citations of ``argument`` against ``documents``, which they number from 1.

    A quotation of three words or more must be in one of the documents that its sentence cites (or, where that
    cites nothing, the next sentence of the paragraph that does); case, punctuation and white space do not
    count, and ``…`` or ``[words]`` inside it stand for anything, the parts in their order.
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
            out_of_range += [
                OutOfRange(sentence=number, number=n) for n in those if not 1 <= n <= len(documents)
            ]
        for end, quote in _quotations(paragraph):  # an ellipsis may end a sentence inside a quotation
            quotes += 1
            place = next((n for n, span in enumerate(spans) if span.end >= end), len(spans) - 1)
            looked_into = next(filter(None, cites[place:]), ())
            holding = [n for n, text in enumerate(texts, start=1) if _holds(text, quote)]
            if looked_into and not set(holding) & set(looked_into):
                misquoted.append(
                    Misquotation(
                        sentence=total + place + 1, quote=quote, cites=looked_into, found_in=tuple(holding)
                    )
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
