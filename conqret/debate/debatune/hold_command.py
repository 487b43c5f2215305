"""``conqret debate hold``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import at, named, note
from conqret.errors import number
from conqret.judging.study_command import StudyOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conqret.debate.debatune.debate_run import HeldFolder, HeldSummary
    from conqret.debate.debatune.transcript import ModelDebate


@grouped
def hold(
    topics: Path,
    *,
    model: options.Model = None,
    against: str | None = None,
    rounds: int = 2,
    arguments: int = 5,
    output: Annotated[
        Path | None,
        options.run_folder(
            "TOPICS-debate-hold-MODEL", where="where it stopped, in the middle of a debate, too"
        ),
    ] = None,
    asking: StudyOptions,
) -> None:
    """Let two models debate each topic, and let each side write its best statement at the end.

    Each turn answers the other side's questions, restates its own position, and puts questions. The speakers
    need not agree; there is no judge. The folder has a page that shows every debate, and statements for `conqret debate
    score` and `conqret debate export`.

    Args:
        topics: Column topic, optionally affirmative and negative (a list of arguments each) and id: JSONL, CSV, TSV,
            Parquet. DEBATunE's own file reads as it is.
    Model:
        against: The model of the negative side. Default: `--model`, which speaks for both sides.
    Debate:
        rounds: How many turns each side has; with 0 each side writes its statement directly, without a debate.
        arguments: Number of debates per topic, each about another argument of either side. A side without arguments
            gets them from the model. Of a side with more, the first are used; with fewer, there are fewer debates.

    Examples:

    conqret debate hold topics.jsonl --model gpt-4o-mini -o runs/held

    conqret debate hold topics.jsonl --model gpt-4o-mini --against gpt-4o --rounds 1 --arguments 1

    conqret debate hold topics.jsonl --model gpt-4o-mini --dry-run
    """
    from conqret.debate.debatune.debate_run import (
        DebateRun,
        HoldingPlan,
        estimate,
        holding_folder,
        speakers_of,
    )
    from conqret.debate.debatune.debate_topics import read_debate_topics
    from conqret.prompts import Library

    one = asking.calls.of(model)
    speaking = speakers_of(one, None if against is None else asking.calls.of(against))
    if speaking[0] is not one:
        note("each of the two models gets half of the budget")
    plan = HoldingPlan(read_debate_topics(topics), speaking, rounds, arguments)
    library = Library(asking.prompts)
    if asking.dry_run:
        asking.tell_cost(estimate(plan, library))
        return
    speakers = {
        speaker.model: named(speaker.model, speaker.backend.baseline, "a debater")
        for speaker in plan.speakers
    }
    folder = holding_folder(topics, plan, output)
    with asking.sessions() as sessions:
        outcome = asking.execute(
            DebateRun(sessions, folder, plan), plan.turns, "turns", doing="debating",
            about=f"{len(plan.motions)} debates on {number(len(plan.topics), 'topic')}, by",
            by=" against ".join(speakers.values()),
        )  # fmt: skip
    summary = outcome.summary
    debates = plan.debates(outcome.rows)
    lines = _lines(summary, debates, folder)
    asking.conclude(summary, lines, outcome, summary.missing, there=summary.statements)


def _lines(summary: HeldSummary, debates: tuple[ModelDebate, ...], folder: HeldFolder) -> Iterator[str]:
    from conqret.show.words import number

    yield (
        f"{summary.finished:,} of {number(summary.debates, 'debate')} finished, "
        f"{number(summary.statements, 'statement')} concluded"
    )
    if summary.trimmed:
        yield f"{number(summary.trimmed, 'debate')} did not fit the window: the turns were shown shortened, all alike"
    for debate in [held_debate for held_debate in debates if not held_debate.finished][:MOST_NAMED]:
        yield _unfinished(debate)
    yield at(folder.debates_file, "debates")
    yield at(folder.statements_file, "statements")
    yield at(folder.report_file, "page")


MOST_NAMED = 10
"""Unfinished debates that are named one by one; the page names all."""


def _unfinished(debate: ModelDebate) -> str:
    from conqret.show.words import reason

    lack = debate.lacks[0]
    return f"  {debate.id} is not finished: {lack.what}: {reason(lack.reason)}"
