"""``conqret score``: metrics of answers to debatable questions, one module a subcommand."""

from __future__ import annotations

import typer

from conqret.cli.score import awareness, baselines, correlate, diversity, stability

app = typer.Typer(
    help="Measure answers to debatable questions: how many perspectives they hold, whether they say so.",
    no_args_is_help=True,
    epilog="Example: conqret score perspective-diversity answers.jsonl --references debateqa.jsonl --backbone gpt2",
)
app.command("perspective-diversity", epilog=diversity.EPILOG)(diversity.perspective_diversity)
app.command("dispute-awareness", epilog=awareness.EPILOG)(awareness.dispute_awareness)
app.command("baselines", epilog=baselines.EPILOG)(baselines.baselines)
app.command("correlate", epilog=correlate.EPILOG)(correlate.correlate)
app.command("stability", epilog=stability.EPILOG)(stability.stability)
