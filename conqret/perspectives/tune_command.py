"""``conqret perspectives tune``: a local model that says whether documents contain perspectives."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import at, progress, result
from conqret.errors import number
from conqret.perspectives.detector import DetectorSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from conqret.io.pairs import Pair
    from conqret.perspectives.detector_tuning import Parts


@dataclass(frozen=True)
class DetectorTuningOptions(OptionGroup, of=DetectorSettings):
    """How a detector is tuned: the fields of :class:`conqret.perspectives.detector_tuning.DetectorSettings`.

    Training:
        lora: Train an adapter (LoRA), not the whole model: less memory.
        epochs: The number of epochs: how often training uses every pair. Default: 2.
        learning_rate: The highest learning rate. Default: 2e-5; 1e-4 with `--lora`.
        batch_size: How many pairs one training step uses (batch size). Default: 16.
        max_length: The most tokens of document and perspective together; of a longer document, training sees the
            beginning. Default: 512.
        held_out: The share of the questions on which the detector is measured. Default: 0.2.
        seed: The seed of the split and of the pairs' order. Default: 13.
    """


@grouped
def tune(
    pairs: Path,
    *,
    model: Path,
    labels: str = "label",
    output: Path | None = None,
    across: bool = False,
    settings: DetectorTuningOptions,
    overwrite: options.Overwrite = False,
    dry_run: bool = False,
    shown: options.OutputOptions,
) -> None:
    """Tune a local detector on judged or labeled pairs, to use instead of an LLM (BeRDS, section 5).

    Questions are split in three: to train on, to calibrate the probabilities and choose the threshold, and to
    measure F1. `--detector FOLDER` then uses it in `conqret perspectives detect` and `conqret perspectives
    score`. `--across` measures how a detector tuned on one corpus, retriever or subset does on others (BeRDS,
    B.3).

    Args:
        pairs: Columns question, document, perspective and a label, as for `conqret perspectives detect`; or the
            detections.csv of a run of it.
        dry_run: Print how the questions would be split, and stop.
    Model:
        model (--model, -m): The folder of a transformers model with its tokenizer: an encoder, an NLI model, or a
            causal model, which gets a yes/no head.
    Files:
        labels: The labels (1 or 0, yes or no): a column of the pairs (in detections.csv it is `contains`), or a file
            with the columns id and label.
        output (--output, -o): The folder to write; the same command again goes on from its last checkpoint. Default:
            runs/PAIRS-tune-MODEL.
    Training:
        across: Tune one model on each domain of the pairs (column domain or subset), and test it on all other domains;
            results are written into folders below that of `-o`.

    Examples:

    conqret perspectives tune pairs.tsv --labels label --model models/deberta-v3-base -o detector/

    conqret perspectives tune runs/detect/detections.csv --labels contains --model models/mistral-7b --lora -o
    detector/

    conqret perspectives tune pairs.tsv --across --model models/deberta-v3-base -o detectors/
    """
    from conqret.io.pairs import read_pairs
    from conqret.perspectives.detection_tables import quality_table
    from conqret.perspectives.detector import DetectorFolder, DetectorSettings
    from conqret.perspectives.detector_tuning import parted, tune_detector, tuned_place

    chosen = DetectorSettings(**settings.given())
    read = read_pairs(pairs, labels)
    target = tuned_place(pairs, model, output)
    if across:
        tune_across(read, model, target, chosen, overwrite=overwrite, dry_run=dry_run, shown=shown)
        return
    if dry_run:
        result(counts_of(parted(read, chosen)), [told(parted(read, chosen))], as_json=shown.json_output)
        return
    folder = DetectorFolder(target)
    with progress("tuning", quiet=shown.quiet) as bar:

        def started(parts: Parts, steps: int, done: int) -> None:
            shown.tell(told(parts))
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


def tune_across(
    pairs: Sequence[Pair],
    model: Path,
    folder: Path,
    settings: DetectorSettings,
    *,
    overwrite: bool,
    dry_run: bool,
    shown: options.OutputOptions,
) -> None:
    """Tune a detector on each domain, and show its F1 on all."""
    from conqret.perspectives.detection_tables import across_table
    from conqret.perspectives.detector_tuning import across_domains, domains_of, parted

    if dry_run:
        parts = {name: parted(domain_pairs, settings) for name, domain_pairs in domains_of(pairs).items()}
        facts = {name: counts_of(part) for name, part in parts.items()}
        lines = [f"{name}: {told(part)}" for name, part in parts.items()]
        result(facts, lines, as_json=shown.json_output)
        return
    names = iter(domains_of(pairs))
    with progress("tuning", quiet=shown.quiet) as bar:

        def started(parts: Parts, steps: int, done: int) -> None:
            shown.tell(f"{next(names)}: {told(parts)}")
            bar.reach(done, total=steps)

        trials = across_domains(
            pairs, model, folder, settings, overwrite=overwrite, on_start=started,
            on_step=lambda step, loss: bar.reach(step, f"loss {loss:.3f}"),
        )  # fmt: skip
    result(
        [trial.model_dump() for trial in trials],
        [across_table(trials), "", at(folder, "detectors")],
        as_json=shown.json_output,
    )


def counts_of(parts: Parts) -> dict[str, dict[str, int]]:
    """Pairs, questions and yes of each part."""
    named = {"train": parts.train, "calibration": parts.calibration, "held_out": parts.held_out}
    return {
        name: {
            "pairs": len(part_pairs),
            "questions": len({pair.question or pair.id for pair in part_pairs}),
            "yes": sum(pair.label is True for pair in part_pairs),
        }
        for name, part_pairs in named.items()
    }


def told(parts: Parts) -> str:
    """The same in words."""
    descriptions = [
        f"{number(count['pairs'], 'pair')} of {number(count['questions'], 'question')} ({count['yes']:,} yes)"
        for count in counts_of(parts).values()
    ]
    return f"{descriptions[0]} to train on, {descriptions[1]} to calibrate on, {descriptions[2]} held out"
