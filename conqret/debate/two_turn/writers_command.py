"""``conqret debate two-turn writers``."""

from __future__ import annotations

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.printing import result
from conqret.debate.two_turn.outcome_command import Answers, BetterHalf, Design, answers_of


def writers(
    answers: Answers,
    design: Design = None,
    better_half: BetterHalf = None,
    confidence: label_options.Confidence = 0.95,
    json_output: options.Json = False,
) -> None:
    """Who writes the more persuasive debates: an Elo of the writers, how often judges side with them, what they earn.

    Counted is the last judgment with arguments, in debates. Bonuses are the paper's: $0.20 for each judge who ends on
    the right option where the writer argued for it, and $0.75 for each who does not where the writer argued for the
    wrong one.

    Examples:

    conqret debate two-turn writers runs/judged/answers.jsonl

    conqret debate two-turn writers answers.jsonl --better-half pilot.jsonl --json
    """
    from dataclasses import asdict

    from conqret._optional import require
    from conqret.debate.two_turn.writer_scores import writers as rated
    from conqret.debate.two_turn.writer_tables import writers_table

    require("scipy", extra="stats")
    found = rated(answers_of(answers, design, better_half), confidence=confidence)
    result([asdict(one) for one in found], [writers_table(found)], as_json=json_output)
