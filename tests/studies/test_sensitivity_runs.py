"""Versions, grids, estimates, resumption, requests asked once, failures and budgets of sensitivity runs."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from conqret.data import Item, Judgment
from conqret.judging.instrument import Instrument, judge_item
from conqret.llm.client_options import ClientOptions, backend_of
from conqret.llm.request import Completion, Request
from conqret.llm.sender import Sender
from conqret.llm.tokens import count_tokens
from conqret.runs.session import Session
from conqret.studies.sensitivity.result import SensitivityFolder
from conqret.studies.sensitivity.sensitivity_plan import GRID_LEVELS, PerturbationLevels, estimate
from conqret.studies.sensitivity.sensitivity_study import (
    perturbation_materials,
    run_sensitivity,
    sensitivity,
    sensitivity_plan,
)
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


def test_in_memory_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, demo: list[Item]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = sensitivity(
        demo[:4],
        formats=["direct"],
        perturb=["irrelevant:50"],
        metrics=["groundedness"],
        grid=True,
        labels=DEMO / "labels.jsonl",
    )
    assert found.grid
    assert found.precision
    assert list(tmp_path.iterdir()) == []


def test_the_grid_has_the_levels_that_are_given() -> None:
    plan = sensitivity_plan(DEMO / "items.jsonl", perturb="reverse:5,20", grid=True)
    levels = {entry.perturbation.name: entry.levels for entry in plan.crossed}
    assert levels == {"irrelevant": (0, 10, 50, 75), "reverse": (0, 5, 20)}


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


def test_the_grid_crosses_two_perturbations(tmp_path: Path) -> None:
    grid = [PerturbationLevels.from_name(name, levels) for name, levels in GRID_LEVELS.items()]
    plan = plan_of([PerturbationLevels.from_name("irrelevant", (50,))], items=4, grid=grid)
    results = run_sensitivity(plan, tmp_path)
    cells = {(cell.metric, tuple(sorted(cell.levels.items()))): cell for cell in results.grid}
    assert len(cells) == 3 * 4 * 3
    both = cells["groundedness", (("hallucinate-share", 63), ("irrelevant", 75))]
    assert both.mean < cells["groundedness", (("hallucinate-share", 63),)].mean
    assert both.mean < cells["groundedness", (("irrelevant", 75),)].mean


def test_the_estimate_is_what_is_then_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls exactly, prompt tokens within 1%: against every request of the run, its messages counted."""
    sent: dict[str, list[int]] = {}
    written: dict[str, list[int]] = {}
    send = Sender.send

    async def counted(self: Sender, sending: Request[Any]) -> tuple[Completion, int]:
        tokens = sum(count_tokens(message.content) for message in sending.messages)
        sent.setdefault(current[0], []).append(tokens)
        completion, attempts = await send(self, sending)
        written.setdefault(current[0], []).append(count_tokens(completion.text))
        return completion, attempts

    monkeypatch.setattr(Sender, "send", counted)
    formats = ("rag-fine-grained", "citation-support", "static-rubric")
    damages = (("irrelevant", (50, 100)), ("wrong-citations", (100,)))
    plan = plan_of([PerturbationLevels.from_name(*each) for each in damages], formats, items=1)
    setups = [replace(setup, options=replace(setup.options, samples=2)) for setup in plan.setups]
    plan = replace(plan, setups=tuple(setups))
    found = estimate(plan, ClientOptions("offline"))
    assert not sent
    assert [one.by for one in found] == list(formats)
    for one, setup in zip(found, plan.setups, strict=True):
        current = [one.by]
        run_sensitivity(replace(plan, setups=(setup,)), tmp_path / one.by)
        assert one.calls == len(sent[one.by])
        assert one.prompt_tokens == pytest.approx(sum(sent[one.by]), rel=0.01)
        assert 1 / 3 < one.completion_tokens / sum(written[one.by]) < 3
        assert one.cost_usd == 0


def test_rewriting_has_one_budget_in_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, demo: list[Item]
) -> None:
    asked = []

    class Dear:
        async def prepare(self) -> None: ...

        async def close(self) -> None: ...

        async def complete(self, sending: Request[Any]) -> Completion:
            asked.append(sending.ask)
            assert sending.baseline is not None
            return Completion(json.dumps(sending.baseline()), cost_usd=0.6)

    dear = replace(backend_of("a-model-of-mine"), open=lambda options: Dear())
    monkeypatch.setattr("conqret.llm.client_options.backend_of", lambda model: dear)
    perturbations = [
        PerturbationLevels.from_name("hallucinate", (2,)),
        PerturbationLevels.from_name("paraphrase", (100,)),
    ]
    rewriter = ClientOptions("a-model-of-mine", input_price=1.0, output_price=1.0, budget_usd=1.25)
    session = Session(rewriter, recordings=tmp_path / "recordings.sqlite")
    materials, unable = perturbation_materials(demo[:2], perturbations, rewriter=session)
    assert len(asked) == 2
    assert len(set(asked)) == 1  # 1.20 of 1.25 dollars are gone, and the second perturbation requests nothing
    assert len(materials["hallucinate"].rewrites) == 2
    assert unable["hallucinate"] == []
    assert [("budget" in one.reason) for one in unable["paraphrase"]] == [True, True]
