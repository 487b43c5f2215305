"""``conqret debate two-turn judge``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import at, note
from conqret.errors import number
from conqret.judging.study_command import StudyOptions


@grouped
def judge(
    questions: Path,
    *,
    model: options.Model = None,
    design: Literal["main", "pilot"] | None = None,
    instruction: Literal["simple", "encourage-abstain"] | None = None,
    consultancy: bool = False,
    allowance: int | None = None,
    passage_tokens: int | None = None,
    output: Annotated[Path | None, options.run_folder("QUESTIONS-debate-judge-MODEL")] = None,
    asking: StudyOptions,
) -> None:
    """Let a model say which option is right, on a scale of seven points, with and without the debate's arguments, to
    see whether debate helps it.

    Each question is judged in both orders of its options, and in every condition that its texts allow: with a passage
    for every question, the main design (passage and snippets, with arguments or without), else the pilot design
    (snippets alone, with arguments or without). In a second judgment the model sees its first.

    Args:
        questions: Questions with two options, arguments and snippets (JSONL), as `conqret debate two-turn argue` writes
            them; the released data set single_turn_debate of Parrish et al. 2022 is read, too.
        design: Use only answers of this design: `main` (the passage is shown: conditions PS, PSA) or `pilot` (only
            snippets: conditions S, SA).
    Judging:
        instruction: Use only one of the two instructions of Parrish et al. 2022, which differ in what abstaining earns:
            `simple` or `encourage-abstain`. Default: both.
        consultancy: Also judge with the argument of one side alone (consultancy), as a control for the debate.
        allowance: Tokens for each judgment, thoughts and answer together, instead of the five minutes that humans had;
            a longer answer counts as none. Default: no limit.
        passage_tokens: The most tokens shown of each passage: every paragraph loses the same share of its end. (Humans
            read some 1600 in five minutes.)

    Examples:

    conqret debate two-turn judge debates.jsonl --model gpt-4o-mini -o runs/debates

    conqret debate two-turn judge debates.jsonl --instruction encourage-abstain --model gpt-4o-mini --dry-run
    """
    from dataclasses import asdict

    from conqret.debate.two_turn.debate_judge import estimate
    from conqret.debate.two_turn.judged_run import debate_judging_plan
    from conqret.debate.two_turn.outcome_page import outcome_tables, standings_table, verdict
    from conqret.show.table import spaced

    plan = debate_judging_plan(
        questions, asking.session(model), design=design, instruction=instruction, consultancy=consultancy,
        allowance=allowance, passage_tokens=passage_tokens, output=output,
    )  # fmt: skip
    asked, lost, folder = plan.asked, plan.shortened, plan.folder
    if asking.dry_run:
        asking.tell_cost([estimate(asked, plan.models)])
        return
    if lost:
        before, after = (sum(count[place] for count in lost.values()) for place in (0, 1))
        note(f"{len(lost):,} passages are shortened, from {before:,} tokens to {after:,}")
    question_list = {one.question.id for one in asked}
    outcome = asking.execute(
        plan, len(asked), "judgments",
        about=f"{number(len(asked), 'judgment')} on {number(len(question_list), 'question')}, by",
    )  # fmt: skip
    came, beside = outcome.summary.came, outcome.summary.beside
    conclusion = verdict(came)
    data = {"verdict": conclusion, **asdict(came), "beside": [asdict(standing) for standing in beside]}
    there = len(asked) - sum(outcome.lost.values())
    lines = (
        *spaced([*outcome_tables(came), standings_table(beside)]),
        conclusion,
        at(folder.answers_file, "answers"),
        at(folder.floors_file, "floors"),
    )
    asking.conclude(data, lines, outcome, outcome.lost, there=there)
