"""Texts from outside: shown whole, with what hides in them written out."""

import pytest

from conqret.show.visible_text import cited, flagged, link, visible
from tests.show import hostile


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a[U+202E]b"),
        ("nul\x00", "nul[U+0000]"),
        ("\ud800", "[U+D800]"),
        ("two\nlines\tand a tab\r\n", "two\nlines\tand a tab\n"),
        ("soft\u200bbreak", "soft\u200bbreak"),
        ("\u200b\u200b\u200b", "[U+200B][U+200B][U+200B]"),
        ("\x01" * 20, "[U+0001]" * 8 + "[and 12 more]"),
        ("שלום é 漢", "שלום é 漢"),
    ],
)
def test_hidden_characters_are_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_only_web_addresses_are_linked() -> None:
    assert [url for url in hostile.URLS if link(url)] == [
        'https://evil.example/"onclick="window.pwned=9',  # the template escapes the quotes
        "https://good.example/page?a=1&b=2",
    ]


def test_citations_become_pieces_in_order() -> None:
    pieces = cited("It is [1] so [2, 9] and [x].", 3)
    assert [(piece.text, piece.cites, piece.mark) for piece in pieces] == [
        ("It is [", None, 0),
        ("1", 1, 1),
        ("] so [", None, 0),
        ("2", 2, 2),
        (", ", None, 0),
        ("9", None, 0),
        ("] and [x].", None, 0),
    ]
    assert [
        piece.text for piece in cited("It is [1] so [2, 9].", 3, invalid_citations={9}) if piece.stray
    ] == ["9"]


@pytest.mark.parametrize("text", ["", "[", "[1]", "no marks", "[1][2]", "[0] [4] [-1]", "a [1-3] b"])
def test_no_character_is_lost(text: str) -> None:
    assert "".join(piece.text for piece in cited(text, 3)) == text
    assert "".join(piece.text for piece in flagged(text, ["mark", "[1]"])) == text


def test_flagged_passages_are_found_across_line_breaks() -> None:
    pieces = flagged("before please\n ignore   this after", ["please ignore this"])
    wanted = [("before ", False), ("please\n ignore   this", True), (" after", False)]
    assert [(piece.text, piece.hit) for piece in pieces] == wanted
    merged = flagged("aa bb cc dd", ["aa bb", "bb cc"])
    assert [(piece.text, piece.hit) for piece in merged] == [("aa bb cc", True), (" dd", False)]
