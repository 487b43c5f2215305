"""From the bytes of a page to its text, in one process and without limits of time."""

from __future__ import annotations

from dataclasses import dataclass, replace

from conqret.scrapers.extract.charset import Kind, decode, sniff
from conqret.scrapers.extract.clean import MIN_WORDS, clean, words


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
        from conqret.scrapers.extract.pdf import PdfError, pdf_text

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
