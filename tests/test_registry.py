"""What plug-ins bring: by name, of the right type, and in a group that several kinds share."""

from importlib.metadata import EntryPoint

import pytest

from conqret import registry
from conqret.errors import DeclarationError, UnknownNameError
from conqret.registry import Registry


@pytest.fixture
def brings(monkeypatch):
    def brings(**values):
        points = [EntryPoint(name.replace("_", "-"), value, "group") for name, value in values.items()]
        monkeypatch.setattr(registry, "entry_points", lambda group: points)

    return brings


def test_a_plug_in_brings_what_is_wanted(brings):
    brings(my_number="math:pi")
    numbers = Registry("number", "group", float)
    assert list(numbers) == ["my-number"]
    assert 3 < numbers["My_Number"] < 4
    with pytest.raises(UnknownNameError, match="did you mean 'my-number'"):
        numbers["my-numbers"]


def test_another_type_is_a_mistake_where_the_group_has_one_kind(brings):
    brings(word="string:digits")
    with pytest.raises(DeclarationError, match="declares no number: it must be a float, not a str"):
        Registry("number", "group", float)["word"]


def test_another_type_is_another_kind_where_the_group_is_shared(brings):
    brings(word="string:digits", pi="math:pi")
    assert list(Registry("number", "group", float, shared=True)) == ["pi"]
    assert list(Registry("word", "group", str, shared=True)) == ["word"]


@pytest.mark.parametrize("shared", [True, False])
def test_what_cannot_be_imported_is_named(brings, shared):
    brings(gone="no_such_module:X")
    with pytest.raises(DeclarationError, match="the number 'gone' of no_such_module:X cannot be loaded"):
        Registry("number", "group", float, shared=shared)["gone"]


def test_an_object_that_calls_itself_otherwise_is_told(brings):
    brings(other="conqret.judges.direct:JUDGE")
    from conqret.judging.judge_parts import Judge

    with pytest.raises(DeclarationError, match="declares the judge 'direct' under the name 'other'"):
        Registry("judge", "group", Judge)["other"]


def test_the_object_itself_may_stand_for_its_name(brings):
    brings(pi="math:pi")
    numbers = Registry("number", "group", float)
    assert numbers.resolve("PI") == numbers["pi"]
    assert numbers.resolve(2.5) == 2.5
