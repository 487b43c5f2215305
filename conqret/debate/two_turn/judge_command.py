"""``conqret debate two-turn judge``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from conqret.console import shared_options as options
from conqret.console.label_options import label_files
from conqret.console.option_groups import grouped
from conqret.console.printing import at, note, result
from conqret.debate.debatune.command import conclude, judged
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
    rubric: bool = False,
    labels: Annotated[
        list[Path] | None,
        label_files(
            "With `--rubric`: human grades, made by `conqret labels collect --task counter-argument`; no model is "
            "called then."
        ),
    ] = None,
    annotations: Path | None = None,
    output: Annotated[Path | None, options.run_folder("QUESTIONS-debate-judge-MODEL")] = None,
    asking: StudyOptions,
) -> None:
    """Let a model say which option is right, on a scale of seven points, with and without the debate's arguments, to
    see whether debate helps it.

    Each question is judged in both orders of its options, and in every condition that its texts allow: with a passage
    for every question, the main design (passage and snippets, with arguments or without), else the pilot design
    (snippets alone, with arguments or without). In a second judgment the model sees its first.

    Args:
        questions: Questions with two options, arguments and snippets (JSONL), as `conqret debate two-turn write` writes
            them; the released data set single_turn_debate of Parrish et al. 2022 is read, too.
        design: Use only judges' answers from this study design: `main` (they saw the whole passage) or `pilot` (they
            saw only quotations from it).
    Judging:
        instruction: Use only one of the two instructions of Parrish et al. 2022, which differ in what abstaining earns:
            `simple` or `encourage-abstain`. Default: both.
        consultancy: Also have each question judged with the argument for only one of its options (consultancy), once
            for each option, as a control for the debate.
        allowance: Tokens for each judgment, thoughts and answer together, instead of the five minutes that humans had;
            a longer answer counts as none. Default: no limit.
        passage_tokens: The most tokens shown of each passage: every paragraph loses the same share of its end. (Humans
            read some 1600 in five minutes.)

    The texts:
        rubric (--rubric): Instead, grade each counter-argument from 1 to 5 by the rubric of Parrish et al. 2022: is it
            convincing, do its snippets help, does it answer the argument? They chose writers with a mean from 3.3 on.
            The result is a run folder like that of `conqret judge --format counter-argument`.
        annotations: Instead, summarize annotators' table of the texts: columns question, text (argument or
            counter-argument), option (1 or 2, for which it argues), annotator, quality (1 to 10), responds (yes or no)
            and strategies (names, separated by semicolons); JSONL, CSV, TSV or Parquet.

    Examples:

    conqret debate two-turn judge debates.jsonl --model gpt-4o-mini -o runs/debates

    conqret debate two-turn judge runs/written/debates.jsonl --rubric --model gpt-4o-mini -o runs/rubric

    conqret debate two-turn judge debates.jsonl --annotations annotations.csv

    conqret debate two-turn judge debates.jsonl --instruction encourage-abstain --model gpt-4o-mini --dry-run
    """
    from dataclasses import asdict

    from conqret.debate.two_turn.debate_judge import estimate
    from conqret.debate.two_turn.judged_run import debate_judging_plan
    from conqret.debate.two_turn.outcome_page import outcome_tables, standings_table, verdict
    from conqret.show.table import spaced

    if rubric:
        _grade(questions, labels, model, output, asking)
        return
    if annotations is not None:
        _summarize(questions, annotations, asking.shown)
        return
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


def _grade(
    questions: Path, labels: list[Path] | None, model: str | None, output: Path | None, asking: StudyOptions
) -> None:
    """Grade the counter-arguments by the rubric; the judge is not told which option is right."""
    from functools import partial

    from conqret.debate.two_turn.rubric import FORMAT, counter_items, grade_counter_arguments
    from conqret.debate.two_turn.two_turn_files import read_two_turn
    from conqret.debate.two_turn.writer_tables import rubric_table

    if labels is not None:
        grades_by_writer = grade_counter_arguments(questions, labels=labels, model=model)
        grades = [grade.model_dump(mode="json") for grade in grades_by_writer.grades]
        facts = {"labels": ", ".join(map(str, labels)), "grades": grades}
        result(facts, [rubric_table(grades_by_writer.grades)], as_json=asking.shown.json_output)
        return
    done = judged(
        counter_items(read_two_turn(questions)), [questions], FORMAT, model=model, output=output, asking=asking,
        by=partial(grade_counter_arguments, questions),
    )  # fmt: skip
    if done is not None:
        grades = [grade.model_dump(mode="json") for grade in done.grades]
        conclude(done.judgments, lambda: rubric_table(done.grades), shown=asking.shown, grades=grades)


def _summarize(questions: Path, annotations: Path, shown: options.OutputOptions) -> None:
    """Summarize annotations by kind of text and by the option that it argues for, the right one or the wrong one."""
    from dataclasses import asdict

    from conqret.debate.two_turn.text_annotations import summarize_annotations
    from conqret.debate.two_turn.writer_tables import annotation_tables
    from conqret.show.table import spaced

    summaries = summarize_annotations(annotations, of=questions)
    result(
        [asdict(summary) for summary in summaries],
        spaced(annotation_tables(summaries)),
        as_json=shown.json_output,
    )
