"""``conqret labels export``: what people said, as files that other commands read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import at, note, say
from conqret.errors import number
from conqret.labels.label_server import Folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conqret.labels.exporting import LabelExport


@grouped
def export(
    folder: Folder,
    *,
    output: Path | None = None,
    to: Literal["csv", "label-studio", "comparisons", "pairs"] = "csv",
    final: bool = False,
    practice: bool = False,
    overwrite: options.Replace = False,
) -> None:
    """Write the labels of a study to a file that `conqret labels agreement`, `conqret validate` or Label Studio reads,
    with pseudonyms for annotators (with `--task debate` the judges' answers for `conqret debate two-turn outcomes`).

    An earlier export is replaced; if it was edited, the command refuses.

    Args:
        output (--output, -o): The file to write. Default: labels.csv; of Label Studio labels.json, of debates
            debates.jsonl.
        to: `csv`: a long table. `label-studio`: its JSON. `comparisons`: preferences between systems, for `conqret
            debateqa score correlate`. `pairs`: for `conqret perspectives detect`.
        final: Export one final label for each item and question: the adjudicator's decision, or else the majority of
            annotators.
        practice: Export only the practice texts that writers wrote (`--task write`), so that you can grade them.

    Example: conqret labels export labels -o labels.csv
    """
    from conqret.labels.exporting import export_labels

    found = export_labels(folder, output, to=to, final=final, practice=practice, overwrite=overwrite)
    say(at(found.file))
    for line in _readers(found, to, final=final, practice=practice):
        say(line)
    if found.lacking:
        note(
            f"{number(len(found.lacking), 'question')} left out: a counter-argument is missing, "
            f"{found.lacking[0]!r} for one"
        )
    if found.undecided:
        marked = (
            "; the others, on which annotators agree, are marked as not for estimation, and conqret "
            "validate refuses them until all are decided"
        )
        note(
            f"{number(found.undecided, 'label')} left out: annotators differ, and the label is "
            f"undecided (conqret labels adjudicate){marked if final else ''}"
        )


def _readers(label_export: LabelExport, to: str, *, final: bool, practice: bool) -> Iterator[str]:
    """The commands that read an export."""
    import shlex

    from conqret.debate.two_turn.judge_answers import TASK as JUDGING
    from conqret.labels.collected_labels import reading_options
    from conqret.labels.written_arguments import TASK as WRITING

    file = str(label_export.file)
    if label_export.task == WRITING and practice:
        yield (
            f"grade them with: conqret labels collect {file} --task counter-argument, or conqret debate two-turn "
            f"judge {file} --rubric"
        )
        yield "let a writer go on with: conqret labels manage --resume"
        return
    if label_export.task == WRITING:
        yield f"judge them with: conqret labels collect {file} --task debate, or conqret debate two-turn judge {file}"
        return
    if label_export.task == JUDGING:
        words = ["conqret", "debate", "two-turn", "outcomes", file]
    elif to == "pairs":
        words = ["conqret", "perspectives", "detect", "PAIRS", "--labels", file]
    elif to == "comparisons":
        words = ["conqret", "debateqa", "score", "correlate", "SCORES", "--preferences", file]
    else:
        begin = ["conqret", "validate", "RUN", "--labels"] if final else ["conqret", "labels", "agreement"]
        words = [*begin, file, *reading_options(label_export.questions)]
    yield f"read it with: {shlex.join(words)}"
