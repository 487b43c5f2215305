"""``conqret judges power tournament``: how many comparisons a tournament needs."""

from __future__ import annotations

from typing import Annotated, get_args

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import progress, result
from conqret.options import Within
from conqret.stats.pair_design import Design


@grouped
def tournament(
    *,
    items: str = "8,20",
    comparisons: Annotated[float, Within(1)] = 8.0,
    design: list[str] | None = None,
    topics: Annotated[int, Within(1)] = 10,
    spread: Annotated[float, Within(0, 10)] = 2.0,
    position: float = 0.0,
    ties: float = 0.1,
    discrimination: str = "1",
    ratings: Annotated[float | None, Within(0, 1)] = None,
    simulations: Annotated[int, Within(1)] = 10,
    seed: Annotated[int, Within(0)] = 13,
    shown: options.StudyOutput,
) -> None:
    """Simulate how reliable the ranking of a tournament will be, by the number of comparisons per item.

    Args:
        items: Numbers of items per topic to simulate, comma-separated.
        comparisons: Comparisons per item and judge, at most.
        design: How the pairs of items to compare are chosen: `adaptive`, `random` or `exhaustive` (every pair).
            May be repeated: each design is simulated. Default: `adaptive` and `random`.
        topics: Number of topics in one tournament.
        spread: Standard deviation of the true strengths in log-odds. With 1 the better of two items is preferred in
            about 73% of pairs, with 2 in 83%, with 4 in 91%.
        position: The judge's position bias: how much more often than half the first of two equally good items wins,
            from -0.5 to 0.5.
        ties: Share of ties between equals, from 0 to 1.
        discrimination: How well the judge tells items apart, from 0 (it answers by chance) to 100: the factor on
            differences in strength, 1 for an average judge. Several numbers, comma-separated, are several judges, each
            of which compares every pair.
        ratings: Correlation, within topics, of the true strengths with ratings that are known before, as `--ratings` of
            `conqret tournament` takes them: at most the square root of the ratings' reliability.
        simulations: How many tournaments are simulated for each design and number of comparisons.
        seed: The random seed of the simulations.

    Examples:

    conqret judges power tournament --items 8,20 --comparisons 8 --spread 2 -o power.html

    conqret judges power tournament --items 20 --design adaptive --position 0.15 --json

    conqret judges power tournament --items 8 --comparisons 4 --discrimination 1,0.5 --ratings 0.8
    """
    from dataclasses import asdict

    from conqret.errors import check_known
    from conqret.show.table import spaced
    from conqret.studies.tournament.tournament_power import (
        power_answer,
        power_sheet,
        power_tables,
        power_tournament,
    )

    sizes, designs = options.counts("--items", items), design or ["adaptive", "random"]
    judges = options.numbers(discrimination, "--discrimination is a list of numbers, such as 1,0.5")
    check_known("design", get_args(Design), *designs)
    with progress("simulating", len(sizes) * len(designs)) as bar:
        planned = power_tournament(
            items=sizes,
            comparisons=comparisons,
            designs=designs,  # type: ignore[arg-type]
            topics=topics,
            spread=spread,
            position=position,
            ties=ties,
            discrimination=judges,
            ratings=ratings,
            simulations=simulations,
            seed=seed,
            on_cell=bar.advance,
        )
    result(
        [asdict(each) for each in planned],
        spaced(power_tables(planned, simulations)),
        as_json=shown.json_output,
        answer=power_answer(planned),
    )
    shown.write(lambda found: power_sheet(found, simulations, seed), planned)
