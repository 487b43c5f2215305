"""Which items reach which levels, and over which of them a curve is drawn."""

import pytest

from conqret.data import Document, Item
from conqret.errors import DeclarationError
from conqret.perturb import PERTURBATIONS, Materials, Pool, UnreachedError, perturb_items
from conqret.perturb.versions import series


@pytest.mark.parametrize(
    ("name", "level", "why"),
    [
        ("hallucinate", 20, "3 sentences cite, and 20 are to change"),
        ("hallucinate-share", 10, "at 10 percent of the cited sentences changes nothing in it"),
        ("irrelevant", 100, "4 documents of other topics are needed, and the pool has 2"),
        ("truncate", 100, r"all of its sentences \(4\) would go"),
    ],
)
def test_a_level_that_cannot_be_reached(name: str, level: float, why: str, small: Item) -> None:
    other = Item(
        id="o", topic="Another?", documents=(Document(id="o1", text="a"), Document(id="o2", text="b"))
    )
    with pytest.raises(UnreachedError, match=f"item small: .*{why}"):
        PERTURBATIONS[name].apply(small, level, materials=Materials(Pool.from_items([small, other])))


def test_a_curve_is_over_items_with_every_level_that_half_of_them_reach(
    small: Item, demo: list[Item]
) -> None:
    hallucinate = PERTURBATIONS["hallucinate"]
    made = series([small, *demo[:3]], hallucinate, (0, 2, 5, 20))
    names = [item.id for item in demo[:3]]
    wanted = {0: names, 2: names, 5: names}
    assert {level: list(version) for level, version in made.versions.items()} == wanted
    assert made.versions[5][names[0]].id == f"{names[0]}+hallucinate-5"
    assert [(one.item, one.level) for one in made.left_out] == [("small", 5)]
    assert [(one.level, one.items, one.total) for one in made.unreached] == [(20, 4, 4)]
    others = [small.model_copy(update={"id": f"s{n}"}) for n in range(4)]
    made = series([*others, *demo[:3]], hallucinate, (0, 2, 5))
    assert list(made.versions) == [0, 2]
    assert len(made.versions[2]) == 7
    assert made.left_out == ()
    assert str(made.unreached[0]) == (
        "hallucinate: level 5 (sentences) is left out, 4 of 7 items cannot reach it: item s0: 3 sentences cite, and 5 "
        "are to change (a share, such as 50%, suits any item)"
    )


def test_no_level_in_reach_is_a_wrong_call(small: Item, demo: list[Item]) -> None:
    hallucinate, irrelevant = PERTURBATIONS["hallucinate"], PERTURBATIONS["irrelevant"]
    with pytest.raises(
        DeclarationError, match=r"can change none of the items: for example item animal-testing-pro: 10 sent"
    ):
        series(demo[:2], hallucinate, (0, 20))
    pool = Materials(Pool.from_items([demo[4].model_copy(update={"documents": demo[4].documents[:4]})]))
    with pytest.raises(
        DeclarationError, match=r"none of the items reaches all levels .* give fewer levels: item small"
    ):
        series([small, demo[0]], irrelevant, (0, 10, 100), materials=pool)
    with pytest.raises(DeclarationError, match="can change none of the items: there are no items"):
        series([], hallucinate, (0, 2))


def test_an_item_that_reaches_no_level_is_left_out_for_what_it_lacks_and_not_for_a_level_that_is_too_small(
    small: Item, demo: list[Item]
) -> None:
    none = Materials(Pool.from_items([small]))
    _, left_out = perturb_items([small, demo[0]], PERTURBATIONS["irrelevant"], (0, 1, 100), materials=none)
    reasons = {omission.item: (omission.level, omission.reason) for omission in left_out}
    level, reason = reasons["small"]
    assert level is None
    assert "the pool has none" in reason
