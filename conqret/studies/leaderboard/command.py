"""``conqret judges leaderboard``: judge cards side by side."""

from __future__ import annotations

from pathlib import Path

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import note, result


@grouped
def cards(
    files: list[Path],
    *,
    by: str = "alpha",
    page: options.PageFile,
    json_output: options.Json = False,
) -> None:
    """Rank judges by a statistic of their judge cards (written by `conqret validate`), with intervals.

    Judges that were validated on different items or labels cannot be compared, and are ranked in separate tables.

    Args:
        files: Judge cards (card.json) that `conqret validate` wrote, or the folders they are in.
        by: What to sort by: `alpha` (judge and annotators), `calibrated` (alpha after calibration), `person` (alpha of
            one annotator with the others) or `as_person` (alpha of the judge with the same others), as means over
            dimensions or for one (`alpha[overall_quality]`); `usd`, `seconds` or `alarms` (bias alarms).

    Examples:

    conqret judges leaderboard runs/*/card.json -o leaderboard.html

    conqret judges leaderboard runs/*/card.json --by "alpha[overall_quality]"
    """
    from conqret.studies.leaderboard.page import APART, leaderboard_sheet, leaderboard_tables
    from conqret.studies.leaderboard.result import leaderboard

    ranking = leaderboard(files, by)
    result(ranking, leaderboard_tables(ranking), as_json=json_output)
    if len(ranking.boards) > 1:
        note(APART)
    if ranking.chance:
        note(ranking.chance)
    page.write(leaderboard_sheet, ranking)
