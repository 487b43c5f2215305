"""Tuning a detector on judged or labeled pairs (BeRDS, section 5.1 and A.5).

Questions, never pairs, are parted: most are trained on, some calibrate the probabilities and choose the threshold, and
the rest had no part in anything and say how good the detector is. The rarer answer weighs more in the loss, so that
both weigh the same in all; calibration (Platt 1999) takes back what that does to the probabilities.
"""

from __future__ import annotations

import math
import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from conqret._optional import require
from conqret.data.digest import digest_of
from conqret.errors import DeclarationError, first_line, strict_options
from conqret.io.pairs import Pair, read_pairs
from conqret.io.safe_files import write_whole
from conqret.local.model_identity import folder_identity
from conqret.local.models import from_checkpoint, new_head, window_of
from conqret.local.training_loop import (
    EXTRA,
    TrainingSettings,
    arguments,
    check_base,
    lora,
    merged,
    quiet,
    save,
    train,
)
from conqret.perspectives.detector_models import (
    CLASSIFIER,
    MAX_LENGTH,
    ClassifierDetector,
    DetectorCard,
    prepared_tokenizer,
)
from conqret.perspectives.threshold import best_cut, logistic, platt, quality_of, question_of
from conqret.runs.study_run import TrainedFolder, TrainedRecord, training_output

CALIBRATION, HELD_OUT = 0.15, 0.2
"""The shares of the questions that calibrate, and that are held out for evaluation."""
MIN_QUESTIONS = 3


@dataclass(frozen=True)
class DetectorSettings(TrainingSettings):
    """The settings by which a detector is tuned.

    ``learning_rate`` of None uses the default with LoRA (BeRDS, A.5) or without (Devlin et al. 2019, A.3).

    Raises:
        DeclarationError: a number is out of its range.
    """

    epochs: int = 2
    batch_size: int = 16
    max_length: int = MAX_LENGTH
    save_every: int = 50

    @property
    def rate(self) -> float:
        """Return the highest learning rate: the one that is set, or the default with or without LoRA."""
        return self.learning_rate or (1e-4 if self.lora else 2e-5)


USUAL = DetectorSettings()
"""All defaults."""


@dataclass(frozen=True)
class DetectorFolder(TrainedFolder[TrainedRecord], kind="perspectives-tune"):
    """The files of a tuned detector: its model, and its card (``summary.json``), which ``--detector``
    reads."""

    COMMAND: ClassVar[str] = "conqret perspectives tune"


@dataclass(frozen=True, slots=True)
class Parts:
    """Labeled pairs, split into training, calibration and held-out pairs; no question is in two parts."""

    train: tuple[Pair, ...]
    calibration: tuple[Pair, ...]
    held_out: tuple[Pair, ...]

    @property
    def every(self) -> tuple[Pair, ...]:
        """Return the pairs of all three parts."""
        return (*self.train, *self.calibration, *self.held_out)


def parted(pairs: Sequence[Pair], settings: DetectorSettings = USUAL) -> Parts:
    """Split labeled pairs by question into training, calibration and held-out pairs; pairs without a label
    are dropped.

    A pair without a question is treated as a question of its own. The share :data:`HELD_OUT` of the
    questions is held out, the share :data:`CALIBRATION` calibrates, and the others train.

    Raises:
        DeclarationError: there are fewer than three questions, or all training pairs have the same label.
    """
    known = [pair for pair in pairs if pair.label is not None]
    questions = sorted({question_of(pair) for pair in known})
    if len(questions) < MIN_QUESTIONS:
        raise DeclarationError(
            f"the labeled pairs are on {len(questions)} questions, but at least {MIN_QUESTIONS} are needed to train "
            "on, to calibrate on, and to hold out"
        )
    random.Random(settings.seed).shuffle(questions)
    test = max(1, round(HELD_OUT * len(questions)))
    tuned = max(1, round(CALIBRATION * len(questions)))
    test = min(test, len(questions) - 1 - tuned) if test + tuned >= len(questions) else test
    place = {
        question: 0 if n < test else 1 if n < test + tuned else 2 for n, question in enumerate(questions)
    }
    held_out, calibration, train = (
        tuple(pair for pair in known if place[question_of(pair)] == part) for part in range(3)
    )
    if len({pair.label for pair in train}) < 2:
        raise DeclarationError(
            "all training pairs have the same label, so there is nothing to learn: label more pairs"
        )
    return Parts(train, calibration, held_out)


