"""``conqret labels collect``: pages on which annotators label, judge debates or write."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import Interval

from conqret._optional import require
from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, note, note_left_out, say
from conqret.debate.two_turn.slider_answers import INSTRUCTIONS, read_slider_answers
from conqret.debate.two_turn.two_turn_files import read_two_turn
from conqret.errors import ConqretError, DeclarationError, check_known, number
from conqret.io.limits import declared_text
from conqret.io.safe_files import only_writer
from conqret.labels.command import ends
from conqret.labels.page_messages import page_messages
from conqret.labels.screens import OVERLAP, study_of
from conqret.web.local_server import checked_url, is_loopback, serve_pages

if TYPE_CHECKING:
    from conqret.judging.judge_settings import ItemSettings
    from conqret.labels.answer_ledger import Ledger
    from conqret.labels.study_access import Links
    from conqret.labels.study_screens import PlannedStudy
    from conqret.studies.check.checked_table import CheckedTable


ANNOTATE_PORT = 8767
"""Where the pages are on which annotators label, if no other port is given."""
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
TABLE_COLUMNS = "judge=verdict,human=label"
"""What --columns looks like for a table of verdicts."""
EXPORT = "labels.csv"
"""The labels of a table, in the folder of its study."""


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
        metric: Show annotators only this question (dimension) of the task. May be repeated.
        scale: Lowest and highest rating, for example `1:5`. Default: the task's.
        plan: Only the items of this plan, in its order: a .plan.json that `conqret labels sample` wrote.
        design: For `--task debate`: with `main` (the default) judges see the whole passage from the start and have five
            minutes for each judgment; with `pilot` they first judge from short quotations, and see the passage only at
            the end.
        instruction: For `--task debate`: what a judge's answers earn, `simple` (the default), `encourage-abstain`
            (abstaining earns more), or `both`, one after the other. `conqret debate two-turn payoffs` explains them.
        judged: For `--task write`: a file of judges' answers (human or model) on the debates of this study; each writer
            is then shown the bonus in dollars that their texts earned.
    """

    task: str | None = None
    sample: Annotated[int | None, Interval(ge=1)] = None
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
        passing (--pass): The share of practice items (`--practice`) that an annotator must answer correctly to go on,
            for example 0.8.
    """

    annotators: str = ""
    open_to: Annotated[int, Interval(ge=0)] = 0
    overlap: int | None = None
    consent: Path | None = None
    practice: Path | None = None
    passing: Annotated[float, Interval(ge=0, le=1)] = 0.0

    @property
    def names(self) -> list[str]:
        """The names of the annotators."""
        return options.listed(self.annotators)

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

    def serve(self, folder: Path, planned: PlannedStudy, names: Sequence[str]) -> None:
        """Serve a study in ``folder`` to annotators with these ``names`` until Ctrl-C, and print their
        links.

        Raises:
            DeclarationError: there are no words for the pages' language, ``url`` is none, or the study is being served
                already; or as :meth:`PlannedStudy.open`.
        """
        require("starlette", "uvicorn", extra="web")
        from conqret.debate.two_turn.writer_scores import check_judged
        from conqret.labels.label_app import annotation_app
        from conqret.labels.study_access import Links, Setting

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
            ledger.backup_session()
            links = Links(folder)
            serve_pages(
                annotation_app(ledger, links, setting),
                host=self.host,
                port=self.port,
                url=self.url,
                on_start=lambda base: _say_links(base, ledger, links),
            )
            ledger.backup_session()
            done, wanted = ledger.wanted()
        say(f"stopped: {done:,} of {number(wanted, 'label')} are in {folder}; the same command continues")


def _say_links(base: str, ledger: Ledger, links: Links) -> None:
    from conqret.labels.study_access import DASHBOARD, JOIN

    joined = [annotator for annotator in ledger.annotators() if annotator.state != "deleted"]
    width = max((len(annotator.name) for annotator in joined), default=0)
    done, wanted = ledger.wanted()
    each = "one annotator" if ledger.study.overlap == 1 else f"{ledger.study.overlap} annotators"
    say(f"{number(ledger.study.screens, 'screen')}, {each} each: {done:,} of {wanted:,} labels")
    if ledger.study.practice:
        say(f"everybody practises on {number(ledger.study.practice, 'screen')} first")
    for annotator in joined:
        say(f"  {annotator.name:<{width}}  {base}/in/{links.token(annotator)}")
    if ledger.study.open_to:
        say(f"  everyone who joins: {base}/join/{links.to(JOIN)}")
    say(f"  for you only, the progress: {base}/study/{links.to(DASHBOARD)}")
    say(
        "Send each annotator their own link, which identifies them. Stop with Ctrl-C; the same command continues."
    )


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
    table = verdict_table(items, task_options, columns)
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


def verdict_table(file: Path, task_options: TaskOptions, columns: str | None) -> CheckedTable | None:
    """Return a file as a table of a judge's verdicts; None if it is none or holds items, or another task is
    named.

    Raises:
        DeclarationError: a sample of its rows is wanted, or a judge's column named, and it is none.
    """
    from conqret.io.files import file_rows
    from conqret.studies.check.read_table import read_checked_table

    if task_options.task not in (None, VERDICT):
        return None
    roles = options.column_map(columns, TABLE_COLUMNS)
    wanted = task_options.sample is not None or "judge" in roles
    if wanted:
        check_known("field of a table of verdicts", ("judge", "human"), *roles)
    try:
        header = set(getattr(next(iter(file_rows(file)), None), "record", ()))
        if not wanted and "topic" in header and header & {"argument", "documents"}:
            return None
        named = {role: column.split("+") for role, column in roles.items()} if wanted else {}
        return read_checked_table(file, judge=named.get("judge", ()), human=named.get("human", ()))
    except ConqretError:
        if wanted:
            raise
        return None


def verdict_plan(
    table: CheckedTable,
    folder: Path,
    names: Sequence[str],
    task_options: TaskOptions,
    panel: AnnotatorOptions,
) -> PlannedStudy:
    """Return the planned study for labeling rows of a table; of a study that has begun, with the rows that
    were drawn then."""
    from conqret.labels.study_screens import PlannedStudy, practice_screens
    from conqret.labels.verdict_tables import (
        SAMPLE,
        SEED,
        draw_rows,
        drawn_before,
        strata_line,
        table_screens,
    )

    screens = drawn_before(folder, table)
    if len(screens) < (task_options.sample or (0 if screens else SAMPLE)):
        screens = table_screens(table, draw_rows(table, task_options.sample or SAMPLE))
    say(f"{strata_line(screens)} (seed {SEED}); annotators see neither verdicts nor reasons")
    practice = []
    if panel.practice is not None:
        practice = practice_screens(panel.practice, VERDICT, screens, on_check=note_left_out)
    study = study_of(
        VERDICT,
        screens + practice,
        names,
        overlap=_overlap(panel, names),
        open_to=panel.open_to,
        consent=panel.consent_text(),
        passing=panel.passing,
    )
    return PlannedStudy(study, [*screens, *practice])


def _overlap(panel: AnnotatorOptions, names: Sequence[str]) -> int:
    """How many annotators label each item."""
    return min(OVERLAP, max(len(names) + panel.open_to, 1)) if panel.overlap is None else panel.overlap


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
        overlap=_overlap(panel, panel.names),
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
