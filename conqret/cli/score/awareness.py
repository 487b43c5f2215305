"""``conqret score dispute-awareness``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from conqret.cli import options
from conqret.cli.console import note
from conqret.cli.score.output import column_map, default_folder, finish, remark_alone, stem
from conqret.cli.score.parameters import Answers, Columns, Device, Dtype, Output, SystemName

EPILOG = (
    "Example: conqret score dispute-awareness answers.jsonl --questions debateqa.jsonl --model gpt-4o-mini"
)


class ShotsChoice(StrEnum):
    """Whether the prompt holds examples."""

    few = "few-shot"
    zero = "zero-shot"


def dispute_awareness(
    answers: Answers,
    questions: Annotated[
        Path, typer.Option(help="The questions, in DebateQA's layout (partial answers are not needed).")
    ],
    model: options.Model = None,
    local: Annotated[
        str | None, typer.Option(help="Ask this transformers model instead: a folder, or a hub's name.")
    ] = None,
    shots: Annotated[
        ShotsChoice, typer.Option(help="With five examples, as the paper advises, or without.")
    ] = ShotsChoice.few,
    labels: Annotated[
        Path | None, typer.Option(help="A table of id and label (0 or 1) to compare with.")
    ] = None,
    output: Output = None,
    system: SystemName = None,
    columns: Columns = None,
    api_base: options.ApiBase = None,
    budget_usd: options.BudgetUsd = None,
    recordings: options.RecordingsStore = None,
    replay: options.Replay = None,
    device: Device = None,
    dtype: Dtype = None,
    json_output: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Does the answer say that the question is debatable? 1 or 0; higher is better."""
    from conqret.errors import DeclarationError
    from conqret.evaluation.debateqa.awareness import (
        PLAIN_WRAPPING,
        AskedAnswer,
        against_labels,
        ask_awareness,
        local_awareness,
    )
    from conqret.io.debateqa import check_answers, partners, read_answers, read_questions

    if local is not None and model is not None:
        raise DeclarationError("give --model or --local, not both")
    mapping = column_map(columns)
    known = read_questions(questions, mapping)
    met = partners(check_answers(answers, mapping), known)
    remark_alone(met.answers_alone, met.questions_alone, quiet)
    asked = [
        AskedAnswer(one.id, known[one.id].question, one.text)
        for one in read_answers(answers, mapping)
        if one.id in known
    ]
    name, folder = system or stem(answers), output or default_folder(answers, "dispute-awareness")
    if local is not None:
        from conqret.perplexity import ConditionalPerplexity

        scorer = ConditionalPerplexity(local, wrapping=PLAIN_WRAPPING, device=device, dtype=dtype)
        rows = [row for row, _ in local_awareness(asked, scorer, name, shots=shots.value)]
    else:
        from conqret.llm.options import OFFLINE_MODEL, ClientOptions
        from conqret.retrieval.session import Session

        client = options.given(api_base=api_base, budget_usd=budget_usd)
        kept = recordings if recordings is not None or replay is not None else folder / "recordings.sqlite"
        folder.mkdir(parents=True, exist_ok=True)
        session = Session(ClientOptions(model or OFFLINE_MODEL, **client), recordings=kept, replay=replay)
        rows = ask_awareness(asked, session, name, shots=shots.value)
    finish(rows, folder, json_output)
    if labels is not None:
        fit = against_labels(rows, _labels(labels))
        note(
            f"against {fit.n} labels: accuracy {fit.accuracy}, F1 {fit.f1}, AUROC {fit.auroc}, MCC {fit.mcc}"
        )


def _labels(path: Path) -> dict[str, float]:
    from conqret.errors import DeclarationError, Fault
    from conqret.io.files import file_rows

    found = {}
    for row in file_rows(path):
        if isinstance(row, Fault):
            raise DeclarationError(str(row))
        try:
            found[str(row.record["id"])] = float(str(row.record["label"]))
        except (KeyError, ValueError):
            raise DeclarationError(f"{path}:{row.line} needs an id and a label of 0 or 1") from None
    return found
