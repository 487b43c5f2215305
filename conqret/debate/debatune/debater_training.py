"""Tuning a model on statements: settings, folder, rows as tokens of which only the response is learnt, and trl's
SFTTrainer over them.

DEBATunE (Li et al. 2024), section 3.2: the model learns to write the statement from topic, side and argument. The
objective (Equation 4) is the log-likelihood of the responses; the instructions are read and not learnt.

The folder holds ``run.json``, ``checkpoints/`` until the model is done, then ``model/`` (a transformers model: with
LoRA the one that the adapter was merged into, which stands in ``adapter/``) and ``summary.json`` (each step's loss).
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from conqret._optional import require
from conqret.data.digest import digest_of
from conqret.data.item import Frozen, Stance
from conqret.debate.debatune.debate_files import ASSISTANT, SIDE_OF, Instruction, read_instructions
from conqret.errors import DeclarationError, Fault, ItemsError, first_line, strict_options
from conqret.io.safe_files import write_whole
from conqret.local.model_identity import folder_identity
from conqret.local.models import LoadedModel, load, window_of
from conqret.local.prefix import PLAIN_TEMPLATE, rendered
from conqret.local.training_loop import (
    EXTRA,
    LORA_ALPHA,
    LORA_RANK,
    TrainingSettings,
    arguments,
    brief,
    check_base,
    lora,
    merged,
    quiet,
    save,
    train,
)
from conqret.runs.study_run import TrainedFolder, TrainedRecord, training_output
from conqret.text.words import caseless

WARMUP = 0.03
"""The share of the steps in which the learning rate rises (Appendix B)."""
SCHEDULE = "cosine"
"""How the learning rate falls: Appendix B does not say; so do the recipes of Vicuna and Alpaca, its baselines."""


@dataclass(frozen=True)
class TuningSettings(TrainingSettings):
    """The settings of tuning a debater; the defaults are those of DEBATunE, Appendix B.

    ``max_length`` is the most tokens of a row; the end of a longer one is cut off. ``learning_rate`` of None
    uses the default of the kind of model.

    ``at_once`` is the number of rows in one forward pass, and a checkpoint is written every ``save_every``
    steps. Both affect results only by rounding, so a run may be continued with other values.

    Raises:
        DeclarationError: a number is out of its range.
    """

    COUNTS: ClassVar[tuple[str, ...]] = (*TrainingSettings.COUNTS, "at_once")

    epochs: int = 3
    batch_size: int = 128
    max_length: int = 2048
    save_every: int = 20
    at_once: int = 4

    @property
    def rows_at_once(self) -> int:
        """Return the largest number of rows, at most :attr:`at_once`, that divides the batch size."""
        return max(n for n in range(1, min(self.at_once, self.batch_size) + 1) if self.batch_size % n == 0)

    def rate(self, *, chat: bool) -> float:
        """Return the learning rate: the one that is set, or the default for a model with or without a chat
        template.

        The default is 1e-5 with a template (Appendix B: Vicuna 7B v1.5), else 2e-5 (LLaMA 2). With LoRA it is
        ten times that (Schulman et al. 2025, LoRA Without Regret).
        """
        if self.learning_rate is not None:
            return self.learning_rate
        return (1e-5 if chat else 2e-5) * (10 if self.lora else 1)


class TrainingStep(Frozen):
    """One training step: its number from 1, its epoch, the mean loss of a response's token (nats), and the
    learning rate.

    At the end of an epoch, ``held_out`` is the loss on the held-out rows, if there are any.
    """

    step: int
    epoch: float
    loss: float
    learning_rate: float
    held_out: float | None = None


class Training(Frozen):
    """The result of a training, as stored in ``summary.json``; ``before`` is the held-out loss of the base
    model. ``tokens`` counts those of all rows, and ``cut`` the rows whose end was cut off."""

    rows: int
    tokens: int
    cut: int
    device: str
    dtype: str
    before: float | None = None
    steps: tuple[TrainingStep, ...]


@dataclass(frozen=True)
class DebaterFolder(TrainedFolder[TrainedRecord], kind="debate-tune"):
    """The files of a tuned model in one folder; ``summary.json`` has the loss of each step."""

    COMMAND: ClassVar[str] = "conqret debate tune"


@dataclass(frozen=True, slots=True)
class TuningPlan:
    """The plan of a training: the numbers of rows, topics, tokens and steps, and the learning rate (``rate``).

    ``cut`` lists the rows (file and line) that are longer than ``limit`` tokens and lose their end. ``chat``
    is True if the model has its own chat template; otherwise it gets a plain one.
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


