"""``conqret debate``: debates and what they do to a judge, one module a subcommand."""

from __future__ import annotations

import typer

from conqret.cli.debate import (
    anova,
    argue,
    filtered,
    hold,
    judge,
    payoffs,
    quality,
    questions,
    score,
    table,
    topics,
)

app = typer.Typer(
    help="Debates: whether texts keep to their side, what an answer earns, and whether a debate helps who judges.",
    no_args_is_help=True,
    epilog="Example: conqret debate score statements.jsonl --model gpt-4o-mini -o runs/controllability",
)
app.command("hold", epilog=hold.EPILOG)(hold.hold)
app.command("score", epilog=score.EPILOG)(score.score)
app.command("quality", epilog=quality.EPILOG)(quality.quality)
app.command("filter", epilog=filtered.EPILOG)(filtered.filter_)
app.command("topics", epilog=topics.EPILOG)(topics.topics)
app.command("questions", epilog=questions.EPILOG)(questions.questions)
app.command("argue", epilog=argue.EPILOG)(argue.argue)
app.command("judge", epilog=judge.EPILOG)(judge.judge)
app.command("payoffs", epilog=payoffs.EPILOG)(payoffs.payoffs)
app.command("table", epilog=table.EPILOG)(table.table)
app.command("anova", epilog=anova.EPILOG)(anova.anova)
