"""``conqret debate score``: do statements keep to the side that they were told to take?"""

from __future__ import annotations

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.debate.debatune.judged_texts import Output, Statements, conclude_systems, judged
from conqret.judging.study_command import StudyOptions


@grouped
def score(
    statements: Statements,
    *,
    model: options.Model = None,
    good_from: int = 100,
    output: Output = None,
    skip_invalid: options.SkipInvalid = False,
    asking: StudyOptions,
) -> None:
    """How often are statements wholly on the side that they were told to take?

    The model sees topic and statement, never the side, and says which share of the statement supports the topic and
    which opposes it. A statement is good if all of it is on its own side. The folder is one of `conqret judge` by the
    format controllability.

    Judging:
        good_from: The per cent on the assigned side from which a statement is good, above 50. Changing it asks nothing
            again.

    Examples:

    conqret debate score statements.jsonl --model gpt-4o-mini -o runs/controllability

    conqret debate score ours.jsonl theirs.csv --good-from 90

    conqret debate score statements.jsonl --model gpt-4o-mini --dry-run
    """
    from functools import partial

    from conqret.debate.debatune.controllability_scores import FORMAT, check_good_from
    from conqret.debate.debatune.debate_judging import controllability
    from conqret.debate.debatune.page import controllability_table
    from conqret.debate.debatune.statements import read_statements

    check_good_from(good_from)
    items = read_statements(statements, skip_invalid=skip_invalid, on_check=asking.shown.left_out)
    found = judged(
        items, statements, FORMAT, model=model, output=output, asking=asking,
        by=partial(controllability, items, good_from=good_from),
    )  # fmt: skip
    if found is not None:
        table = partial(controllability_table, found.systems, good_from)
        conclude_systems(found, table, shown=asking.shown, good_from=good_from)
