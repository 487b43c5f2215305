"""``conqret labels collect``: pages on which annotators label, judge debates or write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from annotated_types import Interval

from conqret._optional import require
from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, option
from conqret.console.printing import at, note, note_left_out, say
from conqret.debate.two_turn.slider_answers import INSTRUCTIONS, SliderAnswer, read_slider_answers
from conqret.debate.two_turn.two_turn_files import read_two_turn
from conqret.errors import DeclarationError, number
from conqret.io.limits import declared_text
from conqret.io.safe_files import only_writer
from conqret.labels.page_messages import page_messages
from conqret.labels.screens import OVERLAP, Screen, Study, study_of
from conqret.llm.providers import is_loopback
from conqret.options import FILES
from conqret.studies.check.command import TableOptions
from conqret.web.local_server import checked_url, serve_pages

if TYPE_CHECKING:
    from conqret.judging.judge_settings import ItemSettings
    from conqret.labels.study_screens import PlannedStudy


DEBATE, WRITE = "debate", "write"
"""The tasks for two-turn debates, whose screens are planned for each annotator."""
RATING, VERDICT = "rating", "verdict"
"""The tasks where none is named: for items, and for a table of a judge's verdicts."""
ONLY_FOR = {
    DEBATE: {"--design", "--instruction", "--practice-correct"},
    WRITE: {"--judged"},
    VERDICT: {"--sample", "--question", "--open", "--overlap", "--practice-correct", "--columns"},
    "": set(
        "--metric --scale --plan --open --overlap --practice-correct --columns --skip-invalid --language".split()
    ),
}
"""The options that not every task takes, by task; the last are those of tasks that label items."""
ANNOTATOR = "annotator"
"""The name of the annotator of a table, if none is named."""
EXPORT = "labels.csv"
"""The name of the file with a table's labels, in the folder of its study."""
ANNOTATE_PORT = 8767
"""The default port of the pages for annotators."""
COLUMNS = option(
    FILES,
    "Map fields of items (`topic=question,documents=ctx,argument=answer`), or texts of a table of verdicts "
    "(`id=ticket,output=summary,input=article`), to your columns.",
)


@dataclass(frozen=True, kw_only=True)
class TaskOptions(OptionGroup):
    """The questions to annotators.

    Args:
        task: The annotation task: `rating` (overall quality), `verdict` (pass or fail; for a table of a judge's
            verdicts on their own scale), `dimensions` (15 dimensions of argument quality), `preference` (the better of
            two arguments), `citation-support`, `perspective` (does a document support it?), `partial-answer`,
            `answer-preference`, `counter-argument`, the ratings of a judge format (`rag-fine-grained`, `listwise`, …),
            or a TOML file with your own questions. For two-turn debates: `debate`
            (judge which option is right) or `write` (write counter-arguments). Default: `verdict` for a table of
            verdicts, else `rating`.
        sample: For a table of verdicts: how many of its unlabeled rows are labeled, each verdict among them. Default:
            60.
        question: For a table of verdicts: the question to annotators, such as "Is every claim supported?". Default: a
            general question, such as "Does the output pass?".
        metric: Show annotators only this question (dimension) of the task. May be repeated.
        scale: Lowest and highest rating, for example `1:5`. Default: the task's.
        plan: Only the items of this plan, in its order, and the metrics and scale of its form: a .plan.json that
            `conqret labels sample` wrote.
        design: For `--task debate`: with `main` (the default) judges see the whole passage from the start and have five
            minutes for each judgment; with `pilot` they first judge from short quotations, and see the passage only at
            the end, and learn what they earned when all judges are done.
        instruction: For `--task debate`: what a judge's answers earn, `simple` (the default), `encourage-abstain`
            (abstaining earns more), or `both`, one after the other. `conqret debate two-turn outcomes` explains them.
        judged: For `--task write`: a file of judges' answers (human or model) on the debates of this study; each writer
            is then shown the bonus in dollars that their texts earned.
    """

    task: str | None = None
    sample: Annotated[int | None, Interval(ge=1)] = None
    question: str | None = None
    metric: list[str] | None = None
    scale: str | None = None
    plan: Path | None = None
    design: Literal["main", "pilot"] | None = None
    instruction: Literal["simple", "encourage-abstain", "both"] | None = None
    judged: Path | None = None


