"""Sensitivity runs of the offline judges over the demo items."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conqret.io import open_items
from conqret.llm.client_options import ClientOptions
from conqret.perturb import Direction
from conqret.stats.curve_tests import CurveStep, strictly_falls
from conqret.studies.sensitivity.result import Curve, CurvePoint
from conqret.studies.sensitivity.sensitivity_plan import PerturbationLevels, SensitivityPlan, make_plan
from conqret.studies.sensitivity.sensitivity_study import perturbation_materials, sensitivity_setups

DEMO = Path(__file__).resolve().parents[2] / "fixtures" / "demo"
FORMATS = ("rag-fine-grained", "direct")


def plan_of(
    perturbations: Sequence[PerturbationLevels],
    formats: Sequence[str] = ("rag-fine-grained",),
    items: int = 24,
    metrics: Sequence[str] = (),
    grid: Sequence[PerturbationLevels] = (),
) -> SensitivityPlan:
    source = open_items(list(open_items(DEMO / "items.jsonl"))[:items])
    every = [*perturbations, *grid]
    setups = sensitivity_setups(source, formats, [ClientOptions("offline")], every, metrics=metrics)
    materials, unable = perturbation_materials(list(source), every, pool=DEMO / "items.jsonl")
    return make_plan(list(source), setups, perturbations, materials=materials, unable=unable, grid=grid)


def curve(means: Sequence[float] = (0.9, 0.5, 0.2), **changes: Any) -> Curve:
    """A curve of three levels that falls, but for ``changes``."""
    points = tuple(
        CurvePoint(level=level, mean=mean, low=mean, high=mean)
        for level, mean in zip((0, 50, 100), means, strict=True)
    )
    fields: dict[str, Any] = {
        "format": "direct",
        "model": "gpt",
        "fingerprint": "f",
        "metric": "context_relevance",
        "perturbation": "irrelevant",
        "unit": "percent of the documents",
        "expected": Direction.FALL,
        "points": points,
        "n": 4,
        "total": 5,
        "topics": 3,
        "missing": {"refusal": 1},
        "falls": strictly_falls(means),
        "pearson": -0.9,
        "spearman": -1,
        "fell": 1,
        "rose": 0,
        "neighbours": (CurveStep(start=0, to=50, difference=-0.1, p=0.01),),
        "alarms": (),
        "verdict": "yes",
        "words": "falls by 0.3",
    }
    return Curve(**fields | changes)


class Stopping:
    """Looks on at a run, and stops it after so many rows."""

    def __init__(self, after: int = 0) -> None:
        self.after, self.kept, self.seen = after, 0, 0

    def start(self, run: object, kept: int) -> None:
        self.kept = kept

    def advance(self, row: object) -> None:
        self.seen += 1
        if self.seen == self.after:
            raise KeyboardInterrupt
