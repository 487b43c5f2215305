"""What is kept of questions to a model: a row for each in a folder, the record of what was requested, and the outcome.

The run itself is :class:`conqret.judging.request_run.Run`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar, get_args

from pydantic import BaseModel

from conqret.data import Reason
from conqret.data.digest import digest_of
from conqret.data.item import Frozen
from conqret.errors import DeclarationError
from conqret.io.safe_files import InFolder
from conqret.llm.request import Answer, schema_digest
from conqret.runs.run_folder import R, RunFolder, RunRecord, default_folder, stem
from conqret.runs.session import Session, SessionCounts
from conqret.runs.trials import RowStore

ROWS = "rows.jsonl"


class ResponseRow(Frozen):
    """What became of the question of trial ``id``, without an answer why. Kinds of rows add the fields of their
    answers, each with a default for where there is none."""

    id: str
    reason: Reason | None = None
    detail: str = ""

    @property
    def answered(self) -> bool:
        """Whether the question need not be sent again."""
        return self.reason is None

    @classmethod
    def from_answer(cls, id: str, answer: Answer[Any]) -> Self:  # noqa: A002 - the field's name
        """The row of an answer, whose fields have the same names here and there."""
        if answer.value is None:
            return cls(id=id, reason=answer.reason or Reason.INVALID_ANSWER, detail=answer.detail)
        return cls(id=id, **answer.value.model_dump())


Row = TypeVar("Row", bound=ResponseRow)
T = TypeVar("T")


class RequestRecord(RunRecord):
    """What ``run.json`` says of questions to a model: all that decides the requests. ``prompts`` and ``schemas`` are
    the digests of the prompts and of what they are to be answered with, by the prompt's id; ``asked`` is that of what
    is shown in them."""

    SAME: ClassVar[Mapping[str, str]] = {
        "model": "model",
        "identity": "model settings",
        "prompts": "prompt",
        "schemas": "answer schema",
        "asked": "requests",
    }

    model: str
    baseline: bool
    identity: dict[str, Any]
    prompts: dict[str, str]
    schemas: dict[str, str]
    asked: str

    @classmethod
    def from_session(
        cls, session: Session, prompts: Mapping[str, type[BaseModel]], shown: Iterable[object], **more: Any
    ) -> Self:
        """The record of requests to a session's model by ``prompts``, each with its type of answer, about ``shown``
        (plain data); ``more`` are the fields of a kind of its own, and those that differ from what the session says."""
        fields: dict[str, Any] = {
            "model": session.options.model,
            "baseline": session.options.backend.baseline,
            "identity": dict(session.options.identity),
            "prompts": {name: session.library[name].digest for name in prompts},
            "schemas": {name: schema_digest(response) for name, response in prompts.items()},
            "asked": digest_of(list(shown)),
        }
        return cls(**fields | more)

    def __str__(self) -> str:
        return f"answers of {self.model}"


@dataclass(frozen=True)
class RequestFolder(RunFolder[R], Generic[R, Row]):
    """The files of such a run under one folder, of the types of record and row that stand in the brackets of the
    base."""

    ROW: ClassVar[type[ResponseRow]]

    rows_file = InFolder(ROWS)
    """What became of each question, as it came."""

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        for argument in get_args(getattr(cls, "__orig_bases__", (cls,))[0]):
            if isinstance(argument, type) and issubclass(argument, ResponseRow):
                cls.ROW = argument

    @staticmethod
    def key(row: Row) -> str:
        """Under which key a row is found again."""
        return row.id

    def rows(self) -> RowStore[Row]:
        """What became of each question; those without an answer are requested again."""
        return RowStore(
            self.rows_file,
            self.ROW,  # type: ignore[arg-type]
            self.key,
            finished=lambda row: row.answered,
        )


@dataclass(frozen=True, slots=True)
class StudyOutcome(Generic[Row, T]):
    """What came of a run: what its kind makes of all rows, the rows in the order of their trials, what this session did
    for them, which answers a replay lacked, and the folder."""

    summary: T
    rows: tuple[Row, ...]
    session: SessionCounts
    missing: tuple[str, ...]
    folder: Any = None

    @property
    def lost(self) -> dict[str, int]:
        """How many questions have no answer, by reason."""
        return lost(self.rows)


def lost(rows: Iterable[ResponseRow]) -> dict[str, int]:
    """How many questions have no answer, by reason."""
    return dict(Counter(str(row.reason) for row in rows if not row.answered))


class TrainedRecord(RunRecord):
    """What ``run.json`` says of a trained model: all that decides what it learns."""

    SAME: ClassVar[Mapping[str, str]] = {
        "base": "base model",
        "data": "training data",
        "settings": "a setting of the training",
    }

    model: str
    base: str
    data: str
    settings: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.model} tuned"


@dataclass(frozen=True)
class TrainedFolder(RunFolder[R], Generic[R]):
    """The folders of its weights."""

    checkpoints = InFolder("checkpoints")
    """From where a run that was stopped goes on; gone once it is done."""
    model = InFolder("model")
    """The tuned model, as transformers loads it."""
    adapter = InFolder("adapter")
    """The adapter alone, as peft loads it, where LoRA was trained."""


def training_output(data: object, model: str | Path, output: str | Path | None) -> Path:
    """The folder to write: ``output``, or ``runs/DATA-tune-MODEL``.

    Raises:
        DeclarationError: no folder is named, and the data are no file whose name it might have.
    """
    if output is not None:
        return Path(output)
    if not isinstance(data, str | Path):
        raise DeclarationError("name the folder to write: output")
    return default_folder(stem(Path(data)), "tune", Path(model).resolve().name)
