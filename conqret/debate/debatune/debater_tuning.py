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
from conqret.show.charts import drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCHEDULE = "cosine"
"""How the learning rate falls: Appendix B does not say; so do the recipes of Vicuna and Alpaca, its baselines."""


@dataclass(frozen=True)
class TuningSettings(TrainingSettings):
    """How a model is tuned: by default as in DEBATunE, Appendix B. The end of a longer row is cut (``max_length``, in
    tokens of instruction and response together), and the rate rises in the share ``warmup`` of the steps.
    ``learning_rate`` of None takes the default of the kind of model.

    ``at_once`` rows go through the model at once, and a checkpoint is written after ``save_every`` steps: a kill costs
    an hour of a 7 B model at most, and 90 steps write five. Both change no result but by rounding, so a run may go on
    with others.

    Raises:
        DeclarationError: a number is out of its range.
    """

    COUNTS: ClassVar[tuple[str, ...]] = (*TrainingSettings.COUNTS, "lora_rank", "at_once")

    epochs: int = 3
    batch_size: int = 128
    max_length: int = 2048
    save_every: int = 20
    warmup: float = 0.03
    lora_rank: int = LORA_RANK
    at_once: int = 4

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
        """The learning rate: of a model with a chat template (Appendix B: Vicuna 7B v1.5) or without one (LLaMA 2). An
        adapter learns best at about ten times that (Schulman et al. 2025, LoRA Without Regret)."""
        if self.learning_rate is not None:
            return self.learning_rate
        return (1e-5 if chat else 2e-5) * (10 if self.lora else 1)


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


class DebaterRecord(TrainedRecord):
    """What ``run.json`` says of a tuned model."""

    SAME: ClassVar[Mapping[str, str]] = {**TrainedRecord.SAME, "held_out": "held-out data"}

    kind: str = "debate-tune"
    held_out: str

    @classmethod
    def from_rows(
        cls,
        model: Path,
        rows: Sequence[Instruction],
        held_out: Sequence[Instruction],
        settings: TuningSettings,
    ) -> DebaterRecord:
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
class DebaterFolder(TrainedFolder[DebaterRecord]):
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
