"""Versions, grids, resumption, requests asked once, failures and budgets of sensitivity runs."""

from pathlib import Path

import polars as pl
import pytest

from conqret.data import Item, Judgment
from conqret.judging.instrument import Instrument, judge_item
from conqret.llm.client_options import ClientOptions
from conqret.perturb import records
from conqret.studies.sensitivity.result import SensitivityFolder
from conqret.studies.sensitivity.sensitivity_plan import GRID_LEVELS, PerturbationLevels, estimate
from conqret.studies.sensitivity.sensitivity_study import PERTURBATIONS as PERTURBED
from conqret.studies.sensitivity.sensitivity_study import run_sensitivity, sensitivity, sensitivity_plan
from tests.judging.runs import said
from tests.studies.sensitivity_plans import DEMO, Stopping, plan_of


def test_level_0_is_judged_once_and_alike_requests_are_sent_once(tmp_path: Path) -> None:
    perturbations = [
        PerturbationLevels.from_name("irrelevant", (50,)),
        PerturbationLevels.from_name("hallucinate", (5,)),
    ]
    plan = plan_of(perturbations, ("direct",), items=4, metrics=("context_relevance", "groundedness"))
    assert plan.judgments == 4 * 3
    results = run_sensitivity(plan, tmp_path / "run")
    # Documents: as they are, and replaced; argument and documents: all three versions.
    assert [one.calls for one in estimate(plan, ClientOptions("offline"))] == [4 * 2 + 4 * 3]
    assert (results.session.sent, results.session.recorded) == (20, 4)


def test_a_stopped_run_goes_on(tmp_path: Path) -> None:
    plan = plan_of([PerturbationLevels.from_name("irrelevant", (20, 100))], items=4)
    whole, resumed = SensitivityFolder(tmp_path / "whole"), SensitivityFolder(tmp_path / "resumed")
    run_sensitivity(plan, whole.path)
    with pytest.raises(KeyboardInterrupt):
        run_sensitivity(plan, resumed.path, watch=Stopping(5))
    with resumed.judgments_file.open("ab") as file:
        file.write(b'{"finger')
    again = run_sensitivity(plan, resumed.path, watch=(watch := Stopping()))
    assert (watch.kept, watch.seen) == (5, 7)
    assert (again.session.kept, again.judgments) == (5, 12)
    assert again.curves == whole.results().curves
    assert said(resumed.judgments()) == said(whole.judgments())
    assert resumed.scores_file.read_bytes() == whole.scores_file.read_bytes()
    table = pl.read_parquet(resumed.scores_file).filter(pl.col("part").is_null())
    assert set(table["level"].drop_nulls()) == {20, 100}


def test_in_memory_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = sensitivity(
        DEMO / "items.jsonl",
        formats=["direct"],
        perturb=["irrelevant:50"],
        metrics=["groundedness"],
        grid=True,
        labels=DEMO / "labels.jsonl",
    )
    assert found.grid
    assert found.precision
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("perturb", "irrelevant", "sentences"),
    [
        (PERTURBED, (0, 10, 50, 75), ("hallucinate-share", (0, 16, 63))),
        ("reverse:5,20", (0, 10, 50, 75), ("reverse", (0, 5, 20))),
    ],
)
def test_the_grid_has_the_levels_that_are_given(perturb, irrelevant, sentences) -> None:  # type: ignore[no-untyped-def]
    plan = sensitivity_plan(DEMO / "items.jsonl", perturb=perturb, grid=True)
    levels = {entry.perturbation.name: entry.levels for entry in plan.crossed}
    assert levels == dict([("irrelevant", irrelevant), sentences])


def test_failures_are_counted_and_never_scored(tmp_path: Path) -> None:
    perturbed = [PerturbationLevels.from_name("irrelevant", (50,))]
    run_sensitivity(plan_of(perturbed, items=3), tmp_path / "first")
    results = run_sensitivity(plan_of(perturbed, items=5), tmp_path / "more", replay=tmp_path / "first")
    curve = results.curves[0]
    assert (curve.n, curve.total, curve.missing) == (3, 5, {"not_recorded": 2})
    other = plan_of([PerturbationLevels.from_name("shuffle", (100,))], items=2, metrics=("groundedness",))
    lost = run_sensitivity(other, tmp_path / "none", replay=tmp_path / "first")
    assert lost.curves == ()
    assert [(one.metric, dict(one.missing)) for one in lost.unscored] == [
        ("groundedness", {"not_recorded": 2})
    ]


@pytest.mark.parametrize(
    ("spent", "budgets"),
    [([0.4, 0.4, 0.0], [0.6, pytest.approx(0.2), 0.0]), ([0.1, None, 0.1], [0.6, pytest.approx(0.5), 0.0])],
)
def test_the_budget_is_shared_by_all_judges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spent: list[float | None], budgets: list[float]
) -> None:
    """Nothing is spent after an answer of unknown price."""
    found, seen = list[float | None](), list[Instrument]()

    async def spends(item: Item, instrument: Instrument) -> Judgment:
        client = instrument.client
        if instrument not in seen:
            seen.append(instrument)
            cost = spent[len(found)]
            found.append(client._options.budget_usd)
            known = client.progress.cost_usd is not None and cost is not None
            client.progress.cost_usd = (client.progress.cost_usd or 0.0) + (cost or 0.0) if known else None
        return await judge_item(item, instrument)

    monkeypatch.setattr("conqret.studies.study_judging.judge_in_span", spends)
    formats = ("rag-fine-grained", "rag-direct", "direct")
    plan = plan_of([PerturbationLevels.from_name("irrelevant", (50,))], formats, items=2)
    run_sensitivity(plan, tmp_path / "all", budget_usd=0.6)
    assert found == budgets


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
