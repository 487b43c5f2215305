"""``conqret debateqa curate remove``: a benchmark without what people rejected, and without duplicates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from conqret.console import shared_options as options
from conqret.console.label_options import LabelReading, label_files
from conqret.console.option_groups import grouped
from conqret.console.printing import at
from conqret.debateqa.curation.curate_review import Folder, tell_figures


@grouped
def remove(
    folder: Folder,
    *,
    output: Path,
    labels: Annotated[
        list[Path] | None,
        label_files(
            "Human labels: completed forms of `conqret labels sample --task partial-answer`.",
            panel=options.FILES,
        ),
    ] = None,
    duplicates: Path | None = None,
    least: int = 2,
    reading: LabelReading,
    overwrite: options.Replace = False,
    shown: options.OutputOptions,
) -> None:
    """Remove partial answers that two of three annotators reject (DebateQA, A.4), and with `--duplicates` those that
    annotators or a judge marked as repetitions.

    An annotator who answers no to any question of the form rejects that partial answer. `conqret labels agreement`
    gives Fleiss's kappa.

    Files:
        output (--output, -o): The file for the benchmark that is left.
        duplicates: The completed form of `conqret debateqa curate check distinctiveness`.
    Args:
        least: Number of annotators who must reject a partial answer for it to be removed.

    Example: conqret debateqa curate remove benchmark/ --labels people.csv --duplicates pairs.csv -o final.jsonl
    """
    from dataclasses import replace

    from conqret.debateqa.curation.removal import missing_people, remove_partial_answers
    from conqret.io.jsonl import json_lines
    from conqret.io.overwriting import write_new
    from conqret.labels.task import PARTIAL_ANSWER_SHEET

    scale = reading.scale or ["{}:{}".format(*PARTIAL_ANSWER_SHEET.scale)]
    people = None if labels is None else replace(reading, scale=scale).load(labels)
    lines, removal = remove_partial_answers(folder, labels=people, duplicates=duplicates, least=least)
    write_new({output: json_lines(lines)}, overwrite=overwrite)
    facts = {
        "partial answers": removal.answers,
        f"rejected by {least} annotators or more": removal.rejected,
        **{f"no to {name}": count for name, count in removal.noes.items()},
        "say what another says": removal.duplicates,
        "partial answers left": removal.kept,
        "questions left": removal.questions,
        "questions that lost all": len(removal.lost),
    }
    remark = (
        "Noes count labels. DebateQA removed 767 of 11,640 partial answers (6.6%) that two of three "
        "annotators rejected."
    )
    tell_figures("Removed", facts, remark, None, shown, removal, at(output, "benchmark"))
    if removal.unlabelled:
        shown.note(f"{removal.unlabelled:,} partial answers have no label and are kept")
    if people is not None and (few := missing_people(people, least)):
        shown.note(f"{len(few):,} partial answers were labeled by fewer than {least} annotators and are kept")
