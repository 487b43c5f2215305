"""``conqret score correlate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conqret.cli import options
from conqret.cli.console import out

EPILOG = "Example: conqret score correlate runs/*/scores.parquet --preferences pairs.csv"


def correlate(
    scores: Annotated[list[Path], typer.Argument(help="Tables of `conqret score`, of all systems.")],
    preferences: Annotated[
        Path, typer.Option(help="Pairwise preferences: first, second, preference; perhaps annotator, item.")
    ],
    seed: Annotated[int, typer.Option(help="Draws the orders over which Elo's ratings are averaged.")] = 13,
    json_output: options.Json = False,
) -> None:
    """Compare each metric's ranking of systems with people's, by Elo, Spearman's rho and Kendall's tau (Table 14)."""
    from dataclasses import asdict

    from conqret.evaluation.debateqa.preferences import align
    from conqret.evaluation.debateqa.table import read_tables
    from conqret.io.comparisons import read_comparisons

    found = align(read_tables(scores), read_comparisons(preferences), seed=seed)
    if json_output:
        import json

        out().out(json.dumps([asdict(one) for one in found], indent=1, ensure_ascii=False))
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(f"Agreement with {found[0].annotators} annotators' rankings"), title_justify="left"
    )
    for name in ("metric", "instrument", "rho", "tau", "systems"):
        table.add_column(name)
    for one in found:
        figures = ("none" if value is None else f"{value:.3f}" for value in (one.rho, one.tau))
        table.add_row(*map(Text, (one.metric, one.instrument, *figures, str(one.systems))))
    out().print(table)
