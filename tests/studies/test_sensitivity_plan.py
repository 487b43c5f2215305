"""Which versions a sensitivity run is to judge, and the cells of its grid."""

from pathlib import Path

from conqret.io import open_items
from conqret.llm.client_options import ClientOptions
from conqret.perturb import records
from conqret.studies.sensitivity.sensitivity_plan import GRID_LEVELS, PerturbationLevels, make_plan
from conqret.studies.sensitivity.sensitivity_study import (
    perturbation_materials,
    run_sensitivity,
    sensitivity_setups,
)
from tests.studies.sensitivity_plans import DEMO, plan_of


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


def test_a_cell_of_the_grid_out_of_reach_is_empty(tmp_path: Path) -> None:
    """An item of four documents has no tenth of them."""
    short = [
        item.model_copy(update={"documents": item.documents[:4], "argument": "It is so [1]. Or so [2]."})
        for item in list(open_items(DEMO / "items.jsonl"))[:4]
    ]
    grid = [PerturbationLevels.from_name(name, levels) for name, levels in GRID_LEVELS.items()]
    setups = sensitivity_setups(open_items(short), ["direct"], [ClientOptions("offline")], grid)
    materials, _ = perturbation_materials(short, grid, pool=DEMO / "items.jsonl")
    plan = make_plan(short, setups, [], materials=materials, grid=grid)
    wanted = {10: 0, 50: 4, 75: 4}
    assert {level: len(plan.versions[(("irrelevant", level),)]) for level in (10, 50, 75)} == wanted
    cells = run_sensitivity(plan, tmp_path).grid
    assert {cell.levels.get("irrelevant", 0) for cell in cells} == {0, 50, 75}


def test_the_cells_of_a_grid_are_of_the_same_items() -> None:
    grid = [
        PerturbationLevels.from_name(*each) for each in (("irrelevant", (50,)), ("hallucinate", (2, 10, 20)))
    ]
    plan = plan_of([], grid=grid)
    levels = {dict(stack).get("hallucinate", 0) for stack in plan.cells}
    assert levels == {0, 2, 10}
    items = {
        tuple(records(item)[0].original if records(item) else item.id for item in cell)
        for cell in plan.cells.values()
    }
    assert [len(each) for each in items] == [23]