@strict_options
def tune_detector(
    pairs: str | Path | Sequence[Pair],
    model: str | Path,
    output: str | Path | None = None,
    settings: DetectorSettings = USUAL,
    *,
    labels: str = "label",
    overwrite: bool = False,
    on_start: Callable[[Parts, int, int], None] = lambda parts, steps, done: None,
    on_step: Callable[[int, float], None] = lambda step, loss: None,
) -> DetectorCard:
    """Tune a local detector of perspectives on labeled pairs, or continue a stopped training.

    If the folder contains the finished detector, its card is read and nothing is trained.

    Args:
        pairs: a file with question, document, perspective and a label, or such pairs.
        model: the folder of a transformers model with its tokenizer.
        output: the folder to write, by default ``runs/PAIRS-tune-MODEL``; required if ``pairs`` is not a
            file.
        settings: how the detector is tuned.
        labels: the labels (1 or 0, yes or no): a column of the file, or a file with the columns ``id``
            and ``label``.
        overwrite: start anew where the folder contains another run.
        on_start: called with the parts, the number of all steps, and the number of steps done.
        on_step: called with the number of a step and its loss.

    Returns:
        The card of the detector, with its agreement on held-out questions.

    Raises:
        DeclarationError: as :func:`parted`; the model cannot be used, a perspective is too long for it,
            or the folder contains something else or another run.
        MissingDependencyError: torch, transformers, accelerate or (for LoRA) peft is not installed.
    """
    model, folder = Path(model), DetectorFolder(training_output(pairs, model, output))
    pairs = read_pairs(Path(pairs), labels) if isinstance(pairs, str | Path) else pairs
    parts = parted(pairs, settings)
    check_base(model)
    require("accelerate", *(["peft"] if settings.lora else []), extra=EXTRA)
    trained_record: Any = folder.RECORD
    record: TrainedRecord = trained_record(
        model=str(model),
        base=folder_identity(model),
        data=digest_of([asdict(pair) for pair in parts.every]),
        settings={name: value for name, value in asdict(settings).items() if name != "save_every"},
    )
    steps = settings.steps(len(parts.train))
    if folder.record_file.exists() and folder.summary_file.exists() and not overwrite:
        folder.check(record)
        on_start(parts, steps, steps)
        return folder.result(folder.summary_file, DetectorCard)
    with quiet():
        detector = untrained(model, settings)
        rows = [detector.windows(pair) for pair in parts.train]
    with folder.claimed(record, overwrite=overwrite), quiet():
        weights = class_weights([pair.label is True for pair in parts.train])
        data = [
            {"input_ids": pair_windows[0], "labels": int(pair.label is True)}
            for pair_windows, pair in zip(rows, parts.train, strict=True)
        ]
        started = partial(on_start, parts, steps)
        learnt = trained(detector, data, weights, settings, folder, started, on_step)
        detector = replace(detector, model=learnt.eval())
        cut = sum(len(pair_windows) > 1 for pair_windows in rows)
        card = _card(detector, parts, record, settings, weights, cut)
        save(learnt, detector.tokenizer, folder.model, folder.checkpoints)
        write_whole(folder.summary_file, card.model_dump_json(indent=1).encode())
        shutil.rmtree(folder.checkpoints, ignore_errors=True)
        return card


def _card(
    detector: ClassifierDetector,
    parts: Parts,
    record: TrainedRecord,
    settings: DetectorSettings,
    weights: tuple[float, float],
    cut: int,
) -> DetectorCard:
    scores = list(detector.scores(parts.calibration))
    labels = [pair.label is True for pair in parts.calibration]
    remark = ""
    slope, intercept = 1.0, -math.log(weights[1] / weights[0])
    if len(set(labels)) == 2:
        slope, intercept = platt(scores, labels)
    else:
        remark = "the questions to calibrate on have one answer only: probabilities are uncalibrated"
    if not slope:
        remark = "on the calibration questions it does not distinguish yes from no, so it has learned nothing useful"

    def chance(score: float) -> float:
        return logistic(slope * score + intercept)

    threshold = best_cut(list(map(chance, scores)), labels)
    return DetectorCard(
        base=record.model,
        base_identity=record.base,
        pairs=len(parts.every),
        questions=len(set(map(question_of, parts.every))),
        trained=len(parts.train),
        calibrated=len(parts.calibration),
        yes=sum(pair.label is True for pair in parts.train),
        weights=weights,
        cut=cut,
        limit=detector.limit,
        lora=settings.lora,
        new_head=detector.new_head,
        slope=slope,
        intercept=intercept,
        threshold=threshold,
        remark=remark,
        held_out=quality_of(parts.held_out, list(detector.scores(parts.held_out)), chance, threshold),
    )


