"""``conqret debate two-turn anova``."""

from __future__ import annotations

from typing import Literal

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import note, result
from conqret.debate.two_turn.outcome_command import Answers, BetterHalf, Design, answers_of


@grouped
def anova(
    answers: Answers,
    design: Design = None,
    better_half: BetterHalf = None,
    *,
    subject: Literal["judge", "passage"] | None = None,
    json_output: options.Json = False,
) -> None:
    """Do arguments, the second judgment or the instruction change the answers? A repeated-measures ANOVA.

    Of right or wrong (once without abstentions, once with abstentions as wrong), and of the seven points of the
    slider. If subjects lack a cell, a mixed model of all answers is shown beside it. Needs conqret[anova].

    Args:
        subject: The subject of the repeated measures. Default: judges; with one judge, passages.

    Examples:

    conqret debate two-turn anova answers.jsonl

    conqret debate two-turn anova answers.jsonl --subject passage --json
    """
    from dataclasses import asdict

    from conqret.debate.two_turn.anova import anovas, default_subject
    from conqret.debate.two_turn.anova_table import anova_tables
    from conqret.show.table import spaced

    given = answers_of(answers, design, better_half)
    of = subject or default_subject(given)
    found = anovas(given, of)
    if missing := sum(one.slider is None for one in given):
        note(f"{missing:,} of {len(given):,} answers were not given, and have no part in this")
    result([asdict(one) for one in found], spaced(anova_tables(found, of)), as_json=json_output)
