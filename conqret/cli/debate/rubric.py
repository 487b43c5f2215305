"""``conqret debate rubric``: how well are counter-arguments made?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conqret.cli import options
from conqret.cli.asking import Asking
from conqret.cli.debate.judged import Output, conclude, judged
from conqret.cli.groups import grouped

EPILOG = (
    "Examples:\n\n"
    "conqret debate rubric runs/written/debates.jsonl --model gpt-4o-mini -o runs/rubric\n\n"
    "conqret debate rubric debates.jsonl --model gpt-4o-mini --dry-run"
)


@grouped
def rubric(
    questions: Annotated[
        Path,
        typer.Argument(help="Questions with counter-arguments, as `conqret debate questions` checks them."),
    ],
    *,
    model: options.Model = None,
    output: Output = None,
    asking: Asking,
) -> None:
    """Grade each counter-argument from 1 to 5: is it convincing, do its snippets help, does it answer the argument?

    The rubric by which Parrish et al. 2022 chose their writers, those with a mean from 3.3 on. The judge is not told
    which option is right. The folder is one of `conqret judge` by the format counter-argument.
    """
    from conqret.debate.rubric import FORMAT, counter_items
    from conqret.debate.rubric import rubric as graded
    from conqret.io.two_turn import read_two_turn
    from conqret.report.debate_writers import rubric_table

    items = counter_items(read_two_turn(questions))
    judgments = judged(
        items, [questions], FORMAT, model=model, output=output, asking=asking,
    )  # fmt: skip
    if judgments is None:
        return
    found = graded(items, judgments)
    conclude(
        judgments,
        lambda: rubric_table(found),
        shown=asking.shown,
        grades=[one.model_dump(mode="json") for one in found],
    )
