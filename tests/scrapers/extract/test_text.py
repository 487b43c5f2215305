"""Main text of HTML and PDF: what a reader sees, and nothing else."""

import pytest

from conqret.scrapers.document import clean, extract, html_text
from tests.scrapers.pdf_file import pdf_file
from tests.scrapers.raw_server import PROSE

LINES = [
    "The first study counted accidents before and after the ban and found fewer of them.",
    "A second study of the same streets looked at noise, which fell by four decibels.",
    "Shopkeepers who had opposed the plan told the council that sales had not suffered.",
]


def article(extra: str = "", head: str = "") -> str:
    body = "".join(f"<p>{line}</p>" for line in LINES)
    return (
        f"<html><head><title>Two &amp; three</title>{head}</head>"
        f"<body><nav><a href=/>Home</a> Menu</nav><article><h1>Streets</h1>{body}{extra}</article>"
        "<footer>Imprint</footer></body></html>"
    )


@pytest.mark.parametrize(
    "hidden",
    [
        "<p style='display:none'>SECRET words that nobody on this page can see at all</p>",
        "<div style='color:red; visibility: hidden'><p>SECRET words that nobody can see</p></div>",
        "<p style='position:absolute;left:-9999px'>SECRET words that nobody can see</p>",
        "<p class='wide gone'>SECRET words that nobody on this page can see at all</p>",
        "<!-- SECRET words that nobody on this page can see at all -->",
    ],
)
def test_hidden_text_is_left_out_and_what_follows_stays(hidden: str) -> None:
    head = "<style>/* c */ .gone, #vanished { display: none } @media print { p { display:none } }</style>"
    _, text, _ = html_text(
        article(hidden + "<p>The last line is one that everybody who reads this page can see.</p>", head)
    )
    assert "SECRET" not in text
    assert "everybody who reads" in text
    assert all(line in text for line in LINES)


def test_entities_of_a_document_type_are_not_expanded() -> None:
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY e0 "boom">{levels}<!ENTITY f SYSTEM "file:///etc/passwd">]>'
    result = extract((bomb + article("<p>&e11; and &f; here.</p>")).encode(), "application/xhtml+xml")
    assert len(result.text) < 2_000
    assert "boom boom" not in result.text
    assert "root:" not in result.text


@pytest.mark.parametrize(
    "deep",
    ["<div>" * 50_000, "<table><tr><td>" * 5_000, "<font><p>" * 20_000],
)
def test_deep_nesting_is_harmless(deep: str) -> None:
    html_text(f"<html><body><article><p>{PROSE}</p>{deep}<p>{PROSE}</p></article></body></html>")


def test_pdfs_without_text_and_damaged_ones_say_so() -> None:
    assert extract(pdf_file([[]])).problem == "the PDF holds no text (scanned pages, perhaps)"
    assert "damaged" in extract(b"%PDF-1.4\nnonsense").problem


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a\u200bb\u202ec\ufeffd", "abcd"),
        ("bell\x07 and \x1b[31mred", "bell and [31mred"),
        ("x <scr<script>ipt> y", "x y"),
        ("x <script y", "x ‹script y"),
    ],
)
def test_cleaning(text: str, kept: str) -> None:
    assert clean(text) == kept


@pytest.mark.parametrize(
    ("head", "language"),
    [
        ("<html lang='de-AT'><head></head>", "de"),
        ("<html><head><meta http-equiv='Content-Language' content='ar, en'></head>", "ar"),
        ("<html lang='javascript:alert(1)'><head></head>", ""),
    ],
)
def test_the_language_that_a_page_says_it_is_in_is_kept(head: str, language: str) -> None:
    body = f"{head}<body><article><p>{PROSE}</p></article></body></html>"
    assert extract(body.encode(), "text/html").language == language
