"""An experiment that is ready to be run, and what its run leaves on the disk."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from conqret.data.corpus import CorpusTopic, Split
from conqret.data.digest import text_digest_of
from conqret.errors import DeclarationError, check_known, number
from conqret.experiments.config import NONE, Experiment, System
from conqret.generation.generation_run import GenerationFolder
from conqret.io.corpus_folder import CorpusDirectory
from conqret.io.limits import whole_bytes
from conqret.io.safe_files import InFolder
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.setup import Setup, set_up
from conqret.llm.client_options import ClientOptions
from conqret.llm.engines import Engine
from conqret.prompts import Library
from conqret.runs.run_folder import RunFolder, RunRecord
from conqret.studies.sensitivity.result import SensitivityFolder


class ExperimentRecord(RunRecord):
    """The record ``run.json`` of an experiment: its resolved settings, versions and corpus.

    ``fingerprint`` identifies the experiment, the prompts, the judges, the corpus and the given TREC runs.
    It depends on neither library versions nor paths; a local model counts by its weights. Time limits,
    concurrency, prices and budgets do not change it.
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
    """The folder of an experiment's run and the files in it."""

    COMMAND: ClassVar[str] = "conqret experiment"
    BEGINS: ClassVar[tuple[str, ...]] = ("experiment.toml",)

    rankings_folder = InFolder("rankings")
    arguments_folder = InFolder("arguments")
    judgments_folder = InFolder("judgments")
    sensitivity_folder = InFolder("sensitivity")

    def summary(self) -> dict[str, Any]:
        """Return all scores of a finished experiment, the content of ``summary.json``.

        Raises:
            DeclarationError: the experiment is not finished.
        """
        self.record()
        if not self.summary_file.is_file():
            raise DeclarationError(
                f"{self.path} contains no finished experiment: run `conqret experiment` again to continue it"
            )
        summary_data: dict[str, Any] = json.loads(whole_bytes(self.summary_file))
        return summary_data

    def ranking(self, name: str, stance: str) -> Path:
        """Return the path of the TREC run file of a ranking for one side."""
        return self.rankings_folder / f"{name}.{stance}.res.gz"

    def arguments(self, system: System) -> GenerationFolder:
        """Return the folder of a system's generated arguments."""
        return GenerationFolder(self.arguments_folder / system.name)

    def judgments(self, system: System, judge: str) -> JudgeFolder:
        """Return the folder of one judge's run over one system's arguments."""
        return JudgeFolder(self.judgments_folder / system.name / judge)

    def sensitivity(self, system: System) -> SensitivityFolder:
        """Return the folder of the judges' run over one system's perturbed arguments."""
        return SensitivityFolder(self.sensitivity_folder / system.name)


@dataclass(frozen=True)
class Job:
    """An experiment that is ready to run: its file, its parsed content and its output folder.

    ``recordings`` is the store of responses (by default the folder's own). With ``replay`` no request is
    sent. ``engine`` is where judging runs: this process, or ``workers`` workers of a Ray cluster. ``say``
    is called with the name of each stage and its outcome.
    """

    file: Path
    experiment: Experiment
    out: ExperimentFolder
    recordings: Path | None = None
    replay: Path | None = None
    overwrite: bool = False
    engine: Engine = "process"
    workers: int | None = None
    say: Callable[[str, str], None] = lambda stage, text: None

    @property
    def corpus(self) -> CorpusDirectory:
        """The corpus directory of the experiment."""
        return CorpusDirectory(self.experiment.corpus)

    @property
    def split(self) -> Split | None:
        """The split of the topics; None for all."""
        return None if self.experiment.split == "all" else self.experiment.split

    @cached_property
    def library(self) -> Library:
        """The prompt library that all stages use."""
        return Library(self.experiment.prompts)

    @cached_property
    def setups(self) -> Mapping[str, Setup]:
        """A mapping from each judge's label to its set-up: format, client and options.

        Raises:
            DeclarationError: a prompt is missing or cannot be filled, or a judge has no such metric.
        """
        experiment = self.experiment
        return {
            judge.label: set_up(
                judge.judge, experiment.client(judge.model), judge.options(experiment.seed), self.library
            )
            for judge in experiment.judges
        }

    @cached_property
    def every_topic(self) -> list[CorpusTopic]:
        """All topics of the corpus; in-context examples are sampled from its train split."""
        return list(self.corpus.topics())

    @property
    def systems(self) -> tuple[System, ...]:
        """The distinct systems of the experiment's grids, in the order of the file."""
        grids = self.experiment.systems
        combined = (itertools.product(grid.retriever, grid.reranker, grid.generator) for grid in grids)
        return tuple(dict.fromkeys(itertools.starmap(System, itertools.chain(*combined))))

    @property
    def rankings(self) -> Mapping[str, System]:
        """A mapping from each ranking's name to one system that uses it."""
        by_ranking: dict[str, System] = {}
        for system in self.systems:
            by_ranking.setdefault(system.ranking, system)
        return by_ranking

    @property
    def clients(self) -> Iterable[ClientOptions]:
        """The client options of each model that receives requests, without duplicates."""
        experiment = self.experiment
        used = [experiment.rerankers[one.reranker] for one in self.systems if one.reranker != NONE]
        models = [reranker.model for reranker in used]
        writers = [experiment.generators[system.generator] for system in self.systems]
        models += [writer.model for writer in writers if writer.options(experiment.seed).way.prompts]
        models += [experiment.perturbation_model] * bool(experiment.perturbations)
        clients = [*map(experiment.client, models), *(setup.client for setup in self.setups.values())]
        return dict.fromkeys(clients)

    def topics(self) -> list[CorpusTopic]:
        """Return the topics of the experiment's split, restricted to those that the file names.

        Raises:
            DeclarationError: there are no topics, or the file names one that the corpus lacks.
        """
        experiment = self.experiment
        topics = list(self.corpus.topics(self.split))
        if experiment.topics:
            known = {topic.id: topic for topic in topics}
            check_known(f"topic of the split {experiment.split!r}", known, *experiment.topics)
            topics = [known[name] for name in dict.fromkeys(experiment.topics)]
        if not topics:
            raise DeclarationError(f"{self.experiment.corpus} has no topic of the split {experiment.split!r}")
        return topics


def digest_of(value: Any) -> str:
    """Return the sha256 digest (16 hex characters) of a value as JSON with sorted keys.

    Values that JSON cannot hold, such as paths, count as their texts.
    """
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return text_digest_of(text)
