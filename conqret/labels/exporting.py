"""``export_labels``: what annotators said, as files that other functions read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from conqret.debate.two_turn.judge_answers import as_slider_answers
from conqret.debate.two_turn.judging_plan import TASK as JUDGING
from conqret.errors import DeclarationError, strict_options
from conqret.io.jsonl import json_lines
from conqret.io.overwriting import write_new
from conqret.labels.answer_ledger import Ledger
from conqret.labels.label_export import EXPORTS, as_comparisons, as_finals, as_pair_labels, marks_of
from conqret.labels.label_verdicts import verdicts
from conqret.labels.screens import ScreenQuestion
from conqret.labels.written_arguments import TASK as WRITING
from conqret.labels.written_arguments import practised, written

Form = Literal["csv", "label-studio", "comparisons", "pairs"]


@dataclass(frozen=True, slots=True)
class LabelExport:
    """What was written: the ``file``, the study's ``task`` and the ``questions`` of its screens. ``undecided`` labels
    are left out as annotators differ, and debates ``lacking`` a counter-argument are."""

    file: Path
    task: str
    questions: Mapping[str, ScreenQuestion] = field(default_factory=dict)
    undecided: int = 0
    lacking: Sequence[str] = ()


@strict_options
def export_labels(
    folder: str | Path,
    output: str | Path | None = None,
    *,
    to: Form = "csv",
    final: bool = False,
    practice: bool = False,
    dropped: bool = False,
    overwrite: bool = False,
) -> LabelExport:
    """Write the labels of a study, with pseudonyms for annotators; of a debate study its answers or debates.

    An unchanged earlier export is replaced.

    Args:
        folder: the folder of ``conqret labels collect``.
        output: the file to write, by default ``labels.csv``; of Label Studio ``labels.json``, of debates
            ``debates.jsonl``.
        to: a long table, Label Studio's JSON, preferences between systems, or labels of pairs.
        final: one label for each: what was decided, else what most annotators say.
        practice: only what writers of counter-arguments wrote for practice.
        dropped: also the labels of annotators who were dropped.
        overwrite: replace a file that was changed.

    Raises:
        DeclarationError: there is no study, it holds no labels yet or none of this form, or the file is in use.
        DamagedLabelsError: the study's file is damaged; the message names its backup.
    """
    if final and to in ("label-studio", "comparisons"):
        raise DeclarationError(f"--final writes a table with one label for each item: leave out --to {to}")
    place = Path(folder)
    with closing(Ledger(place)) as ledger:
        task = ledger.study.task
        names = {"label-studio": "labels.json", WRITING: "debates.jsonl"}
        file = Path(names.get(task, names.get(to, "labels.csv")) if output is None else output)
        if practice and task != WRITING:
            raise DeclarationError(
                f"{folder} contains no counter-arguments; see the results of other practice on the "
                "dashboard or with status"
            )
        left, lacking, questions = 0, list[str](), dict[str, ScreenQuestion]()
        text: str | Iterable[str]
        if task in (JUDGING, WRITING):
            if final or to != "csv":
                raise DeclarationError(f"{folder} is a debate study: leave out --final and --to")
            if task == WRITING:
                text, lacking = _debates(ledger, practice=practice)
            else:
                text = _answers(ledger, dropped=dropped)
        else:
            text, left, questions = _labels(ledger, place, to, final=final, dropped=dropped)
        write_new({file: text}, overwrite=overwrite, register=place)
        return LabelExport(file, task, questions, left, lacking)


def _labels(
    ledger: Ledger, folder: Path, to: Form, *, final: bool, dropped: bool
) -> tuple[str, int, dict[str, ScreenQuestion]]:
    """The labels in a form, how many are left out as nobody has decided, and the questions of the screens."""
    given = list(ledger.given(dropped=dropped))
    if not given:
        raise DeclarationError(f"{folder} contains no labels yet")
    decided = list(verdicts(given, ledger.finals()))
    left = sum(decision.value is None for decision in decided)
    marks = marks_of(ledger.study, undecided=left if final else 0)
    if to == "pairs":
        if not any(decision.value in ("yes", "no") for decision in decided):
            raise DeclarationError(
                f"{folder} contains no yes-or-no labels of pairs: they come from --task perspective"
            )
        text = as_pair_labels(decided)
    elif to == "comparisons":
        if not any(one.screen.compared for one in given):
            raise DeclarationError(
                f"{folder} contains no preferences between systems: they come from --task answer-preference"
            )
        text = as_comparisons(given)
    else:
        text = as_finals(decided, ledger.people(), marks=marks) if final else EXPORTS[to](given, marks=marks)
    questions = {question.name: question for one in given for question in one.screen.questions}
    return text, left if final or to == "pairs" else 0, questions


def _answers(ledger: Ledger, *, dropped: bool) -> str:
    text = as_slider_answers(ledger, dropped=dropped)
    if not any(ledger.given(dropped=dropped)):
        raise DeclarationError("the study has no answers yet")
    return text


def _debates(ledger: Ledger, *, practice: bool) -> tuple[Iterable[str], list[str]]:
    """The debates that are whole, or those that each writer practised on, and the questions that are not."""
    whole, lacking = (practised(ledger), []) if practice else written(ledger)
    if not whole:
        raise DeclarationError("no question has both of its counter-arguments yet")
    return json_lines(question.record() for question in whole), lacking
