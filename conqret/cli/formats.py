"""``conqret formats``: what the judges ask for, on which scale, and where each is from."""

from __future__ import annotations

from typing import Annotated

import typer

from conqret.cli.console import out

EPILOG = "Example: conqret formats --json"


def formats(
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the formats of the judge, with their metrics, scales and sources."""
    from conqret.judging.dimensions import DIMENSIONS
    from conqret.judging.registry import JUDGES

    judges = list(JUDGES.values())
    if json_output:
        import json

        rows = [
            {
                "name": judge.name,
                "summary": judge.summary,
                "metrics": list(judge.metrics),
                "scale": judge.scale,
                "score": judge.score,
                "source": judge.source,
                "prompts": list(dict.fromkeys(ask.prompt for ask in judge.asks)),
                "needs": sorted(set().union(*(ask.needs for ask in judge.asks))),
                "calls": sum(2 if ask.both_orders else 1 for ask in judge.asks),
                "plug_in": JUDGES.plugged(judge.name),
            }
            for judge in judges
        ]
        out().out(json.dumps(rows, indent=1))
        return
    from rich.padding import Padding
    from rich.text import Text

    names = {dimension.name for dimension in DIMENSIONS}
    for judge in judges:
        metrics = [metric for metric in judge.metrics if metric not in names]
        if names <= set(judge.metrics):
            metrics.append("the 15 dimensions")
        calls = sum(2 if ask.both_orders else 1 for ask in judge.asks)
        out().print(Text.assemble((judge.name, "bold"), f"  {calls} call{'s' if calls > 1 else ''} an item"))
        for line in (
            judge.summary,
            f"metrics: {', '.join(metrics)}",
            f"scale: {judge.scale}; score: {judge.score}",
            f"source: {judge.source}",
            *([f"plug-in: {package}"] if (package := JUDGES.plugged(judge.name)) else []),
        ):
            out().print(Padding(Text(line, style="" if line is judge.summary else "dim"), (0, 0, 0, 2)))
        out().print()
    out().print(
        "The default is rag-fine-grained. A preference is always asked in both orders: two calls.\n"
        "Metrics may be written with hyphens: --metric context-relevance."
    )
