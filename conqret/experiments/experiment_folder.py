"""What the run of an experiment leaves on the disk."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from conqret.errors import DeclarationError, number
from conqret.experiments.config import System
from conqret.generation.generation_run import GenerationFolder
from conqret.io.bounded import whole_bytes
from conqret.io.safe_files import InFolder
from conqret.judging.judge_folder import JudgeFolder
from conqret.runs.run_folder import RunFolder, RunRecord
from conqret.studies.sensitivity.result import SensitivityFolder


class ExperimentRecord(RunRecord):
    """What ``run.json`` of an experiment says: what was resolved, with which versions, over which corpus.

    ``fingerprint`` changes with everything that changes a score but the versions of libraries, and with no place on a
    disk: the experiment, the prompts, the judges, the corpus and the given runs. A local model counts by the identity
    of its weights, wherever its folder is; time limits, concurrency, prices and budgets do not count.
    """

    SAME: ClassVar[Mapping[str, str]] = {"fingerprint": "the experiment (its file, prompts or corpus)"}

    kind: str = "experiment"
    fingerprint: str
    python: str
    versions: dict[str, str]
    systems: list[str]
    judges: dict[str, str]
    prompts: dict[str, str]
    corpus: dict[str, str | None]
    runs: dict[str, Any]
    experiment: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.experiment.get('name')}, of {number(len(self.systems), 'system')}"


@dataclass(frozen=True)
class ExperimentFolder(RunFolder[ExperimentRecord]):
    """The files of an experiment's run under one folder."""

    COMMAND: ClassVar[str] = "conqret experiment"
    BEGINS: ClassVar[tuple[str, ...]] = ("experiment.toml",)

    rankings_folder = InFolder("rankings")
    arguments_folder = InFolder("arguments")
    judgments_folder = InFolder("judgments")
    sensitivity_folder = InFolder("sensitivity")

    def summary(self) -> dict[str, Any]:
        """All scores of the finished experiment. Raises DeclarationError where it is not finished."""
        self.record()
        if not self.summary_file.is_file():
            raise DeclarationError(
                f"{self.path} contains no finished experiment: run `conqret experiment` again to continue it"
            )
        summary_data: dict[str, Any] = json.loads(whole_bytes(self.summary_file))
        return summary_data

    def ranking(self, name: str, stance: str) -> Path:
        """The TREC run of a ranking for a side."""
        return self.rankings_folder / f"{name}.{stance}.res.gz"

    def arguments(self, system: System) -> GenerationFolder:
        """The folder of a system's arguments."""
        return GenerationFolder(self.arguments_folder / system.name)

    def judgments(self, system: System, judge: str) -> JudgeFolder:
        """The run of one judge over one system's arguments."""
        return JudgeFolder(self.judgments_folder / system.name / judge)

    def sensitivity(self, system: System) -> SensitivityFolder:
        """The run of all judges over one system's damaged arguments."""
        return SensitivityFolder(self.sensitivity_folder / system.name)
