"""What a sensitivity run comes to: from the scores of every version to curves, grid and Table 7."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from conqret._version import __version__
from conqret.data.item import Frozen
from conqret.errors import DeclarationError
from conqret.judging.setup import Setup
from conqret.llm.recordings import STORE_NAME
from conqret.perturb import Direction
from conqret.reliability.sensitivity.curves import Cell, Curve, Score, StanceCurve, Unscored
from conqret.reliability.sensitivity.drawing import make_cell, make_curve, metrics_of, stance_curves
from conqret.reliability.sensitivity.labels import RELEVANT_GRADE, Labels, true_precision
from conqret.reliability.sensitivity.plan import GRID_METRICS, Plan
from conqret.stats.bootstrap import RESAMPLES


class PrecisionRow(Frozen):
    """One level of Table 7: the true precision of the evidence beside what judges say of it, over n items.

    ``predicted`` holds predicted precision, ``direct`` context relevance, by the judge's name.
    """

    level: float
    n: int
    true: float
    predicted: Mapping[str, float]
    direct: Mapping[str, float]


class SensitivityRecord(Frozen):
    """What ``sensitivity.json`` says: enough to know the run again, and to repeat it."""

    conqret: str
    judges: tuple[Mapping[str, Any], ...]
    perturbations: Mapping[str, tuple[float, ...]]
    grid: tuple[str, ...]
    seed: int
    items: int
    digest: str


class SensitivityResults(Frozen):
    """All that came out: curves, grid, Table 7 where there are labels, and what it took."""

    record: SensitivityRecord
    curves: tuple[Curve, ...]
    unscored: tuple[Unscored, ...] = ()
    stances: tuple[StanceCurve, ...] = ()
    grid: tuple[Cell, ...] = ()
    precision: tuple[PrecisionRow, ...] = ()
    left_out: Mapping[str, tuple[str, ...]] = {}
    judgments: int = 0
    calls: int = 0
    recorded: int = 0
    cost_usd: float | None = 0.0


@dataclass(frozen=True, slots=True)
class SensitivityDirectory:
    """The files of a sensitivity run under one folder."""

    path: Path

    @property
    def record_file(self) -> Path:
        """What was asked of which judges."""
        return self.path / "sensitivity.json"

    @property
    def scores_file(self) -> Path:
        """A score a line, in the order in which they came."""
        return self.path / "scores.jsonl"

    @property
    def recordings_file(self) -> Path:
        """Every answer of the models."""
        return self.path / STORE_NAME

    @property
    def results_file(self) -> Path:
        """The curves."""
        return self.path / "results.json"

    def results(self) -> SensitivityResults:
        """The finished run. Raises DeclarationError where there is none."""
        try:
            return SensitivityResults.model_validate_json(self.results_file.read_bytes())
        except FileNotFoundError:
            raise DeclarationError(f"{self.path} holds no finished sensitivity run") from None
        except ValidationError as error:
            raise DeclarationError(f"{self.results_file} cannot be read: {error}") from error


def evaluate(
    plan: Plan,
    scores: Mapping[tuple[str, str], Score],
    *,
    labels: Labels | None = None,
    relevant_from: float = RELEVANT_GRADE,
    resamples: int = RESAMPLES,
) -> SensitivityResults:
    """The curves, the grid and Table 7 from ``scores``, by fingerprint of the judge and id of the version."""
    import numpy as np

    curves: list[Curve | Unscored] = []
    by_stance, cells, by_judge = [], [], []
    for place, setup in enumerate(plan.setups):
        print_ = setup.fingerprint
        mine = {item: score for (fingerprint, item), score in scores.items() if fingerprint == print_}
        by_judge.append(mine)
        for damage in plan.damages:
            for metric in metrics_of(plan, place, damage):
                rng = np.random.default_rng(plan.seed)
                curve = make_curve(plan, place, damage, metric, mine, rng, resamples=resamples)
                curves.append(curve)
                if damage.perturbation.expected(metric) is Direction.FALL:
                    by_stance += stance_curves(plan, place, damage, metric, mine)
        for metric in GRID_METRICS:
            for stack in plan.grid:
                rng = np.random.default_rng(plan.seed)
                cell = make_cell(plan, place, stack, metric, mine, rng, resamples=resamples)
                if cell is not None:
                    cells.append(cell)
    costs = [score.cost_usd for score in scores.values()]
    return SensitivityResults(
        record=record_of(plan),
        curves=tuple(curve for curve in curves if isinstance(curve, Curve)),
        unscored=tuple(curve for curve in curves if isinstance(curve, Unscored)),
        stances=tuple(by_stance),
        grid=tuple(cells),
        precision=_precision(plan, by_judge, labels, relevant_from) if labels else (),
        left_out={name: tuple(out.reason for out in outs) for name, outs in plan.left_out.items()},
        judgments=len(scores),
        calls=sum(score.calls for score in scores.values()),
        recorded=sum(score.recorded for score in scores.values()),
        cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
    )


def record_of(plan: Plan) -> SensitivityRecord:
    """The record of ``plan``."""
    return SensitivityRecord(
        conqret=__version__,
        judges=tuple(
            {
                "format": setup.judge.name,
                "model": setup.client.model,
                "baseline": setup.client.backend.baseline,
                "fingerprint": setup.fingerprint,
                "metrics": list(setup.options.metrics or setup.judge.metrics),
            }
            for setup in plan.setups
        ),
        perturbations={damage.perturbation.name: damage.levels for damage in plan.damages},
        grid=tuple(dict.fromkeys(name for stack in plan.grid for name, _ in stack)),
        seed=plan.seed,
        items=len(plan.items),
        digest=plan.digest(),
    )


def _precision(
    plan: Plan, by_judge: list[dict[str, Score]], labels: Labels, relevant_from: float
) -> tuple[PrecisionRow, ...]:
    rows = []
    damage = next((one for one in plan.damages if one.perturbation.name == "irrelevant"), None)
    for level in damage.levels if damage is not None else ():
        items = plan.versions[(("irrelevant", level),) if level else ()]
        known = [(item.id, true_precision(item, labels, relevant_from=relevant_from)) for item in items]
        truth = {name: value for name, value in known if value is not None}
        predicted: dict[str, float] = {}
        direct: dict[str, float] = {}
        for setup, scores in zip(plan.setups, by_judge, strict=True):
            for metric, column in (("predicted_precision", predicted), ("context_relevance", direct)):
                values = [
                    scores[name].values[metric]
                    for name in truth
                    if name in scores and metric in scores[name].values
                ]
                if values:
                    column[_judge_name(setup)] = sum(values) / len(values)
        if truth:
            mean = sum(truth.values()) / len(truth)
            rows.append(
                PrecisionRow(level=level, n=len(truth), true=mean, predicted=predicted, direct=direct)
            )
    return tuple(rows)


def _judge_name(setup: Setup) -> str:
    return f"{setup.judge.name} ({setup.client.model})"
