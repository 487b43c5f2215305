"""``conqret perspectives``: which perspectives documents contain, and which of them rankings show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import at, note, progress, result
from conqret.errors import number
from conqret.judging.study_command import StudyOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from conqret.io.pairs import Pair
    from conqret.perspectives.detector import Detector
    from conqret.perspectives.detector_run import DetectedFolder


@grouped
def detect(
    pairs: Path,
    *,
    model: options.Model = None,
    detector: options.Detector = None,
    labels: str | None = None,
    yes_from: str | None = None,
    output: Annotated[Path | None, options.run_folder("PAIRS-detect-MODEL")] = None,
    asking: StudyOptions,
) -> None:
    """Detect whether each document contains a perspective, so that its supporters would cite it.

    Each pair of document and perspective gets a grade: 0 against the perspective, 1 does not mention it, 2 touches it,
    3 partly supports it, 4 clearly supports it. With `--labels`, the lowest grade that counts as yes is chosen for each
    question by the highest F1 on all other questions.

    Args:
        pairs: Columns question, document and perspective, optionally id: JSONL, CSV, TSV, Parquet.
    Labels:
        labels: Human labels (1 or 0, yes or no): a column of the pairs, or a file with the columns id and label.
        yes_from: The lowest grade (1 to 4) with which a document counts as containing the perspective; or the folder of
            an earlier run of this command with `--labels`, whose chosen grade is used. Default: the best by `--labels`,
            else 3.

    Examples:

    conqret perspectives detect pairs.tsv --model gpt-4o-mini -o runs/detect

    conqret perspectives detect pairs.tsv --labels label --model gpt-4o-mini --dry-run

    conqret perspectives detect others.tsv --yes-from runs/detect --model gpt-4o-mini

    conqret perspectives detect pairs.tsv --labels label --detector detector/
    """
    from conqret.errors import DeclarationError
    from conqret.perspectives.detection import GRADES, estimate
    from conqret.perspectives.detection_study import detection_plan, threshold_of_option
    from conqret.perspectives.detection_tables import detection_tables
    from conqret.show.table import spaced

    if detector is not None:
        if model is not None or yes_from is not None or asking.dry_run:
            raise DeclarationError(
                "--detector replaces the LLM and has its own threshold: leave out --model, --yes-from, --dry-run"
            )
        _by_detector(
            pairs,
            detector,
            labels,
            output,
            overwrite=asking.kept.overwrite,
            shown=asking.shown,
        )
        return
    threshold, chosen_by = threshold_of_option(yes_from)
    session = asking.session(model)
    plan = detection_plan(pairs, session, labels=labels, yes_from=threshold, output=output)
    pair_list, folder = plan.pairs, plan.folder
    if asking.dry_run:
        asking.tell_cost([estimate(pair_list, session)])
        return
    if chosen_by is not None and chosen_by.instrument != plan.record().instrument:
        note(
            f"the threshold {threshold} was chosen for {chosen_by.model}, but this is another model or another prompt"
        )
    outcome = asking.execute(
        plan, len(pair_list), "grades", about=f"{number(len(pair_list), 'pair')} from {pairs}, by",
        doing="detecting",
    )  # fmt: skip
    summary = outcome.summary
    there = len(pair_list) - sum(summary.unanswered.values())
    lines = [
        *spaced(detection_tables(summary)),
        f"{summary.yes} of {there} documents contain their perspective: a yes from grade {summary.yes_from} "
        f"({GRADES[summary.yes_from]}) on",
        at(folder.table_file, "table"),
    ]
    asking.conclude(summary, lines, outcome, summary.unanswered, there=there)
    if summary.against_labels is not None and summary.against_labels.warning:
        note(f"WARNING: {summary.against_labels.warning}")


def _by_detector(
    pairs: Path,
    detector: Path,
    labels: str | None,
    output: Path | None,
    *,
    overwrite: bool,
    shown: options.OutputOptions,
) -> None:
    from conqret.perspectives.detection_tables import quality_table
    from conqret.perspectives.detector_run import apply_detector
    from conqret.show.table import spaced

    with progress("detecting", quiet=shown.quiet) as bar:

        def started(count: int, identity: str) -> None:
            shown.tell(f"{number(count, 'pair')}, read by the detector {identity[:12]}")
            bar.reach(0, total=count)

        found = apply_detector(
            pairs,
            detector,
            labels=labels,
            output=output,
            overwrite=overwrite,
            on_start=started,
            on_block=bar.reach,
        )
    lines: list[RenderableType] = []
    if found.against_labels is not None:
        lines += spaced([quality_table(found.against_labels, "Agreement with the labels")])
    lines.append(
        f"{found.yes} of {len(found.pairs)} documents contain their perspective, from a probability of "
        f"{found.threshold:.3f}"
    )
    result(found.record(), [*lines, at(found.folder.table_file, "table")], as_json=shown.json_output)


def probabilities_of(
    pairs: Sequence[Pair],
    loaded: Detector,
    folder: DetectedFolder,
    *,
    overwrite: bool,
    shown: options.OutputOptions,
) -> list[float]:
    """The probability of each pair by a local detector, with a bar."""
    from conqret.perspectives.detector_run import detect_locally

    shown.tell(f"{number(len(pairs), 'pair')}, read by the detector {loaded.identity[:12]}")
    with progress("detecting", len(pairs), quiet=shown.quiet) as bar:
        return detect_locally(pairs, loaded, folder, overwrite=overwrite, on_block=bar.reach)
