"""``conqret tournament``: the arguments of a topic ranked by comparisons of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, note, spaced
from conqret.console.shared_options import StudyOptions
from conqret.show.page import write_files
from conqret.studies.tournament.item_groups import TournamentOptions

COMMON = (
    "format criterion model judge by design comparisons both_orders top output replay budget_usd dry_run json_output"
).split()
"""The options that ``--help`` shows."""


@dataclass(frozen=True)
class PairOptions(OptionGroup, settings_class=TournamentOptions):
    """Which pairs are compared."""


@dataclass(frozen=True)
class PairJudge(OptionGroup):
    """Who compares.

    Judging:
        criterion: A criterion of your own instead of `--format`: a statement (`The argument names its sources`) or a
            question (`How fair is it to the other side?`). The judge says which of two arguments meets it better.
        format (--format, -f): The judge format with which two arguments are compared: one with the metric `preference`.
            Default: `direct`.

    Model:
        model (--model, -m): The model that judges: any name that litellm knows, or `offline`, a baseline from word
            statistics. May be repeated: each model compares every pair. Default: `offline`.
        judge: A judge of your own instead of `--format` and `--model`: `module:function`. The module is imported, also
            from the working directory. The function gets an item with `argument` and `second_argument` as a dictionary
            and returns `first`, `second` or `tie`.
    """

    format: str | None = None
    criterion: str | None = None
    model: list[str] | None = None
    judge: str | None = None


def tournament(
    items: Annotated[Path, options.ITEMS],
    *,
    compared_by: PairJudge,
    pairs: PairOptions,
    reading: label_options.ItemOptions,
    output: Annotated[Path | None, options.run_folder("ITEMS-tournament-MODEL")] = None,
    run_options: StudyOptions,
) -> None:
    """Rank the arguments of each topic by comparing pairs of them (comparative judgment).

    A judge says which of two arguments is better. From its answers each argument gets a strength with a standard error,
    by a Bradley-Terry model with ties, graded answers and a position effect. Each pair is compared in one order unless
    `--both-orders` is given. All commands that read a judge's run also read a tournament's. Strengths are relative to
    the mean of their topic: compare them with labels by rank correlation within topics, as alpha over all topics
    (`conqret validate`) counts differences between topics as errors.

    Examples:

    conqret tournament items.jsonl --by topic --model gpt-4o-mini --comparisons 4 -o runs/tournament

    conqret tournament items.jsonl --criterion "The argument names its sources" --model gpt-4o-mini --dry-run

    conqret tournament items.jsonl --top 3 --comparisons 10 --model gpt-4o-mini --model gpt-4.1-mini
    """
    from conqret.studies.tournament import result, tournament_run

    settings: dict[str, Any] = {
        **pairs.given(),
        **compared_by.given(),
        **run_options.settings,
        **reading.settings,
        "model": [run_options.calls.for_model(model) for model in compared_by.model or (None,)],
    }
    plan = tournament_run.tournament_plan(items, output=output or True, **settings)
    run_options.shown.left_out(plan.checked)
    run_options.shown.note(*plan.notes)
    outcome = run_options.study(tournament_run.run_tournament, plan, rows="comparisons", doing="comparing")
    assert plan.output is not None  # noqa: S101 - the command always has one
    folder = tournament_run.TournamentFolder(plan.output)
    shown = result.tournament_page(outcome, {item.id: item.argument or "" for item in folder.items()})
    page, _ = write_files(
        folder.path, {folder.page_file.name: shown.html(), folder.markdown_file.name: shown.markdown()}
    )
    tables, scores = spaced(result.tournament_tables(outcome)), at(folder.scores_file, "scores")
    if outcome.unanswered:
        lost = outcome.planned - outcome.answered
        note(f"{lost} comparisons have no valid response; run the same command to request them again")
    lines = [*result.headlines(outcome), "", *tables, scores, at(page)]
    run_options.conclude(outcome, lines, outcome, outcome.unanswered, there=outcome.answered)
