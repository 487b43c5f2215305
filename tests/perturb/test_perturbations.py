"""What holds for every perturbation."""

import json

import pytest

from conqret.data import Item
from conqret.errors import DeclarationError
from conqret.io import open_items
from conqret.io.rows import item_record
from conqret.perturb import PERTURBATIONS, Materials, Perturbation, UnreachedError, records

GROWING = ("padding", "fallacies", "one-sided-evidence", "shuffle")
"""Of these a change at one place grows with the level: more texts behind a sentence, a larger circle."""


@pytest.fixture(params=PERTURBATIONS)
def perturbation(request: pytest.FixtureRequest) -> Perturbation:
    return PERTURBATIONS[request.param]


def test_levels_are_nested(perturbation: Perturbation, demo: list[Item], materials: Materials) -> None:
    for item in demo[:6]:
        found: set[tuple[str, str, str]] = set()
        for level in perturbation.levels[1:]:
            try:
                changed = perturbation.apply(item, level, materials=materials)
            except UnreachedError:  # the rules of a paraphrase find nothing in the sentences of a low level
                continue
            now = {(change.where, change.before, change.after) for change in records(changed)[0].changes}
            assert {place for place, _, _ in found} <= {place for place, _, _ in now}
            if perturbation.name not in GROWING:
                assert found <= now
            found = now


def test_the_record_survives_a_file(
    perturbation: Perturbation, demo: list[Item], materials: Materials
) -> None:
    changed = perturbation.apply(demo[1], perturbation.levels[-1], materials=materials)
    (read,) = open_items([json.loads(json.dumps(item_record(changed)))])
    (record,) = records(read)
    assert read == changed
    assert (record.name, record.original, record.seed) == (perturbation.name, demo[1].id, 13)
    assert record.changes
    assert record.reached > 0


@pytest.mark.parametrize("level", [-1, 101, float("nan"), float("inf")])
def test_levels_out_of_range(level: float, small: Item) -> None:
    with pytest.raises(DeclarationError, match="levels from 0 to 100"):
        PERTURBATIONS["irrelevant"].apply(small, level)