def _said(rows: Sequence[Instruction]) -> list[list[object]]:
    """What is said and learnt, in its order."""
    return [[*((message.role, message.content) for message in row.messages), row.response] for row in rows]


UNLEARNT = -100
"""The label of a token that is read and not learnt, as torch's cross-entropy leaves it out."""


DEFAULTS = TuningSettings()


@dataclass(frozen=True, slots=True)
class EncodedRow:
    """A training row as tokens.

    ``labels`` has the tokens whose loss is trained, and :data:`UNLEARNT` for the others. ``whole`` is the
    length before the end was cut off.
    """

    input_ids: list[int]
    labels: list[int]
    whole: int

    @property
    def learnt(self) -> int:
        """Return the number of tokens whose loss is trained."""
        return sum(label != UNLEARNT for label in self.labels)


@dataclass(frozen=True, slots=True)
class TrainingInputs:
    """The inputs of a training except the weights: tokenizer, settings, encoded rows and plan."""

    model: Path
    tokenizer: Any
    settings: TuningSettings
    rows: tuple[EncodedRow, ...]
    held_out: tuple[EncodedRow, ...]
    plan: TuningPlan


@strict_options
def tune_debater(
    data: str | Path | Sequence[Instruction],
    *,
    model: str | Path,
    test: str | Path | Sequence[Instruction] | None = None,
    settings: TuningSettings = DEFAULTS,
    output: str | Path | None = None,
    overwrite: bool = False,
    on_start: Callable[[TuningPlan, int], None] = lambda plan, kept: None,
    on_step: Callable[[TrainingStep], None] = lambda step: None,
) -> tuple[Training, DebaterFolder]:
    """Tune a local model on statements that debates concluded (DEBATunE), or continue a stopped training.

    If the folder contains the finished model, its result is read and nothing is trained.

    Args:
        data: a file of rows with topic, side, argument and response, or chats, as ``conqret debate
            export`` writes them; or such rows.
        model: the folder of a transformers model with its tokenizer.
        test: held-out rows on which the loss is measured; no topic may be in both files.
        settings: how the model is tuned.
        output: the folder to write, by default ``runs/DATA-tune-MODEL``; required if ``data`` is not a
            file.
        overwrite: start anew where the folder contains another run.
        on_start: called with the plan and the number of steps done.
        on_step: called with each step.

    Returns:
        The result of the training, and the folder with model and adapter.

    Raises:
        DeclarationError: the model cannot be used, a row has no room for its response, a topic is in both
            ``data`` and ``test``, or ``output`` contains something else or another run.
        MissingDependencyError: torch, transformers, trl, datasets or (for LoRA) peft is not installed.
    """
    folder = DebaterFolder(training_output(data, model, output))
    rows, held_out = (
        read_instructions(Path(part)) if isinstance(part, str | Path) else part for part in (data, test or ())
    )
    preparation = prepared(rows, Path(model), settings, held_out)
    kept = {name: value for name, value in asdict(settings).items() if name not in _FREE}
    kind: Any = folder.RECORD
    record: TrainedRecord = kind(
        model=str(model),
        base=folder_identity(Path(model)),
        data=digest_of([_said(rows), _said(held_out)]),
        settings={**kept, "schedule": SCHEDULE, "warmup": WARMUP, "rank": LORA_RANK, "alpha": LORA_ALPHA},
    )
    folder.check(record, overwrite=overwrite)
    if folder.summary_file.exists() and not overwrite:
        on_start(preparation.plan, preparation.plan.steps)
        return folder.result(folder.summary_file, Training), folder
    base = loaded(preparation)
    with folder.claimed(record, overwrite=overwrite):
        return trained(preparation, base, folder, on_start, on_step), folder


