"""Bytes to text: which encoding a page is in, whatever its header says."""

from __future__ import annotations

import codecs
import re

SAMPLE = 65_536
"""Bytes on which an encoding is guessed, if nothing better is known."""
MIN_GOOD = 4
"""Characters of several bytes for each fault that make a page damaged UTF-8 and not something else."""
_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_ALLOWED = frozenset(
    """utf-8 utf-16 utf-16-le utf-16-be cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp866 cp874
    iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-10 iso8859-13 iso8859-14 iso8859-15
    iso8859-16 koi8-r koi8-u mac-roman shift_jis cp932 euc_jp iso2022_jp gb2312 gbk gb18030 big5 euc_kr cp949""".split()
)
"""Encodings that pages are in (WHATWG Encoding Standard); Python knows others that are no text."""
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)
_DEFAULT = "cp1252"
"""What "ISO-8859-1" and "ASCII" mean on the web, and what a server claims when nobody configured it."""


def decode(body: bytes, claimed: str = "") -> str:
    """Decode a page; characters that cannot be read become U+FFFD.

    In order: a byte order mark; UTF-8, if all of it is valid; the header's charset and the page's own
    ``<meta>``, if the bytes are valid in it (the page goes first where the header only says the default);
    UTF-8 with some damage; a guess from the bytes; windows-1252.
    """
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start >= len(body) - 3:
            return body.decode("utf-8", "replace")
    else:
        if "\x00" not in text or known(claimed) is None:
            return text
    header, page = known(claimed), known(_declared(body))
    ordered = [page, header] if header == _DEFAULT else [header, page]
    names = [name for name in ordered if name is not None]
    for name in names:
        text_or_none = _strict(body, name)
        if text_or_none is not None:
            return text_or_none
    if _nearly_utf_8(body):
        return body.decode("utf-8", "replace")
    usual = next((name for name in names if name != "utf-8"), _DEFAULT)
    return body.decode(_guess(body) or usual, "replace")


def known(name: str) -> str | None:
    """Python's name of an encoding that pages may be in; None for any other."""
    try:
        codec = codecs.lookup(name.strip()).name if name and name.isascii() and "\x00" not in name else ""
    except (LookupError, ValueError):
        return None
    if codec in ("iso8859-1", "ascii"):
        return _DEFAULT
    return codec if codec in _ALLOWED else None


def _nearly_utf_8(body: bytes) -> bool:
    """Whether the bytes are UTF-8 with some damage: few faults beside many characters of several bytes."""
    text = body[:SAMPLE].decode("utf-8", "replace")
    faults = text.count("\ufffd")
    return sum(not char.isascii() for char in text) - faults > MIN_GOOD * faults


def _declared(body: bytes) -> str:
    match = _META.search(body[:4096])
    return match.group(1).decode("ascii") if match else ""


def _strict(body: bytes, name: str) -> str | None:
    try:
        text = body.decode(name)
    except (UnicodeDecodeError, UnicodeError):
        return None
    return None if "\x00" in text else text


def _guess(body: bytes) -> str | None:
    from charset_normalizer import from_bytes

    best = from_bytes(body[:SAMPLE]).best()
    return known(best.encoding) if best is not None else None
