"""``conqret score``: metrics of answers to debatable questions, one module a subcommand."""

from __future__ import annotations

import typer

from conqret.console.option_groups import add_commands
from conqret.debateqa.scores import awareness_command as awareness
from conqret.debateqa.scores import baselines_command as baselines
from conqret.debateqa.scores import correlate_command as correlate
from conqret.debateqa.scores import diversity_command as diversity
from conqret.debateqa.scores import stability_command as stability

app = typer.Typer(
    help="Measure answers to debatable questions: how many perspectives they hold, whether they say so.",
    no_args_is_help=True,
    epilog="Example: conqret score perspective-diversity answers.jsonl --references debateqa.jsonl --backbone gpt2",
)
add_commands(
    app,
    {
        "perspective-diversity": diversity.perspective_diversity,
        "dispute-awareness": awareness.dispute_awareness,
        "baselines": baselines.baselines,
        "correlate": correlate.correlate,
        "stability": stability.stability,
    },
)
