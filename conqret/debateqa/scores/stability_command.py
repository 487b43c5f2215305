"""``conqret debateqa score stability``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import note, result

if TYPE_CHECKING:
    from conqret.debateqa.stability import PairMatrix
    from conqret.show.table import Table


PLOTS = (".png", ".svg")
MEANS = {
    "tau": "1: the same order; 0: no relation; -1: the reverse order",
    "agreement": "1: every verdict is the same; --json also has Cohen's kappa",
}


@grouped
def stability(
    scores: list[Path],
    *,
    metric: list[str] | None = None,
    over: Literal["systems", "answers"] = "systems",
    plot: Path | None = None,
    json_output: options.Json = False,
) -> None:
    """Test whether a metric gives the same results with another measuring model or prompt, for every two of them
    (DebateQA, Figures 9 to 11).

    For metrics with graded scores, Kendall's tau-b of the two rankings is reported; for yes/no metrics, the share of
    equal verdicts.

    Args:
        scores: Tables that `conqret debateqa score` wrote for the same answers with different measuring models or
            prompts, one table each.
        metric: Compare only this metric; may be repeated. Default: all metrics that were measured with several models
            or prompts.
        over: What is ranked: `systems` by their mean scores, or all `answers`.
        plot: Draw heat maps into this file, .png or .svg, one panel per metric.

    Examples:

    conqret debateqa score stability runs/*/scores.parquet --plot stability.png

    conqret debateqa score stability runs/*/scores.parquet --metric dispute_awareness --json
    """
    from conqret._optional import require
    from conqret.debateqa.stability import metric_stability
    from conqret.errors import DeclarationError

    require("scipy", extra="stats")
    if plot is not None and plot.suffix.lower() not in PLOTS:
        raise DeclarationError(f"--plot takes a file that ends in .png or .svg, not {plot.name}")
    compared = metric_stability(scores, metrics=metric or (), over=over)
    matrices = compared.matrices
    if compared.alone:
        note(f"left out, because only one model measured them: {', '.join(compared.alone)}")
    for matrix in matrices:
        _remark(matrix)
    if plot is not None:
        from conqret.debateqa.stability_plot import heat_maps
        from conqret.show.page import write_file

        write_file(plot, heat_maps(matrices, "svg" if plot.suffix.lower() == ".svg" else "png"))
    result([_record(matrix) for matrix in matrices], map(_table, matrices), as_json=json_output)
    if plot is not None:
        note(f"plot: {plot}")


def _remark(matrix: PairMatrix) -> None:
    from conqret.debateqa.stability import FEW_SYSTEMS

    if matrix.left_out:
        note(
            f"{matrix.metric}: {matrix.left_out} answers are left out, because not every measuring model scored them"
        )
    if matrix.over == "systems" and matrix.items < FEW_SYSTEMS:
        note(
            f"{matrix.metric}: a tau over {matrix.items} systems is very uncertain; the paper ranks "
            f"{FEW_SYSTEMS} systems (use --over answers to compare all answers)"
        )


def _record(matrix: PairMatrix) -> dict[str, Any]:
    from dataclasses import asdict

    pairs = []
    for (first_name, other), estimate in matrix.values.items():
        pair: dict[str, Any] = {"first": first_name, "second": other, **asdict(estimate)}
        if (first_name, other) in matrix.kappas:
            pair["kappa"] = asdict(matrix.kappas[first_name, other])
        pairs.append(pair)
    return {
        "metric": matrix.metric, "statistic": matrix.statistic, "over": matrix.over, "systems": matrix.systems,
        "answers": matrix.answers, "left_out": matrix.left_out, "instruments": matrix.names, "matrix": matrix.rows(),
        "pairs": pairs,
    }  # fmt: skip


def _table(matrix: PairMatrix) -> Table:
    """The matrix over numbers, the numbers' names, and the ends of the values."""
    from conqret.debateqa.stability_plot import compared
    from conqret.show import words
    from conqret.show.table import Table

    numbered = [f"{place:>3}  {name or 'without a name'}" for place, name in enumerate(matrix.names, start=1)]
    header = ("", *map(str, range(1, len(numbered) + 1)))
    rows = [
        (str(place), *("none" if value is None else f"{value:.2f}" for value in row))
        for place, row in enumerate(matrix.rows(), start=1)
    ]
    title = f"{words.label(matrix.metric)}\n  {compared(matrix)}"
    return Table(title, header, rows, note="\n".join([*numbered, "", _ends(matrix), ""]))


def _ends(matrix: PairMatrix) -> str:
    """Mean and lowest value over pairs, the lowest with its interval, and how many have none."""
    number = {name: place for place, name in enumerate(matrix.names, start=1)}
    known = {pair: value for pair, value in matrix.values.items() if value.value is not None}
    missing = [(pair, value) for pair, value in matrix.values.items() if value.value is None]
    lines = [MEANS[matrix.statistic]]
    if known:
        values = [estimate.value for estimate in known.values() if estimate.value is not None]
        lowest = min(known, key=lambda pair: known[pair].value or 0.0)
        between = f"{number[lowest[0]]} and {number[lowest[1]]}"
        lines.append(
            f"mean of {len(values)} pairs {sum(values) / len(values):.2f}, lowest {known[lowest]} ({between})"
            if len(values) > 1
            else f"{between}: {known[lowest]}"
        )
        lines.append(known[lowest].reason or "in brackets: the 95% interval over questions")
    if missing:
        (first_name, other), first = missing[0]
        have, between = "has" if len(missing) == 1 else "have", f"{number[first_name]} and {number[other]}"
        lines.append(f"{len(missing)} of {len(matrix.values)} pairs {have} none; {between}: {first.reason}")
    return "\n".join(lines)
