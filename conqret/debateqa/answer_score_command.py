"""``conqret debateqa score``: metrics of answers to debatable questions."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Literal

from rich.console import RenderableType

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, end, note, note_each, progress, result
from conqret.debateqa.answer_scores import AnswerScores, score_awareness, score_baselines, score_diversity
from conqret.debateqa.baseline_metrics import BASELINES, Kind, Models
from conqret.debateqa.debateqa_files import Partners
from conqret.debateqa.score_table import SystemMean, missing_lines, reasons, system_means
from conqret.errors import DeclarationError
from conqret.judging.study_options import PlanOptions

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
        definition: perspective-diversity by `paper`: DebateQA's equations 1 and 2. `released`: the arithmetic of its
            released script.
        wrapping: Which of five wordings of the prompt around the answer perspective-diversity uses, 1 to 5 (DebateQA,
            Table 12).
    """

    backbone: str | None = None
    encoder: str | None = None
    definition: Literal["paper", "released"] = "paper"
    wrapping: int = 1


def score(
    answers: Path,
    *,
    references: Path,
    metric: Annotated[
        str,
        options.option(
            None,
            f"`{DIVERSITY}` (the perplexity of the question's partial answers for a language model that has read "
            f"the answer, summed over them; lower is better), `{AWARENESS}` (does the answer say that the question is "
            "debatable? 1 or 0), or other metrics to compare with, comma-separated; for all of these higher is better: "
            f"{_named('similarity')} (text similarity; these need pip install 'conqret[baselines]', and bartscore and "
            f"semscore also model weights), {_named('asked')} (scores by the LLM of --model; num-of-povs counts points "
            f"of view), {_named('text')} (whether the answer says that the question is disputed; needs no model).",
        ),
    ],
    output: Path | None = None,
    system: str | None = None,
    columns: str | None = None,
    local: LocalModels,
    shots: Literal["few-shot", "zero-shot"] = "few-shot",
    labels: Path | None = None,
    model: options.Model = None,
    run_options: PlanOptions,
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
            none (`zero-shot`).
        labels: A table of id and label (0 or 1) to compare the verdicts of dispute-awareness with.

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
            labels=labels,
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
    if (fit := scores.fit) is not None:
        note(
            f"against {fit.n} labels: accuracy {fit.accuracy}, F1 {fit.f1}, AUROC {fit.auroc} (of {fit.auroc_of}), "
            f"MCC {fit.mcc}"
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
    engines = run_options.engines.given()
    del engines["batch"]
    with progress("scoring", quiet=run_options.shown.quiet) as bar:

        def started(met: Partners, kept: int) -> None:
            if kept:
                run_options.shown.note(f"{kept} rows are kept from an earlier run")
            bar.reach(0, total=len(met.together))

        return score_diversity(
            references=references,
            backbone=local.backbone,
            definition=local.definition,
            wrapping=local.wrapping,
            **engines,
            overwrite=run_options.kept.overwrite,
            **given,
            on_start=started,
            on_answer=bar.advance,
        )


def _show(scores: AnswerScores, shown: options.OutputOptions) -> None:
    """Print the system's means, what is missing, and where the scores are; leave with exit code 1 where there is no
    score, or where the session with a model stopped before its end."""
    met = scores.met
    for what, ids in (("answers", met.answers_alone), ("questions", met.questions_alone)):
        if ids:
            more = f", and {len(ids) - 10} more" if len(ids) > 10 else ""
            shown.note(f"{len(ids)} {what} have no partner: {', '.join(ids[:10])}{more}")
    shown.note(*scores.notes)
    missing = reasons(scores.table)
    note_each(missing_lines(missing))
    means = system_means(scores.table)
    result([asdict(mean) for mean in means], _lines(means, scores.file), as_json=shown.json_output)
    end(False, scores.session, there=scores.table["value"].count(), reasons=missing)


def _lines(means: list[SystemMean], file: Path) -> Iterator[RenderableType]:
    for instrument, instrument_means in groupby(means, key=attrgetter("instrument")):
        yield instrument or "measuring model without a name"
        for row in instrument_means:
            mean = "none" if row.mean is None else f"{row.mean:.4f}"
            ends = "" if row.low is None else f" [{row.low:.3f}, {row.high:.3f}]"
            yield f"  {row.metric:<22} {mean:>10}{ends}  (n = {row.scored} of {row.total})"
    yield at(file, "scores")
