"""Export the labels of a study (:func:`export_labels`) as files that other functions and tools read."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from conqret.data.digest import gathered
from conqret.debate.two_turn.judge_answers import TASK as JUDGING
from conqret.debate.two_turn.judge_answers import as_slider_answers
from conqret.errors import DeclarationError, strict_options
from conqret.io.jsonl import json_lines
from conqret.io.label_set import FOR_ESTIMATION, NOT, PROBABILITY, SCALE, LabelScale, written_scale
from conqret.io.safe_files import csv_text, write_new
from conqret.labels.answer_ledger import VERDICT, Ledger
from conqret.labels.screens import (
    CANNOT_JUDGE,
    Annotator,
    Final,
    Screen,
    ScreenQuestion,
    ScreenResponse,
    Study,
)
from conqret.labels.survey import as_survey_answers, survey_file
from conqret.labels.written_arguments import TASK as WRITING
from conqret.labels.written_arguments import practised, written
from conqret.text.words import dimension_name

Form = Literal["csv", "label-studio", "comparisons", "pairs"]


@dataclass(frozen=True, slots=True)
class LabelExport:
    """The result of an export: the ``file``, the study's ``task``, and the ``questions`` of its screens.

    ``undecided`` is the number of labels left out since annotators differ; ``lacking`` are debates left
    out since they lack a counter-argument. ``survey`` is the file with the annotators' answers to the survey of a
    debate study, if there are any.
    """

    file: Path
    task: str
    questions: Mapping[str, ScreenQuestion] = field(default_factory=dict)
    undecided: int = 0
    lacking: Sequence[str] = ()
    survey: Path | None = None


@strict_options
def export_labels(
    folder: str | Path,
    output: str | Path | None = None,
    *,
    to: Form = "csv",
    final: bool = False,
    practice: bool = False,
    overwrite: bool = False,
) -> LabelExport:
    """Write the labels of a study to a file, with pseudonyms for annotators, and return a summary.

    For a debate study, judges' answers or debates are written, and the survey into a file of its own. An
    unchanged earlier export is replaced.

    Args:
        folder: the folder of ``conqret labels collect``.
        output: the file to write; by default ``labels.csv``, for Label Studio ``labels.json``, for
            debates ``debates.jsonl``.
        to: the form: a long table, Label Studio's JSON, preferences between systems, or labels of
            pairs.
        final: write one final label for each question: the adjudicator's decision, else the majority.
        practice: write only the practice texts of writers.
        overwrite: replace a file that was edited.

    Raises:
        DeclarationError: there is no study, it has no labels of this form, or the file is in use.
        CorruptLabelsError: the study's database is corrupt; the message names its backup.
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
                f"{folder} contains no counter-arguments; the dashboard shows the results of other practice"
            )
        if task in (JUDGING, WRITING) and (final or to != "csv"):
            raise DeclarationError(f"{folder} is a debate study: leave out --final and --to")
        given, lacking = list(ledger.finished_answers()), list[str]()
        decided = list(verdicts(given, ledger.finals()))
        text: str | Iterable[str]
        if task == WRITING:
            whole, lacking = (practised(ledger), []) if practice else written(ledger)
            if not whole:
                raise DeclarationError("no question has both of its counter-arguments yet")
            text = json_lines(question.record() for question in whole)
        elif not given:
            raise DeclarationError(f"{folder} contains no {'answers' if task == JUDGING else 'labels'} yet")
        elif task == JUDGING:
            text = as_slider_answers(ledger)
        else:
            text = _labels(ledger, given, decided, to, final=final)
        survey = as_survey_answers(ledger)
        files = {file: text, **({survey_file(file): survey} if survey else {})}
        write_new(files, overwrite=overwrite, register=place)
        questions = {question.name: question for record in given for question in record.screen.questions}
        left = sum(verdict.value is None for verdict in decided) if final or to == "pairs" else 0
        return LabelExport(file, task, questions, left, lacking, survey_file(file) if survey else None)


def _labels(
    ledger: Ledger, given: Sequence[ScreenResponse], decided: Sequence[LabelVerdict], to: Form, *, final: bool
) -> str:
    """Return the text of a file with the labels in the form ``to``.

    ``given`` are all answers, ``decided`` the final labels; ``final`` writes these.

    Raises:
        DeclarationError: there are none of this form.
    """
    if to == "pairs":
        rows = [(one.screen.item, one.value) for one in decided if one.value in ("yes", "no")]
        if not rows:
            raise DeclarationError("there are no labels of pairs: they come from --task perspective")
        return csv_text(("id", "label"), rows)
    if to == "comparisons":
        if not any(one.screen.compared for one in given):
            raise DeclarationError("there are no preferences: they come from --task answer-preference")
        return as_comparisons(given)
    undecided = sum(one.value is None for one in decided) if final else 0
    marks = marks_of(ledger.study, given, undecided=undecided)
    if final:
        return as_finals(decided, ledger.annotators(), marks=marks)
    return as_label_studio(given, marks=marks) if to == "label-studio" else as_table(given, marks=marks)


