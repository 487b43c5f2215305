"""The folder of a run of probes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from conqret.io.safe_files import InFolder
from conqret.studies.bias.result import BiasRecord, BiasTable
from conqret.studies.study_judging import JudgedFolder


@dataclass(frozen=True)
class BiasFolder(JudgedFolder[BiasRecord]):
    """The files of a run of probes under one folder."""

    COMMAND: ClassVar[str] = "conqret bias"

    results_file = InFolder("bias.json")
    markdown_file = InFolder("bias.md")

    def table(self) -> BiasTable:
        """The finished table. Raises DeclarationError where there is none."""
        return self.result(self.results_file, BiasTable)
