"""``conqret debateqa score dispute-awareness``."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import note
from conqret.debateqa.scores.score_options import MetricOptions, leave, show
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
    """Does the answer say that the question is debatable? 1 or 0; higher is better.

    Args:
        questions: The questions, in DebateQA's layout (partial answers are not needed).
        shots: With five examples, as the paper advises, or without.
        labels: A table of id and label (0 or 1) to compare with.

    Example: conqret debateqa score dispute-awareness answers.jsonl --questions debateqa.jsonl --model gpt-4o-mini
    """
    from conqret._optional import require
    from conqret.debateqa.debateqa_files import read_answers, read_questions, read_verdicts
    from conqret.debateqa.dispute_awareness import AwarenessPlan, against_labels, estimate
    from conqret.debateqa.kept import ScoreFolder, ScoreRecord
    from conqret.debateqa.metric_requests import cases_of
    from conqret.debateqa.perspective_diversity import model_name
    from conqret.debateqa.score_table import AWARENESS, write_table
    from conqret.errors import DeclarationError

    if labels is not None:
        require("scipy", extra="stats")
    known = read_questions(questions, measured.mapping)
    together = measured.met(known, asking.shown)
    if not any(known[one].question.strip() for one in together):
        raise DeclarationError(
            f"no question of {questions} that was answered has a text: map its column with --columns question=…"
        )
    truth = None if labels is None else read_verdicts(labels)
    if truth is not None and not set(truth) & set(together):
        raise DeclarationError(
            f"no id of {labels} is among those of the answers: a label belongs to an answer's id"
        )
    asked = cases_of(read_answers(measured.answers, measured.mapping), known)
    session = asking.session(model)
    client = session.options.resolved()
    judge = model_name(client.backend.pinned(client.model)[0])
    folder = ScoreFolder(measured.folder("dispute-awareness", judge, shots))
    record = ScoreRecord.of([AWARENESS], f"{client.model}, {shots}", measured.name, measured.answers)
    if asking.dry_run:
        asking.tell_cost([estimate(asked, session, shots=shots)])
        return
    plan = AwarenessPlan(
        cases=asked, models=session, folder=folder, scores=record, system=measured.name, shots=shots
    )
    found = asking.execute(plan, len(together), "verdicts", about=f"{number(len(together), 'verdict')} by")
    table = write_table(found.rows, folder.scores_file)
    show(table, folder.scores_file, asking.shown.json_output)
    if truth is not None and any(row.value is not None for row in found.rows):
        fit = against_labels(found.rows, truth, plan.shares)
        note(
            f"against {fit.n} labels: accuracy {fit.accuracy}, F1 {fit.f1}, AUROC {fit.auroc} (of {fit.auroc_of}), "
            f"MCC {fit.mcc}"
        )
    leave(table, found.session)