COLUMNS = ("item", "part", "dimension", "value", "annotator", "topic", "comment", "at", "seconds", SCALE)
"""The columns of the long table, with a row for each answer to a question: ``at`` is when it was given
last, in UTC, ``seconds`` how long after the screen was first given (or its timer started), ``scale``
the ends of a numeric scale.
"""


Marks = Callable[[Screen], dict[str, str]]
"""The extra columns of the labels of a screen, which describe how its item was selected."""


def marks_of(study: Study, records: Sequence[ScreenResponse], *, undecided: int = 0) -> Marks:
    """Return the function that gives each screen's extra columns.

    Final labels are marked as unfit for estimation while some are ``undecided``, since only those with
    agreement are then exported. The row of a table was drawn within its stratum: its probability is the
    share of the stratum's rows that have a label, so that it is right in an unfinished study, too; it is unknown where
    all that were drawn were skipped.
    """
    labeled = {
        record.place: record.screen.stratum
        for record in records
        if set(record.answers.values()) != {CANNOT_JUDGE}
    }
    counts = Counter(labeled.values())

    def marks(screen: Screen) -> dict[str, str]:
        if not study.estimates or undecided:
            return {FOR_ESTIMATION: NOT}
        if screen.stratum is not None:
            share = counts[screen.stratum] / screen.stratum.rows
            return {PROBABILITY: f"{share:.6g}" if share else ""}
        return {} if study.probability is None else {PROBABILITY: f"{study.probability:.6g}"}

    return marks


FINAL = "final"
"""The annotator of a final label."""


def as_table(records: Iterable[ScreenResponse], *, marks: Marks = lambda screen: {}) -> str:
    """Return the labels as a long CSV table, which ``conqret validate``, ``conqret check`` and ``conqret
    labels agreement`` read.

    ``marks`` returns the extra columns of a screen (:func:`marks_of`).
    """
    more, rows = dict[str, str](), []
    for record in records:
        screen, scales = record.screen, _scales(record.screen)
        more = marks(screen)
        for name, value in screen.written(record.answers).items():
            said = (
                record.annotator.pseudonym,
                screen.topic,
                record.comment,
                record.at,
                f"{record.seconds:.1f}",
            )
            rows.append((screen.item, screen.part, name, value, *said, scales[name], *more.values()))
    return csv_text((*COLUMNS, *more), rows)


FINAL_COLUMNS = ("item", "part", "dimension", "value", "annotator", "topic", "comment", "how", "by", SCALE)
"""The columns of the table of final labels: ``how`` each came about, and the pseudonym of ``by`` whom,
where an adjudicator decided.
"""


def as_finals(
    label_verdicts: Iterable[LabelVerdict],
    annotators: Iterable[Annotator],
    *,
    marks: Marks = lambda screen: {},
) -> str:
    """Return the final labels as CSV, one per row, under the annotator ``final``; undecided ones are left
    out.

    ``annotators`` give the adjudicators' pseudonyms; those who are not among them become ``a01`` and so on.
    ``marks`` is as in :func:`as_table`.
    """
    names = {annotator.name: annotator.pseudonym for annotator in annotators}
    more, rows = dict[str, str](), []
    for verdict in label_verdicts:
        more = marks(verdict.screen)
        by = verdict.by and names.setdefault(
            verdict.by, f"a{1 + sum(name.startswith('a') for name in names.values()):02}"
        )
        if verdict.value is not None:
            screen, name = verdict.screen, verdict.question
            decided = (screen.topic, verdict.comment, verdict.how, by, _scales(screen)[name])
            rows.append((screen.item, screen.part, name, verdict.value, FINAL, *decided, *more.values()))
    return csv_text((*FINAL_COLUMNS, *more), rows)


def as_comparisons(records: Iterable[ScreenResponse]) -> str:
    """Return pairwise preferences as CSV for ``conqret debateqa rank --preferences``; screens that compare nothing,
    and answers "cannot judge", are left out.
    """
    rows = [
        (*record.screen.compared, value, record.annotator.pseudonym, record.screen.item)
        for record in records
        if record.screen.compared
        for value in record.screen.written(record.answers).values()
        if value != CANNOT_JUDGE
    ]
    return csv_text(("first", "second", "preference", "annotator", "item"), rows)


def _scales(screen: Screen) -> dict[str, str]:
    """The scale of each question of a screen, as a label file says it; empty where the answers are words."""
    scales = {question.name: scale_of(question) for question in screen.questions}
    return {
        name: "" if scale.words else written_scale(scale.low, scale.high) for name, scale in scales.items()
    }


