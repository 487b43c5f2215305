import pytest

from conqret.text.analysis import Sentence, Text, stem, words_of
from conqret.text.numbers import agrees, quantities


@pytest.mark.parametrize(
    "family",
    [
        "close closed closing closure",
        "policy policies",
        "legal legalise legalize legalised",
        "student students student's student\u2019s",
    ],
)
def test_inflected_and_derived_forms_share_a_stem(family: str) -> None:
    assert len({stem(word) for word in family.split()}) == 1


def test_words_part_at_spaces_dashes_and_slashes_and_keep_numbers_whole() -> None:
    text = "The four-day week\u2014cost: \u00a39.6 million (64%, 12%) and/or 1,940 don't!"
    assert words_of(text) == "the four day week cost \u00a39.6 million 64% 12% and or 1,940 don't".split()


def test_citations_are_no_words_and_stay_with_their_sentence() -> None:
    text = Text("Cranes came back. [3]\n\n[4]\n\nThey breed [1, 2].")
    assert [(s.words, s.cites) for s in text.sentences] == [
        (["cranes", "came", "back"], (3, 4)),
        (["they", "breed"], (1, 2)),
    ]
    assert text.words == ["cranes", "came", "back", "they", "breed"]


def test_negation_denies_the_next_content_words() -> None:
    assert Sentence("They did not find any, cranes.").denied(2) == {stem("find")}
    assert Sentence("uniforms do not really reduce bullying").denied(1) == {stem("reduce")}
    assert Sentence("it is not only cheap").denied(1) == frozenset()
    assert Sentence("they don\u2019t vote").denied(1) == {stem("vote")}
    assert Sentence("cards are fine, vouchers are not").denied(2) == {stem("vouchers")}
    assert Sentence("\u00d6ffnen Sie nicht das Ger\u00e4t", language="de").denied(1) == {"ger\u00e4t"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("64%", [(64.0, "percent")]),
        ("\u00a39.6 million", [(9.6e6, "money")]),
        ("2.4bn", [(2.4e9, "plain")]),
        ("nine of the fourteen", [(9.0, "plain"), (14.0, "plain")]),
        ("twenty-three", [(23.0, "plain")]),
        ("one of many thousand", []),
        ("a third", [(100 / 3, "percent")]),
        ("300 pounds", [(300.0, "money")]),
        ("one of the first, bus 14A, the 3rd", []),
        ("\u0661\u0662 and \u00b2", [(12.0, "plain")]),
    ],
)
def test_quantities(text: str, expected: list[tuple[float, str]]) -> None:
    found = quantities(words_of(text))
    assert [q.value for q in found] == pytest.approx([value for value, _ in expected])
    assert [q.kind for q in found] == [kind for _, kind in expected]


@pytest.mark.parametrize(
    ("claim", "source", "expected"),
    [
        ("64%", "64 per cent", True),
        ("\u00a364", "64%", False),
        ("4.1%", "4.12%", True),
        ("4.2%", "4.12%", False),
        ("nearly 700", "698", True),
        ("5.4", "5.4 million", True),
    ],
)
def test_agreement_of_quantities(claim: str, source: str, expected: bool) -> None:
    assert agrees(quantities(words_of(claim))[0], quantities(words_of(source))[0]) is expected
