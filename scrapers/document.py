"""Detect the kind of a response body, whatever its header says, and extract its text (:func:`extract`), in
one process and without time limits.
"""

from __future__ import annotations

import codecs
import io
import logging
import re
import unicodedata
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice

from charset_normalizer import from_bytes, is_binary
from lxml.html import HtmlElement

from conqret.scrapers.markup import empty, parse, running_text, unseen
from conqret.text.language import NAMES, language_code

HEAD = 4_096
"""The bytes at the start of a body by which its kind is detected."""
SAMPLE = 65_536
"""The bytes from which an encoding is guessed, if nothing better is known."""


class Kind(StrEnum):
    """The kinds of documents that can be read, and ``other``."""

    HTML = "html"
    PDF = "pdf"
    TEXT = "text"
    OTHER = "other"


_HTML = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|meta|link|script|style|div|p|h[1-6]|table|article|main|section|"
    rb"br|a|font|center|span|ul|ol|nav|header|b|strong|em|i)[\s/>]",
    re.IGNORECASE,
)
_PRINTABLE = {b"PK\x03\x04": "a zip archive or an office document", b"{\\rtf": "RTF", b"%!PS": "PostScript"}
"""What may pass for text by its bytes, and is none."""
_NOT_PROSE = frozenset(
    "application/json application/ld+json application/javascript "
    "text/css text/javascript text/csv text/calendar".split()
)
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)
_DEFAULT = "cp1252"
"""What "ISO-8859-1" and "ASCII" mean on the web, and what a server claims when nobody configured it."""
_GUESSED = (
    "cp1252 cp1250 cp1251 cp1253 cp1254 cp1255 cp1256 cp1257 cp874 koi8_r "
    "shift_jis euc_jp gb18030 big5 euc_kr utf_16_le"
).split()
"""Encodings of pages that say nothing (WHATWG Encoding Standard); Python knows many that no page is in."""
_NO_CHARSET = frozenset({"utf-7", "unicode-escape", "raw-unicode-escape", "idna", "punycode", "undefined"})
MIN_GOOD = 4
"""A page is damaged UTF-8, and not something else, if it has so many multibyte characters for each fault."""


def sniff(body: bytes, claimed: str = "") -> tuple[Kind, str]:
    """Return the kind of a document, and for :attr:`Kind.OTHER` a description of its content.

    ``claimed`` is the media type in the HTTP header, in lower case. A PDF may begin after up to a kilobyte
    of other bytes (ISO 32000, appendix H).
    """
    head = body[:HEAD]
    if not head.strip():
        return Kind.OTHER, "empty"
    if b"%PDF-" in head[:1024]:
        return Kind.PDF, ""
    printable = next((name for magic, name in _PRINTABLE.items() if head.startswith(magic)), "")
    if printable or is_binary(head):
        return Kind.OTHER, printable or f"binary data ({claimed[:60] or 'no type given'})"
    if claimed in _NOT_PROSE:
        return Kind.OTHER, claimed
    plain = head.replace(b"\x00", b"")
    start = plain.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\f")
    page = (
        claimed in ("text/html", "application/xhtml+xml") or _HTML.match(start) or start.startswith(b"<?xml")
    )
    return (Kind.HTML if page or (claimed != "text/plain" and _HTML.search(plain)) else Kind.TEXT), ""


def decode(body: bytes, claimed: str = "") -> str:
    """Decode the bytes of a page; ``claimed`` is the charset in the HTTP header. Unreadable characters
    become U+FFFD.

    The encodings are tried in this order: UTF-16 with a byte order mark; UTF-8, the page's ``<meta>`` and
    the header's charset, if the bytes are valid; UTF-8 with a few errors; charset-normalizer's guess;
    windows-1252.
    """
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return body.decode("utf-16", "replace")
    declared = _META.search(body[:HEAD])
    for name in ("utf-8-sig", declared[1].decode("ascii") if declared else "", claimed):
        text = _strict(body, name)
        if text is not None:
            return text
    damaged = body[:SAMPLE].decode("utf-8", "replace")
    faults = damaged.count("\ufffd")
    if sum(not char.isascii() for char in damaged) - faults > MIN_GOOD * faults:
        return body.decode("utf-8", "replace")
    best = from_bytes(body[:SAMPLE], cp_isolation=_GUESSED).best()
    return body.decode(best.encoding if best else _DEFAULT, "replace")


def _strict(body: bytes, name: str) -> str | None:
    """Return the body decoded by the encoding ``name``; None if that is no encoding of text, the bytes are
    invalid in it, or the result has a NUL character."""
    try:
        codec = codecs.lookup(name.strip()).name
        if codec in _NO_CHARSET:
            return None
        text = body.decode(_DEFAULT if codec in ("iso8859-1", "ascii") else codec)
    except (LookupError, ValueError):
        return None
    return None if "\x00" in text else text


