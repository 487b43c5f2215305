import pytest

from conqret.text.citations import citations, strip_citations


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no mark", ()),
        ("one [3].", (3,)),
        ("two [1, 4] and [4;2]", (1, 4, 2)),
        ("a range [2-5]", (2, 3, 4, 5)),
        ("a range with a dash [9\u201311]", (9, 10, 11)),
        ("chained [1][2] [1]", (1, 2)),
        ("mixed [2-3, 7]", (2, 3, 7)),
        ("backwards [5-2]", (5, 2)),
        ("not that wide [1-2000]", (1, 2000)),
        ("[0]", (0,)),
        ("[sic] [a1] [] [1.5] (3) [12345]", ()),
        ("[ROAR] and [Photo: a crane 3]", ()),
    ],
)
def test_reads_marks_in_order_without_duplicates(text: str, expected: tuple[int, ...]) -> None:
    assert citations(text) == expected


def test_strips_marks_and_the_space_before_them() -> None:
    assert strip_citations("It rose [1]. It fell. [2, 3] Then [4][5] it stood [sic].") == (
        "It rose. It fell. Then it stood [sic]."
    )


def test_a_text_without_brackets_is_returned_as_it_is() -> None:
    assert strip_citations("  plain ") == "  plain "


def test_hostile_runs_take_linear_time() -> None:
    text = " " * 200_000 + "[" * 50_000 + "1," * 50_000
    assert strip_citations(text) == text
    assert citations(text) == ()