@dataclass(frozen=True, kw_only=True)
class AnnotatorOptions(OptionGroup):
    """Who labels, what they agree to and practice first, and how many label an item.

    Args:
        annotators: Who labels: names, comma-separated; each annotator gets a link of their own. Default, for a table of
            verdicts: one annotator.
        open_to (--open): Number of annotators who may join by one open link, choosing a name.
        overlap: How many annotators label each item. Default: 3, or all if there are fewer.
        consent: A text file, shown to each annotator before the first item; only those who agree to it can go on.
        practice: Practice items, which each annotator gets first and is then shown the right answers to: items with
            known answers (`gold` in their metadata), or questions with debates. Practice texts of writers are read by
            you (`conqret labels manage FOLDER resume NAME`).
        practice_correct: The share of practice items (`--practice`) that an annotator must answer correctly to go on,
            for example 0.8.
    """

    annotators: str = ""
    open_to: Annotated[int, Interval(ge=0)] = 0
    overlap: int | None = None
    consent: Path | None = None
    practice: Path | None = None
    practice_correct: Annotated[float, Interval(ge=0, le=1)] = 0.0

    @property
    def names(self) -> list[str]:
        """The names of the annotators."""
        return options.listed(self.annotators)

    def overlap_of(self, names: Sequence[str]) -> int:
        """Return how many annotators label each item, if those with ``names`` are invited."""
        return min(OVERLAP, max(len(names) + self.open_to, 1)) if self.overlap is None else self.overlap

    def terms(self) -> dict[str, Any]:
        """Return what a study says of those who join, as :func:`study_of` takes it."""
        return {"open_to": self.open_to, "consent": self.consent_text(), "passing": self.practice_correct}

    def consent_text(self) -> str:
        """Return the text that annotators must consent to; empty if there is none.

        Raises:
            DeclarationError: the file cannot be read.
        """
        return declared_text(self.consent) if self.consent is not None else ""


@dataclass(frozen=True)
class ServerOptions(OptionGroup):
    """Where pages are served, and how annotators reach them.

    Args:
        host: The address to listen on; beyond this machine, put a proxy with TLS before it.
        port: The port; 0 takes one that is free.
        url: The address at which annotators reach the pages, if behind a proxy.
        page_language: The language of the pages: `en`, `de`, `ar`, or a file with the words of another one, `my.toml`
            (docs/languages.md).
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Interval(ge=0, le=65535)] = ANNOTATE_PORT
    url: str = ""
    page_language: str = "en"

    def serve(self, folder: Path, planned: PlannedStudy, names: Sequence[str]) -> int:
        """Serve a study in ``folder`` to annotators with these ``names`` until Ctrl-C, and print their
        links; return the number of labels.

        Raises:
            DeclarationError: there are no words for the pages' language, ``url`` is none, or the study is being served
                already; or as :meth:`PlannedStudy.open`.
        """
        from conqret.debate.two_turn.writer_scores import check_judged
        from conqret.labels.label_app import annotation_app
        from conqret.labels.study_access import Links, Setting, study_links

        secure = checked_url(self.url).scheme == "https"
        setting = Setting(secure, planned.judged, page_messages(self.page_language))
        if not is_loopback(self.host) and not secure:
            note(
                "without TLS, others on the network can read links and labels: put a proxy in front "
                "and set its address with --url"
            )
        with (
            only_writer(folder, "the study is being served already"),
            closing(planned.open(folder, names)) as ledger,
        ):
            if planned.judged:
                check_judged(ledger, planned.judged)
            ledger.check_and_back_up()
            links = Links(folder)
            serve_pages(
                annotation_app(ledger, links, setting),
                host=self.host,
                port=self.port,
                url=self.url,
                on_start=lambda base: say("\n".join(study_links(base, ledger, links))),
            )
            ledger.check_and_back_up()
            done, wanted = ledger.wanted()
        say(f"stopped: {done:,} of {number(wanted, 'label')} are in {folder}; the same command continues")
        return done


def collect(
    items: options.Items,
    *,
    output: Path = Path("labels"),
    task_options: TaskOptions,
    panel: AnnotatorOptions,
    read: TableOptions,
    served: ServerOptions,
    columns: Annotated[str | None, COLUMNS] = None,
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
    other half. In the end both may answer a survey on how they went about it.

    Args:
        output (--output, -o): The folder in which the study and its labels are stored.

    Examples:

    conqret labels collect results.csv --sample 60

    conqret labels collect items.jsonl --annotators anna,ben,carl -o labels

    conqret labels collect items.jsonl --task rag-fine-grained --metric groundedness --open 20 --overlap 3 -o labels

    conqret labels collect items.jsonl --annotators anna,ben --practice practice.jsonl --practice-correct 0.8 -o labels

    conqret labels collect items.jsonl --page-language de --annotators anna,ben -o labels

    conqret labels collect questions.jsonl --task debate --annotators ann,bob,cem,dee -o study

    conqret labels collect questions.jsonl --task write --annotators ann,bob -o writing
    """
    from conqret.labels.exporting import export_labels
    from conqret.labels.row_sampling import drawn_in_bands, shown_notes, table_of_verdicts, verdict_plan
    from conqret.labels.study_screens import PlannedStudy
    from conqret.studies.check.table_shapes import study_folder
    from conqret.studies.check.text_table import command_line

    require("starlette", "uvicorn", extra="web")
    wanted = task_options.sample is not None or task_options.question is not None
    roles = read.given()
    level = [("--confidence", f"{roles.pop('confidence'):g}")] if read.confidence else []
    if read.labels:  # the labels of this study are no reason to draw other rows
        roles["labels"] = [file for file in read.labels if study_folder(file) != output]
    table = table_of_verdicts(items, task_options.task, columns, wanted=wanted, **roles)
    kept = table.options if table is not None else ()
    if table is not None and read.passing and drawn_in_bands(output):  # a cut changes no draw that has begun
        uncut = {name: value for name, value in roles.items() if name != "passing"}
        table = table_of_verdicts(items, task_options.task, columns, wanted=True, **uncut)
    kind = VERDICT if table is not None else task_options.task or RATING
    options_set = {
        **{f"--{name}": value for name, value in vars(task_options).items() if name != "task"},
        "--open": panel.open_to,
        "--overlap": panel.overlap,
        "--practice-correct": panel.practice_correct,
        "--columns": columns,
        "--skip-invalid": skip_invalid,
        "--language": language,
    }
    if table is None:
        spelled = {"passing": "--pass", "drawn_by": "--drawn-by"}
        options_set |= {spelled.get(name, f"--{name}"): value for name, value in roles.items()}
    takes = ONLY_FOR[kind if kind in (DEBATE, WRITE) or table is not None else ""]
    if others := [name for name, value in options_set.items() if value and name not in takes]:
        raise DeclarationError(f"--task {kind} takes no {' and no '.join(others)}: leave it out")
    if panel.practice_correct and panel.practice is None:
        raise DeclarationError("--practice-correct is the share of --practice FILE: add --practice")
    names = panel.names
    if table is not None:
        names = names or ([] if panel.open_to else [ANNOTATOR])
        question = task_options.question or ""
        screens, drawn = verdict_plan(
            table, output, task_options.sample, panel.practice, note_left_out, question
        )
        say(f"{drawn}; annotators see neither verdicts nor reasons")
        note(*shown_notes(table, screens))
        study = study_of(VERDICT, screens, names, overlap=panel.overlap_of(names), **panel.terms())
        planned = PlannedStudy(study, screens)
    elif kind == DEBATE:
        planned = PlannedStudy(*debate_plan(items, task_options, panel))
    elif kind == WRITE:
        planned = PlannedStudy(*writing_plan(items, task_options, panel))
    else:
        named = options.column_map(columns, options.ITEM_COLUMNS)
        reading: ItemSettings = {"columns": named, "skip_invalid": skip_invalid, "language": language}
        planned = PlannedStudy(*label_plan(items, kind, task_options, panel, reading))
    done = served.serve(output, planned, names)
    if done and table is not None:
        file = export_labels(output, output / EXPORT).file
        say(at(file))
        cut = [("--pass", table.cut)] if table.cut and not read.passing else []
        say(f"next: {command_line('check', table.source, [*kept, *level, *cut, ('--labels', str(file))])}")


