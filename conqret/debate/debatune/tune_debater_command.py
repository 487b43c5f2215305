"""``conqret debate tune``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import at, progress, result
from conqret.debate.debatune.debater_tuning import TuningSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from conqret.debate.debatune.debater_tuning import Training, TunedFolder, TuningPlan


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


@grouped
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
    from dataclasses import asdict

    from conqret.debate.debatune.debater_training import plan, tune_debater, tuning_rows
    from conqret.debate.debatune.debater_tuning import TuningSettings, plan_lines

    chosen = TuningSettings(**settings.given())
    if dry_run:
        rows, held_out = tuning_rows(data, test)
        planned = plan(rows, model, chosen, held_out=held_out)
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
    data_out = {"model": str(folder.model), "adapter": str(folder.adapter) if chosen.lora else None}
    result(
        {**data_out, **training.model_dump()},
        _lines(training, folder, lora=chosen.lora),
        as_json=shown.json_output,
    )


def _lines(training: Training, folder: TunedFolder, *, lora: bool) -> Iterator[RenderableType]:
    from conqret.debate.debatune.debater_tuning import loss_table

    yield loss_table(training)
    if lora:
        yield at(folder.adapter, "adapter")
    yield at(folder.model, "model") + (", with the adapter merged into it" if lora else "")
    yield at(folder.training_file, "losses")
    yield at(folder.curve_file, "curve")
