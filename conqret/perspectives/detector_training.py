"""The training of a detector: a base with a head of two labels, the rarer answer weighing more, checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from conqret._optional import require
from conqret.errors import DeclarationError, first_line
from conqret.local.token_windows import window_of
from conqret.local.training_loop import EXTRA, arguments, lora, merged, train
from conqret.perspectives.detector import CLASSIFIER, Detector, prepared_tokenizer
from conqret.perspectives.detector_run import DetectorFolder, DetectorSettings

WARMUP = 0.1
WEIGHT_DECAY = 0.001
"""Both: BeRDS, A.5, for Mistral 7B with LoRA."""


def class_weights(labels: Sequence[bool]) -> tuple[float, float]:
    """The weights of no and yes in the loss, ``n / (2 n_c)``: both then weigh the same in all."""
    yes = sum(labels)
    return len(labels) / (2 * (len(labels) - yes)), len(labels) / (2 * yes)


def untrained(model: Path, settings: DetectorSettings) -> Detector:
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


def trained(
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
    model = detector.model
    if settings.lora:
        model = require("peft", extra=EXTRA).get_peft_model(model, lora("SEQ_CLS"))

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
