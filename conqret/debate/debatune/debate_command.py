"""``conqret debate hold``, ``export``, ``tune`` and ``write``: from debates to a tuned model and its statements."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Annotated, Literal

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, note, progress, result
from conqret.console.shared_options import PlanOptions, StudyOptions
from conqret.debate.debatune.debate_files import SIDE_OF, read_instructions
from conqret.debate.debatune.debate_run import Design, hold_debates
from conqret.debate.debatune.debater_training import SCHEDULE, WARMUP, Training, TuningPlan, TuningSettings
from conqret.debate.debatune.statement_run import write_statements
from conqret.errors import number
from conqret.io.jsonl import json_lines
from conqret.io.safe_files import check_new, write_new
from conqret.llm.request import Sampling
from conqret.local.training_loop import LORA_RANK
from conqret.show import words
from conqret.show.table import Cell, Table
from conqret.show.words import reason


def hold(
    topics: Path,
    *,
    model: options.Model = None,
    against: str | None = None,
    rounds: int = 2,
    arguments: int = 5,
    design: Design = "paired",
    sampling: Sampling,
    output: Annotated[
        Path | None,
        options.run_folder(
            "TOPICS-debate-hold-MODEL", where="where it stopped, in the middle of a debate, too"
        ),
    ] = None,
    run_options: StudyOptions,
) -> None:
    """Let two models debate each topic, and let each side write its best statement at the end.

    Each turn answers the other side's questions, restates its own position, and puts questions. The speakers
    need not agree; there is no judge. The folder has a page that shows every debate, and statements for `conqret debate
    score` and `conqret debate export`.

    Args:
        topics: Column topic, optionally affirmative and negative (a list of arguments each) and id: JSONL, CSV, TSV,
            Parquet; or a JSON list of texts. DEBATunE's own files read as they are.
    Model:
        against: The model of the negative side. Default: `--model`, which speaks for both sides.
    Debate:
        rounds: How many turns each side has; with 0 each side writes its statement directly, without a debate.
        arguments: Number of arguments a side, each with a debate. A side without arguments gets them from the model.
            Of a side with more, the first are used; with fewer, there are fewer debates.
        design: `paired`: an argument of one side meets one of the other, and both sides conclude. `single` (DEBATunE):
            each argument of either side has its own debate; its side opens, the other side rebuts it, and only its
            side concludes.

    Examples:

    conqret debate hold topics.jsonl --model gpt-4o-mini -o runs/held

    conqret debate hold topics.jsonl --model gpt-4o-mini --arguments 3 --design single --temperature 0.7

    conqret debate hold topics.jsonl --model gpt-4o-mini --against gpt-4o --rounds 1 --arguments 1

    conqret debate hold topics.jsonl --model gpt-4o-mini --dry-run
    """
    if against not in (None, model) and run_options.calls.budget is not None:
        note("each of the two models gets half of the budget")
    outcome = run_options.study(
        hold_debates,
        topics,
        model=run_options.calls.for_model(model),
        against=None if against is None else run_options.calls.for_model(against),
        rounds=rounds,
        arguments=arguments,
        design=design,
        sampling=sampling,
        output=output,
        rows="turns",
        doing="debating",
        role="a debater",
    )
    summary, folder = outcome.summary, outcome.folder
    lines = [
        f"{summary.finished:,} of {number(summary.debates, 'debate')} finished, "
        f"{number(summary.statements, 'statement')} concluded"
    ]
    if summary.trimmed:
        lines.append(
            f"{number(summary.trimmed, 'debate')} did not fit the window: the turns were shown shortened, all alike"
        )
    for debate in summary.unfinished[:MAX_NAMED]:
        lack = debate.lacks[0]
        lines.append(f"  {debate.id} is not finished: {lack.what}: {reason(lack.reason)}")
    places = {
        "debates": folder.debates_file,
        "statements": folder.statements_file,
        "page": folder.report_file,
    }
    lines += [at(file, name) for name, file in places.items()]
    run_options.conclude(summary, lines, outcome, summary.missing, there=summary.statements)


MAX_NAMED = 10
"""Unfinished debates that are named one by one; the page names all."""


def export(
    sources: list[Path],
    *,
    shape: Literal["chat", "instruction"] = "chat",
    test_share: float = 80 / 710,
    output: Path = Path("data"),
    overwrite: options.Replace = False,
    json_output: options.Printed = None,
) -> None:
    """Write concluded statements as training data: train.jsonl and test.jsonl, which share no topic.

    The instruction names topic, side and argument; the response is the statement. Each topic has equally many
    statements for both sides. Empty statements, and those that decline the task, are left out and counted.

    Args:
        sources: Folders of `conqret debate hold`, or files with columns topic, side and statement (as `conqret debate
            filter` writes them), optionally argument.
        shape (--as): The layout of a row: `messages` (chat messages), or `instruction` (instruction, input and output).
        test_share: The share of the topics in test.jsonl. Default: 80 of 710, as in DEBATunE.
        output (--output, -o): The folder to write train.jsonl and test.jsonl into.

    Examples:

    conqret debate export runs/held -o data/

    conqret debate export kept.jsonl --as instruction --test-share 0.2 -o data/
    """
    from conqret.debate.debatune.statement_filters import debate_training_data, in_words

    data = debate_training_data(sources, test_share=test_share)
    parts = {"train.jsonl": data.train, "test.jsonl": data.test}
    files = {
        output / name: json_lines(example.row(shape) for example in examples)
        for name, examples in parts.items()
        if examples
    }
    older = output / "test.jsonl"  # which might hold what is trained on now
    if not data.test:
        check_new([older], overwrite=overwrite)
    write_new(files, overwrite=overwrite)
    if not data.test:
        older.unlink(missing_ok=True)
    counts = data.numbers()
    lines = []
    for name in ("train", "test"):
        if counts[name]:
            topics = number(counts[f"{name}_topics"], "topic")
            lines.append(f"{number(counts[name], 'statement')} on {topics}, half of them for either side")
            lines.append(at(output / f"{name}.jsonl", name))
    if not data.test:
        lines.append("no topic is tested on")
    if left_out := in_words(counts["left_out"]):
        lines.append(f"left out: {left_out}")
    result(counts, lines, as_json=json_output)


def write(
    rows: Path,
    *,
    model: options.Model = None,
    system: str | None = None,
    sampling: Sampling,
    output: Annotated[Path | None, options.run_folder("ROWS-debate-write-MODEL")] = None,
    run_options: PlanOptions,
) -> None:
    """Have a model write statements, or answer any instructions, to be judged by
    `conqret debate score`.

    Each instruction is sent word for word, and the answer is kept word for word. With `local/FOLDER` a
    transformers model on this machine writes, one text after another.

    Args:
        rows: What the model is to write: rows with topic, side and argument, with an instruction, or with chat messages
            (JSONL, CSV, TSV or Parquet), whose responses are ignored; or topics as for `conqret debate hold`, each for
            both sides with each argument.
    Model:
        system: The name of the writer in the rows. Default: the model's name.

    Examples:

    conqret debate write data/test.jsonl --model local/models/llama-2-7b --system before -o runs/before

    conqret debate write data/test.jsonl --model local/tuned/model --system after -o runs/after

    conqret debate score runs/before/statements.jsonl runs/after/statements.jsonl --model gpt-4o-mini
    """
    outcome = run_options.study(
        write_statements,
        rows,
        model=run_options.calls.for_model(model),
        system=system,
        sampling=sampling,
        output=output,
        rows="statements",
        doing="writing",
        role="an author",
    )
    summary, file = outcome.summary, outcome.folder.statements_file
    if summary.cut:
        run_options.shown.note(
            f"{summary.cut:,} statements were cut off at the token limit: raise it with --max-tokens"
        )
    lines = (
        f"{summary.written:,} of {number(len(outcome.rows), 'statement')} written",
        at(file, "statements"),
    )
    data = {"statements": str(file), **summary.model_dump()}
    run_options.conclude(data, lines, outcome, summary.unwritten, there=summary.written)


@dataclass(frozen=True)
class DebaterTuningOptions(OptionGroup, settings_class=TuningSettings):
    """How a model is tuned: the fields of :class:`conqret.debate.debatune.debater_training.TuningSettings`.

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
        at(folder.summary_file, "losses"),
    ]
    result({**places, **training.model_dump()}, lines, as_json=shown.json_output)


NAMED = 5
"""So many rows are named of those that are cut."""


def plan_lines(plan: TuningPlan, settings: TuningSettings) -> Iterator[str]:
    """Yield lines of text that describe a training plan: its rows, tokens, steps and learning rate."""
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
    warm = math.ceil(WARMUP * plan.steps)
    yield (
        f"{words.count(plan.steps)} steps of {words.count(settings.batch_size)} rows, {settings.epochs} epochs, "
        f"learning rate {plan.rate:g} ({SCHEDULE}, warm-up steps: {words.count(warm)})"
    )
    yield f"LoRA: an adapter of rank {LORA_RANK}" if settings.lora else "the whole model is trained"
    if not plan.chat:
        yield "the model has no chat template: it gets a plain one, which is stored with the tuned model"
    if plan.held_out:
        yield f"{words.count(plan.held_out)} rows are held out: their loss is measured after each epoch"


def loss_table(training: Training) -> Table:
    """Build the table of a training: a row per epoch with mean training loss, held-out loss and final
    learning rate. With held-out data, a first row has the held-out loss before training.
    """
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
