"""Tuning a detector on judged or labelled pairs (BeRDS, section 5.1 and A.5).

Questions, never pairs, are parted: most are trained on, some calibrate the probabilities and choose the threshold, and
the rest had no part in anything and say how good the detector is. The rarer answer weighs more in the loss, so that
both weigh the same in all; calibration (Platt 1999) takes back what that does to the probabilities.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from conqret._optional import require
from conqret.errors import DeclarationError, first_line
from conqret.io.atomic import write_whole
from conqret.io.pairs import Pair
from conqret.perplexity.checkpoints import last_checkpoint, quiet, whole
from conqret.perplexity.identity import folder_identity
from conqret.perplexity.windows import window_of
from conqret.perspectives.calibration import best_cut, platt, quality_of, question_of
from conqret.perspectives.detector import (
    CLASSIFIER,
    EXTRA,
    MAX_LENGTH,
    MODEL,
    Detector,
    DetectorCard,
    logistic,
    prepared_tokenizer,
    windows,
)
from conqret.runs.folder import SUMMARY, RunFolder, RunRecord

EPOCHS = 2
WARMUP = 0.1
WEIGHT_DECAY = 0.001
LEARNING_RATE_LORA = 1e-4
"""All four: BeRDS, A.5, for Mistral 7B with LoRA."""
LEARNING_RATE = 2e-5
"""Of a whole encoder (Devlin et al. 2019, A.3)."""
BATCH_SIZE = 16
"""Pairs a step (as there)."""
LORA_RANK, LORA_ALPHA = 16, 32
CALIBRATION, HELD_OUT = 0.15, 0.2
"""The shares of the questions that calibrate, and that are held out."""
FEWEST_QUESTIONS = 3
SAVE_EVERY = 50
SEED = 13


@dataclass(frozen=True, slots=True)
class DetectorSettings:
    """How a detector is tuned. ``learning_rate`` of None takes the default, with LoRA or without.

    Raises:
        DeclarationError: a number is out of its range.
    """

    epochs: int = EPOCHS
    learning_rate: float | None = None
    batch_size: int = BATCH_SIZE
    max_length: int = MAX_LENGTH
    lora: bool = False
    held_out: float = HELD_OUT
    seed: int = SEED
    save_every: int = SAVE_EVERY

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_size", "max_length", "save_every"):
            if getattr(self, name) < 1:
                raise DeclarationError(f"{name} is {getattr(self, name)}; it must be at least 1")
        if self.learning_rate is not None and not 0 < self.learning_rate < 1:
            raise DeclarationError(f"learning_rate is {self.learning_rate}; it is above 0 and below 1")
        if not 0 < self.held_out <= 0.5:
            raise DeclarationError(
                f"held_out is {self.held_out}; it is a share of the questions, up to a half"
            )

    @property
    def rate(self) -> float:
        """The highest learning rate."""
        return self.learning_rate or (LEARNING_RATE_LORA if self.lora else LEARNING_RATE)


class DetectorRecord(RunRecord):
    """What ``run.json`` says of a detector: all that decides what it learns."""

    SAME: ClassVar[Mapping[str, str]] = {
        "base": "base model", "data": "training data", "settings": "a setting of the training",
    }  # fmt: skip

    kind: str = "perspectives-tune"
    model: str
    base: str
    data: str
    settings: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.model} tuned"


@dataclass(frozen=True)
class DetectorFolder(RunFolder[DetectorRecord]):
    """The files of a tuned detector: its model, and ``summary.json``, the card that ``--detector`` reads."""

    COMMAND: ClassVar[str] = "conqret perspectives tune"
    MAKES: ClassVar[tuple[str, ...]] = ("checkpoints", MODEL, "adapter", SUMMARY)

    @property
    def checkpoints(self) -> Path:
        """From where a run that was stopped goes on; gone once it is done."""
        return self.path / "checkpoints"


@dataclass(frozen=True, slots=True)
class Parts:
    """Pairs by what they are for; no question is in two of them."""

    train: tuple[Pair, ...]
    calibration: tuple[Pair, ...]
    held_out: tuple[Pair, ...]


def parted(pairs: Sequence[Pair], settings: DetectorSettings = DetectorSettings()) -> Parts:
    """Part labelled pairs by question; one without a question is alone.

    Raises:
        DeclarationError: there are fewer than three questions, or training would see one answer only.
    """
    known = [one for one in pairs if one.label is not None]
    questions = sorted({question_of(one) for one in known})
    if len(questions) < FEWEST_QUESTIONS:
        raise DeclarationError(
            f"the labelled pairs are on {len(questions)} questions: {FEWEST_QUESTIONS} or more are needed, to train "
            "on, to calibrate on, and to hold out"
        )
    random.Random(settings.seed).shuffle(questions)
    test = max(1, round(settings.held_out * len(questions)))
    tuned = max(1, round(CALIBRATION * len(questions)))
    test = min(test, len(questions) - 1 - tuned) if test + tuned >= len(questions) else test
    place = {one: 0 if n < test else 1 if n < test + tuned else 2 for n, one in enumerate(questions)}
    held_out, calibration, train = (
        tuple(one for one in known if place[question_of(one)] == part) for part in range(3)
    )
    if len({one.label for one in train}) < 2:
        raise DeclarationError(
            "all pairs to train on have the same label: there is nothing to tell apart; label more pairs"
        )
    return Parts(train, calibration, held_out)


def tune_detector(
    pairs: Sequence[Pair],
    model: Path,
    folder: DetectorFolder,
    settings: DetectorSettings = DetectorSettings(),
    *,
    overwrite: bool = False,
    on_start: Callable[[Parts, int, int], None] = lambda parts, steps, done: None,
    on_step: Callable[[int, float], None] = lambda step, loss: None,
) -> DetectorCard:
    """Tune the model in ``model`` on the labelled ones of ``pairs``, or go on where an earlier call was stopped.

    ``on_start`` gets the parts, all steps, and those that are done; ``on_step`` a step and its loss. A finished folder
    is read, and nothing is trained.

    Raises:
        DeclarationError: as :func:`parted`; there is no model in the folder or it cannot be used, a perspective is too
            long for it, or ``folder`` holds something else or another run.
        MissingDependencyError: torch, transformers, accelerate or (for LoRA) peft is not installed.
    """
    parts = parted(pairs, settings)
    if not (model / "config.json").is_file():
        state = "has no config.json" if model.is_dir() else "is no folder"
        raise DeclarationError(f"{model} {state}: --model takes the folder of a transformers model")
    for name in ("accelerate", *(("peft",) if settings.lora else ())):
        require(name, extra=EXTRA)
    shown = json.dumps([asdict(one) for one in (*parts.train, *parts.calibration, *parts.held_out)])
    record = DetectorRecord(
        model=str(model),
        base=folder_identity(model),
        data=hashlib.sha256(shown.encode("utf-8", "surrogatepass")).hexdigest()[:16],
        settings={name: value for name, value in asdict(settings).items() if name != "save_every"},
    )
    steps = -(-len(parts.train) // settings.batch_size) * settings.epochs
    if folder.record_file.exists() and folder.summary_file.exists() and not overwrite:
        folder.check(record)
        on_start(parts, steps, steps)
        return folder.result(folder.summary_file, DetectorCard)
    with quiet():
        detector = _untrained(model, settings)
        rows = [windows(detector.tokenizer, one, detector.limit) for one in parts.train]
    with folder.claimed(record, overwrite=overwrite), quiet():
        weights = class_weights([one.label is True for one in parts.train])
        data = [
            {"input_ids": own[0], "labels": int(one.label is True)}
            for own, one in zip(rows, parts.train, strict=True)
        ]
        trained = _trained(
            detector, data, weights, settings, folder, lambda done: on_start(parts, steps, done), on_step
        )
        detector = replace(detector, model=trained.eval())
        card = _card(detector, parts, record, settings, weights, sum(len(own) > 1 for own in rows))
        with whole(folder.path / MODEL, folder.checkpoints) as made:
            trained.save_pretrained(made)
            detector.tokenizer.save_pretrained(made)
        write_whole(folder.summary_file, card.model_dump_json(indent=1).encode())
        shutil.rmtree(folder.checkpoints, ignore_errors=True)
        return card


def class_weights(labels: Sequence[bool]) -> tuple[float, float]:
    """The weights of no and yes in the loss, ``n / (2 n_c)``: both then weigh the same in all."""
    yes = sum(labels)
    return len(labels) / (2 * (len(labels) - yes)), len(labels) / (2 * yes)


def _untrained(model: Path, settings: DetectorSettings) -> Detector:
    """The base with a head of two labels: a new one where its own has others."""
    transformers: Any = require("transformers", extra=EXTRA)
    torch: Any = require("torch", extra=EXTRA)
    safetensors: Any = require("safetensors", extra=EXTRA)
    torch.manual_seed(settings.seed)
    try:
        config = transformers.AutoConfig.from_pretrained(model, trust_remote_code=False)
        tokenizer = transformers.AutoTokenizer.from_pretrained(model, trust_remote_code=False)
        config.num_labels = 2
        config.id2label, config.label2id = {0: "no", 1: "yes"}, {"no": 0, "yes": 1}
        prepared_tokenizer(tokenizer, config)
        loaded = getattr(transformers, CLASSIFIER).from_pretrained(
            model, config=config, ignore_mismatched_sizes=True, dtype=torch.float32, trust_remote_code=False
        )
    except (OSError, ValueError, RuntimeError, safetensors.SafetensorError) as error:
        raise DeclarationError(
            f"the model in {model} cannot be tuned to classify: {first_line(error)}"
        ) from error
    return Detector(loaded, tokenizer, min(settings.max_length, window_of(config, tokenizer)), 1, "")


def _trained(
    detector: Detector,
    data: Sequence[Mapping[str, Any]],
    weights: tuple[float, float],
    settings: DetectorSettings,
    folder: DetectorFolder,
    on_start: Callable[[int], None],
    on_step: Callable[[int, float], None],
) -> Any:
    """The trained model, from the last checkpoint if there is one; an adapter is merged into it."""
    torch: Any = require("torch", extra=EXTRA)
    transformers: Any = require("transformers", extra=EXTRA)
    model, cuda = detector.model, torch.cuda.is_available()
    if settings.lora:
        peft: Any = require("peft", extra=EXTRA)
        model = peft.get_peft_model(
            model,
            peft.LoraConfig(
                r=LORA_RANK, lora_alpha=LORA_ALPHA, target_modules="all-linear", task_type="SEQ_CLS"
            ),
        )

    class Told(transformers.TrainerCallback):  # type: ignore[misc]  # untyped
        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **more: Any) -> None:
            if logs and "loss" in logs:
                on_step(state.global_step, logs["loss"])

    def weighted(outputs: Any, labels: Any, num_items_in_batch: Any = None) -> Any:
        each = torch.nn.functional.cross_entropy(
            outputs.logits.float(),
            labels,
            weight=torch.tensor(weights, device=labels.device),
            reduction="sum",
        )
        return each / (len(labels) if num_items_in_batch is None else num_items_in_batch)

    def filled(rows: Sequence[Mapping[str, Any]]) -> Any:
        batch = detector.tokenizer.pad({"input_ids": [row["input_ids"] for row in rows]}, return_tensors="pt")
        return {**batch, "labels": torch.tensor([row["labels"] for row in rows])}

    steps = -(-len(data) // settings.batch_size) * settings.epochs
    config = transformers.TrainingArguments(
        output_dir=str(folder.checkpoints),
        num_train_epochs=settings.epochs,
        learning_rate=settings.rate,
        lr_scheduler_type="linear",
        warmup_steps=math.ceil(WARMUP * steps),
        weight_decay=WEIGHT_DECAY,
        per_device_train_batch_size=settings.batch_size,
        save_steps=settings.save_every,
        save_total_limit=1,
        logging_steps=1,
        seed=settings.seed,
        data_seed=settings.seed,
        bf16=cuda and torch.cuda.is_bf16_supported(),
        use_cpu=not cuda,
        dataloader_pin_memory=cuda,
        remove_unused_columns=False,
        label_names=["labels"],
        report_to=[],
        disable_tqdm=True,
    )
    config._n_gpu = min(1, config.n_gpu)  # one device: several would make another batch
    trainer = transformers.Trainer(
        model=model, args=config, train_dataset=list(data), data_collator=filled, compute_loss_func=weighted,
        callbacks=[Told()],
    )  # fmt: skip
    trainer.remove_callback(transformers.PrinterCallback)
    last = last_checkpoint(folder.checkpoints)
    on_start(0 if last is None else int(last.name.rpartition("-")[2]))
    try:
        trainer.train(resume_from_checkpoint=None if last is None else str(last))
    except torch.OutOfMemoryError as error:
        raise DeclarationError(
            "the memory of the device ran out: take a smaller --batch-size or --max-length, or --lora "
            f"({first_line(error)})"
        ) from error
    folder.checkpoints.mkdir(exist_ok=True)
    if not settings.lora:
        return trainer.model
    with whole(folder.path / "adapter", folder.checkpoints) as made:
        trainer.model.save_pretrained(made)
    return trainer.model.merge_and_unload()


def _card(
    detector: Detector,
    parts: Parts,
    record: DetectorRecord,
    settings: DetectorSettings,
    weights: tuple[float, float],
    cut: int,
) -> DetectorCard:
    scores = list(detector.scores(parts.calibration))
    labels = [one.label is True for one in parts.calibration]
    remark = ""
    slope, intercept = 1.0, -math.log(weights[1] / weights[0])
    if len(set(labels)) == 2:
        slope, intercept = platt(scores, labels)
    else:
        remark = "the questions to calibrate on have one answer only: probabilities are uncalibrated"
    if not slope:
        remark = "on the questions to calibrate on it tells no yes from a no: it has learnt nothing of use"
    chances = [logistic(slope * score + intercept) for score in scores]
    threshold = best_cut(chances, labels)
    return DetectorCard(
        base=record.model,
        base_identity=record.base,
        pairs=len(parts.train) + len(parts.calibration) + len(parts.held_out),
        questions=len(
            {question_of(one) for part in (parts.train, parts.calibration, parts.held_out) for one in part}
        ),
        trained=len(parts.train),
        calibrated=len(parts.calibration),
        yes=sum(one.label is True for one in parts.train),
        weights=weights,
        cut=cut,
        limit=detector.limit,
        lora=settings.lora,
        slope=slope,
        intercept=intercept,
        threshold=threshold,
        remark=remark,
        held_out=quality_of(
            parts.held_out,
            list(detector.scores(parts.held_out)),
            lambda s: logistic(slope * s + intercept),
            threshold,
        ),
    )
