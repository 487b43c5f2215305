"""From the bytes of a debate page to text."""

from __future__ import annotations

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_META_WITHIN = 4096
"""Bytes from the start in which a page may name its encoding; browsers look at 1024."""
_LATIN = "windows-1252"
"""What browsers read pages as that claim Latin-1 or ASCII, or nothing, and are no UTF-8."""


def page_text(body: bytes, charset: str = "") -> str:
    """The text of a page: by its byte order mark, as UTF-8 if it is valid, else by header, ``<meta>``, Windows-1252.

    UTF-8 comes before what is claimed, because a text in another encoding is all but never valid UTF-8, and
    claims are often wrong. Never raises: bytes that fit nowhere become U+FFFD.
    """
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    try:
        if b"\x00" not in body[:_META_WITHIN]:
            return body.decode("utf-8")
    except UnicodeDecodeError:
        pass
    meta = _META.search(body[:_META_WITHIN])
    for name in (charset, meta[1].decode("ascii") if meta else "", _wide(body)):
        if name and (known := _known(name)):
            return body.decode(known, "replace")
    return body.decode(_LATIN, "replace")


def _known(name: str) -> str:
    try:
        info = codecs.lookup(name)
    except (LookupError, ValueError):
        return ""
    if not info._is_text_encoding:
        return ""
    return _LATIN if info.name in ("iso8859-1", "ascii") else info.name


def _wide(body: bytes) -> str:
    """UTF-16 without a mark: every other byte of its markup is zero."""
    head = body[:200]
    if head[1::2].count(0) > len(head) // 3:
        return "utf-16-le"
    return "utf-16-be" if head[0::2].count(0) > len(head) // 3 else ""
