"""What a run of probes leaves: its record and its folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from conqret.judging.folder import JUDGMENTS, SCORES
from conqret.reliability.bias.table import BiasTable
from conqret.reliability.judged import JudgedFolder
from conqret.runs.folder import RunRecord


class BiasRecord(RunRecord):
    """What ``run.json`` says: the judge, and what it was asked. ``digest`` is that of every version of every item, by
    the way in which it is asked."""

    SAME: ClassVar[Mapping[str, str]] = {
        "format": "format",
        "model": "model",
        "metrics": "metrics",
        "fingerprint": "prompts, options or model settings",
        "probes": "probes",
        "repeats": "repeats",
        "seed": "seed",
        "digest": "items, labels, or what is asked of them",
    }

    kind: str = "bias"
    format: str
    model: str
    baseline: bool
    fingerprint: str
    metrics: tuple[str, ...]
    probes: tuple[str, ...]
    repeats: int
    seed: int
    items: int
    digest: str

    def __str__(self) -> str:
        return f"{self.format} with {self.model}, {self.items} items, {', '.join(self.probes)}"


@dataclass(frozen=True)
class BiasFolder(JudgedFolder[BiasRecord]):
    """The files of a run of probes under one folder."""

    KIND: ClassVar[str] = "bias"
    COMMAND: ClassVar[str] = "conqret bias"
    RECORD: ClassVar[type[RunRecord]] = BiasRecord
    RESULTS: ClassVar[str] = "bias.json"
    MAKES: ClassVar[tuple[str, ...]] = (JUDGMENTS, SCORES, RESULTS, "bias.md")

    def table(self) -> BiasTable:
        """The finished table. Raises DeclarationError where there is none."""
        return self.result(self.results_file, BiasTable)
