"""``conqret labels collect``: pages on which annotators label, judge debates or write."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.console import shared_options as options
from conqret.console.printing import at, note, note_left_out, say
from conqret.debate.two_turn.slider_answers import INSTRUCTIONS, read_slider_answers
from conqret.debate.two_turn.two_turn_files import read_two_turn
from conqret.errors import DeclarationError
from conqret.labels.collect_options import AnnotatorOptions, ServerOptions, TaskOptions
from conqret.labels.command import ends
from conqret.labels.screens import study_of

if TYPE_CHECKING:
    from conqret.judging.judge_settings import ItemSettings
    from conqret.labels.study_screens import PlannedStudy
    from conqret.studies.check.checked_table import CheckedTable


DEBATE, WRITE = "debate", "write"
"""The tasks for two-turn debates, whose screens are planned for each annotator."""
RATING, VERDICT = "rating", "verdict"
"""The tasks where none is named: for items, and for a table of a judge's verdicts."""
ONLY_FOR = {
    DEBATE: {"--design", "--instruction", "--pass"},
    WRITE: {"--judged"},
    VERDICT: {"--sample", "--open", "--overlap", "--pass", "--columns"},
    "": set("--metric --scale --plan --open --overlap --pass --columns --skip-invalid --language".split()),
}
"""The options that not every task takes, by task; the last are those of tasks that label items."""
ANNOTATOR = "annotator"
"""Who labels a table, if no annotator is named."""
EXPORT = "labels.csv"
"""The labels of a table, in the folder of its study."""


def collect(
    items: options.Items,
    *,
    output: Path = Path("labels"),
    task_options: TaskOptions,
    panel: AnnotatorOptions,
    served: ServerOptions,
    columns: options.Columns = None,
    skip_invalid: options.SkipInvalid = False,
    language: options.Language = None,
) -> None:
    """Serve pages on which annotators label, judge debates or write, until Ctrl-C; the same command goes on with the
    same links.

    An answer is saved before the page confirms it, and judges' scores are never shown. Each annotator gets the items in
    an order of their own, and each item is labeled by `--overlap` annotators.

    Of a table of a judge's verdicts, as `conqret check` reads it, rows are drawn by verdict and labeled by one key
    each; `labels.csv` in the folder has the labels and the probabilities of being drawn.

    Of two-turn debates (`--task debate`), each annotator judges each question once, at random with the arguments of the
    debate or without; the server keeps the time, and answers are final. With `--task write`, two annotators write on
    each passage, each against the first option's argument in one half of its questions and against the second's in the
    other half.

    Args:
        output (--output, -o): The folder in which the study and its labels are stored.

    Examples:

    conqret labels collect results.csv --sample 60

    conqret labels collect items.jsonl --annotators anna,ben,carl -o labels

    conqret labels collect items.jsonl --task rag-fine-grained --metric groundedness --open 20 --overlap 3 -o labels

    conqret labels collect items.jsonl --annotators anna,ben --practice practice.jsonl --pass 0.8 -o labels

    conqret labels collect items.jsonl --page-language de --annotators anna,ben -o labels

    conqret labels collect questions.jsonl --task debate --annotators ann,bob,cem,dee -o study

    conqret labels collect questions.jsonl --task write --annotators ann,bob -o writing
    """
    from conqret.labels.verdict_tables import table_of_verdicts

    table = table_of_verdicts(items, task_options.task, columns, wanted=task_options.sample is not None)
    kind = VERDICT if table is not None else task_options.task or RATING
    options_set = {
        **{f"--{name}": value for name, value in vars(task_options).items() if name != "task"},
        "--open": panel.open_to,
        "--overlap": panel.overlap,
        "--pass": panel.passing,
        "--columns": columns,
        "--skip-invalid": skip_invalid,
        "--language": language,
    }
    takes = ONLY_FOR[kind if kind in (DEBATE, WRITE) or table is not None else ""]
    if others := [name for name, value in options_set.items() if value and name not in takes]:
        raise DeclarationError(f"--task {kind} takes no {' and no '.join(others)}: leave it out")
    if panel.passing and panel.practice is None:
        raise DeclarationError("--pass is the share of correct answers in --practice FILE: add --practice")
    names = panel.names
    if table is not None:
        names = names or ([] if panel.open_to else [ANNOTATOR])
        planned = verdict_plan(table, output, names, task_options, panel)
    elif kind == DEBATE:
        planned = debate_plan(items, task_options, panel)
    elif kind == WRITE:
        planned = writing_plan(items, task_options, panel)
    else:
        named = options.column_map(columns, options.ITEM_COLUMNS)
        reading: ItemSettings = {"columns": named, "skip_invalid": skip_invalid, "language": language}
        planned = label_plan(items, kind, task_options, panel, reading)
    served.serve(output, planned, names)
    if table is not None:
        _say_export(items, output)


