"""``conqret debate quality``: are a system's statements better than another one's?"""

from __future__ import annotations

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.debate.debatune.judged_texts import Output, Statements, conclude_systems, judged
from conqret.judging.study_command import StudyOptions


@grouped
def quality(
    statements: Statements,
    *,
    model: options.Model = None,
    against: str | None = None,
    output: Output = None,
    skip_invalid: options.SkipInvalid = False,
    asking: StudyOptions,
) -> None:
    """Whose statements are better: two at a time, to the same instruction, read in both orders?

    The model rates helpfulness, relevance, accuracy and detail of each with one number from 1 to 10. A statement wins
    if it is better in both orders, or better in one and equal in the other. The score is (win - lose) / all + 1.

    Judging:
        against: The system with which all others are compared. Default: the first.

    Examples:

    conqret debate quality baseline.jsonl ours.jsonl --model gpt-4o-mini -o runs/quality

    conqret debate quality all.jsonl --against vicuna --model gpt-4o-mini
    """
    from functools import partial

    from conqret.debate.debatune.debate_judging import response_quality
    from conqret.debate.debatune.page import quality_table
    from conqret.debate.debatune.quality_scores import FORMAT, pair
    from conqret.debate.debatune.statements import read_statements, system_of

    items = read_statements(
        statements, sided=False, skip_invalid=skip_invalid, on_check=asking.shown.left_out
    )
    other = against or system_of(items[0])
    found = judged(
        pair(items, other), statements, FORMAT, model=model, output=output, asking=asking,
        by=partial(response_quality, items, against=other),
    )  # fmt: skip
    if found is not None:
        conclude_systems(
            found, partial(quality_table, found.systems, other), shown=asking.shown, against=other
        )
