"""What a body is, and in which encoding it is written, whatever the header says."""

import pytest

from conqret.scrapers.document import Kind, decode, sniff


@pytest.mark.parametrize(
    ("body", "claimed", "kind"),
    [
        (b"<!DOCTYPE html><p>x", "", Kind.HTML),
        (b"\n\n  <html>", "text/plain", Kind.HTML),
        (b"<?xml version='1.0'?><html xmlns='x'>", "application/xml", Kind.HTML),
        (b"just words", "text/plain", Kind.TEXT),
        (b"a < b and <p>", "text/plain", Kind.TEXT),
        (b"%PDF-1.7\n", "text/html", Kind.PDF),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01", "text/html", Kind.OTHER),
        (b"PK\x03\x04docx", "application/pdf", Kind.OTHER),
        (b"\x00\x01\x02\x03" * 40, "", Kind.OTHER),
        ("<html>ü".encode("utf-16"), "text/html", Kind.HTML),
    ],
)
def test_kinds(body: bytes, claimed: str, kind: Kind) -> None:
    found, what = sniff(body, claimed)
    assert found is kind
    assert bool(what) is (kind is Kind.OTHER)


GERMAN = "Größe, Öl und Übermut kosten häufig mehr als nötig"
RUSSIAN = "Городской совет закрыл улицы для машин, и число раненых упало на треть"
JAPANESE = "市議会は春に内側の通りを車に対して閉鎖し、負傷者は三分の一減った"


@pytest.mark.parametrize(
    ("text", "encoding", "claimed", "meta"),
    [
        (GERMAN, "utf-8", "iso-8859-1", ""),
        (GERMAN, "cp1252", "iso-8859-1", ""),
        (GERMAN, "utf-16-be", "utf-16be", ""),
        (RUSSIAN, "cp1251", "", ""),
        (JAPANESE, "shift_jis", "", "shift_jis"),
    ],
)
def test_charsets(text: str, encoding: str, claimed: str, meta: str) -> None:
    page = (f'<meta charset="{meta}">' if meta else "") + text * 3
    assert decode(page.encode(encoding), claimed) == page


@pytest.mark.parametrize("name", ["utf-7", "unicode_escape", "zlib", "\x00"])
def test_codecs_that_are_no_text_are_not_used(name: str) -> None:
    assert decode(GERMAN.encode("cp1252") + b" +AGE- \\u0061", name).endswith(" +AGE- \\u0061")
