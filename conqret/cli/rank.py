"""``conqret rank``: systems by Perspective Diversity, Dispute Awareness, and both."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conqret.cli.console import note, out

EPILOG = (
    "Examples:\n\nconqret rank runs/*/scores.parquet --weights 0,0.25,0.5,0.75,1\n\n"
    "conqret rank runs/*/scores.parquet --weights 0.5 --json"
)


def rank(
    scores: Annotated[
        list[Path], typer.Argument(help="Tables of `conqret score`, of all systems and both metrics.")
    ],
    weights: Annotated[
        str, typer.Option(help="Weights of Perspective Diversity, from 0 to 1.")
    ] = "0,0.25,0.5,0.75,1",
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")] = False,
) -> None:
    """Rank systems by the weighted mean of both metrics (DebateQA, Equation 4); equal scores share a rank.

    Where several backbones measured a metric, their means are averaged for the combination.
    """
    from conqret.evaluation.debateqa.combination import ranks, shown, weighted
    from conqret.evaluation.debateqa.table import AWARENESS, DIVERSITY, means_of, read_tables, reasons

    rows = read_tables(scores)
    diversity, awareness = _average(means_of(rows, DIVERSITY)), _average(means_of(rows, AWARENESS))
    table = {weight: weighted(diversity, awareness, weight) for weight in _weights(weights)}
    places = {weight: shown(ranks(values)) for weight, values in table.items()}
    for reason, count in reasons(rows).items():
        note(f"{count} scores are missing: {reason}")
    if json_output:
        import json

        found = [
            {"k": weight, "system": name, "score": value, "rank": places[weight][name]}
            for weight, values in table.items()
            for name, value in sorted(values.items(), key=lambda pair: -pair[1])
        ]
        out().out(json.dumps(found, indent=1, ensure_ascii=False))
        return
    from rich.table import Table
    from rich.text import Text

    view = Table(title=Text("Ranks; k is the weight of Perspective Diversity"), title_justify="left")
    for name in ("system", "P.D. (less is better)", "D.A.", *(f"k={weight:g}" for weight in table)):
        view.add_column(name, justify="left" if name == "system" else "right")
    last = next(reversed(table.values()))
    for name in sorted(last, key=lambda one: -last[one]):
        cells = (
            name,
            f"{diversity[name]:.3f}",
            f"{awareness[name]:.3f}",
            *(places[weight][name] for weight in table),
        )
        view.add_row(*map(Text, cells))
    out().print(view)


def _average(means: dict[str, dict[str, float]]) -> dict[str, float]:
    from conqret.errors import DeclarationError

    systems = {name for one in means.values() for name in one}
    for instrument, one in means.items():
        if missing := systems - set(one):
            raise DeclarationError(
                f"{instrument} did not measure {', '.join(sorted(missing))}: leave it out, or score them"
            )
    return {name: sum(one[name] for one in means.values()) / len(means) for name in sorted(systems)}


def _weights(text: str) -> list[float]:
    from conqret.errors import DeclarationError

    try:
        found = [float(one) for one in text.split(",") if one.strip()]
    except ValueError:
        found = []
    if not found:
        raise DeclarationError(f"--weights is a list such as 0,0.5,1, not {text!r}")
    return found
