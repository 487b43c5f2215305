"""Which versions a sensitivity run is to judge, and the cells of its grid."""

from pathlib import Path

from conqret.perturb import records
from conqret.studies.sensitivity.sensitivity_plan import GRID_LEVELS, PerturbationLevels
from conqret.studies.sensitivity.sensitivity_study import (
    run_sensitivity,
)
from tests.studies.sensitivity_plans import plan_of


def test_an_instrument_that_comes_twice_is_asked_once() -> None:
    plan = plan_of([PerturbationLevels.from_name("irrelevant", (50,))], ("direct", "direct"), items=2)
    assert len(plan.setups) == 1


def test_the_grid_crosses_two_perturbations(tmp_path: Path) -> None:
    grid = [PerturbationLevels.from_name(name, levels) for name, levels in GRID_LEVELS.items()]
    plan = plan_of([PerturbationLevels.from_name("irrelevant", (50,))], items=4, grid=grid)
    results = run_sensitivity(plan, tmp_path)
    cells = {(cell.metric, tuple(sorted(cell.levels.items()))): cell for cell in results.grid}
    assert len(cells) == 3 * 4 * 3
    both = cells["groundedness", (("hallucinate-share", 63), ("irrelevant", 75))]
    assert both.mean < cells["groundedness", (("hallucinate-share", 63),)].mean
    assert both.mean < cells["groundedness", (("irrelevant", 75),)].mean


def test_the_cells_of_a_grid_are_of_the_same_items_and_one_out_of_reach_is_empty() -> None:
    given = (("irrelevant", (50,)), ("hallucinate", (2, 10, 20)))
    plan = plan_of([], grid=[PerturbationLevels.from_name(*each) for each in given])
    assert {dict(stack).get("hallucinate", 0) for stack in plan.cells} == {0, 2, 10}
    originals = {
        tuple(records(item)[0].original if records(item) else item.id for item in cell)
        for cell in plan.cells.values()
    }
    assert [len(each) for each in originals] == [23]


def test_versions_out_of_reach_are_not_judged() -> None:
    plan = plan_of(
        [
            PerturbationLevels.from_name("hallucinate", (2, 10, 20)),
            PerturbationLevels.from_name("irrelevant", (50,)),
        ]
    )
    assert [entry.levels for entry in plan.perturbations] == [(0, 2, 10), (0, 50)]
    wanted = {(): 24, (("hallucinate", 2),): 23, (("hallucinate", 10),): 23, (("irrelevant", 50),): 24}
    assert {stack: len(items) for stack, items in plan.versions.items()} == wanted
    assert [out.item for out in plan.left_out["hallucinate"]] == ["voting-age-pro"]
    assert [(one.perturbation, one.level, one.items) for one in plan.unreached] == [("hallucinate", 20, 24)]
    assert len(plan.perturbable("hallucinate")) == 23
