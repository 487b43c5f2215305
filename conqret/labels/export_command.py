"""``conqret labels export``: what people said, as files that other commands read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from conqret.console import shared_options as options
from conqret.console.printing import at, note, say
from conqret.errors import number
from conqret.labels.check_command import sound_study, tell_lost
from conqret.labels.label_server import Folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conqret.labels.answer_ledger import Ledger
    from conqret.labels.records import Given


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
        bool, typer.Option("--final", help="One label for each: what was decided, else what most people say.")
    ] = False,
    practice: Annotated[
        bool,
        typer.Option(
            "--practice", help="Only what writers of counter-arguments wrote for practice, to be graded."
        ),
    ] = False,
    dropped: Annotated[
        bool, typer.Option("--with-dropped", help="Also the labels of people who were dropped.")
    ] = False,
    overwrite: options.Replace = False,
) -> None:
    """Write the labels as `conqret labels agreement`, `conqret validate` and Label Studio read them, with pseudonyms
    for people; of a debate study the answers, as `conqret debate two-turn outcomes` reads them.

    An earlier export that nobody has changed is replaced.
    """
    from conqret.debate.two_turn.judging_plan import TASK as JUDGING
    from conqret.errors import DeclarationError
    from conqret.labels.label_export import EXPORTS, as_comparisons, as_finals, as_pair_labels, marks_of
    from conqret.labels.label_verdicts import verdicts
    from conqret.labels.written_arguments import TASK as WRITING

    if final and to in ("label-studio", "comparisons"):
        raise DeclarationError(f"--final is one label each, in a table: leave out --to {to}")
    with sound_study(folder) as (ledger, lost):
        names = {"label-studio": "labels.json", WRITING: "debates.jsonl"}
        output = output or Path(names.get(ledger.study.task, names.get(to, "labels.csv")))
        out = _Output(output, folder, overwrite)
        if practice and ledger.study.task != WRITING:
            raise DeclarationError(
                f"{folder} holds no counter-arguments; of other practice the dashboard and status say how it went"
            )
        if ledger.study.task in (JUDGING, WRITING):
            if final or to != "csv":
                raise DeclarationError(f"{folder} is a debate study: leave out --final and --to")
            if ledger.study.task == WRITING:
                _export_debates(ledger, out, practice=practice)
            else:
                _export_answers(ledger, out, dropped=dropped)
            tell_lost(folder, lost)
            return
        given = list(ledger.given(dropped=dropped))
        if not given:
            raise DeclarationError(f"{folder} holds no labels yet")
        decided = list(verdicts(given, ledger.finals()))
        left = sum(one.value is None for one in decided)
        marks = marks_of(ledger.study, undecided=left if final else 0)
        if to == "pairs" and not any(one.value in ("yes", "no") for one in decided):
            raise DeclarationError(
                f"{folder} holds no yes or no of pairs: they are labels of --task perspective"
            )
        if to == "comparisons" and not any(one.screen.compared for one in given):
            raise DeclarationError(
                f"{folder} holds no preferences between systems: they are labels of --task answer-preference"
            )
        if to == "pairs":
            text = as_pair_labels(decided)
        elif to == "comparisons":
            text = as_comparisons(given)
        else:
            text = (
                as_finals(decided, ledger.people(), marks=marks) if final else EXPORTS[to](given, marks=marks)
            )
    out.write(text, _reader(to, output, given, final=final))
    if left and (final or to == "pairs"):
        marked = (
            "; the others, on which people agree, are marked as not for estimation, and refused by conqret validate, "
            "until all are decided"
        )
        note(
            f"{number(left, 'label')} left out: people differ, and no one has decided (conqret labels adjudicate)"
            + final * marked
        )
    tell_lost(folder, lost)


@dataclass(frozen=True)
class _Output:
    """The file of an export, and the folder of the study, which remembers what was exported from it."""

    file: Path
    folder: Path
    overwrite: bool

    def write(self, text: str | Iterable[str], reader: str = "") -> None:
        """Write the file, and say by which command it is read."""
        from conqret.io.overwriting import write_new

        (written,) = write_new({self.file: text}, overwrite=self.overwrite, register=self.folder)
        say(at(written))
        if reader:
            say(f"read it with: {reader}")


def _reader(to: str, path: Path, given: Sequence[Given], *, final: bool) -> str:
    """The command that reads an export."""
    import shlex

    from conqret.labels.collected_labels import reading_options

    if to == "pairs":
        return shlex.join(["conqret", "perspectives", "detect", "PAIRS", "--labels", str(path)])
    if to == "comparisons":
        return shlex.join(["conqret", "debateqa", "score", "correlate", "SCORES", "--preferences", str(path)])
    options = reading_options({question.name: question for one in given for question in one.screen.questions})
    words = ["conqret", "validate", "RUN", "--labels"] if final else ["conqret", "labels", "agreement"]
    return shlex.join([*words, str(path), *options])


def _export_answers(ledger: Ledger, out: _Output, *, dropped: bool) -> None:
    """Write what the judges of a study answered, and say what reads it.

    Raises:
        DeclarationError: there is no answer yet.
    """
    import shlex

    from conqret.debate.two_turn.judge_answers import as_slider_answers
    from conqret.errors import DeclarationError

    text = as_slider_answers(ledger, dropped=dropped)
    if not any(ledger.given(dropped=dropped)):
        raise DeclarationError("the study holds no answers yet")
    out.write(text, shlex.join(["conqret", "debate", "two-turn", "outcomes", str(out.file)]))


def _export_debates(ledger: Ledger, out: _Output, *, practice: bool) -> None:
    """Write the debates that are whole, or those that each writer practised on, and say what reads them.

    Raises:
        DeclarationError: there is none.
    """
    from conqret.errors import DeclarationError
    from conqret.io.jsonl import json_lines
    from conqret.labels.written_arguments import practised, written

    whole, lacking = (practised(ledger), []) if practice else written(ledger)
    if not whole:
        raise DeclarationError("no question has both of its counter-arguments yet")
    out.write(json_lines(one.record() for one in whole))
    if lacking:
        note(
            f"{number(len(lacking), 'question')} left out: a counter-argument is missing, {lacking[0]!r} for one"
        )
    if practice:
        say(
            f"grade them with: conqret labels collect {out.file} --task counter-argument, or conqret debate "
            f"two-turn rubric {out.file}"
        )
        say("let a writer go on with: conqret labels pause --resume")
        return
    say(f"judge them with: conqret labels debate {out.file}, or conqret debate two-turn judge {out.file}")
