"""What trainings of local models share: settings, the trainer's arguments, resuming from checkpoints, and
adapters.
"""

from __future__ import annotations

import json
import logging
import math
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from conqret._optional import require
from conqret.errors import DeclarationError, check_positive, first_line
from conqret.io.limits import whole_bytes
from conqret.local.models import no_bars

EXTRA = "tune"
"""The extra of conqret that installs the libraries."""
LORA_RANK, LORA_ALPHA = 16, 32
"""The default rank of an adapter's matrices, and their scale; a few thousand rows fit into far less."""

SEED = 13
"""The default seed, which draws and orders the training data."""


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """The settings of a training run.

    ``learning_rate`` of None uses the default of the kind of training. ``batch_size`` is in rows,
    ``max_length`` the most tokens of a row. With ``lora``, an adapter is trained instead of all weights. A
    checkpoint is written every ``save_every`` steps. ``COUNTS`` lists the fields that must be whole numbers
    of at least 1.

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
        check_positive({name: getattr(self, name) for name in self.COUNTS})
        if self.learning_rate is not None and not 0 < self.learning_rate < 1:
            raise DeclarationError(
                f"learning_rate is {self.learning_rate}, but it must be above 0 and below 1"
            )

    def steps(self, rows: int) -> int:
        """Return the number of training steps over all epochs for ``rows`` rows: the batches of an epoch,
        rounded up, times the epochs.
        """
        return -(-rows // self.batch_size) * self.epochs


def check_base(model: Path) -> None:
    """Check that ``model`` is the folder of a transformers model.

    Raises:
        DeclarationError: it is not a folder, or has no config.json.
    """
    if not (model / "config.json").is_file():
        state = "has no config.json" if model.is_dir() else "is not a folder"
        raise DeclarationError(f"{model} {state}: give --model the folder of a transformers model")


def lora(task: str, rank: int = LORA_RANK, *, alpha: int = LORA_ALPHA, dropout: float = 0.0) -> Any:
    """Return peft's configuration of a LoRA adapter over all linear layers.

    ``task`` is the kind of model in peft's terms, such as SEQ_CLS; ``rank`` and ``alpha`` are those of the
    adapter's matrices, ``dropout`` a share in [0, 1).

    Raises:
        MissingDependencyError: peft is not installed.
    """
    return require("peft", extra=EXTRA).LoraConfig(
        r=rank, lora_alpha=alpha, lora_dropout=dropout, target_modules="all-linear", task_type=task
    )


def brief() -> bool:
    """Return True if the GPU supports bfloat16; False without a GPU."""
    cuda = require("torch", extra=EXTRA).cuda
    return bool(cuda.is_available() and cuda.is_bf16_supported())


def arguments(
    settings: TrainingSettings, checkpoints: Path, rows: int, *, rate: float, schedule: str, warmup: float
) -> dict[str, Any]:
    """Return the arguments of the transformers trainer that are the same for all kinds of training.

    Args:
        settings: the settings of the training.
        checkpoints: the folder of checkpoints.
        rows: the number of training rows.
        rate: the highest learning rate.
        schedule: the learning rate schedule, as transformers calls it.
        warmup: the share of the steps in which the learning rate rises.
    """
    cuda = require("torch", extra=EXTRA).cuda.is_available()
    return {
        "output_dir": str(checkpoints),
        "num_train_epochs": settings.epochs,
        "learning_rate": rate,
        "lr_scheduler_type": schedule,
        "warmup_steps": math.ceil(warmup * settings.steps(rows)),
        "save_steps": settings.save_every,
        "save_total_limit": 1,
        "logging_steps": 1,
        "seed": settings.seed,
        "data_seed": settings.seed,
        "bf16": brief(),
        "use_cpu": not cuda,
        "dataloader_pin_memory": cuda,
        "report_to": [],
        "disable_tqdm": True,
    }


def train(
    trainer: Any,
    checkpoints: Path,
    on_start: Callable[[int], None],
    on_loss: Callable[[Mapping[str, Any]], None],
    *,
    remedy: str,
) -> None:
    """Run the trainer, starting from the last complete checkpoint if there is one.

    Args:
        trainer: a transformers trainer.
        checkpoints: the folder of checkpoints.
        on_start: called with the number of steps that are already done.
        on_loss: called with the logged values of each step (``loss``, ``step`` and others).
        remedy: advice for the error message where memory runs out.

    Raises:
        DeclarationError: the device ran out of memory.
    """
    torch, transformers = (require(name, extra=EXTRA) for name in ("torch", "transformers"))

    class ProgressCallback(transformers.TrainerCallback):  # type: ignore[misc, name-defined]  # untyped
        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **more: Any) -> None:
            if logs and "loss" in logs:
                on_loss({**logs, "step": state.global_step})

    trainer.remove_callback(transformers.PrinterCallback)
    trainer.add_callback(ProgressCallback())
    last = last_checkpoint(checkpoints)
    on_start(0 if last is None else int(last.name.rpartition("-")[2]))
    try:
        trainer.train(resume_from_checkpoint=None if last is None else str(last))
    except torch.OutOfMemoryError as error:
        raise DeclarationError(f"the device ran out of memory: {remedy} ({first_line(error)})") from error


def merged(model: Any, adapter: Path, temporary: Path) -> Any:
    """Save the adapter of a model alone into the folder ``adapter``, and return the model with the adapter
    merged in.

    The folder is written completely or not at all; ``temporary`` is a folder for the unfinished files.
    """
    with whole(adapter, temporary) as made:
        model.save_pretrained(made)
    return model.merge_and_unload()


def save(model: Any, tokenizer: Any, folder: Path, temporary: Path) -> None:
    """Save a model and its tokenizer in ``folder``, completely or not at all.

    ``temporary`` is a folder for the unfinished files.
    """
    with whole(folder, temporary) as part:
        model.save_pretrained(part)
        tokenizer.save_pretrained(part)


STATE = "trainer_state.json"
"""The file that the trainer writes last into a checkpoint: one without it was being written when the run
was killed.
"""


def last_checkpoint(folder: Path) -> Path | None:
    """Return the path of the last complete checkpoint in ``folder``; None where there is none.

    Incomplete checkpoints are deleted.
    """
    whole_ones = []
    for checkpoint in folder.glob("checkpoint-*"):
        try:
            json.loads(whole_bytes(checkpoint / STATE))
            whole_ones.append(checkpoint)
        except (OSError, ValueError):
            shutil.rmtree(checkpoint)
    return max(whole_ones, key=lambda whole_one: int(whole_one.name.rpartition("-")[2]), default=None)


@contextmanager
def whole(target: Path, temporary: Path) -> Iterator[Path]:
    """Delete ``target``; yield a folder in ``temporary`` to write into, which becomes ``target`` when the
    block ends."""
    part = temporary / target.name
    for old in (part, target):
        shutil.rmtree(old, ignore_errors=True)
    yield part
    part.replace(target)


@contextmanager
def quiet() -> Iterator[None]:
    """Silence warnings, log messages below errors, and progress bars of the training libraries inside the
    ``with`` block."""
    loggers = [logging.getLogger(name) for name in ("transformers", "trl", "accelerate", "peft")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), no_bars():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