def prepared(
    rows: Sequence[Instruction],
    model: Path,
    settings: TuningSettings = DEFAULTS,
    held_out: Sequence[Instruction] = (),
) -> TrainingInputs:
    """Tokenize the rows and plan the training; only the tokenizer is loaded, not the model.

    Raises:
        DeclarationError: the model cannot be used, or a row has no room for its response.
        ItemsError: a topic is both in ``rows`` and ``held_out``.
        MissingDependencyError: torch or transformers is not installed.
    """
    check_base(model)
    check_apart(rows, held_out)
    transformers = require("transformers", extra=EXTRA)
    require("torch", extra=EXTRA)
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(model, trust_remote_code=False)
        config = transformers.AutoConfig.from_pretrained(model, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise DeclarationError(f"the model in {model} cannot be loaded: {first_line(error)}") from error
    chat = getattr(tokenizer, "chat_template", None) is not None
    if not chat:
        tokenizer.chat_template = PLAIN_TEMPLATE
    if tokenizer.eos_token is None:
        raise DeclarationError(
            f"the tokenizer in {model} has no eos_token, so that no response could end: set one"
        )
    limit = min(settings.max_length, window_of(config, tokenizer))
    train, test = (tuple(encode(row, tokenizer, limit) for row in part) for part in (rows, held_out))
    counted = Counter(row.stance for row in rows)
    plan = TuningPlan(
        rows=len(rows),
        sides={side: count for side in SIDE_OF if (count := counted[side])},
        topics=len({caseless(row.topic) for row in rows if row.topic}),
        tokens=sum(len(encoded.input_ids) for encoded in train),
        response_tokens=sum(encoded.learnt for encoded in train),
        limit=limit,
        cut=tuple(row.place for row, encoded in zip(rows, train, strict=True) if encoded.whole > limit),
        steps=settings.steps(len(rows)),
        rate=settings.rate(chat=chat),
        chat=chat,
        held_out=len(held_out),
    )
    return TrainingInputs(model, tokenizer, settings, train, test, plan)


def encode(row: Instruction, tokenizer: Any, limit: int) -> EncodedRow:
    """Tokenize a row in the chat template, and keep its first ``limit`` tokens.

    The loss is trained on the response and the end of its turn only.

    Raises:
        DeclarationError: the instruction leaves no room for a response, or the template changes an
            instruction once a response follows it.
    """
    chat = [{"role": message.role, "content": message.content} for message in row.messages]
    before = rendered(tokenizer, chat, add_generation_prompt=True)
    whole = rendered(tokenizer, [*chat, {"role": ASSISTANT, "content": row.response}])
    if not whole.startswith(before):
        raise DeclarationError(
            "the chat template of the model changes an instruction once a response follows it, so that "
            "the model would be tuned on prompts it never gets: give its tokenizer a template that does not"
        )
    shown, ids = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in (before, whole))
    apart = next((n for n, (a, b) in enumerate(zip(shown, ids, strict=False)) if a != b), len(shown))
    if apart >= limit:
        raise DeclarationError(
            f"{row.place}: the instruction alone takes {apart:,} tokens, but a row has only "
            f"{limit:,}: shorten it, or raise --max-length if the model allows more"
        )
    labels = [UNLEARNT] * apart + ids[apart:]
    return EncodedRow(ids[:limit], labels[:limit], len(ids))


def loaded(preparation: TrainingInputs) -> LoadedModel:
    """Load the base model into memory; nothing is written.

    Trained weights are in float32, because bfloat16 is too coarse for small steps. With LoRA, the base
    weights may be in bfloat16.

    Raises:
        DeclarationError: the model cannot be loaded.
        MissingDependencyError: a library that training needs is not installed.
    """
    require("trl", "datasets", *(["peft"] if preparation.settings.lora else []), extra=EXTRA)
    with quiet():
        return load(
            str(preparation.model), "cpu", "bfloat16" if preparation.settings.lora and brief() else "float32"
        )


