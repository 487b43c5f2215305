"""From the bytes of a body to what it is and to its text, whatever its header says."""

from __future__ import annotations

import codecs
import re
from enum import StrEnum

HEAD = 4_096
"""Bytes by which a body is told."""
SAMPLE = 65_536
"""Bytes on which an encoding is guessed, if nothing better is known."""


class Kind(StrEnum):
    """The kinds that are read, and the rest."""

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
"""Characters of several bytes for each fault that make a page damaged UTF-8 and not something else."""


def sniff(body: bytes, claimed: str = "") -> tuple[Kind, str]:
    """Return the kind, and for :attr:`Kind.OTHER` what it seems to be, in words.

    ``claimed`` is the header's media type in lower case. A PDF may begin after up to a kilobyte of something
    else (ISO 32000, appendix H).
    """
    from charset_normalizer import is_binary

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
    """Decode a page; characters that cannot be read become U+FFFD.

    In order: UTF-16 by its mark; UTF-8, the page's own ``<meta>`` and the header's charset, if the bytes are valid in
    it; UTF-8 with some damage; charset-normalizer's guess; windows-1252.
    """
    from charset_normalizer import from_bytes

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
    """The body in an encoding of text; None where there is no such encoding, or the bytes are invalid in it."""
    try:
        codec = codecs.lookup(name.strip()).name
        if codec in _NO_CHARSET:
            return None
        text = body.decode(_DEFAULT if codec in ("iso8859-1", "ascii") else codec)
    except (LookupError, ValueError):
        return None
    return None if "\x00" in text else text
