"""``conqret debateqa score dispute-awareness``."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import note
from conqret.debateqa.scores.score_options import MetricOptions, leave, show, tell_partners
from conqret.errors import number
from conqret.judging.study_command import PlanOptions


@grouped
def dispute_awareness(
    *,
    measured: MetricOptions,
    questions: Path,
    model: options.Model = None,
    shots: Literal["few-shot", "zero-shot"] = "few-shot",
    labels: Path | None = None,
    asking: PlanOptions,
) -> None:
    """Score whether an answer says that the question is debatable: 1 (yes) or 0 (no).

    Args:
        questions: The questions: a table with id and question, such as DebateQA's file (partial answers are not
            needed).
        shots: Whether the prompt has five labeled examples (`few-shot`, as DebateQA advises) or none (`zero-shot`).
        labels: A table of id and label (0 or 1) to compare with.

    Example: conqret debateqa score dispute-awareness answers.jsonl --questions debateqa.jsonl --model gpt-4o-mini
    """
    from conqret.debateqa.answer_scores import awareness_scoring
    from conqret.debateqa.dispute_awareness import estimate

    scoring = awareness_scoring(
        measured.of_system, questions, asking.session(model), shots=shots, labels=labels
    )
    tell_partners(scoring.met, asking.shown)
    plan = scoring.plan
    if asking.dry_run:
        asking.tell_cost([estimate(plan.cases, plan.models, shots=shots)])
        return
    count = len(scoring.met.together)
    done = scoring.scores(asking.execute(plan, count, "verdicts", about=f"{number(count, 'verdict')} by"))
    show(done, asking.shown)
    if (fit := done.fit) is not None:
        note(
            f"against {fit.n} labels: accuracy {fit.accuracy}, F1 {fit.f1}, AUROC {fit.auroc} (of {fit.auroc_of}), "
            f"MCC {fit.mcc}"
        )
    leave(done)
