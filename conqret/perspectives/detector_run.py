"""What a detector is tuned with, and the folder that holds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from conqret.errors import DeclarationError
from conqret.local.training_loop import TrainingSettings
from conqret.perspectives.detector import MAX_LENGTH
from conqret.runs.run_folder import TrainedFolder, TrainedRecord

EPOCHS = 2
LEARNING_RATE_LORA = 1e-4
"""Both: BeRDS, A.5, for Mistral 7B with LoRA."""
LEARNING_RATE = 2e-5
"""Of a whole encoder (Devlin et al. 2019, A.3)."""
BATCH_SIZE = 16
"""Pairs a step (as there)."""
HELD_OUT = 0.2
"""The share of the questions that is held out."""
SAVE_EVERY = 50


@dataclass(frozen=True)
class DetectorSettings(TrainingSettings):
    """How a detector is tuned. ``learning_rate`` of None takes the default, with LoRA or without; ``held_out`` is a
    share of the questions.

    Raises:
        DeclarationError: a number is out of its range.
    """

    epochs: int = EPOCHS
    batch_size: int = BATCH_SIZE
    max_length: int = MAX_LENGTH
    save_every: int = SAVE_EVERY
    held_out: float = HELD_OUT

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.held_out <= 0.5:
            raise DeclarationError(
                f"held_out is {self.held_out}; it is a share of the questions, up to a half"
            )

    @property
    def rate(self) -> float:
        """The highest learning rate."""
        return self.learning_rate or (LEARNING_RATE_LORA if self.lora else LEARNING_RATE)


USUAL = DetectorSettings()
"""All defaults."""


class DetectorRecord(TrainedRecord):
    """What ``run.json`` says of a detector."""

    kind: str = "perspectives-tune"


@dataclass(frozen=True)
class DetectorFolder(TrainedFolder[DetectorRecord]):
    """The files of a tuned detector: its model, and ``summary.json``, the card that ``--detector`` reads."""

    COMMAND: ClassVar[str] = "conqret perspectives tune"
