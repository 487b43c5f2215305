"""``conqret debateqa score correlate``."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import heading, note, result
from conqret.debateqa.scores.score_options import remark_left_out
from conqret.errors import number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import RenderableType

    from conqret.debateqa.preferences import RankingAgreement


@grouped
def correlate(
    scores: list[Path],
    *,
    preferences: Path,
    seed: int = 13,
    json_output: options.Json = False,
) -> None:
    """Compare each metric's ranking of systems with annotators', by Elo, Spearman's rho and Kendall's tau (Table 14).

    Args:
        scores: Tables of `conqret debateqa score`, of all systems.
        preferences: Pairwise preferences: first, second, preference; optionally annotator, item.
        seed: The random seed of the orders of comparisons over which Elo ratings are averaged.

    Example: conqret debateqa score correlate runs/*/scores.parquet --preferences pairs.csv
    """
    from dataclasses import asdict

    from conqret._optional import require
    from conqret.debateqa.preferences import correlate as compared

    require("scipy", extra="stats")
    agreements = compared(scores, preferences, seed=seed)
    for agreement in agreements:
        remark_left_out(agreement.metric, agreement.instrument, agreement.unlike, agreement.questions)
    if left := sorted({name for agreement in agreements for name in agreement.left_out}):
        note(f"annotators compared these systems, but not every metric scored them: {', '.join(left)}")
    result([asdict(agreement) for agreement in agreements], _lines(agreements), as_json=json_output)


def _lines(agreements: Iterable[RankingAgreement]) -> Iterator[RenderableType]:
    yield heading("Agreement with annotators' rankings")
    for instrument, metrics in groupby(agreements, key=attrgetter("instrument")):
        yield instrument or "measuring model without a name"
        for row in metrics:
            rho, tau = ("none" if value is None else f"{value:.3f}" for value in (row.rho, row.tau))
            behind = (
                f"{number(row.systems, 'system')}, {row.annotators} annotator{'s' * (row.annotators != 1)}"
            )
            known = f"rho {rho:>6}   tau {tau:>6}   ({behind})"
            yield f"  {row.metric:<24} {f'none: {row.reason}' if row.rho is None else known}"
