"""``conqret debate``: debates and what they do to a judge, one module a subcommand."""

from __future__ import annotations

import typer

from conqret.cli.debate import (
    agree,
    annotated,
    anova,
    argue,
    export,
    filtered,
    hold,
    judge,
    payoffs,
    quality,
    questions,
    rubric,
    sample,
    score,
    table,
    topics,
    tune,
    write,
    writers,
)
from conqret.cli.groups import add_commands

app = typer.Typer(
    help="Debates: hold them, see whether texts keep to their side and what to train on, and whether a debate helps "
    "who judges.",
    no_args_is_help=True,
    epilog="Example: conqret debate score statements.jsonl --model gpt-4o-mini -o runs/controllability",
)
add_commands(
    app,
    {
        "hold": hold.hold,
        "tune": tune.tune,
        "write": write.write,
        "score": score.score,
        "sample": sample.sample,
        "agree": agree.agree,
        "quality": quality.quality,
        "filter": filtered.filter_,
        "topics": topics.topics,
        "export": export.export,
        "questions": questions.questions,
        "argue": argue.argue,
        "rubric": rubric.rubric,
        "judge": judge.judge,
        "payoffs": payoffs.payoffs,
        "table": table.table,
        "anova": anova.anova,
        "writers": writers.writers,
        "annotations": annotated.annotated,
    },
)
