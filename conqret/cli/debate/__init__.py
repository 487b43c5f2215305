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
        "topics": topics.topics,
        "hold": hold.hold,
        "filter": filtered.filter_,
        "export": export.export,
        "tune": tune.tune,
        "write": write.write,
    },
    panel="Models that debate, and learn from it",
)
add_commands(
    app,
    {"score": score.score, "quality": quality.quality, "sample": sample.sample, "agree": agree.agree},
    panel="How good statements are",
)
add_commands(
    app,
    {
        "questions": questions.questions,
        "argue": argue.argue,
        "rubric": rubric.rubric,
        "judge": judge.judge,
        "table": table.table,
        "anova": anova.anova,
        "writers": writers.writers,
        "annotations": annotated.annotated,
        "payoffs": payoffs.payoffs,
    },
    panel="Two-turn debates: does debate help who judges?",
)