MAX_TEXT = 2_000_000
"""The most characters of one document (some 300,000 words); the rest is cut off."""
MIN_WORDS = 5
"""A page with fewer words counts as having no text: a bare "Loading…" is no evidence."""

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Zero-width and bidirectional controls, variation selectors and tag characters: text hidden in text."""
_SPACES = re.compile(r"[^\S\n]+")
_TAG = re.compile(r"<(?:/?[A-Za-z][^<>]{0,2000}|![^<>]{0,2000}|\?[^<>]{0,2000})>")
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_ROUNDS = 3


def clean(text: str) -> str:
    """Return the text without control characters, invisible characters, tags and empty lines, and with runs
    of blanks joined; at most :data:`MAX_TEXT` characters.

    Markup that a page shows as text is removed too, so that the text is safe inside another page.
    """
    text = text[: 2 * MAX_TEXT].replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    text = _INVISIBLE.sub("", text)
    text = "".join(
        char if char in "\n\t" or unicodedata.category(char) not in _DROPPED else " " for char in text
    )
    for _ in range(_ROUNDS):
        text, count = _TAG.subn(" ", text)
        if not count:
            break
    text = _TAG_START.sub("‹", text)
    lines = (_SPACES.sub(" ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)[:MAX_TEXT].strip()


_DROPPED = frozenset({"Cc", "Cs", "Co", "Cn"})


def words(text: str) -> int:
    """Return the number of words with a letter or digit; for scripts without blanks, half the number of
    characters.
    """
    runs = sum(any(char.isalnum() for char in run) for run in text.split())
    letters = sum(char.isalnum() and ord(char) >= 0x2E80 for char in text[:10_000])
    return max(runs, letters // 2)


@dataclass(frozen=True, slots=True)
class Extraction:
    """The extracted title, text and language of a page; ``problem`` says why there is no text, and is
    otherwise empty.
    """

    text: str = ""
    title: str = ""
    problem: str = ""
    language: str = ""

    @property
    def ok(self) -> bool:
        """True if a text was extracted."""
        return not self.problem


def extract(body: bytes, content_type: str = "", charset: str = "") -> Extraction:
    """Extract the main text of a response body; ``content_type`` and ``charset`` are those of the HTTP
    header.

    A failure is the ``problem`` of the result. Hostile bytes may still make the parsers raise, hang or
    crash, so run this through :class:`~conqret.scrapers.worker_pool.Extractor`.
    """
    kind, what = sniff(body, content_type)
    if kind is Kind.OTHER:
        return Extraction(problem=f"not a text: {what}")
    if kind is Kind.PDF:
        return _pdf(body)
    if kind is Kind.TEXT:
        return _checked("", clean(decode(body, charset)), "the file holds no text")
    title, text, language = html_text(decode(body, charset))
    return replace(_checked(title, text, "the page holds no main text"), language=language)


def _checked(title: str, text: str, problem: str) -> Extraction:
    return Extraction(text, title) if words(text) >= MIN_WORDS else Extraction(title=title, problem=problem)


MAX_PAGES = 500
"""The most pages that are read of a PDF; longer ones keep their first."""

_CUT = re.compile(r"(?<=\S[^\W\d_])-[^\S\n]*\n(?=(\w))")


def _pdf(body: bytes) -> Extraction:
    """Extract title and text of a PDF, pages in order (at most :data:`MAX_PAGES`); words split at a line break are
    joined. For damaged files, errors of pypdf may be raised."""
    import pypdf
    from pypdf.errors import DependencyError, PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(io.BytesIO(body), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            return Extraction(problem="the PDF is encrypted")
        title = str((reader.metadata.title if reader.metadata else "") or "")
        pages: list[str] = []
        for page in islice(reader.pages, MAX_PAGES):
            pages.append(page.extract_text())
            if sum(map(len, pages)) > MAX_TEXT:
                break
    except DependencyError:
        return Extraction(problem="the PDF is encrypted")
    except PyPdfError as error:
        return Extraction(problem=f"the PDF is damaged ({' '.join(str(error).split())[:100]})")
    text = clean(_CUT.sub(lambda cut: "" if cut[1].islower() else cut[0], "\n".join(pages)))
    title = " ".join(clean(title[:2_000]).split())[:500]
    return _checked(title, text, "the PDF holds no text (scanned pages, perhaps)")


MAX_HTML = 8_000_000
"""The most characters of markup that are parsed; the rest is cut off."""
ENOUGH_WORDS = 25
"""With fewer words, the longer of trafilatura's text and the page's own main part is used."""
_FURNITURE = "nav header footer aside form menu".split()


def html_text(markup: str) -> tuple[str, str, str]:
    """Return the title, main text and language of an HTML page, each of which may be empty.

    trafilatura extracts the main text. If it finds almost nothing, the text of ``article``, ``main`` or
    ``body`` without navigation is used. The language is the ISO 639-1 code that the page declares. Only
    HTML's own entities are expanded.
    """
    import trafilatura

    root, _ = parse(markup[:MAX_HTML])
    if root is None:
        return "", "", ""
    title, language = _title(root), _language(root)
    for element in [*unseen(root), *root.iter("nav")]:
        empty(element)
    text = clean(trafilatura.extract(root, include_comments=False, include_formatting=False) or "")
    if words(text) < ENOUGH_WORDS:
        own_text = _own_text(root)
        if words(own_text) > max(words(text), MIN_WORDS - 1):
            text = own_text
    return title, text, language


def _title(root: HtmlElement) -> str:
    named = root.xpath("string(//head/title)") or root.xpath("string(//meta[@property='og:title']/@content)")
    title = clean(str(named or root.xpath("string(//h1)"))[:2_000])
    return " ".join(title.split())[:500]


def _language(root: HtmlElement) -> str:
    said = root.xpath(
        "string((//html/@lang | //html/@*[local-name()='lang' or name()='xml:lang'] | //body/@lang"
        " | //meta[translate(@http-equiv, 'CONTELAGU', 'contelagu')='content-language']/@content)[1])"
    )
    code = language_code(str(said)[:20].partition(",")[0])
    return code if code is not None and code in NAMES else ""


def _own_text(root: HtmlElement) -> str:
    """Return the text of the main part of a page, a line for each block. Menus and the like are emptied in ``root``."""
    containers = root.xpath("//article | //main | //*[@role='main']") or root.xpath("//body") or [root]
    parts: list[str] = []
    for part in containers:
        if any(other is not part and other in part.iterancestors() for other in containers[:50]):
            continue
        for furniture in [element for element in part.iter(*_FURNITURE) if element is not part]:
            empty(furniture)
        parts.append(running_text(part, "\n"))
    return clean("".join(parts))
