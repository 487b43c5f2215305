import random
import re

import pytest

from conqret.data import Item
from conqret.perturb import PERTURBATIONS, records
from conqret.perturb.contradictions import contradict, other_numbers
from conqret.text.citations import citations

SOURCE = (
    "In Verrin 1,240 trams ran in 2019. Mayor Astermere supported the plan; 45 per cent of the trips rose, by the "
    "survey of the town."
)
TURNS = re.compile(
    r"\b(?:not|never|no|untrue|withdrawn|withdrew|opposite|bribed|although|even though|fell|decreased)\b"
)


def kinds(sentence: str, source: str = SOURCE, topic: str = "") -> dict[str, str]:
    """One contradiction of each kind that 60 draws give."""
    found: dict[str, str] = {}
    for seed in range(60):
        text, kind = contradict(sentence, source, random.Random(seed), topic)
        found.setdefault(kind, text)
    return found


def test_numbers_and_names_come_first() -> None:
    found = kinds("In 2019 the trips in Verrin rose to 45 per cent in several weeks [1].")
    assert set(found) == {"number", "name"}
    assert "Verrin" not in found["name"]
    assert "45 per cent" in found["name"]
    assert "Verrin rose to" in found["number"]
    assert all(citations(text) == (1,) for text in found.values())
    assert all(text.endswith("weeks [1].") for text in found.values())


def test_degrees_and_details_where_there_is_neither() -> None:
    assert kinds("Trips rose slightly [1].") == {"degree": "Trips rose greatly [1]."}
    found = kinds("The survey rarely said so [1].")
    assert found == {
        "degree": "The survey never said so [1].",
        "detail": "The experiment rarely said so [1].",
    }
    assert kinds("Most of them may ride [1].")["degree"] in (
        "All of them may ride [1].",
        "Most of them will ride [1].",
    )
    assert set(kinds("In May a half-hour ride was offered [1].")) == {"added"}


def test_a_detail_is_one_that_the_source_states() -> None:
    assert kinds("Pupils rode [1].", "The pupils rode.") == {"detail": "Students rode [1]."}
    assert set(kinds("Pupils rode [1].", "Nobody rode.")) == {"added"}
    assert set(kinds("Pupils rode [1].", "The pupils and students rode.")) == {"added"}


@pytest.mark.parametrize("seed", range(4))
def test_every_figure_changes_and_none_is_the_sources(seed: int) -> None:
    made = other_numbers("Of 1,240 trams 45 per cent ran in 2019", SOURCE, "", random.Random(seed))
    assert made is not None
    figures = re.findall(r"[\d,]+", made)
    assert len(figures) == 3
    assert not set(figures) & {"1,240", "45", "2019"}
    assert int(figures[1]) < 50, "what was a minority stays one"
    assert 2 <= 2019 - int(figures[2]) <= 9


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "body",
    [
        "It went from 55 to 66 percent, against 297,000 of 310,000 before",
        "From $1.50 to $2.25 an hour",
        "Of 31 were dropped 1.5% to 73%",
    ],
)
def test_figures_keep_their_order_and_their_half(body: str, seed: int) -> None:
    made = other_numbers(body, "", "", random.Random(seed))
    assert made is not None
    figures = re.compile(r"\d[\d,]*(?:\.\d+)?")
    old, new = ([float(one.replace(",", "")) for one in figures.findall(text)] for text in (body, made))
    assert len(old) == len(new)
    assert [a < b for a in old for b in old] == [a < b for a in new for b in new]
    if "per" in body or "%" in body:
        assert [0 <= number <= 50 for number in old] == [0 <= document <= 50 for document in new]
        assert [number <= 100 for number in old] == [document <= 100 for document in new]


@pytest.mark.parametrize(
    "body",
    [
        "The trams ran [2] on",
        "The 32-hour week of sixteen-year-olds",
        "The 16- and 17-year-olds rode",
        "Line 14b of the trams",
        "None rode",
    ],
)
def test_what_is_no_figure(body: str) -> None:
    assert other_numbers(body, SOURCE, "", random.Random(0)) is None


@pytest.mark.parametrize("seed", range(5))
def test_fractions_and_dates(seed: int) -> None:
    made = other_numbers("By a third on Monday, by two thirds in April", "a tenth", "", random.Random(seed))
    assert made is not None
    before, after = made.split(", ")
    assert before.split(" on ")[0] in ("By a fifth", "By a quarter")
    assert before.split(" on ")[1] != "Monday"
    assert after.startswith("by three quarters in ")
    assert not after.endswith("April")


@pytest.mark.parametrize("seed", range(4))
def test_what_the_topic_names_stays(seed: int) -> None:
    topic = "Should Verrin lower the voting age to 16?"
    text, _ = contradict("In Verrin 9 of ten aged sixteen vote [1].", "In Verrin", random.Random(seed), topic)
    assert "Verrin" in text
    assert "aged sixteen" in text
    assert "9 of ten" not in text


def test_no_rule_turns_the_argument_against_itself(demo: list[Item]) -> None:
    """Nothing is denied, withdrawn or said the other way round that was not before."""
    kinds = set()
    for item in demo:
        for change in records(PERTURBATIONS["hallucinate-share"].apply(item, 100))[0].changes:
            before, after = (sorted(TURNS.findall(text)) for text in (change.before, change.after))
            assert before == after or change.after == change.before.replace("rarely", "never"), change
            kinds.add(change.kind)
    assert kinds == {"number", "name", "degree", "detail", "added"}
