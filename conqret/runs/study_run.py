"""The rows, record, folder and outcome of a run of requests to a model, and of a training run.

The run itself is :class:`conqret.runs.request_run.Run`.
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
    """The stored result of the request with trial id ``id``; without an answer, ``reason`` says why.

    Subclasses add the fields of their answers, each with a default for a missing answer.
    """

    id: str
    reason: Reason | None = None
    detail: str = ""

    @property
    def answered(self) -> bool:
        """True if the request has an answer and need not be sent again."""
        return self.reason is None

    @classmethod
    def from_answer(cls, id: str, answer: Answer[Any]) -> Self:  # noqa: A002 - the field's name
        """Return the row of an answer: the fields of its value, or the reason for its failure and the
        detail.
        """
        if answer.value is None:
            return cls(id=id, reason=answer.reason or Reason.INVALID_ANSWER, detail=answer.detail)
        return cls(id=id, **answer.value.model_dump())


Row = TypeVar("Row", bound=ResponseRow)
T = TypeVar("T")


class RequestRecord(RunRecord):
    """The record ``run.json`` of requests to a model: all that determines the requests.

    ``baseline`` is True for the offline model, and ``identity`` has the settings that affect responses.
    ``prompts`` and ``schemas`` are digests of prompts and response schemas, by prompt id. ``asked`` is the
    digest of the contents that fill the prompts.
    """

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
        cls, session: Session, prompts: Mapping[str, type[BaseModel]], shown: Iterable[object], /, **more: Any
    ) -> Self:
        """Build the record of a session's requests.

        Args:
            session: the session with the model.
            prompts: the response type of each prompt, by prompt id.
            shown: the contents that fill the prompts, as plain data.
            more: further fields of the record, or replacements.
        """
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
    """The folder of a run of requests; subclasses give the types of record and row in brackets."""

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
        """Return the key under which a row is stored, by default its id."""
        return row.id

    def rows(self) -> RowStore[Row]:
        """Open the store of rows, one per request; rows without an answer are requested again."""
        return RowStore(
            self.rows_file,
            self.ROW,  # type: ignore[arg-type]
            self.key,
            finished=lambda row: row.answered,
        )


@dataclass(frozen=True, slots=True)
class StudyOutcome(Generic[Row, T]):
    """The result of a run of requests.

    ``summary`` is computed from all rows, and ``rows`` are in the order of the trials. ``session`` counts
    requests. ``missing`` names the responses that a replay lacked.
    """

    summary: T
    rows: tuple[Row, ...]
    session: SessionCounts
    missing: tuple[str, ...]
    folder: Any = None

    @property
    def lost(self) -> dict[str, int]:
        """The number of requests without an answer, by reason."""
        return lost(self.rows)


def lost(rows: Iterable[ResponseRow]) -> dict[str, int]:
    """Return the number of requests without an answer, by the name of the reason."""
    return dict(Counter(str(row.reason) for row in rows if not row.answered))


class TrainedRecord(RunRecord):
    """The record ``run.json`` of a trained model: all that determines the training.

    ``model`` names the base model, ``base`` is the digest of its weights, and ``data`` that of the training
    data.
    """

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
    """The folder of a trained model, with subfolders for checkpoints, model and adapter."""

    checkpoints = InFolder("checkpoints")
    """From where a run that was stopped goes on; gone once it is done."""
    model = InFolder("model")
    """The tuned model, as transformers loads it."""
    adapter = InFolder("adapter")
    """The adapter alone, as peft loads it, where LoRA was trained."""


def training_output(data: object, model: str | Path, output: str | Path | None) -> Path:
    """Return the folder to write: ``output``, or by default ``runs/DATA-tune-MODEL``.

    Raises:
        DeclarationError: no folder is given, and the data is not a file that can name one.
    """
    if output is not None:
        return Path(output)
    if not isinstance(data, str | Path):
        raise DeclarationError("name the folder to write: output")
    return default_folder(stem(Path(data)), "tune", Path(model).resolve().name)