def verdict_plan(
    table: CheckedTable,
    folder: Path,
    names: Sequence[str],
    task_options: TaskOptions,
    panel: AnnotatorOptions,
) -> PlannedStudy:
    """Return the planned study for labeling rows of a table; of a study that has begun, with the rows that
    were drawn then."""
    from conqret.labels.sampling import SEED
    from conqret.labels.study_screens import PlannedStudy, practice_screens
    from conqret.labels.verdict_screens import table_screens
    from conqret.labels.verdict_tables import SAMPLE, draw_rows, drawn_before, strata_line

    screens = drawn_before(folder, table)
    if len(screens) < (task_options.sample or (0 if screens else SAMPLE)):
        screens = table_screens(table, draw_rows(table, task_options.sample or SAMPLE))
    drawn = strata_line(screen.stratum for screen in screens if screen.stratum is not None)
    say(f"{drawn} (seed {SEED}); annotators see neither verdicts nor reasons")
    practice = []
    if panel.practice is not None:
        practice = practice_screens(panel.practice, VERDICT, screens, on_check=note_left_out)
    study = study_of(
        VERDICT,
        screens + practice,
        names,
        overlap=panel.overlap_of(names),
        open_to=panel.open_to,
        consent=panel.consent_text(),
        passing=panel.passing,
    )
    return PlannedStudy(study, [*screens, *practice])


def _say_export(table: Path, folder: Path) -> None:
    """Write the labels of a table next to the study, and say the command that reads both."""
    from conqret.labels.answer_ledger import Ledger
    from conqret.labels.exporting import export_labels

    with closing(Ledger(folder)) as ledger:
        done, _ = ledger.wanted()
    if done:
        file = export_labels(folder, folder / EXPORT).file
        say(at(file))
        say(f"next: {shlex.join(['conqret', 'check', str(table), '--labels', str(file)])}")


def label_plan(
    items: Path, task: str, task_options: TaskOptions, panel: AnnotatorOptions, reading: ItemSettings
) -> PlannedStudy:
    """Return the planned study for labeling the items of a file."""
    from conqret.labels.study_screens import PlannedStudy, items_of, planned_screens, practice_screens
    from conqret.labels.task import TaskRequest

    metrics = tuple(name.replace("-", "_") for name in task_options.metric or ())
    wanted = TaskRequest(metrics, ends(task_options.scale) if task_options.scale else None)
    source = items_of(items, task, wanted, on_check=note_left_out, **reading)
    planned = planned_screens(source, task, wanted, plan=task_options.plan)
    screens = planned.screens
    if panel.practice is not None:
        reading = {**reading, "columns": None}
        screens = screens + practice_screens(
            panel.practice, task, screens, wanted, on_check=note_left_out, **reading
        )
    study = study_of(
        task,
        screens,
        panel.names,
        overlap=panel.overlap_of(panel.names),
        open_to=panel.open_to,
        estimates=planned.estimates,
        probability=planned.probability,
        consent=panel.consent_text(),
        passing=panel.passing,
    )
    note(*planned.notes)
    return PlannedStudy(study, screens)


def debate_plan(questions: Path, task_options: TaskOptions, panel: AnnotatorOptions) -> PlannedStudy:
    """Return the planned study for judging two-turn debates."""
    from conqret.debate.two_turn.judge_answers import debate_study
    from conqret.labels.study_screens import PlannedStudy

    question_list = read_two_turn(questions)
    design, instruction = task_options.design or "main", task_options.instruction or "simple"
    planned = debate_study(
        question_list,
        panel.names,
        design,
        [name for name in INSTRUCTIONS if instruction in (name, "both")],
        consent=panel.consent_text(),
        practice=read_two_turn(panel.practice) if panel.practice is not None else (),
        passing=panel.passing,
    )
    if design == "pilot" and max(Counter(question.passage_id for question in question_list).values()) > 1:
        note(
            "some questions share a passage, so that an annotator who reads it for one question knows it for the next"
        )
    return PlannedStudy(*planned)


def writing_plan(questions: Path, task_options: TaskOptions, panel: AnnotatorOptions) -> PlannedStudy:
    """Return the planned study for writing counter-arguments."""
    from conqret.labels.study_screens import PlannedStudy
    from conqret.labels.written_arguments import writing_study

    planned = writing_study(
        read_two_turn(questions),
        panel.names,
        consent=panel.consent_text(),
        practice=read_two_turn(panel.practice) if panel.practice is not None else (),
    )
    return PlannedStudy(
        *planned, read_slider_answers(task_options.judged) if task_options.judged is not None else ()
    )
