"""What a body is, by its first bytes; the header's claim only decides where the bytes leave it open."""

from __future__ import annotations

import re
from enum import StrEnum

HEAD = 4_096
"""Bytes that are looked at."""


class Kind(StrEnum):
    """The kinds that are read, and the rest."""

    HTML = "html"
    PDF = "pdf"
    TEXT = "text"
    OTHER = "other"


_MAGIC = (
    (b"\x89PNG", "a PNG image"),
    (b"GIF8", "a GIF image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"RIFF", "a RIFF medium (WebP, AVI, WAV)"),
    (b"PK\x03\x04", "a zip archive or an office document"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\xd0\xcf\x11\xe0", "an old office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"Rar!", "a RAR archive"),
    (b"ID3", "an MP3 file"),
    (b"OggS", "an Ogg medium"),
    (b"\x1aE\xdf\xa3", "a Matroska or WebM medium"),
    (b"\x00\x00\x01\x00", "an icon"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"%!PS", "PostScript"),
    (b"{\\rtf", "RTF"),
    (b"wOFF", "a font"),
    (b"SQLite format 3", "a database"),
)
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_HTML = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|meta|link|script|style|div|p|h[1-6]|table|article|main|section|"
    rb"br|a|font|center|span|ul|ol|nav|header|b|strong|em|i)[\s/>]",
    re.IGNORECASE,
)
_TEXT_TYPES = ("text/", "application/xhtml", "application/xml", "application/json", "application/javascript")
_NOT_PROSE = {
    "application/json": "JSON",
    "application/ld+json": "JSON",
    "text/css": "a style sheet",
    "text/javascript": "a script",
    "application/javascript": "a script",
    "text/csv": "a table",
    "text/calendar": "a calendar",
}


def sniff(body: bytes, claimed: str = "") -> tuple[Kind, str]:
    """Return the kind, and for :attr:`Kind.OTHER` what it seems to be, in words.

    ``claimed`` is the header's media type in lower case. A PDF may begin after up to a kilobyte of something
    else (ISO 32000, appendix H).
    """
    head = body[:HEAD]
    if not head.strip():
        return Kind.OTHER, "empty"
    if b"%PDF-" in head[:1024]:
        return Kind.PDF, ""
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return Kind.OTHER, name
    if head[4:8] == b"ftyp":
        return Kind.OTHER, "a video"
    marked = head.startswith(_MARKS)
    if not marked and _binary(head, claimed):
        return Kind.OTHER, f"binary data ({claimed[:60] or 'no type given'})"
    plain = head.replace(b"\x00", b"") if marked else head
    start = plain.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\f")
    if _HTML.match(start) or claimed in ("text/html", "application/xhtml+xml"):
        return Kind.HTML, ""
    if claimed in _NOT_PROSE:
        return Kind.OTHER, _NOT_PROSE[claimed]
    if start.startswith(b"<") and (_HTML.search(plain) or start.startswith((b"<?xml", b"<!"))):
        return Kind.HTML, ""
    return (Kind.HTML if claimed != "text/plain" and _HTML.search(plain) else Kind.TEXT), ""


def _binary(head: bytes, claimed: str) -> bool:
    """Whether bytes hold what no text holds; a UTF-16 page without its mark has a zero in every pair."""
    controls = sum(byte < 0x20 and byte not in b"\t\n\r\f\x1b" for byte in head)
    zeros = head.count(0)
    if zeros and zeros >= len(head) * 0.3 and claimed.startswith(_TEXT_TYPES):
        return False
    return (zeros > 0 and not claimed.startswith(_TEXT_TYPES)) or controls > len(head) * 0.1