def label_plan(
    items: Path, task: str, task_options: TaskOptions, panel: AnnotatorOptions, reading: ItemSettings
) -> tuple[Study, list[Screen]]:
    """Return the study and the screens for labeling the items of a file.

    Raises:
        ItemsError: rows have faults, or lack a field that the task shows.
        DeclarationError: there is no such task or metric, or the settings of the study are invalid.
    """
    from conqret.labels.study_screens import items_of, plan_request, planned_screens, practice_screens
    from conqret.labels.task import TaskRequest, scale_ends

    metrics = tuple(name.replace("-", "_") for name in task_options.metric or ())
    wanted = TaskRequest(metrics, scale_ends(task_options.scale) if task_options.scale else None)
    if task == RATING and task_options.plan is not None and not (wanted.metrics or wanted.scale):
        wanted = plan_request(task_options.plan)
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
        estimates=planned.estimates,
        probability=planned.probability,
        **panel.terms(),
    )
    note(*planned.notes)
    return study, screens


def debate_plan(
    questions: Path, task_options: TaskOptions, panel: AnnotatorOptions
) -> tuple[Study, list[Screen], dict[str, str]]:
    """Return the study, the screens and the texts (by name) for judging two-turn debates.

    Raises:
        DeclarationError: the questions cannot be read, or the settings of the study are invalid.
    """
    from conqret.debate.two_turn.judge_answers import debate_study

    question_list = read_two_turn(questions)
    design, instruction = task_options.design or "main", task_options.instruction or "simple"
    planned = debate_study(
        question_list,
        panel.names,
        design,
        [name for name in INSTRUCTIONS if instruction in (name, "both")],
        consent=panel.consent_text(),
        practice=read_two_turn(panel.practice) if panel.practice is not None else (),
        passing=panel.practice_correct,
    )
    if design == "pilot" and max(Counter(question.passage_id for question in question_list).values()) > 1:
        note(
            "some questions share a passage, so that an annotator who reads it for one question knows it for the next"
        )
    return planned


def writing_plan(
    questions: Path, task_options: TaskOptions, panel: AnnotatorOptions
) -> tuple[Study, list[Screen], dict[str, str], Sequence[SliderAnswer]]:
    """Return the study, the screens and the texts (by name) for writing counter-arguments, and the judges'
    answers of ``--judged`` (empty without).

    Raises:
        DeclarationError: a file cannot be read, or the settings of the study are invalid.
    """
    from conqret.labels.written_arguments import writing_study

    planned = writing_study(
        read_two_turn(questions),
        panel.names,
        consent=panel.consent_text(),
        practice=read_two_turn(panel.practice) if panel.practice is not None else (),
    )
    return *planned, read_slider_answers(task_options.judged) if task_options.judged is not None else ()
