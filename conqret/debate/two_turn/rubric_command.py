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

SCALE = "1:5"
"""Of the rubric."""


@grouped
def rubric(
    questions: Path,
    *,
    labels: Annotated[
        list[Path] | None,
        label_files(
            "People's grades, as `conqret labels collect --task counter-argument` gives them: no model is asked."
        ),
    ] = None,
    model: options.Model = None,
    output: Output = None,
    asking: StudyOptions,
) -> None:
    """Grade each counter-argument from 1 to 5: is it convincing, do its snippets help, does it answer the argument?

    The rubric by which Parrish et al. 2022 chose their writers, those with a mean from 3.3 on. The judge is not told
    which option is right. The folder is one of `conqret judge` by the format counter-argument.

    Args:
        questions: Questions with counter-arguments, as `conqret debate two-turn questions` checks them.

    Examples:

    conqret debate two-turn rubric runs/written/debates.jsonl --model gpt-4o-mini -o runs/rubric

    conqret debate two-turn rubric debates.jsonl --model gpt-4o-mini --dry-run

    conqret debate two-turn rubric practice.jsonl --labels grades.csv
    """
    from conqret.debate.two_turn.rubric import FORMAT, counter_items, grades_of_judge, grades_of_people
    from conqret.debate.two_turn.rubric import rubric as graded
    from conqret.debate.two_turn.two_turn_files import read_two_turn
    from conqret.debate.two_turn.writer_tables import rubric_table
    from conqret.errors import DeclarationError
    from conqret.io.labels import read_labels

    items = counter_items(read_two_turn(questions))
    if labels is not None:
        if model is not None:
            raise DeclarationError(
                "--labels are people's grades, and --model asks a model: leave one of them out"
            )
        found = graded(items, grades_of_people(items, read_labels(labels, scales=[SCALE])))
        grades = [one.model_dump(mode="json") for one in found]
        result(
            {"labels": ", ".join(map(str, labels)), "grades": grades},
            [rubric_table(found)],
            as_json=asking.shown.json_output,
        )
        return
    judgments = judged(
        items, [questions], FORMAT, model=model, output=output, asking=asking,
    )  # fmt: skip
    if judgments is None:
        return
    found = graded(items, grades_of_judge(judgments))
    conclude(
        judgments,
        lambda: rubric_table(found),
        shown=asking.shown,
        grades=[one.model_dump(mode="json") for one in found],
    )
