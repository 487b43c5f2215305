"""What a run leaves on the disk, and how to read it again.

A run directory holds ``run.json`` (what was asked of which instrument), ``items.jsonl`` (the items as they
were read), ``judgments.jsonl`` (a line each, appended as they arrive), ``recordings.sqlite`` (every answer
of the model), and, once all items are through, ``scores.parquet``, ``summary.json`` and ``report.html``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from conqret.data import Item, Judgment
from conqret.errors import DeclarationError
from conqret.io.append import whole_lines
from conqret.judging.summary import Summary


class RunRecord(BaseModel):
    """What ``run.json`` says: enough to know the instrument and to do the same again.

    ``fingerprint`` names judge, prompts and model; ``items_digest`` the items. ``baseline`` is true for the
    offline model, which reports must call a baseline.
    """

    model_config = ConfigDict(frozen=True)

    conqret: str
    created: str
    format: str
    model: str
    baseline: bool
    fingerprint: str
    metrics: list[str]
    options: dict[str, Any]
    model_options: dict[str, Any]
    prompts: dict[str, str]
    items_name: str
    items_layout: str
    items_count: int
    items_digest: str
    notes: list[str] = []


@dataclass(frozen=True, slots=True)
class RunDirectory:
    """The files of a run under one folder."""

    path: Path

    @property
    def record_file(self) -> Path:
        """What was asked of which instrument."""
        return self.path / "run.json"

    @property
    def items_file(self) -> Path:
        """The items as they were read."""
        return self.path / "items.jsonl"

    @property
    def judgments_file(self) -> Path:
        """A judgment a line."""
        return self.path / "judgments.jsonl"

    @property
    def recordings_file(self) -> Path:
        """Every answer of the model."""
        return self.path / "recordings.sqlite"

    @property
    def scores_file(self) -> Path:
        """The scores as a table."""
        return self.path / "scores.parquet"

    @property
    def summary_file(self) -> Path:
        """The run in numbers."""
        return self.path / "summary.json"

    @property
    def report_file(self) -> Path:
        """The page for people."""
        return self.path / "report.html"

    def record(self) -> RunRecord:
        """What was run. Raises DeclarationError where this is no run directory."""
        return _read(self.record_file, RunRecord)

    def summary(self) -> Summary:
        """The finished run in numbers. Raises DeclarationError where the run is not finished."""
        return _read(self.summary_file, Summary)

    def items(self) -> Iterator[Item]:
        """The items, in their order."""
        with self.items_file.open(encoding="utf-8") as lines:
            for line in lines:
                yield Item.model_validate_json(line)

    def judgments(self, *, spoiled: bool = False) -> Iterator[Judgment]:
        """The whole judgments so far, in file order; a last line cut off by a kill is passed over.

        With ``spoiled`` every line that is no judgment is passed over (its item is then judged again).

        Raises:
            DeclarationError: a line is no judgment.
        """
        for number, line in whole_lines(self.judgments_file):
            try:
                judgment = Judgment.model_validate_json(line)
            except ValidationError:
                if spoiled:
                    continue
                raise DeclarationError(
                    f"{self.judgments_file}:{number} is no judgment; give the command that made this run "
                    "again, and it is mended"
                ) from None
            yield judgment


M = TypeVar("M", bound=BaseModel)


def _read(file: Path, model: type[M]) -> M:
    try:
        return model.model_validate(json.loads(file.read_bytes()))
    except FileNotFoundError:
        state = "holds no finished run" if file.parent.is_dir() else "does not exist"
        raise DeclarationError(
            f"{file.parent} {state} ({file.name} is not there); run conqret judge with -o {file.parent} first"
        ) from None
    except (ValueError, ValidationError) as error:
        raise DeclarationError(f"{file} cannot be read: {error}") from error
