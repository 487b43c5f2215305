"""``conqret debateqa score``: metrics of answers to debatable questions."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, note_each, progress, result, spaced
from conqret.console.shared_options import PlanOptions, StudyOptions
from conqret.debateqa.answer_scores import (
    AnswerScores,
    Shots,
    score_awareness,
    score_baselines,
    score_diversity,
)
from conqret.debateqa.baseline_metrics import BASELINES, Kind, Models
from conqret.debateqa.score_table import LOWER_IS_BETTER, SystemMean, missing_lines, reasons, system_means
from conqret.debateqa.scoring import EQUATION, PUBLISHED, definition_of
from conqret.errors import DeclarationError
from conqret.show import words
from conqret.show.table import Column, Table
from conqret.stats.estimate import Estimate

NO_SCORE = "no answer has a score"
DIVERSITY, AWARENESS = "perspective-diversity", "dispute-awareness"


def _named(kind: Kind) -> str:
    return ", ".join(name for name, how in BASELINES.items() if how == kind)


@dataclass(frozen=True, kw_only=True)
class LocalModels(OptionGroup):
    """The models that are loaded here, and how they read.

    Local models:
        backbone: The causal language model with which perspective-diversity measures perplexity, or bartscore's model
            (default: facebook/bart-large): a folder, or a name on the Hugging Face hub.
        encoder: semscore's encoder: a folder, or a hub's name. Default: sentence-transformers/all-mpnet-base-v2.
        definition: perspective-diversity by `released`: the arithmetic of DebateQA's script, which its tables have: the
            mean over partial answers, lower for longer answers; or by `paper`: the sum of its Equation 1.
        wrapping: Which of five wordings of the prompt around the answer perspective-diversity uses, 1 to 5 (DebateQA,
            Table 12). Default: 5, nothing (released); 1, "Please restate." (paper).
    """

    backbone: str | None = None
    encoder: str | None = None
    definition: Literal["released", "paper"] = "released"
    wrapping: int | None = None


def score(
    answers: Path,
    *,
    references: Path,
    metric: Annotated[
        str,
        options.option(
            None,
            f"`{DIVERSITY}` (the perplexity of the question's partial answers for a language model that has read "
            f"the answer; lower is better), `{AWARENESS}` (does the answer say that the question is "
            "debatable? 1 or 0), or other metrics to compare with, comma-separated; for all of these higher is better: "
            f"{_named('similarity')} (text similarity; these need pip install 'conqret[baselines]', and bartscore and "
            f"semscore also model weights), {_named('asked')} (scores by the LLM of --model; num-of-povs counts points "
            f"of view), {_named('text')} (whether the answer begins with “As an AI language model”; needs no model).",
        ),
    ],
    output: Path | None = None,
    system: str | None = None,
    columns: str | None = None,
    local: LocalModels,
    shots: Shots = "few-shot",
    model: options.Model = None,
    run_options: StudyOptions,
) -> None:
    """Score answers to debatable questions: how many perspectives they cover, and whether they say that the question is
    debatable.

    If the command is stopped, the same command continues it.

    Args:
        answers: One system's answers: id and generation, as JSONL, CSV or Parquet.
        references: The questions with partial answers (id, question, partial_answers), as DebateQA's file or the
            benchmark.jsonl of `conqret debateqa curate`; dispute-awareness needs no partial answers.
        output (--output, -o): The folder to write scores.parquet into. Default: runs/SYSTEM-METRIC-MODEL.
        system: The system's name. Default: the name of the answers' file, or of the run's folder that it is in.
        columns: Which column holds which field: `id=qid,answer=text,partial_answers=refs,…`
        shots: Whether the prompt of dispute-awareness has five labeled examples (`few-shot`, as DebateQA advises) or
            none (`zero-shot`). `table-13` and `table-13-zero-shot` follow the instructions of the paper's Table 13 more
            closely: only an explicit statement counts.

    Examples:

    conqret debateqa score answers.jsonl --references debateqa.jsonl --metric perspective-diversity --backbone gpt2

    conqret debateqa score answers.jsonl --references debateqa.jsonl --metric dispute-awareness --model gpt-4o-mini

    conqret debateqa score answers.jsonl --references debateqa.jsonl --metric bleu,rouge-l,num-of-povs
    """
    given: dict[str, Any] = {
        "answers": answers,
        "output": output,
        "system": system,
        "columns": options.column_map(columns, "id=qid,answer=text"),
    }
    chosen = [name.replace("_", "-") for name in options.listed(metric)]
    if chosen == [DIVERSITY]:
        scores = _diversity(given, references, local, run_options)
    elif {DIVERSITY, AWARENESS} & {*chosen} and chosen != [AWARENESS]:
        raise DeclarationError(
            f"--metric takes {DIVERSITY} or {AWARENESS} alone: score them in calls of their own"
        )
    elif chosen == [AWARENESS]:
        scores = run_options.study(
            score_awareness,
            questions=references,
            shots=shots,
            model=run_options.calls.for_model(model),
            rows="verdicts",
            **given,
        )
    else:
        named = {"bart": local.backbone, "encoder": local.encoder}
        weights = Models(**{name: value for name, value in named.items() if value is not None})
        scores = run_options.study(
            score_baselines,
            references=references,
            metrics=chosen,
            weights=weights,
            model=run_options.calls.for_model(model),
            rows="grades",
            doing="scoring",
            **given,
        )
    _show(scores, run_options.shown)


def _diversity(
    given: Mapping[str, Any], references: Path, local: LocalModels, run_options: PlanOptions
) -> AnswerScores:
    if local.backbone is None:
        raise DeclarationError(f"--metric {DIVERSITY} needs a language model: name it with --backbone")
    if run_options.dry_run:
        run_options.tell_cost([])
        sys.exit()
    with progress("scoring", quiet=run_options.shown.quiet) as bar:

        def started(answers: int, kept: int) -> None:
            if kept:
                run_options.shown.note(f"{kept} rows are kept from an earlier run")
            bar.reach(0, total=answers)

        return score_diversity(
            references=references,
            backbone=local.backbone,
            definition=local.definition,
            wrapping=local.wrapping,
            **run_options.engines.given(),
            overwrite=run_options.overwrite,
            **given,
            on_start=started,
            on_answer=bar.advance,
        )


def _show(scores: AnswerScores, shown: options.OutputOptions) -> None:
    """Print the system's means, what is missing, and where the scores are. Exit code 1 if there is no score, or the
    session with a model stopped early."""
    given = scores.answers
    for what, ids in (("answers", given.answers_alone), ("questions", given.questions_alone)):
        if ids:
            more = f", and {len(ids) - 10} more" if len(ids) > 10 else ""
            shown.note(f"{len(ids)} {what} have no partner: {', '.join(ids[:10])}{more}")
    shown.note(*scores.notes)
    missing = reasons(scores.table)
    note_each(missing_lines(missing))
    means = system_means(scores.table)
    lines = [*spaced([_table(means)]), at(scores.file, "scores")]
    result([asdict(mean) for mean in means], lines, as_json=shown.json_output)
    end(False, scores.session, there=scores.table["value"].count(), reasons=missing)


def _table(means: Sequence[SystemMean]) -> Table:
    definitions = {definition_of(mean.instrument) for mean in means}
    notes = [PUBLISHED] * ("released" in definitions) + [EQUATION] * ("paper" in definitions)
    lower = [mean.metric for mean in means if mean.metric in LOWER_IS_BETTER]
    notes += [f"Lower is better: {', '.join(map(words.label, lower))}."] * bool(lower)
    return Table(
        f"Scores of {means[0].system}",
        {
            Column("metric", "text"): lambda mean: words.label(mean.metric),
            Column("measuring model", "text"): lambda mean: mean.instrument or "without a name",
            "mean": lambda mean: Estimate(mean.mean, mean.low, mean.high, mean.scored, NO_SCORE),
            "answers": lambda mean: f"{mean.scored} of {mean.total}",
        },
        means,
        note=" ".join(notes),
    )
