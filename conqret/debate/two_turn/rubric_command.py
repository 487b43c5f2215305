"""``conqret debate two-turn rubric``: how well are counter-arguments made?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from conqret.console import shared_options as options
from conqret.console.label_options import label_files
from conqret.console.option_groups import grouped
from conqret.console.printing import result
from conqret.debate.debatune.command import Output, conclude, judged
from conqret.judging.study_command import StudyOptions


@grouped
def rubric(
    questions: Path,
    *,
    labels: Annotated[
        list[Path] | None,
        label_files(
            "Human grades, made by `conqret labels collect --task counter-argument`; with them no model is called."
        ),
    ] = None,
    model: options.Model = None,
    output: Output = None,
    asking: StudyOptions,
) -> None:
    """Grade each counter-argument from 1 to 5: is it convincing, do its snippets help, does it answer the argument?

    The rubric by which Parrish et al. 2022 chose their writers, those with a mean from 3.3 on. The judge is not told
    which option is right. The result is a run folder like that of `conqret judge --format counter-argument`.

    Args:
        questions: Questions with two options, arguments and counter-arguments (JSONL), as `conqret debate two-turn
            argue` writes them.

    Examples:

    conqret debate two-turn rubric runs/written/debates.jsonl --model gpt-4o-mini -o runs/rubric

    conqret debate two-turn rubric debates.jsonl --model gpt-4o-mini --dry-run

    conqret debate two-turn rubric practice.jsonl --labels grades.csv
    """
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
