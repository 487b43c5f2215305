"""A benchmark that was made, read for its checks: questions, partial answers, and the documents behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from conqret.debateqa.curation.benchmark import CurateFolder
from conqret.errors import DeclarationError
from conqret.io.schema import read_models


class MadeAnswer(BaseModel, frozen=True):
    """A partial answer, and the ids of its documents."""

    point_of_view: str
    explanation: str
    documents: tuple[str, ...] = ()


class MadeQuestion(BaseModel, frozen=True, extra="allow"):
    """A question of a benchmark with its partial answers, and the ids of the documents that were read for it. What else
    its line holds is kept."""

    id: str
    question: str
    partial_answers: tuple[MadeAnswer, ...]
    documents: tuple[str, ...] = ()

    def name(self, place: int) -> str:
        """The id of the partial answer at this place, from 0."""
        return f"{self.id}#{place + 1}"

    @property
    def views(self) -> list[str]:
        """Its points of view."""
        return [partial_answer.point_of_view for partial_answer in self.partial_answers]

    def record(self, answers: Sequence[MadeAnswer]) -> dict[str, Any]:
        """Its line with these partial answers alone."""
        return {**self.model_dump(), "partial_answers": [answer.model_dump() for answer in answers]}


class MadeDocument(BaseModel, frozen=True, extra="allow"):
    """A document of a benchmark."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class MadeBenchmark:
    """A benchmark, and the texts of its documents by id."""

    questions: tuple[MadeQuestion, ...]
    texts: Mapping[str, str]


def read_made(path: str | Path) -> MadeBenchmark:
    """Read the benchmark of a folder of ``conqret debateqa curate``.

    Raises:
        DeclarationError: it is no such folder, its run is not finished, or it holds no question.
        FaultsError: a line cannot be read.
    """
    folder = CurateFolder(Path(path))
    folder.record()
    if not folder.summary_file.is_file():
        raise DeclarationError(f"{path} contains no finished benchmark; run the command that made it again")
    questions = tuple(read_models(folder.benchmark_file, MadeQuestion))
    if not questions:
        raise DeclarationError(
            f"{path} contains no question: all were filtered out ({folder.filtered_file.name} has the reasons)"
        )
    return MadeBenchmark(
        questions, {model.id: model.text for model in read_models(folder.documents_file, MadeDocument)}
    )
