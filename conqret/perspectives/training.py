"""The training of a detector: a base with a head of two labels, the rarer answer weighing more, checkpoints."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from conqret._optional import require
from conqret.errors import DeclarationError, first_line
from conqret.perplexity.checkpoints import last_checkpoint, whole
from conqret.perplexity.windows import window_of
from conqret.perspectives.detector import CLASSIFIER, EXTRA, Detector, prepared_tokenizer
from conqret.perspectives.detector_run import DetectorFolder, DetectorSettings

WARMUP = 0.1
WEIGHT_DECAY = 0.001
"""Both: BeRDS, A.5, for Mistral 7B with LoRA."""
LORA_RANK, LORA_ALPHA = 16, 32


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

    steps = settings.steps(len(data))
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
    with whole(folder.adapter, folder.checkpoints) as made:
        trainer.model.save_pretrained(made)
    return trainer.model.merge_and_unload()
