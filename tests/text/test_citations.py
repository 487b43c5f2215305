import pytest

from conqret.text.citations import citations, replace_marks, strip_citations


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("two [1, 4] and [4;2]", (1, 4, 2)),
        ("a range [2-5]", (2, 3, 4, 5)),
        ("chained [1][2] [1]", (1, 2)),
        ("mixed [2-3, 7]", (2, 3, 7)),
        ("backwards [5-2]", (5, 2)),
        ("not that wide [1-2000]", (1, 2000)),
        ("[sic] [a1] [] [1.5] (3) [12345]", ()),
        ("[Doc 1] and [Document 2]; [source 3][citation:4]", (1, 2, 3, 4)),
        ("[doc_1] [Doc. 2, Doc 3] [Sources: 4, 5] [REF 6] [Doc #7] [#8]", (1, 2, 3, 4, 5, 6, 7, 8)),
        ("[1 and 2] [3 & 4] [5, 6, and 7] [8,9,]", (1, 2, 3, 4, 5, 6, 7, 8, 9)),
        ("[1, p. 5] [2, pp. 7-9; 3] [Doc 4, page 6]", (1, 2, 3, 4)),
        ("[2024] [1999] [document] [Doc] [source code 3] [p. 5] [1 or 2] [doc 1 says]", ()),
    ],
)
def test_reads_marks_in_order_without_duplicates(text: str, expected: tuple[int, ...]) -> None:
    assert citations(text) == expected


def test_strips_marks_and_the_space_before_them() -> None:
    assert strip_citations("So [Doc 1]. Or [[2]]. And [3, p. 5][1 and 2].") == "So. Or. And."
    assert strip_citations("It rose [1]. It fell. [2, 3] Then [4][5] it stood [sic].") == (
        "It rose. It fell. Then it stood [sic]."
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("结束［1，2］。终［3、4］", (1, 2, 3, 4)),
        ("انخفضت [١، ٢]. ثم [٣-٥].", (1, 2, 3, 4, 5)),
        ("انخفضت [\u200f2\u200f].", (2,)),
        ("घटा [१२]।", (12,)),
        ("【1†source】 and 【2†L5-L8】 and [3†a.pdf]", (1, 2, 3)),
        ("[Quelle 1] [Источник 2] [文档3] 【来源：4】 [1 und 5]", (1, 2, 3, 4, 5)),
        ("[1\u20133] [7~9]", (1, 2, 3, 7, 8, 9)),
        ("It fell.¹ Then it rose²,³ and stood.⁴⁻⁶", (1, 2, 3, 4, 5, 6)),
        ("下降了¹。上升¹²", (1, 12)),
        ("12 km², 5 m³, x², 10⁶, 3 µm², R² = .5, CO², 5 м², km/h², 10⁻³", ()),
        ("【4:0†source】 【sic】 ［a1］ [१२३४५]", ()),
    ],
)
def test_reads_marks_in_the_brackets_and_digits_of_every_script(text: str, expected: tuple[int, ...]) -> None:
    assert citations(text) == expected


def test_marks_that_are_replaced_keep_their_brackets_and_digits() -> None:
    text = "a 【1】 b ［2］ c [٣] do⁴ e [^5] f [6†x]"
    assert replace_marks(text, lambda place, old: [old[0] + 10]) == (
        "a 【11】 b ［12］ c [١٣] do¹⁴ e [^15] f [16]"
    )
    text = "a [Doc 1] b [[2]] c [citation:3] d [4, p. 7]"
    assert replace_marks(text, lambda place, old: [old[0] + 10, 9]) == (
        "a [Doc 11, 9] b [[12, 9]] c [citation:13, 9] d [14, 9]"
    )
    assert replace_marks("【1, 2】", lambda place, old: old, apart=True) == "【1】【2】"
    assert replace_marks("as¹ b [2]", lambda place, old: ()) == "as b"