def as_label_studio(records: Iterable[ScreenResponse], *, marks: Marks = lambda screen: {}) -> str:
    """Return the labels in the JSON export format of Label Studio, with one task for each item or labeled part. A task
    states its scale if all of its questions have the same. ``marks`` is as in :func:`as_table`."""
    tasks: dict[int, dict[str, object]] = {}
    for record in records:
        screen = record.screen
        scales = set(_scales(screen).values())
        scale = {SCALE: scales.pop()} if len(scales) == 1 and "" not in scales else {}
        data = {"item": screen.item, "part": screen.part, "topic": screen.topic, **marks(screen), **scale}
        task = tasks.setdefault(record.place, {"data": data, "annotations": []})
        task["annotations"].append(  # type: ignore[attr-defined]
            {
                "completed_by": {"email": record.annotator.pseudonym},
                "created_at": record.at,
                "lead_time": record.seconds,
                "result": [
                    {"from_name": name, "to_name": "text", "type": "choices", "value": {"choices": [value]}}
                    for name, value in screen.written(record.answers).items()
                ],
            }
        )
    return json.dumps(list(tasks.values()), indent=1, ensure_ascii=False) + "\n"


ADJUDICATED, AGREED, MOST = "adjudicated", "all agree", "most"
"""The ways in which a final label is decided."""


@dataclass(frozen=True, slots=True)
class LabelVerdict:
    """The final label of one question on a screen.

    ``how`` tells how it was decided (adjudicated, all agree, most). ``value`` is None if annotators differ
    and nothing was decided, and "cannot judge" if none could judge. ``by`` is the adjudicator's name, and
    ``comment`` theirs; empty without one.
    """

    screen: Screen
    question: str
    value: str | None
    how: str
    by: str = ""
    comment: str = ""


def verdicts(records: Iterable[ScreenResponse], finals: Iterable[Final] = ()) -> Iterator[LabelVerdict]:
    """Yield the final label of each answered question, in the order of the screens.

    It is the adjudicator's decision, else the answer of more than half of the annotators who could judge,
    else None.
    """
    last = {final.screen: final for final in finals}
    for place, answers in gathered((record.place, record) for record in records).items():
        screen, final = answers[0].screen, last.get(place)
        for question in screen.questions:
            if final is not None and question.name in final.answers:
                value = screen.written(final.answers)[question.name]
                yield LabelVerdict(screen, question.name, value, ADJUDICATED, final.by, final.comment)
            else:
                yield _of_people(screen, question.name, [answer.answers[question.name] for answer in answers])


def _of_people(screen: Screen, question: str, answers: Sequence[str]) -> LabelVerdict:
    judged = [value for value in answers if value != CANNOT_JUDGE]
    if not judged:
        return LabelVerdict(screen, question, CANNOT_JUDGE, AGREED)
    value, count = Counter(judged).most_common(1)[0]
    if 2 * count <= len(judged):
        return LabelVerdict(screen, question, None, "")
    how = AGREED if count == len(answers) else MOST
    return LabelVerdict(screen, question, screen.written({question: value})[question], how)


def scale_of(question: ScreenQuestion) -> LabelScale:
    """Return the label scale of a question: ordinal from the lowest to the highest value if its choices
    are integers, else nominal with the choices numbered from 0.
    """
    values = [choice.value for choice in question.choices]
    if all(value.isdecimal() for value in values):
        numbers = [int(value) for value in values]
        return LabelScale(low=min(numbers), high=max(numbers))
    words = {value.casefold(): float(place) for place, value in enumerate(values)}
    return LabelScale("nominal", 0, len(values) - 1, words)


def reading_options(questions: Mapping[str, ScreenQuestion]) -> list[str]:
    """Return the options with which ``conqret labels agreement`` reads the exported table as
    :func:`label_set` does.

    The list is empty if the table states its scales, or if its questions have different words.
    """
    scales = {dimension_name(name): scale_of(question) for name, question in questions.items()}
    worded = next((scale for scale in scales.values() if scale.words), None)
    if worded is None or any(scale != worded for scale in scales.values()):
        return []
    mapped = ",".join(f"{word}={number:g}" for word, number in worded.words.items())
    return ["--level", "nominal", "--map", mapped]


def export_readers(label_export: LabelExport, to: str, *, final: bool, practice: bool) -> Iterator[str]:
    """Yield the commands that read an export, as lines for the user; ``to``, ``final`` and ``practice``
    are those of :func:`export_labels`.
    """
    file = str(label_export.file)
    if label_export.task == WRITING and practice:
        yield (
            f"grade them with: conqret labels collect {file} --task counter-argument, or conqret debate two-turn "
            f"judge {file} --rubric"
        )
        yield "let a writer go on with: conqret labels manage FOLDER resume NAME"
        return
    if label_export.task == WRITING:
        yield f"judge them with: conqret labels collect {file} --task debate, or conqret debate two-turn judge {file}"
        return
    if label_export.task == JUDGING:
        words = ["conqret", "debate", "two-turn", "outcomes", file]
    elif label_export.task == VERDICT and to == "csv":
        words = ["conqret", "check", "TABLE", "--labels", file]
    elif to == "pairs":
        words = ["conqret", "perspectives", "detect", "PAIRS", "--labels", file]
    elif to == "comparisons":
        words = ["conqret", "debateqa", "rank", "SCORES", "--preferences", file]
    else:
        begin = ["conqret", "validate", "RUN", "--labels"] if final else ["conqret", "labels", "agreement"]
        words = [*begin, file, *reading_options(label_export.questions)]
    yield f"read it with: {shlex.join(words)}"
