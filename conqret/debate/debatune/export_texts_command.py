"""``conqret debate export``: concluded statements as training data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import at, result


@grouped
def export(
    sources: list[Path],
    *,
    shape: Literal["chat", "instruction"] = "chat",
    test_share: Annotated[
        float,
        typer.Option(
            help="The share of the topics in test.jsonl. Default: 80 of 710, as in DEBATunE.",
            show_default=False,
        ),
    ] = 80 / 710,
    seed: int = 13,
    passed: Annotated[
        Path | None,
        typer.Option(
            "--filter",
            help="A run of `conqret debate filter` on these statements: those that did not pass are left out.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder.", file_okay=False)] = Path(
        "data"
    ),
    overwrite: options.Replace = False,
    json_output: options.Json = False,
) -> None:
    """Write concluded statements as training data: train.jsonl and test.jsonl, which share no topic.

    The instruction names topic, side and argument; the response is the statement. Each topic has equally many
    statements for both sides. Empty statements, and those that decline the task, are left out and counted.

    Args:
        sources: Folders of `conqret debate hold`, or files with columns topic, side and statement (as `conqret debate
            filter` writes them), optionally argument.
        shape (--as): The layout of a row: `messages` (chat messages), or `instruction` (instruction, input and output).
        seed: The seed by which the test topics are drawn.

    Examples:

    conqret debate export runs/held -o data/

    conqret debate export kept.jsonl --as instruction --test-share 0.2 -o data/
    """
    from conqret.debate.debatune.training_export import debate_training_data
    from conqret.io.jsonl import json_lines
    from conqret.io.overwriting import check_new, write_new

    data = debate_training_data(sources, test_share=test_share, seed=seed, passed=passed)
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
    counts_by_name = data.numbers()
    result(counts_by_name, _lines(counts_by_name, output), as_json=json_output)


def _lines(counts_by_name: dict[str, Any], output: Path) -> Iterator[str]:
    from conqret.debate.debatune.training_export import in_words
    from conqret.show.words import number

    for name in ("train", "test"):
        if counts_by_name[name]:
            topics = number(counts_by_name[f"{name}_topics"], "topic")
            yield f"{number(counts_by_name[name], 'statement')} on {topics}, half of them for either side"
            yield at(output / f"{name}.jsonl", name)
    if not counts_by_name["test"]:
        yield "no topic is tested on"
    if counts_by_name["left_out"]:
        yield f"left out: {in_words(counts_by_name['left_out'])}"
