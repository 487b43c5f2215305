"""An experiment that is ready to be run, and the files that it leaves."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conqret.data.corpus import CorpusTopic
from conqret.errors import DeclarationError
from conqret.experiments.config import Experiment, System, systems
from conqret.experiments.reading import read_experiment
from conqret.io.corpus import CorpusDirectory
from conqret.judging.folder import JudgeFolder
from conqret.llm.recordings import STORE_NAME
from conqret.reliability.sensitivity.results import SensitivityDirectory


@dataclass(frozen=True, slots=True)
class ExperimentDirectory:
    """The files of an experiment's run under one folder."""

    path: Path

    @property
    def record_file(self) -> Path:
        """The resolved experiment, versions and fingerprints."""
        return self.path / "run.json"

    @property
    def recordings_file(self) -> Path:
        """Every answer of every model, for all stages."""
        return self.path / STORE_NAME

    @property
    def scores_file(self) -> Path:
        """A line for every score: system, judge, item, metric, and the level of damage."""
        return self.path / "scores.jsonl"

    @property
    def summary_file(self) -> Path:
        """The experiment in numbers."""
        return self.path / "summary.json"

    @property
    def report_file(self) -> Path:
        """The page for people."""
        return self.path / "report.html"

    def ranking(self, name: str, stance: str) -> Path:
        """The TREC run of a ranking for a side."""
        return self.path / "rankings" / f"{name}.{stance}.res.gz"

    def arguments(self, system: System) -> Path:
        """The folder of a system's arguments (see :mod:`conqret.generation.run`)."""
        return self.path / "arguments" / system.name

    def judgments(self, system: System, judge: str) -> JudgeFolder:
        """The run of one judge over one system's arguments."""
        return JudgeFolder(self.path / "judgments" / system.name / judge)

    def sensitivity(self, system: System) -> SensitivityDirectory:
        """The run of all judges over one system's damaged arguments."""
        return SensitivityDirectory(self.path / "sensitivity" / system.name)


@dataclass(frozen=True)
class Job:
    """An experiment that is ready to be run: the file, what it says, and where everything goes.

    ``recordings`` is the store to use (by default the folder's own); with ``replay`` nothing is ever sent.
    ``say`` is told the name of each stage and what becomes of it.
    """

    file: Path
    experiment: Experiment
    out: ExperimentDirectory
    recordings: Path | None = None
    replay: Path | None = None
    overwrite: bool = False
    say: Callable[[str, str], None] = lambda stage, text: None

    @classmethod
    def of(cls, file: Path, out: Path, **more: Any) -> Job:
        """Read the file. Raises DeclarationError naming every fault in it."""
        return cls(file, read_experiment(file), ExperimentDirectory(out), **more)

    @property
    def corpus(self) -> CorpusDirectory:
        """The corpus."""
        return CorpusDirectory(self.experiment.corpus)

    @property
    def systems(self) -> tuple[System, ...]:
        """Every system of the grid."""
        return systems(self.experiment)

    @property
    def rankings(self) -> Mapping[str, System]:
        """The rankings that the systems need, each with a system that has it."""
        found: dict[str, System] = {}
        for system in self.systems:
            found.setdefault(system.ranking, system)
        return found

    @property
    def store(self) -> Path:
        """Where answers are read from and added to."""
        return self.recordings or self.out.recordings_file

    def topics(self) -> list[CorpusTopic]:
        """The topics to argue about.

        Raises:
            DeclarationError: there are none, or the file names one that the corpus lacks.
        """
        experiment = self.experiment
        found = list(self.corpus.topics(None if experiment.split == "all" else experiment.split))
        if experiment.topics:
            known = {topic.id: topic for topic in found}
            lacking = [name for name in experiment.topics if name not in known]
            if lacking:
                raise DeclarationError(
                    f"{self.file} topics: {', '.join(lacking)} not among the {len(known)} topics of the split "
                    f"{experiment.split!r}"
                )
            found = [known[name] for name in dict.fromkeys(experiment.topics)]
        if not found:
            raise DeclarationError(f"{self.experiment.corpus} has no topic of the split {experiment.split!r}")
        return found


def digest_of(value: Any) -> str:
    """sha256 (hex, 16 characters) of a value as JSON with sorted keys; paths and the like as their texts."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def state_of(file: Path) -> Mapping[str, Any]:
    """What a stage's JSON file holds; nothing where there is none that can be read."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
