"""From the bytes of a page to its text, in one process and without limits of time."""

from __future__ import annotations

import io
import logging
import re
from dataclasses import dataclass, replace

from conqret.scrapers.extract.charset import Kind, decode, sniff
from conqret.scrapers.extract.clean import MAX_TEXT, MIN_WORDS, clean, words


@dataclass(frozen=True, slots=True)
class Extraction:
    """Title and text of a page, and the language that it says it is in; ``problem`` says why there is no text, and is
    empty if there is."""

    text: str = ""
    title: str = ""
    problem: str = ""
    language: str = ""

    @property
    def ok(self) -> bool:
        """Whether there is a text."""
        return not self.problem


def extract(body: bytes, content_type: str = "", charset: str = "") -> Extraction:
    """Extract the main text of a body; ``content_type`` and ``charset`` are the header's claims.

    Hostile bytes may make the parsers below raise anything, hang or crash: run it through
    :class:`~conqret.scrapers.extract.worker_pool.Extractor`.
    """
    kind, what = sniff(body, content_type)
    if kind is Kind.OTHER:
        return Extraction(problem=f"not a text: {what}")
    if kind is Kind.PDF:
        try:
            title, text = pdf_text(body)
        except PdfError as error:
            return Extraction(problem=str(error))
        return _checked(title, text, "the PDF holds no text (scanned pages, perhaps)")
    if kind is Kind.TEXT:
        return _checked("", clean(decode(body, charset)), "the file holds no text")
    from conqret.scrapers.extract.html_text import html_text

    title, text, language = html_text(decode(body, charset))
    return replace(_checked(title, text, "the page holds no main text"), language=language)


def _checked(title: str, text: str, problem: str) -> Extraction:
    return Extraction(text, title) if words(text) >= MIN_WORDS else Extraction(title=title, problem=problem)


MAX_PAGES = 500
"""Pages that are read; longer reports keep their first ones."""

_CUT = re.compile(r"(?<=\S[^\W\d_])-[^\S\n]*\n(?=(\w))")


class PdfError(ValueError):
    """The file cannot be read; the message says why."""


def pdf_text(body: bytes) -> tuple[str, str]:
    """Return title and text, pages in order, words that a line break cut in two joined again.

    Raises:
        PdfError: the file is encrypted or no PDF that can be read. Damaged files also raise what pypdf does.
    """
    import pypdf
    from pypdf.errors import DependencyError, PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(io.BytesIO(body), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise PdfError("the PDF is encrypted")
        title = str((reader.metadata.title if reader.metadata else "") or "")
        pages: list[str] = []
        size = 0
        for number, page in enumerate(reader.pages):
            if number >= MAX_PAGES or size > MAX_TEXT:
                break
            pages.append(page.extract_text())
            size += len(pages[-1])
    except DependencyError as error:
        raise PdfError("the PDF is encrypted") from error
    except PyPdfError as error:
        raise PdfError(f"the PDF is damaged ({' '.join(str(error).split())[:100]})") from error
    return " ".join(clean(title[:2_000]).split())[:500], clean(_CUT.sub(_joined, "\n".join(pages)))


def _joined(cut: re.Match[str]) -> str:
    """What stands where a line break cut a word: nothing if the word goes on with a small letter."""
    return "" if cut[1].islower() else cut[0]
