"""``conqret debate hold``, ``export`` and ``write``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from conqret.console import shared_options as options
from conqret.console.printing import at, note, result
from conqret.debate.debatune.debate_run import hold_debates
from conqret.debate.debatune.statement_run import write_statements
from conqret.errors import number
from conqret.io.jsonl import json_lines
from conqret.io.safe_files import check_new, write_new
from conqret.judging.command_options import PlanOptions, StudyOptions
from conqret.llm.client_options import Sampling
from conqret.show.words import reason


def hold(
    topics: Path,
    *,
    model: options.Model = None,
    against: str | None = None,
    rounds: int = 2,
    arguments: int = 5,
    output: Annotated[
        Path | None,
        options.run_folder(
            "TOPICS-debate-hold-MODEL", where="where it stopped, in the middle of a debate, too"
        ),
    ] = None,
    asking: StudyOptions,
) -> None:
    """Let two models debate each topic, and let each side write its best statement at the end.

    Each turn answers the other side's questions, restates its own position, and puts questions. The speakers
    need not agree; there is no judge. The folder has a page that shows every debate, and statements for `conqret debate
    score` and `conqret debate export`.

    Args:
        topics: Column topic, optionally affirmative and negative (a list of arguments each) and id: JSONL, CSV, TSV,
            Parquet. DEBATunE's own file reads as it is.
    Model:
        against: The model of the negative side. Default: `--model`, which speaks for both sides.
    Debate:
        rounds: How many turns each side has; with 0 each side writes its statement directly, without a debate.
        arguments: Number of debates per topic, each about another argument of either side. A side without arguments
            gets them from the model. Of a side with more, the first are used; with fewer, there are fewer debates.

    Examples:

    conqret debate hold topics.jsonl --model gpt-4o-mini -o runs/held

    conqret debate hold topics.jsonl --model gpt-4o-mini --against gpt-4o --rounds 1 --arguments 1

    conqret debate hold topics.jsonl --model gpt-4o-mini --dry-run
    """
    if against not in (None, model) and asking.calls.budget is not None:
        note("each of the two models gets half of the budget")
    outcome = asking.study(
        hold_debates,
        topics,
        model=asking.calls.of(model),
        against=None if against is None else asking.calls.of(against),
        rounds=rounds,
        arguments=arguments,
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
    asking.conclude(summary, lines, outcome, summary.missing, there=summary.statements)


MAX_NAMED = 10
"""Unfinished debates that are named one by one; the page names all."""


def export(
    sources: list[Path],
    *,
    shape: Literal["chat", "instruction"] = "chat",
    test_share: float = 80 / 710,
    passed: Path | None = None,
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
        passed (--filter): A run of `conqret debate filter` on these statements: those that did not pass are left out.
        output (--output, -o): The folder to write train.jsonl and test.jsonl into.

    Examples:

    conqret debate export runs/held -o data/

    conqret debate export kept.jsonl --as instruction --test-share 0.2 -o data/
    """
    from conqret.debate.debatune.training_export import debate_training_data, in_words

    data = debate_training_data(sources, test_share=test_share, passed=passed)
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
    asking: PlanOptions,
) -> None:
    """Have a model write statements, or answer any instructions, to be judged by
    `conqret debate score`.

    Each instruction is sent word for word, and the answer is kept word for word. With `local/FOLDER` a
    transformers model on this machine writes, one text after another.

    Args:
        rows: What the model is to write: rows with topic, side and argument, with an instruction, or with chat messages
            (JSONL, CSV, TSV or Parquet). Responses in them are ignored.
    Model:
        system: The name of the writer in the rows. Default: the model's name.

    Examples:

    conqret debate write data/test.jsonl --model local/models/llama-2-7b --system before -o runs/before

    conqret debate write data/test.jsonl --model local/tuned/model --system after -o runs/after

    conqret debate score runs/before/statements.jsonl runs/after/statements.jsonl --model gpt-4o-mini
    """
    outcome = asking.study(
        write_statements,
        rows,
        model=asking.calls.of(model),
        system=system,
        sampling=sampling,
        output=output,
        rows="statements",
        doing="writing",
        role="an author",
    )
    summary, file = outcome.summary, outcome.folder.statements_file
    if summary.cut:
        asking.shown.note(
            f"{summary.cut:,} statements were cut off at the token limit: raise it with --max-tokens"
        )
    lines = (
        f"{summary.written:,} of {number(len(outcome.rows), 'statement')} written",
        at(file, "statements"),
    )
    data = {"statements": str(file), **summary.model_dump()}
    asking.conclude(data, lines, outcome, summary.unwritten, there=summary.written)
