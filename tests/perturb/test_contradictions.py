import random
import re

import pytest

from conqret.perturb import contradictions
from conqret.perturb.contradictions import contradict
from conqret.text.citations import citations

SOURCE = (
    "In Verrin 1,240 trams ran in 2019. Mayor Astermere supported the plan; 45 per cent of the trips rose."
)


def kinds(sentence: str, source: str = SOURCE) -> dict[str, str]:
    """One contradiction of each kind that 60 draws give."""
    found = {}
    for seed in range(60):
        made = contradict(sentence, source, random.Random(seed))
        found.setdefault(made.kind, made.text)
    return found


def test_every_way_is_open_to_a_rich_sentence() -> None:
    found = kinds("In 2019 the trips in Verrin rose to 45 per cent [1].")
    assert set(found) == {"number", "name", "polarity", "invented"}
    assert "Verrin" not in found["name"]
    assert "fell to 45" in found["polarity"]
    assert found["invented"].startswith("In 2019 the trips in Verrin rose to 45 per cent, ")
    assert all(citations(text) == (1,) for text in found.values())
    assert all(text.endswith("[1].") for text in found.values())


@pytest.mark.parametrize("seed", range(20))
def test_every_figure_changes_and_none_is_the_sources(seed: int) -> None:
    made = contradictions._other_numbers(
        "Of 1,240 trams 45 per cent ran in 2019", SOURCE, random.Random(seed)
    )
    assert made is not None
    figures = re.findall(r"[\d,]+", made)
    assert len(figures) == 3
    assert not set(figures) & {"1,240", "45", "2019"}
    assert "," in figures[0] or int(figures[0]) < 1000
    assert abs(int(figures[1]) - 45) >= 12
    assert 3 <= abs(int(figures[2]) - 2019) <= 19


def test_a_citation_is_no_figure() -> None:
    assert contradictions._other_numbers("The trams ran [2] on", SOURCE, random.Random(0)) is None


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("The trips rose sharply", "The trips fell sharply"),
        ("The plan was popular", "The plan was not popular"),
        ("The plan was not popular", "The plan was popular"),
        ("The plan wasn't popular", "The plan was popular"),
        ("No plan was popular", None),
    ],
)
def test_polarity(body: str, expected: str | None) -> None:
    assert contradictions._opposite(body, SOURCE, random.Random(0)) == expected


def test_a_name_that_the_source_does_not_have_is_left_alone() -> None:
    assert contradictions._other_name("It was Merrowdale that paid", SOURCE, random.Random(0)) is None


def test_a_sentence_without_a_handle_gets_an_invented_fact() -> None:
    assert set(kinds("Trams work [1].")) == {"invented"}
