"""``conqret debateqa rank``: systems by Perspective Diversity, Dispute Awareness, and both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import at, result
from conqret.debateqa.scores.score_options import remark_left_out, remark_missing

if TYPE_CHECKING:
    from rich.console import RenderableType

    from conqret.debateqa.score_table import CommonMeans
    from conqret.debateqa.standings import Standings


@grouped
def rank(
    scores: list[Path],
    *,
    weights: str = "0,0.25,0.5,0.75,1",
    report: Path | None = None,
    answers: list[Path] | None = None,
    json_output: options.Json = False,
) -> None:
    """Rank systems by the weighted mean of two metrics, Perspective Diversity and Dispute Awareness, after
    standardizing both (DebateQA, Equation 4); systems with equal scores share a rank.

    If a metric was measured with several models or prompts, its mean over them is used; a system's normalized rank
    (DebateQA, Table 2) comes from its mean rank over them.

    Args:
        scores: Score tables (scores.parquet) of all systems that `conqret debateqa score perspective-diversity` and
            `dispute-awareness` wrote.
        weights: The weights, from 0 to 1 and comma-separated, that the metric Perspective Diversity has in the ranking;
            the metric Dispute Awareness has 1 minus the weight.
        report: Write a page with the ranks and a description of each system.
        answers: A folder of `conqret debateqa answer`, whose settings the page of `--report` describes; the folder's
            name must be the system's. May be repeated.

    Examples:

    conqret debateqa rank runs/*/scores.parquet --weights 0,0.25,0.5,0.75,1

    conqret debateqa rank runs/*/scores.parquet --weights 0.5 --json
    """
    from conqret.debateqa.rank_page import ranking_table, ranking_words, read_systems, write_ranks
    from conqret.debateqa.standings import rank_systems, ranks, shown
    from conqret.errors import DeclarationError

    if answers and report is None:
        raise DeclarationError("--answers is for the report page: name the page with --report")
    systems = read_systems(answers or ())
    system_ranking = rank_systems(scores)
    table = {weight: system_ranking.combined(weight) for weight in _weights(weights)}
    places = {weight: shown(ranks(values)) for weight, values in table.items()}
    remark_missing(system_ranking.missing)
    for metric, instrument, means in _measured(system_ranking):
        remark_left_out(metric, instrument, means.left_out, means.questions)
    ranking = ranking_table(system_ranking, table, places)
    lines: list[RenderableType] = [*ranking_words(places), "", ranking]
    if report is not None:
        write_ranks(ranking, ranking_words(places), systems, _measured(system_ranking), report)
        lines += ["", at(report, "page")]
    result(_facts(system_ranking, table, places), lines, as_json=json_output)


def _facts(
    ranking: Standings, table: dict[float, dict[str, float]], places: dict[float, dict[str, str]]
) -> dict[str, list[dict[str, Any]]]:
    """What ``--json`` prints: a row a system, one for each weight and system, best first, and one an instrument.

    An instrument's ``n`` counts the questions behind each of its means, those that it scored of all systems.
    """
    systems = [
        {
            "system": name,
            "perspective_diversity": value,
            "dispute_awareness": ranking.mean_awareness[name],
            "perspective_diversity_rank": ranking.diversity_ranks[name],
            "dispute_awareness_rank": ranking.awareness_ranks[name],
        }
        for name, value in sorted(ranking.mean_diversity.items(), key=lambda pair: pair[1])
    ]
    ranked = [
        {"k": weight, "system": name, "score": value, "rank": places[weight][name]}
        for weight, values in table.items()
        for name, value in sorted(values.items(), key=lambda pair: -pair[1])
    ]
    measured = [
        {"metric": metric, "instrument": instrument, "n": means.questions, "left_out": means.left_out}
        for metric, instrument, means in _measured(ranking)
    ]
    return {"systems": systems, "ranks": ranked, "instruments": measured}


def _measured(ranking: Standings) -> list[tuple[str, str, CommonMeans]]:
    """Metric, instrument and means, of all that stand in the tables."""
    from conqret.debateqa.score_table import AWARENESS, DIVERSITY

    both = ((DIVERSITY, ranking.diversity), (AWARENESS, ranking.awareness))
    return [
        (metric, name, means)
        for metric, means_by_instrument in both
        for name, means in means_by_instrument.items()
    ]


def _weights(text: str) -> list[float]:
    from conqret.errors import DeclarationError

    wanted = "--weights is a list such as 0,0.5,1"
    values = options.numbers(text, wanted)
    if not values:
        raise DeclarationError(f"{wanted}, not {text!r}")
    return values
