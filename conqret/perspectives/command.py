"""``conqret perspectives``: which perspectives documents contain, and which of them rankings show."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import Interval
from rich.console import RenderableType

from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, note, note_all, progress, result, spaced
from conqret.console.shared_options import StudyOptions
from conqret.console.source_options import EncoderFolder, MmrEncoder, WebSearch
from conqret.errors import DeclarationError, number
from conqret.io.pairs import read_pairs
from conqret.perspectives.detection import DETECTORS, GRADED, GRADES, PROMPT
from conqret.perspectives.detection_study import apply_detector, check_threshold, threshold_of_option
from conqret.perspectives.detection_study import detect as detect_perspectives
from conqret.perspectives.detector_tuning import DetectorFolder, DetectorSettings, Parts, tune_detector
from conqret.perspectives.page import (
    collected_table,
    detection_tables,
    errors_table,
    made_table,
    quality_table,
)
from conqret.perspectives.threshold import question_of
from conqret.prompts import Library
from conqret.runs.study_run import training_output

if TYPE_CHECKING:
    from conqret.perspectives.diversity_run import Diversity


def detect(
    pairs: Path,
    *,
    model: options.Model = None,
    detector: options.Detector = None,
    labels: str | None = None,
    yes_from: str | None = None,
    output: Annotated[Path | None, options.run_folder("PAIRS-detect-MODEL")] = None,
    run_options: StudyOptions,
) -> None:
    """Detect whether each document contains a perspective, that is, whether supporters of the perspective would cite
    it.

    Each pair of document and perspective gets a grade: 0 against the perspective, 1 does not mention it, 2 touches it,
    3 partly supports it, 4 clearly supports it. With `--labels`, the lowest grade that counts as yes is chosen for each
    question by the highest F1 on all other questions. Other detectors (`--detector`) say yes or no.

    Args:
        pairs: Columns question, document and perspective, optionally id: JSONL, CSV, TSV, Parquet.
    Labels:
        labels: Human labels (1 or 0, yes or no): a column of the pairs, or a file with the columns id and label.
        yes_from: The lowest grade (1 to 4) with which a document counts as containing the perspective; or the folder of
            an earlier run of this command with `--labels`, whose chosen grade is used. Default: the best by `--labels`,
            else 3.

    Examples:

    conqret perspectives detect pairs.tsv --model gpt-4o-mini -o runs/detect

    conqret perspectives detect pairs.tsv --labels label --model gpt-4o-mini --detector one-shot

    conqret perspectives detect others.tsv --yes-from runs/detect --model gpt-4o-mini

    conqret perspectives detect pairs.tsv --labels label --detector detector/
    """

    detector = detector or "graded"
    check_threshold(detector, yes_from)
    if detector not in DETECTORS:
        if model is not None or run_options.dry_run:
            raise DeclarationError(
                f"--detector {detector} replaces the LLM: leave out --model and --dry-run, or name one of "
                f"{', '.join(DETECTORS)}"
            )
        shown = run_options.shown
        with progress("detecting", quiet=shown.quiet) as bar:

            def started(count: int, identity: str) -> None:
                shown.tell(f"{number(count, 'pair')}, read by the detector {identity[:12]}")
                bar.reach(0, total=count)

            found = apply_detector(
                pairs,
                detector,
                labels=labels,
                output=output,
                overwrite=run_options.overwrite,
                prompts=run_options.prompts,
                on_start=started,
                on_block=bar.reach,
            )
        quality, share = found.against_labels, f"{found.yes} of {len(found.pairs)} documents"
        result(
            found.record(),
            [
                *spaced([] if quality is None else [quality_table(quality, "Agreement with the labels")]),
                f"{share} contain their perspective, from a probability of {found.threshold:.3f}",
                at(found.folder.table_file, "table"),
            ],
            as_json=shown.json_output,
        )
        return
    threshold, chosen_by = threshold_of_option(yes_from)
    client = run_options.calls.for_model(model)
    prompt = DETECTORS[detector]
    instrument = (client.model, Library(run_options.prompts)[PROMPT].digest)
    if chosen_by is not None and (chosen_by.model, chosen_by.prompts[PROMPT]) != instrument:
        note(
            f"the threshold {threshold} was chosen for {chosen_by.model}, but this is another model or another prompt"
        )
    outcome = run_options.study(
        detect_perspectives,
        pairs,
        detector=detector,
        model=client,
        labels=labels,
        yes_from=threshold,
        output=output,
        rows="grades",
        doing="detecting",
    )
    summary, folder = outcome.summary, outcome.folder
    there = summary.pairs - sum(summary.unanswered.values())
    lines = [
        *spaced(detection_tables(summary)),
        f"{summary.yes} of {there} documents contain their perspective"
        + (
            f": a yes from grade {summary.yes_from} ({GRADES[summary.yes_from]}) on"
            if prompt is GRADED
            else ""
        ),
        at(folder.table_file, "table"),
    ]
    run_options.conclude(summary, lines, outcome, summary.unanswered, there=there)
    if summary.against_labels is not None and summary.against_labels.warning:
        note(f"WARNING: {summary.against_labels.warning}")


@dataclass(frozen=True)
class DetectorTuningOptions(OptionGroup, settings_class=DetectorSettings):
    """How a detector is tuned: the fields of :class:`conqret.perspectives.detector_tuning.DetectorSettings`.

    Training:
        lora: Train an adapter (LoRA), not the whole model: less memory.
        epochs: The number of epochs: how often training uses every pair. Default: 2.
        learning_rate: The highest learning rate. Default: 2e-5; 1e-4 with `--lora`.
        batch_size: How many pairs one training step uses (batch size). Default: 16.
        max_length: The most tokens of document and perspective together; of a longer document, training sees the
            beginning. Default: 512.
    """


def tune(
    pairs: Path,
    *,
    model: Path,
    labels: str = "label",
    output: Path | None = None,
    settings: DetectorTuningOptions,
    overwrite: options.Overwrite = False,
    shown: options.OutputOptions,
) -> None:
    """Tune a local detector on judged or labeled pairs, to use instead of an LLM (BeRDS, section 5).

    Questions are split in three: to train on, to calibrate the probabilities and choose the threshold, and to
    measure F1. `--detector FOLDER` then uses it in `conqret perspectives detect` and `conqret perspectives
    score`.

    Args:
        pairs: Columns question, document, perspective and a label, as for `conqret perspectives detect`; or the
            detections.csv of a run of it.
    Model:
        model (--model, -m): The folder of a transformers model with its tokenizer: an encoder, an NLI model, or a
            causal model, which gets a yes/no head.
    Files:
        labels: The labels (1 or 0, yes or no): a column of the pairs (in detections.csv it is `contains`), or a file
            with the columns id and label.
        output (--output, -o): The folder to write; the same command again goes on from its last checkpoint. Default:
            runs/PAIRS-tune-MODEL.
    Examples:

    conqret perspectives tune pairs.tsv --labels label --model models/deberta-v3-base -o detector/

    conqret perspectives tune runs/detect/detections.csv --labels contains --model models/mistral-7b --lora -o
    detector/
    """

    chosen = DetectorSettings(**settings.given())
    read = read_pairs(pairs, labels)
    target = training_output(pairs, model, output)
    folder = DetectorFolder(target)
    with progress("tuning", quiet=shown.quiet) as bar:

        def started(parts: Parts, steps: int, done: int) -> None:
            train, calibration, held_out = (
                f"{number(len(part), 'pair')} of {number(len({question_of(pair) for pair in part}), 'question')} "
                f"({sum(pair.label is True for pair in part):,} yes)"
                for part in (parts.train, parts.calibration, parts.held_out)
            )
            shown.tell(f"{train} to train on, {calibration} to calibrate on, {held_out} held out")
            if done:
                shown.tell(f"{done:,} of {steps:,} steps were done in an earlier run")
            bar.reach(done, total=steps)

        card = tune_detector(
            read,
            model,
            folder.path,
            chosen,
            overwrite=overwrite,
            on_start=started,
            on_step=lambda step, loss: bar.reach(step, f"loss {loss:.3f}"),
        )
    lines: list[RenderableType] = [
        quality_table(card.held_out, "On questions that had no part in it", card.remark),
        "",
        f"it is a yes from a probability of {card.threshold:.3f} on, chosen on {number(card.calibrated, 'pair')}",
        at(folder.path, "detector"),
        at(folder.summary_file, "card"),
    ]
    result(card, lines, as_json=shown.json_output)
    if card.new_head:
        shown.note(
            f"the head of the detector is new, drawn at random and trained: {', '.join(card.new_head)}; all other "
            f"weights are those of {card.base}"
        )
    if card.cut:
        shown.note(
            f"{card.cut:,} documents are longer than {card.limit} tokens: training used only their "
            "beginning, detection reads all of them in windows"
        )
    if unlabelled := len(read) - card.pairs:
        shown.note(f"{unlabelled:,} pairs have no label and are left out")


def make(
    rows: Path,
    *,
    source: Literal["opinionqa", "kialo", "arguana", "open", "inspected"],
    model: options.Model = None,
    output: Annotated[Path | None, options.run_folder("ROWS-make-MODEL", "The folder")] = None,
    run_options: StudyOptions,
) -> None:
    """Make questions with contradicting perspectives: written by a model, then checked by it (BeRDS, section 4).

    Questions about personal experience, questions that are not debatable, and those whose perspectives do not
    contradict each other are left out and counted by subset. A perspective that is a question is never taken. `conqret
    perspectives score` reads perspectives.jsonl; inspect.csv has twenty questions of each subset for annotators to
    check.

    Args:
        rows: The rows from which perspectives are made, with the columns that `--from` names; optionally id, subset,
            url, licence.
    Files:
        source (--from): The kind of rows, with their columns. `opinionqa`: question and options (surveys); `kialo`:
            question and statement, or answers; `arguana`: argument and counter; `open`: question. `inspected`: a
            completed inspect.csv, whose errors are counted by subset (BeRDS, Table 19): in its column `error`, no means
            none, yes or a description an error, and an empty cell was not checked.

    Examples:

    conqret perspectives make survey.csv --from opinionqa --model gpt-4o-mini --dry-run

    conqret perspectives make statements.jsonl --from kialo --model gpt-4o-mini -o runs/perspectives

    conqret perspectives make runs/perspectives/inspect.csv --from inspected
    """
    from conqret.perspectives.perspectives_run import make_perspectives, perspective_errors

    if source == "inspected":
        errors = perspective_errors(rows)
        plain = [error.model_dump() for error in errors]
        result(plain, [errors_table(errors)], as_json=run_options.shown.json_output)
        return
    outcome = run_options.study(
        make_perspectives,
        rows,
        source=source,
        output=output,
        model=run_options.calls.for_model(model),
        rows="rows",
        doing="writing",
        role="an author",
    )
    summary, folder = outcome.summary, outcome.folder
    files = (folder.perspectives_file, folder.left_out_file, folder.inspect_file)
    named = map(at, files, ("kept", "left out", "inspect"))
    there = len(outcome.rows) - sum(summary.unanswered.values())
    run_options.conclude(summary, [made_table(summary), "", *named], outcome, summary.unanswered, there=there)


def collect(
    questions: Path,
    *,
    web: WebSearch,
    pages: Path | None = None,
    results: Annotated[int, Interval(ge=1)] = 100,
    output: Annotated[Path | None, options.run_folder("QUESTIONS-collect", "The folder")] = None,
    overwrite: options.Overwrite = False,
    shown: options.OutputOptions,
) -> None:
    """Make a corpus for each question, of the pages that a web search finds for it (BeRDS, section 4.2).

    Pages are fetched with pauses, each once, and cut into passages of 100 words. The folder is a corpus for
    `conqret retrieve index`, `conqret retrieve run`, `conqret perspectives score` and `conqret debateqa answer`; each
    question is searched only in its own pages.

    Args:
        questions: Column question, optionally id: JSONL, CSV, TSV, Parquet.
        results: The most results of a search that are read, for each question (BeRDS: 100; DebateQA: 10).
    Files:
        pages: Pages that you have, instead of a search: columns question_id and text, optionally title, url, licence.

    Examples:

    conqret perspectives collect questions.jsonl --search google --user-agent 'our-lab (mailto:someone@example.org)'
    -o web/

    conqret perspectives collect questions.jsonl --pages pages.jsonl -o web/

    conqret perspectives score bm25 mmr --corpus web/ --perspectives questions.jsonl --model gpt-4o-mini
    """
    from conqret.perspectives.own_corpora import collect_corpora

    with progress("collecting", quiet=shown.quiet) as bar:

        def started(count: int, kept: int, source: str) -> None:
            shown.tell(f"{count:,} questions, searched for in {source}")
            bar.reach(kept, total=count)

        rows, folder = collect_corpora(
            questions,
            search=web.search,
            user_agent=web.user_agent,
            pages=pages,
            results=results,
            output=output,
            overwrite=overwrite,
            on_start=started,
            on_row=lambda row: bar.advance(),
        )
    result(
        [row.model_dump() for row in rows],
        [collected_table(rows), "", at(folder.path, "corpora")],
        as_json=shown.json_output,
    )
    if not shown.quiet and (empty := [row.id for row in rows if not row.passages and not row.problem]):
        note_all(f"{len(empty)} questions have no page, so no document will be found for them", empty, 5)
    if failed := [row for row in rows if row.problem]:
        note(
            f"{len(failed)} searches failed (first reason: {failed[0].problem}); run the same command to retry them"
        )
    end(failed)


@dataclass(frozen=True, kw_only=True)
class DetectedPerspectives(OptionGroup):
    """What says which documents contain a perspective.

    Who contains what:
        judgments: Judgments instead of a model's: qrels whose second column is the number of the perspective, from 1;
            or BeRDS's JSON Lines, judged.
        yes_from: The lowest grade (1 to 4) with which a document counts as containing the perspective; or the folder of
            a run of `conqret perspectives detect --labels`, whose chosen grade is used. Default: 3.
    """

    judgments: Path | None = None
    yes_from: str | None = None
    model: options.Model = None
    detector: options.Detector = None


def score(
    runs: list[str],
    *,
    perspectives: Path,
    corpus: Path | None = None,
    detection: DetectedPerspectives,
    cuts: str = "5,10",
    depth: int | None = None,
    encoder: EncoderFolder = None,
    mmr_encoder: MmrEncoder = None,
    output: Annotated[Path | None, options.run_folder("PERSPECTIVES-score-MODEL", "The folder")] = None,
    run_options: StudyOptions,
) -> None:
    """Measure whether the first documents of rankings contain every perspective on a question (BeRDS, Tables 3, 5, 6,
    16, 17, Figures 2, 3).

    Prints MRecall (the share of questions with every perspective), precision, which of two sides is shown, how far a
    ranking leans to one side and follows the side of its query, how many documents it needs, and the ceiling (what all
    rankings together contain). A model (or `--judgments`) says which document contains which perspective, and which of
    two perspectives answers the question with yes.

    Args:
        runs: TREC run files (`FILE` or `NAME=FILE`), JSON Lines with texts as BeRDS's evaluation reads them (a question
            and its `ctxs`), or systems that search `--corpus`: `bm25`, `dense` or `hybrid`, optionally with further
            steps after a plus, such as `dense+mmr`: `mmr` (diversity), `perspectives` (a search per perspective), or
            reranking by a model for relevance (`generic`) or for one side (`pro`, `con`). All are compared with the
            first.
        cuts (--cuts, -k): How many of the first documents count; several numbers, comma-separated.
        depth: How many documents of each ranking are judged. A larger number tells how many documents a ranking needs
            to contain every perspective, and what all rankings together contain at best (BeRDS: 100). Default: the
            largest of `--cuts`. MMR chooses among the first 100 in any case.
    Files:
        perspectives: Columns question and perspectives (a list), optionally id and subset: JSONL, CSV, Parquet.
        corpus: The corpus directory with the documents' texts; not needed for files with texts.

    Examples:

    conqret perspectives score bm25 mmr dense=runs/dense.res --corpus corpus/ --perspectives questions.jsonl --model
    gpt-4o-mini -o runs/diversity

    conqret perspectives score runs/bm25.res runs/dense.res --perspectives questions.jsonl --judgments
    runs/diversity/judgments.qrels
    """
    from conqret.perspectives.page import diversity_tables
    from conqret.perspectives.perspective_scores import CONTEXTS, RANKINGS, score_perspectives

    scores = run_options.study(
        score_perspectives,
        runs,
        perspectives=perspectives,
        corpus=corpus,
        judgments=detection.judgments,
        yes_from=detection.yes_from,
        detector=detection.detector,
        cuts=_cuts(cuts),
        depth=depth,
        encoder=encoder,
        mmr_encoder=mmr_encoder,
        output=output,
        model=run_options.calls.for_model(detection.model),
        rows="grades",
        doing="detecting",
    )
    result(
        scores.diversity.record(),
        [
            *spaced(diversity_tables(scores.diversity)),
            *map(at, scores.files, ("scores", "values", "judgments", "questions")),
            at(scores.folder / RANKINGS, "rankings"),
            at(scores.folder / CONTEXTS, "with texts"),
        ],
        as_json=run_options.shown.json_output,
    )
    if not run_options.shown.quiet:
        _remark(scores.diversity)
    if scores.sideless:
        note(
            f"{scores.sideless} questions with two perspectives name no supporting side, so sides are not counted for "
            "them"
        )
    end(scores.lost or scores.sideless, scores.session)


def _remark(diversity: Diversity) -> None:
    """Print notes on what the marks in the tables mean, on questions for which a system ranks nothing, and on documents
    without a judgment."""
    from conqret.retrieval.evaluate import marks_legend

    for line in marks_legend(diversity.scores, diversity.baseline, "question"):
        note(line)
    note(*diversity.remarks)
    for name, lacking in diversity.unranked.items():
        note_all(f"{name} ranks nothing for {number(len(lacking), 'question')}, which count as 0", lacking, 5)
    if diversity.unjudged:
        counts = [f"{name}: {number(count, 'document')}" for name, count in diversity.unjudged.items()]
        note_all(
            "documents have no judgment; a question counts only if all its documents down to the cut are judged",
            counts,
            5,
        )


def _cuts(text: str) -> list[int]:

    parts = options.listed(text)
    if not parts or not all(part.isdecimal() and int(part) for part in parts):
        raise DeclarationError(f"--cuts takes numbers of at least 1 with commas, such as 5,10, not {text!r}")
    return sorted({int(part) for part in parts})