WARMUP = 0.1
WEIGHT_DECAY = 0.001
"""Both: BeRDS, A.5, for Mistral 7B with LoRA."""
LORA: Mapping[str, Any] = {"rank": 64, "alpha": 16, "dropout": 0.1}
"""The adapter of BeRDS's tuning, by the released script (the paper names none of the three)."""


def class_weights(labels: Sequence[bool]) -> tuple[float, float]:
    """Return the loss weights of the classes no and yes, ``n / (2 n_class)``, which balance their total
    weight. Both classes must occur."""
    yes = sum(labels)
    return len(labels) / (2 * (len(labels) - yes)), len(labels) / (2 * yes)


def untrained(model: Path, settings: DetectorSettings) -> ClassifierDetector:
    """Load the base model as an untrained detector with a head of two labels; a head with other labels is
    replaced.

    Raises:
        DeclarationError: the model cannot be loaded, or its checkpoint lacks a weight below the head.
    """
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
        with from_checkpoint(new_head) as drawn:
            loaded = getattr(transformers, CLASSIFIER).from_pretrained(
                model, config=config, dtype=torch.float32, trust_remote_code=False
            )
    except (OSError, ValueError, RuntimeError, safetensors.SafetensorError) as error:
        raise DeclarationError(
            f"the model in {model} cannot be tuned to classify: {first_line(error)}"
        ) from error
    limit = min(settings.max_length, window_of(config, tokenizer))
    return ClassifierDetector(
        model=loaded, tokenizer=tokenizer, limit=limit, identity="", yes=1, new_head=tuple(drawn)
    )


def trained(
    detector: ClassifierDetector,
    data: Sequence[Mapping[str, Any]],
    weights: tuple[float, float],
    settings: DetectorSettings,
    folder: DetectorFolder,
    on_start: Callable[[int], None],
    on_step: Callable[[int, float], None],
) -> Any:
    """Train the detector's model, from the last checkpoint if there is one, and return it. A LoRA adapter is written
    alone and merged into the model; the model itself is not written, and the checkpoints stay.

    ``data`` has tokens and label of each window, ``weights`` the weight of either label. ``on_start`` is called with
    the number of steps already done, ``on_step`` with each step and its loss.

    Raises:
        DeclarationError: the device ran out of memory.
    """
    torch: Any = require("torch", extra=EXTRA)
    transformers: Any = require("transformers", extra=EXTRA)
    model = detector.model
    if settings.lora:
        model = require("peft", extra=EXTRA).get_peft_model(model, lora("SEQ_CLS", **LORA))

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

    config = transformers.TrainingArguments(
        **arguments(
            settings, folder.checkpoints, len(data), rate=settings.rate, schedule="linear", warmup=WARMUP
        ),
        weight_decay=WEIGHT_DECAY,
        per_device_train_batch_size=settings.batch_size,
        remove_unused_columns=False,
        label_names=["labels"],
    )
    config._n_gpu = min(1, config.n_gpu)  # one device: several would make another batch
    trainer = transformers.Trainer(
        model=model, args=config, train_dataset=list(data), data_collator=filled, compute_loss_func=weighted
    )
    train(
        trainer,
        folder.checkpoints,
        on_start,
        lambda logs: on_step(logs["step"], logs["loss"]),
        remedy="take a smaller --batch-size or --max-length, or --lora",
    )
    folder.checkpoints.mkdir(exist_ok=True)
    return merged(trainer.model, folder.adapter, folder.checkpoints) if settings.lora else trainer.model
