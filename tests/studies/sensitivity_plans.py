"""Sensitivity runs of the offline judges over the demo items."""

from collections.abc import Sequence
from pathlib import Path

from conqret.io import open_items
from conqret.llm.client_options import ClientOptions
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
