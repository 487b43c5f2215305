"""The settings that trainings of local models have in common; each kind brings its own defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from conqret.errors import DeclarationError

SEED = 13
"""Draws and orders what is trained on, as everywhere in conqret."""


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """How a model is trained. ``learning_rate`` of None takes the default of the kind; every ``save_every``
    steps a checkpoint is written.

    ``COUNTS`` names the fields that are whole numbers from 1 on.

    Raises:
        DeclarationError: a number is out of its range.
    """

    COUNTS: ClassVar[tuple[str, ...]] = ("epochs", "batch_size", "max_length", "save_every")

    epochs: int
    learning_rate: float | None = None
    batch_size: int
    max_length: int
    lora: bool = False
    seed: int = SEED
    save_every: int

    def __post_init__(self) -> None:
        for name in self.COUNTS:
            if getattr(self, name) < 1:
                raise DeclarationError(f"{name} is {getattr(self, name)}; it must be at least 1")
        if self.learning_rate is not None and not 0 < self.learning_rate < 1:
            raise DeclarationError(f"learning_rate is {self.learning_rate}; it is above 0 and below 1")

    def steps(self, rows: int) -> int:
        """The steps of so many rows."""
        return -(-rows // self.batch_size) * self.epochs
