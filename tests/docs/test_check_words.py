"""Help texts and pages use the field's words, and each exception is needed."""

from functools import cache, partial

import pytest

from conqret.cli.commands import HOMES
from scripts import check_words
from scripts.check_words import (
    EXCEPTIONS,
    NAMES_THAT_STAY,
    comments,
    docs,
    docstrings,
    faults,
    faults_of_name,
    help_of,
    messages,
    names,
    prose,
    reports,
    stays,
)

pytestmark = pytest.mark.xdist_group("words")  # one process reads the package
SURFACES = (docs, partial(help_of, (), HOMES), messages, reports, docstrings, comments)


@cache
def passages_of(surface):
    return [*surface()]


def test_words_are_found_outside_code() -> None:
    text = "People `ask` the judge beside a [floor](floor.md).\n\n```bash\nconqret labels people.csv\n```\n"
    assert [word for word, *_ in faults(prose(text))] == ["people", "floor", "beside"]
    assert not list(faults("A persona, a seaside, askew, two Pareto frontiers and a frontier LLM."))


@pytest.mark.parametrize("surface", SURFACES)
def test_strict_surfaces_have_none(surface) -> None:
    assert [(place.where, word) for place in passages_of(surface) for word, *_ in faults(place.text)] == []


def test_each_exception_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    places = [place for surface in SURFACES for place in passages_of(surface)]
    monkeypatch.setattr(check_words, "EXCEPTIONS", ())
    passages = [passage for place in places for _, passage, _ in faults(place.text)]
    for allowed in EXCEPTIONS:
        assert any(check_words.re.search(allowed, passage) for passage in passages), allowed


def test_names_have_none_but_those_that_stay() -> None:
    faulty = [place for place in names() if list(faults_of_name(place.text))]
    assert [place for place in faulty if not stays(place)] == []
    there = [f"{place.where.partition(':')[0]} {place.text}" for place in faulty]
    for allowed in NAMES_THAT_STAY:
        assert any(check_words.re.search(allowed, name) for name in there), allowed
