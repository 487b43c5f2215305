"""``conqret perspectives``: which perspectives documents contain, and which of them rankings show."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from rich.console import RenderableType

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, note, progress, result, spaced
from conqret.console.shared_options import StudyOptions
from conqret.errors import DeclarationError, number
from conqret.io.pairs import read_pairs
from conqret.perspectives.detection import DETECTORS, GRADED, GRADES, PROMPT
from conqret.perspectives.detection_study import apply_detector, check_threshold, threshold_of_option
from conqret.perspectives.detection_study import detect as detect_perspectives
from conqret.perspectives.detector import DetectorFolder, DetectorSettings
from conqret.perspectives.detector_tuning import Parts, tune_detector
from conqret.perspectives.page import detection_tables, quality_table
from conqret.perspectives.threshold import question_of
from conqret.prompts import Library
from conqret.runs.study_run import training_output


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
                overwrite=run_options.kept.overwrite,
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
            shown.tell(counts_text(parts))
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


def counts_text(parts: Parts) -> str:
    """Return a sentence with the numbers of pairs and questions for training, calibration and evaluation."""

    train, calibration, held_out = (
        f"{number(len(part), 'pair')} of {number(len({question_of(pair) for pair in part}), 'question')} "
        f"({sum(pair.label is True for pair in part):,} yes)"
        for part in (parts.train, parts.calibration, parts.held_out)
    )
    return f"{train} to train on, {calibration} to calibrate on, {held_out} held out"
