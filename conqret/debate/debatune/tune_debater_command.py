"""``conqret debate tune``."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from statistics import fmean

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, progress, result
from conqret.debate.debatune.debate_files import SIDE_OF, read_instructions
from conqret.debate.debatune.debater_tuning import SCHEDULE, Training, TuningPlan, TuningSettings
from conqret.show import words
from conqret.show.table import Cell, Table


@dataclass(frozen=True)
class DebaterTuningOptions(OptionGroup, of=TuningSettings):
    """How a model is tuned: the fields of :class:`conqret.debate.debatune.debater_tuning.TuningSettings`.

    Training:
        lora: Train an adapter (LoRA), not the whole model: it takes less memory.
        epochs: The number of epochs: how often training uses every row. Default: 3.
        learning_rate: The highest learning rate. Default: 2e-5, or 1e-5 for a model with a chat template; ten times
            that with `--lora`.
        batch_size: How many rows one training step uses (batch size). Default: 128.
        max_length: The most tokens of a row; the end of a longer one is cut off. Default: 2048.
        seed: The random seed of the order in which training rows are used. Default: 13.
        at_once: How many rows of a batch are processed at the same time; more need more memory and change no result.
            Default: 4.
    """


def tune(
    data: Path,
    *,
    model: Path,
    test: Path | None = None,
    output: Path | None = None,
    settings: DebaterTuningOptions,
    overwrite: options.Overwrite = False,
    dry_run: bool = False,
    shown: options.OutputOptions,
) -> None:
    """Tune a model on statements, so that it keeps to the side that it is told to take (DEBATunE).

    Supervised fine-tuning with transformers and trl; the loss is over the responses only, not the instructions. The
    defaults are the paper's. The tuned model writes with `conqret debate write --model local/FOLDER/model`.

    Args:
        data: Rows to learn, JSONL: messages (user, assistant), or instruction and output, optionally with topic, side
            and argument, as `conqret debate export` writes them.
        dry_run: Print how many rows, tokens and steps there are, and stop.
    Model:
        model (--model, -m): The folder of a transformers model with its tokenizer.
    Files:
        test: Held-out rows on which the loss is measured, in the same layout as DATA; no topic may be in both files.
        output (--output, -o): The folder to write; the same command again goes on from its last checkpoint. Default:
            runs/DATA-tune-MODEL.

    Examples:

    conqret debate tune data/train.jsonl --model models/llama-2-7b --dry-run

    conqret debate tune data/train.jsonl --test data/test.jsonl --model models/llama-2-7b --lora -o tuned/
    """
    from conqret.debate.debatune.debater_training import prepared, tune_debater

    chosen = TuningSettings(**settings.given())
    if dry_run:
        held_out = () if test is None else read_instructions(test)
        planned = prepared(read_instructions(data), model, chosen, held_out).plan
        result(asdict(planned), plan_lines(planned, chosen), as_json=shown.json_output)
        return
    with progress("tuning", quiet=shown.quiet) as bar:

        def started(planned: TuningPlan, done: int) -> None:
            shown.tell(*plan_lines(planned, chosen))
            if done:
                shown.tell(f"{done:,} of {planned.steps:,} steps were done in an earlier run")
            bar.reach(done, total=planned.steps)

        training, folder = tune_debater(
            data,
            model=model,
            test=test,
            settings=chosen,
            output=output,
            overwrite=overwrite,
            on_start=started,
            on_step=lambda step: bar.reach(
                step.step, f"loss {step.loss:.3f}, learning rate {step.learning_rate:.2g}"
            ),
        )
    places = {"model": str(folder.model), "adapter": str(folder.adapter) if chosen.lora else None}
    lines: list[str | Table] = [
        loss_table(training),
        *([at(folder.adapter, "adapter")] if chosen.lora else []),
        at(folder.model, "model") + (", with the adapter merged into it" if chosen.lora else ""),
        at(folder.training_file, "losses"),
        at(folder.curve_file, "curve"),
    ]
    result({**places, **training.model_dump()}, lines, as_json=shown.json_output)


NAMED = 5
"""So many rows are named of those that are cut."""


def plan_lines(plan: TuningPlan, settings: TuningSettings) -> Iterator[str]:
    """What tuning will do."""
    sides = ", ".join(f"{words.count(count)} {SIDE_OF[side]}" for side, count in plan.sides.items())
    topics = f" on {words.count(plan.topics)} topics" if plan.topics else ""
    yield f"{words.count(plan.rows)} rows{topics}{f': {sides}' if sides else ''}"
    yield (
        f"{words.count(plan.tokens)} tokens in an epoch, {words.count(plan.response_tokens)} of them in responses, "
        "which alone are learnt"
    )
    if plan.cut:
        named = ", ".join(plan.cut[:NAMED]) + (", …" if len(plan.cut) > NAMED else "")
        yield (
            f"{words.count(len(plan.cut))} rows are longer than {words.count(plan.limit)} tokens, and their ends are "
            f"cut: {named}"
        )
    else:
        yield f"no row is longer than {words.count(plan.limit)} tokens"
    warm = math.ceil(settings.warmup * plan.steps)
    yield (
        f"{words.count(plan.steps)} steps of {words.count(settings.batch_size)} rows, {settings.epochs} epochs, "
        f"learning rate {plan.rate:g} ({SCHEDULE}, warm-up steps: {words.count(warm)})"
    )
    yield f"LoRA: an adapter of rank {settings.lora_rank}" if settings.lora else "the whole model is trained"
    if not plan.chat:
        yield "the model has no chat template: it gets a plain one, which is stored with the tuned model"
    if plan.held_out:
        yield f"{words.count(plan.held_out)} rows are held out: their loss is measured after each epoch"


def loss_table(training: Training) -> Table:
    """The mean loss of each epoch's steps, and on the rows that are held out."""
    measured = training.before is not None
    rows: list[tuple[Cell, ...]] = [("before", "", training.before, "")] if measured else []
    for epoch, group in groupby(training.steps, key=lambda step: math.ceil(round(step.epoch, 6))):
        steps = list(group)
        held_out = steps[-1].held_out if measured else ""
        loss, rate = fmean(step.loss for step in steps), f"{steps[-1].learning_rate:.2g}"
        rows.append((f"epoch {epoch}", loss, held_out, rate))
    columns = ("", "loss", "held-out loss", "learning rate at its end")
    note = (
        f"Loss: -log p of a token of a response, in nats. Trained in {training.dtype} on {training.device}."
    )
    return Table("", columns, rows, note=note)
