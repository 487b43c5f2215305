"""A model that is trained, as a run: what its record says, and where its weights lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic

from conqret.io.in_folder import InFolder
from conqret.runs.run_folder import R, RunFolder, RunRecord


class TrainedRecord(RunRecord):
    """What ``run.json`` says of a trained model: all that decides what it learns."""

    SAME: ClassVar[Mapping[str, str]] = {
        "base": "base model", "data": "training data", "settings": "a setting of the training",
    }  # fmt: skip

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
