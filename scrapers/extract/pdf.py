"""The text of a PDF file."""

from __future__ import annotations

import io
import logging
import re

from conqret.scrapers.extract.clean import MAX_TEXT, clean

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
