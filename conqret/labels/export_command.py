"""``conqret labels export``: what people said, as files that other commands read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from conqret.console import shared_options as options
from conqret.console.printing import at, end, note, note_all, say
from conqret.errors import number
from conqret.labels.label_server import Folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conqret.labels.exporting import LabelExport

MOST_LOST = 20
"""Lost labels that an export names; ``conqret labels check`` names all of them."""


def export(
    folder: Folder,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The file to write. Default: labels.csv; of Label Studio labels.json, of debates debates.jsonl.",
        ),
    ] = None,
    to: Annotated[
        Literal["csv", "label-studio", "comparisons", "pairs"],
        typer.Option(
            help="`csv`: a long table. `label-studio`: its JSON. `comparisons`: preferences between systems, for "
            "`conqret debateqa score correlate`. `pairs`: for `conqret perspectives detect`."
        ),
    ] = "csv",
    final: Annotated[
        bool,
        typer.Option(
            "--final",
            help="Export one final label for each item and question: the adjudicator's decision, or else the "
            "majority of annotators.",
        ),
    ] = False,
    practice: Annotated[
        bool,
        typer.Option(
            "--practice",
            help="Export only the practice texts that writers wrote in `conqret labels write`, so that you can "
            "grade them.",
        ),
    ] = False,
    dropped: Annotated[
        bool, typer.Option("--with-dropped", help="Also the labels of annotators who were dropped.")
    ] = False,
    overwrite: options.Replace = False,
) -> None:
    """Write the labels of a study to a file that `conqret labels agreement`, `conqret validate` or Label Studio reads,
    with pseudonyms for annotators (of a study by `conqret labels debate`, write the judges' answers for `conqret debate
    two-turn outcomes`).

    An earlier export is replaced; if it was edited, the command refuses.
    """
    from conqret.labels.exporting import export_labels

    found = export_labels(
        folder, output, to=to, final=final, practice=practice, dropped=dropped, overwrite=overwrite
    )
    note(*filter(None, [found.fault]))
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
    if found.lost:
        note_all(
            f"entries that cannot be read are left out ({number(len(found.lost), 'entry')})",
            found.lost,
            MOST_LOST,
        )
        note(f"conqret labels check {folder} explains what can be done")
        end(failed=True)


def _readers(label_export: LabelExport, to: str, *, final: bool, practice: bool) -> Iterator[str]:
    """The commands that read an export."""
    import shlex

    from conqret.debate.two_turn.judging_plan import TASK as JUDGING
    from conqret.labels.collected_labels import reading_options
    from conqret.labels.written_arguments import TASK as WRITING

    file = str(label_export.file)
    if label_export.task == WRITING and practice:
        yield (
            f"grade them with: conqret labels collect {file} --task counter-argument, or conqret debate two-turn "
            f"judge {file} --rubric"
        )
        yield "let a writer go on with: conqret labels pause --resume"
        return
    if label_export.task == WRITING:
        yield f"judge them with: conqret labels debate {file}, or conqret debate two-turn judge {file}"
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