def trained(
    preparation: TrainingInputs,
    base: LoadedModel,
    folder: DebaterFolder,
    on_start: Callable[[TuningPlan, int], None],
    on_step: Callable[[TrainingStep], None],
) -> Training:
    """Train from the last checkpoint if there is one, write the model, and return the result of the training.

    With LoRA, the adapter is written alone, too, and merged into the model. The model and
    ``summary.json`` are each written completely or not at all; the checkpoints are removed at the end.

    Args:
        preparation: model, rows and settings.
        base: the loaded model to train.
        folder: where everything is written.
        on_start: called once before the first step, with the plan and the number of steps that a checkpoint has
            done.
        on_step: called after each step.

    Raises:
        DeclarationError: the device ran out of memory.
    """
    with quiet():
        trainer, place, kind = assembled(preparation, base, folder)
        train(
            trainer,
            folder.checkpoints,
            lambda done: on_start(preparation.plan, done),
            lambda logs: on_step(_step(logs)),
            remedy=f"take --at-once {max(1, preparation.settings.rows_at_once // 2)} (the run goes on), a smaller "
            "--max-length, or --lora",
        )
        base_config = require("transformers", extra=EXTRA).AutoConfig.from_pretrained(preparation.model)
        model = trainer.model
        if preparation.settings.lora:
            model = merged(model, folder.adapter, folder.checkpoints)
        in_base_numbers = model.to(base_config.dtype or model.dtype)
        save(in_base_numbers, preparation.tokenizer, folder.model, folder.checkpoints)
    history = trainer.state.log_history
    held_out = {entry["step"]: entry["eval_loss"] for entry in history if "eval_loss" in entry}
    training = Training(
        rows=preparation.plan.rows,
        tokens=preparation.plan.tokens,
        cut=len(preparation.plan.cut),
        device=place,
        dtype=kind,
        before=held_out.get(0),
        steps=tuple(
            _step(entry).model_copy(update={"held_out": held_out.get(entry["step"])})
            for entry in history
            if "loss" in entry
        ),
    )
    write_whole(folder.summary_file, training.model_dump_json(indent=1).encode())
    shutil.rmtree(folder.checkpoints, ignore_errors=True)
    return training


def assembled(preparation: TrainingInputs, base: LoadedModel, folder: DebaterFolder) -> tuple[Any, str, str]:
    """Return the trainer of trl, the device (``cuda`` or ``cpu``), and the name of the dtype in which it computes. One
    device is used, also where there are several.

    Raises:
        MissingDependencyError: torch, trl or datasets is not installed.
    """
    torch, trl, datasets = (require(name, extra=EXTRA) for name in ("torch", "trl", "datasets"))
    settings, cuda = preparation.settings, torch.cuda.is_available()
    config = trl.SFTConfig(
        **arguments(
            settings,
            folder.checkpoints,
            preparation.plan.rows,
            rate=preparation.plan.rate,
            schedule=SCHEDULE,
            warmup=WARMUP,
        ),
        weight_decay=0.0,
        per_device_train_batch_size=settings.rows_at_once,
        per_device_eval_batch_size=settings.rows_at_once,
        gradient_accumulation_steps=settings.batch_size // settings.rows_at_once,
        gradient_checkpointing=cuda,
        eval_strategy="epoch" if preparation.held_out else "no",
        eval_on_start=bool(preparation.held_out),
        dataset_kwargs={"skip_prepare_dataset": True},
        max_length=None,
    )
    config._n_gpu = min(1, config.n_gpu)  # one device: several would make another batch
    parts = {"train_dataset": preparation.rows, "eval_dataset": preparation.held_out}
    trainer = trl.SFTTrainer(
        model=base.model,
        args=config,
        processing_class=preparation.tokenizer,
        peft_config=lora("CAUSAL_LM") if settings.lora else None,
        **{
            name: datasets.Dataset.from_list([{"input_ids": x.input_ids, "labels": x.labels} for x in part])
            for name, part in parts.items()
            if part
        },
    )
    return trainer, "cuda" if cuda else "cpu", "bfloat16" if brief() else "float32"


def _step(logs: Mapping[str, Any]) -> TrainingStep:
    return TrainingStep(
        step=logs["step"], epoch=logs["epoch"], loss=logs["loss"], learning_rate=logs["learning_rate"]
    )


def check_apart(rows: Sequence[Instruction], held_out: Sequence[Instruction]) -> None:
    """Check that no topic is both in the training rows and in the held-out rows.

    Raises:
        ItemsError: a topic is in both; all such rows are listed.
    """
    known = {caseless(row.topic): row.place for row in reversed(rows) if row.topic}
    faults = []
    for row in held_out:
        if row.topic and (place := known.get(caseless(row.topic))):
            file, _, line = row.place.rpartition(":")
            problem = f"is {row.topic!r}, which {place} trains on"
            faults.append(Fault(file, int(line), "topic", problem, "Keep each topic in one of the two files"))
    if faults:
        raise ItemsError(faults)
