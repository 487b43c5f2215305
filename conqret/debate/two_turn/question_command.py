"""``conqret debate two-turn questions``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import at, result
from conqret.errors import number as counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from conqret.debate.two_turn.two_turn_files import TwoTurnQuestion


@grouped
def questions(
    file: Path,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the checked questions into this file, in the layout that `conqret debate two-turn judge` "
            "reads (JSONL).",
            dir_okay=False,
        ),
    ] = None,
    overwrite: options.Replace = False,
    json_output: options.Json = False,
) -> None:
    """Check questions of two-turn debates, and say which judgments they allow.

    Each option needs an argument, each argument a counter-argument (if there are any), and each snippet must be in the
    passage.

    Args:
        file: Questions with two options and the arguments for them, JSONL (also .gz); the released data set
            single_turn_debate of Parrish et al. 2022 is read as it is.

    Examples:

    conqret debate two-turn questions debates.jsonl

    conqret debate two-turn questions all_arguments.jsonl.gz -o debates.jsonl
    """
    from conqret.debate.two_turn.two_turn_files import read_two_turn
    from conqret.io.jsonl import json_lines
    from conqret.io.overwriting import write_new

    question_list = read_two_turn(file)
    counts = {
        "questions": len(question_list),
        "passages": len({question.passage_id for question in question_list}),
        "with_passage": sum(bool(question.passage) for question in question_list),
        "with_counter_arguments": sum(question.sides[0].counter is not None for question in question_list),
        "right_first": sum(question.right == 1 for question in question_list),
        "longer_is_right": sum(_longer(question) == question.right for question in question_list),
    }
    if output is not None:
        write_new({output: json_lines(question.record() for question in question_list)}, overwrite=overwrite)
    result(counts, _lines(counts, output), as_json=json_output)


def _longer(question: TwoTurnQuestion) -> int:
    first, second = (len(side.argument.text) for side in question.sides)
    return 1 if first > second else 2


def _lines(counts: dict[str, int], output: Path | None) -> Iterator[RenderableType]:
    total, texts, counters = (
        counts[name] for name in ("questions", "with_passage", "with_counter_arguments")
    )
    turns = "both judgments" if counters == total else "the first judgment"
    main = turns if texts == total else "none, as the passage is not there for all"
    first, longer = (f"{counts[name] / total:.1%}" for name in ("right_first", "longer_is_right"))
    yield f"{counted(total, 'question')} on {counts['passages']:,} passages, two options and an argument for each"
    yield f"  with the text of the passage: {texts:,}   with counter-arguments: {counters:,}"
    yield f"  pilot design (S, SA), before the passage: {turns}"
    yield f"  main design (PS, PSA): {main}"
    yield f"  right is the first option in {first}, the longer argument in {longer}"
    if output is not None:
        yield at(output)
