"""An experiment that is ready to be run, and the files that it leaves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from conqret.data.corpus import CorpusTopic
from conqret.data.digest import text_digest_of
from conqret.errors import DeclarationError
from conqret.experiments.config import NONE, Experiment, System, systems
from conqret.experiments.experiment_folder import ExperimentFolder
from conqret.io.corpus_folder import CorpusDirectory
from conqret.judging.engines import Engine
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.setup import Setup, set_up
from conqret.llm.client_options import ClientOptions
from conqret.prompts import Library


@dataclass(frozen=True)
class Job:
    """An experiment that is ready to be run: the file, what it says, and where everything goes.

    ``recordings`` is the store to use (by default the folder's own); with ``replay`` nothing is ever sent.
    ``engine`` judges: this process, or so many ``workers`` of a Ray cluster. ``say`` is told the name of each stage and
    what becomes of it. ``on_stop`` is called with each run of a judge that is stopped before its end.
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
    on_stop: Callable[[JudgeFolder], object] = lambda folder: None

    @property
    def corpus(self) -> CorpusDirectory:
        """The corpus."""
        return CorpusDirectory(self.experiment.corpus)

    @cached_property
    def library(self) -> Library:
        """The prompts, for all stages."""
        return Library(self.experiment.prompts)

    @cached_property
    def setups(self) -> Mapping[str, Setup]:
        """The judges by their labels.

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
        """All topics of the corpus, from which examples are drawn."""
        return list(self.corpus.topics())

    @property
    def systems(self) -> tuple[System, ...]:
        """Every system of the grid."""
        return systems(self.experiment)

    @property
    def rankings(self) -> Mapping[str, System]:
        """The rankings that the systems need, each with a system that has it."""
        by_ranking: dict[str, System] = {}
        for system in self.systems:
            by_ranking.setdefault(system.ranking, system)
        return by_ranking

    @property
    def clients(self) -> Iterable[ClientOptions]:
        """The models that are asked, each once."""
        experiment = self.experiment
        models = [
            experiment.rerankers[system.reranker].model for system in self.systems if system.reranker != NONE
        ]
        writers = [experiment.generators[system.generator] for system in self.systems]
        models += [writer.model for writer in writers if writer.options(experiment.seed).way.prompts]
        models += [experiment.perturbation_model] * bool(experiment.perturbations)
        clients = [*map(experiment.client, models), *(setup.client for setup in self.setups.values())]
        return dict.fromkeys(clients)

    def topics(self) -> list[CorpusTopic]:
        """The topics to argue about.

        Raises:
            DeclarationError: there are none, or the file names one that the corpus lacks.
        """
        experiment = self.experiment
        topics = list(self.corpus.topics(None if experiment.split == "all" else experiment.split))
        if experiment.topics:
            known = {topic.id: topic for topic in topics}
            lacking = [name for name in experiment.topics if name not in known]
            if lacking:
                raise DeclarationError(
                    f"{self.file} topics: {', '.join(lacking)} not among the {len(known)} topics of the split "
                    f"{experiment.split!r}"
                )
            topics = [known[name] for name in dict.fromkeys(experiment.topics)]
        if not topics:
            raise DeclarationError(f"{self.experiment.corpus} has no topic of the split {experiment.split!r}")
        return topics


def digest_of(value: Any) -> str:
    """sha256 (hex, 16 characters) of a value as JSON with sorted keys; paths and the like as their texts."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return text_digest_of(text)
