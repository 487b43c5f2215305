"""``conqret debate``: debates and what they do to a judge, one module a subcommand."""

from __future__ import annotations

import typer

from conqret.console.option_groups import add_commands
from conqret.debate.debatune import agree_command as agree
from conqret.debate.debatune import export_texts_command as export
from conqret.debate.debatune import filter_command as filtered
from conqret.debate.debatune import hold_command as hold
from conqret.debate.debatune import quality_command as quality
from conqret.debate.debatune import sample_command as sample
from conqret.debate.debatune import score_texts_command as score
from conqret.debate.debatune import topics_debate_command as topics
from conqret.debate.debatune import tune_debater_command as tune
from conqret.debate.debatune import write_command as write
from conqret.debate.two_turn import annotated_command as annotated
from conqret.debate.two_turn import anova_command as anova
from conqret.debate.two_turn import argue_command as argue
from conqret.debate.two_turn import judge_command as judge
from conqret.debate.two_turn import outcome_command as table
from conqret.debate.two_turn import payoffs_command as payoffs
from conqret.debate.two_turn import question_command as questions
from conqret.debate.two_turn import rubric_command as rubric
from conqret.debate.two_turn import writers_command as writers

app = typer.Typer(
    help="Debates: hold them, see whether texts keep to their side and what to train on, and whether a debate helps "
    "who judges.",
    no_args_is_help=True,
    epilog="Example: conqret debate score statements.jsonl --model gpt-4o-mini -o runs/controllability",
)
add_commands(
    app,
    {
        "topics": topics.topics,
        "hold": hold.hold,
        "filter": filtered.filter_,
        "export": export.export,
        "tune": tune.tune,
        "write": write.write,
    },
    panel="Models that debate, and learn from it",
)
add_commands(
    app,
    {"score": score.score, "quality": quality.quality, "sample": sample.sample, "agree": agree.agree},
    panel="How good statements are",
)
add_commands(
    app,
    {
        "questions": questions.questions,
        "argue": argue.argue,
        "rubric": rubric.rubric,
        "judge": judge.judge,
        "table": table.table,
        "anova": anova.anova,
        "writers": writers.writers,
        "annotations": annotated.annotated,
        "payoffs": payoffs.payoffs,
    },
    panel="Two-turn debates: does debate help who judges?",
)
