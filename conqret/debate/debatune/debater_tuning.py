"""Tuning a model on statements: what is trained on, with which settings, and the folder that holds it all.

DEBATunE (Li et al. 2024), section 3.2: the model learns to write the statement when it is told topic, side and
argument. The objective (Equation 4) is the log-likelihood of the responses; the instructions are read and not learnt.
The folder holds ``run.json``, ``checkpoints/`` until the model is done, then ``model/`` (a transformers model: with
LoRA the one that the adapter was merged into, which stands in ``adapter/``), ``training.json`` (the loss of each step),
``loss.svg`` and ``summary.json``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from conqret.data.digest import digest_of
from conqret.data.item import Frozen, Stance
from conqret.debate.debatune.debate_files import Instruction
from conqret.errors import DeclarationError
from conqret.io.safe_files import InFolder
from conqret.local.model_identity import folder_identity
from conqret.local.training_loop import LORA_ALPHA, LORA_RANK, TrainingSettings
from conqret.runs.study_run import TrainedFolder, TrainedRecord
from conqret.show.plots import drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPOCHS = 3
BATCH_SIZE = 128
"""Rows a step (both: DEBATunE, Appendix B)."""
MAX_LENGTH = 2048
"""Tokens of a row, instruction and response together; the end of a longer one is cut (Appendix B)."""
WARMUP = 0.03
"""The share of the steps in which the learning rate rises (Appendix B)."""
LEARNING_RATE = 2e-5
"""Of a pretrained model without a chat template (Appendix B: LLaMA 2)."""
LEARNING_RATE_CHAT = 1e-5
"""Of a model that was tuned before, to be known by its chat template (Appendix B: Vicuna 7B v1.5)."""
SCHEDULE = "cosine"
"""How the learning rate falls: Appendix B does not say; so do the recipes of Vicuna and Alpaca, its baselines."""
LORA_FACTOR = 10
"""An adapter learns best at about ten times the rate of the whole model (Schulman et al. 2025, LoRA Without Regret)."""
AT_ONCE = 4
"""Rows that go through the model at once; a step adds up as many of these as its batch takes."""
SAVE_EVERY = 20
"""Steps after which a checkpoint is written: a kill costs an hour of a 7 B model at most, and 90 steps write five."""


@dataclass(frozen=True)
class TuningSettings(TrainingSettings):
    """How a model is tuned. ``learning_rate`` of None takes the default of the kind of model.

    ``at_once`` and ``save_every`` change no result but by rounding, so a run may go on with others.

    Raises:
        DeclarationError: a number is out of its range.
    """

    COUNTS: ClassVar[tuple[str, ...]] = (*TrainingSettings.COUNTS, "lora_rank", "at_once")

    epochs: int = EPOCHS
    batch_size: int = BATCH_SIZE
    max_length: int = MAX_LENGTH
    save_every: int = SAVE_EVERY
    warmup: float = WARMUP
    lora_rank: int = LORA_RANK
    at_once: int = AT_ONCE

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.warmup < 1:
            raise DeclarationError(
                f"warmup is {self.warmup}, but it must be a share of the steps, at least 0 and below 1"
            )

    @property
    def rows_at_once(self) -> int:
        """The most rows at once, up to :attr:`at_once`, of which a batch is made without a rest."""
        return max(n for n in range(1, min(self.at_once, self.batch_size) + 1) if self.batch_size % n == 0)

    def rate(self, *, chat: bool) -> float:
        """The learning rate, of a model with a chat template or without one."""
        if self.learning_rate is not None:
            return self.learning_rate
        return (LEARNING_RATE_CHAT if chat else LEARNING_RATE) * (LORA_FACTOR if self.lora else 1)


class TrainingStep(Frozen):
    """One step: its number from 1, where it is in the epochs, the mean loss of a response's token (nats), and the rate.

    Where an epoch ends, ``held_out`` is the loss on the rows that are held out, if any.
    """

    step: int
    epoch: float
    loss: float
    learning_rate: float
    held_out: float | None = None


class Training(Frozen):
    """What came of tuning, as ``training.json`` says it; ``before`` is the held-out loss of the base model."""

    rows: int
    tokens: int
    cut: int
    device: str
    dtype: str
    before: float | None = None
    steps: tuple[TrainingStep, ...]


class TunedRecord(TrainedRecord):
    """What ``run.json`` says of a tuned model."""

    SAME: ClassVar[Mapping[str, str]] = {**TrainedRecord.SAME, "held_out": "held-out data"}

    kind: str = "debate-tune"
    held_out: str

    @classmethod
    def of(
        cls,
        model: Path,
        rows: Sequence[Instruction],
        held_out: Sequence[Instruction],
        settings: TuningSettings,
    ) -> TunedRecord:
        """The record of tuning the model in this folder on these rows."""
        kept = {name: value for name, value in asdict(settings).items() if name not in _FREE}
        return cls(
            model=str(model),
            base=folder_identity(model),
            data=_digest(rows),
            held_out=_digest(held_out),
            settings={**kept, "schedule": SCHEDULE, "lora_alpha": LORA_ALPHA},
        )


@dataclass(frozen=True)
class TunedFolder(TrainedFolder[TunedRecord]):
    """The files of a tuned model under one folder."""

    COMMAND: ClassVar[str] = "conqret debate tune"

    training_file = InFolder("training.json")
    """The loss of each step."""
    curve_file = InFolder("loss.svg")
    """The same as a drawing."""


@dataclass(frozen=True, slots=True)
class TuningPlan:
    """What tuning will do: rows by side, topics, tokens (of them those of responses), steps, the rows whose end is cut
    (their places) because they are longer than ``limit``, and the rate.

    ``chat`` says whether the model brings a chat template; one without gets a plain one.
    """

    rows: int
    sides: Mapping[Stance, int]
    topics: int
    tokens: int
    response_tokens: int
    limit: int
    cut: tuple[str, ...]
    steps: int
    rate: float
    chat: bool
    held_out: int


_FREE = frozenset({"at_once", "save_every"})


def _digest(rows: Sequence[Instruction]) -> str:
    """sha256 (hex, 16 characters) over what is said and learnt, in its order; empty for no rows."""
    if not rows:
        return ""
    return digest_of(
        [[*((message.role, message.content) for message in row.messages), row.response] for row in rows]
    )


def loss_curve(training: Training) -> bytes:
    """The loss by step as SVG, with that on the rows that are held out.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    measured = [(step.step, step.held_out) for step in training.steps if step.held_out is not None]
    if training.before is not None:
        measured.insert(0, (0, training.before))

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.plot(*zip(*((step.step, step.loss) for step in training.steps), strict=True), label="training")
        if measured:
            axes.plot(*zip(*measured, strict=True), "o--", label="held out")
            axes.legend()
        axes.set_xlabel("step")
        axes.set_ylabel("loss of a response's token (nats)")
        axes.set_ylim(bottom=0)

    return drawn(draw, (6.0, 3.2), "svg")
