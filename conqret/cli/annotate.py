"""``conqret annotate``: pages on which people label, and what comes of them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from conqret.cli import options
from conqret.cli.annotate_adjudicate import ADJUDICATE_EPILOG, adjudicate
from conqret.cli.annotate_debate import EPILOG as DEBATE_EPILOG
from conqret.cli.annotate_debate import WRITE_EPILOG, debate, export_answers, export_debates, write
from conqret.cli.annotating import Consent, Practice, Served, text_of
from conqret.cli.console import at, note, result, say
from conqret.cli.default_command import DEFAULT, RunByDefault
from conqret.cli.groups import grouped
from conqret.errors import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from conqret.annotation.ledger import Ledger
    from conqret.annotation.records import Given
    from conqret.annotation.verdicts import Verdict

EPILOG = (
    "Examples:\n\n"
    "conqret annotate items.jsonl --people anna,ben,carl -o labels\n\n"
    "conqret annotate items.jsonl --task rag-fine-grained --metric groundedness --open 20 --overlap 3 -o labels\n\n"
    "conqret annotate items.jsonl --task preference --people anna,ben --overlap 2 -o labels\n\n"
    "conqret annotate items.jsonl --people anna,ben --practice practice.jsonl --pass 0.8 -o labels\n\n"
    "conqret annotate status labels\n\n"
    "conqret annotate export labels -o labels.csv"
)
TASKS = (
    "What people are asked: rating, dimensions (the 15), preference, citation-support, perspective, partial-answer, "
    "answer-preference, counter-argument, a format of ratings (rag-fine-grained, listwise, …), or a file of questions, "
    "my-task.toml."
)

app = typer.Typer(
    cls=RunByDefault,
    help="Have people label items on pages of your own, and keep and read what they say.",
    no_args_is_help=True,
    epilog=EPILOG,
)

Folder = Annotated[Path, typer.Argument(help="The folder of the study, the -o of conqret annotate.")]
Name = Annotated[str, typer.Argument(help="The person: a name, or a pseudonym such as p02.")]


@app.command(DEFAULT, epilog=EPILOG)
@grouped
def run(
    items: options.Items,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder that keeps the labels.")],
    task: Annotated[str, typer.Option(help=TASKS)] = "rating",
    metric: Annotated[
        list[str] | None, typer.Option(help="Only this question of the task. May be repeated.")
    ] = None,
    people: Annotated[
        str, typer.Option(help="Who labels, by names with commas between; each gets a link of their own.")
    ] = "",
    open_to: Annotated[
        int, typer.Option("--open", help="So many people may join by one link, choosing a name.", min=0)
    ] = 0,
    overlap: Annotated[
        int | None,
        typer.Option(help="How many people label each screen. Default: 3, or all where there are fewer."),
    ] = None,
    scale: Annotated[
        str | None, typer.Option(help="The ends of the scale of a rating, as 1:5. Default: the task's.")
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(help="Only the items of this plan, in its order: the .plan.json of conqret label."),
    ] = None,
    consent: Consent = None,
    seed: Annotated[int, typer.Option(help="Draws orders and sides.")] = 13,
    practice: Practice,
    served: Served,
    columns: options.Columns = None,
) -> None:
    """Serve pages on which people label, until Ctrl-C; the same command goes on with the same links.

    Each answer is on the disk before the page says so, and judges' scores are never shown. Everybody gets screens in an
    order of their own, each screen as many people as --overlap says and no more.
    """
    from conqret.annotation.ledger import Ledger
    from conqret.annotation.planned import items_of, planned_screens
    from conqret.annotation.practice import practice_screens
    from conqret.annotation.study import OVERLAP, study_of
    from conqret.cli.label import ends

    practice = practice.checked()
    source = items_of(items, task, options.column_map(columns, options.ITEM_COLUMNS))
    metrics, points = metric or (), ends(scale) if scale else None
    found = planned_screens(source, task, metrics=metrics, scale=points, seed=seed, plan=plan)
    screens = found.screens
    if practice.practice is not None:
        screens = screens + practice_screens(
            practice.practice, task, screens, metrics=metrics, scale=points, seed=seed
        )
    names = options.listed(people)
    study = study_of(
        task, screens, names,
        overlap=overlap if overlap is not None else min(OVERLAP, max(len(names) + open_to, 1)),
        open_to=open_to, seed=seed, estimates=found.estimates, probability=found.probability,
        consent=text_of(consent), passing=practice.passing,
    )  # fmt: skip
    for remark in found.notes:
        note(remark)
    served.serve(output, lambda: Ledger.open(output, study, screens, names))


app.command("debate", epilog=DEBATE_EPILOG)(debate)
app.command("write", epilog=WRITE_EPILOG)(write)
app.command("adjudicate", epilog=ADJUDICATE_EPILOG)(adjudicate)


@app.command("status", epilog="Example: conqret annotate status labels")
def status(folder: Folder, json_output: options.Json = False) -> None:
    """How far a study is, who did what, and how far people agree so far."""
    from conqret.annotation.labels import agreement, label_set
    from conqret.report.agreement_tables import people_table
    from conqret.report.annotation import people_rows, people_so_far, why_no_agreement

    with _opened(folder) as ledger:
        given = list(ledger.given())
        done, wanted = ledger.wanted()
        labels = label_set(given)
        found, people = agreement(labels), people_rows(ledger, given, labels)
        facts = {
            "task": ledger.study.task,
            "screens": ledger.study.screens,
            "overlap": ledger.study.overlap,
            "labels": done,
            "wanted": wanted,
            "people": [row.model_dump(mode="json") for row in people],
            "agreement": found.model_dump(mode="json") if found else None,
        }

        each = "one person" if ledger.study.overlap == 1 else f"{ledger.study.overlap} people"

        def lines() -> Iterator[RenderableType]:
            yield f"{ledger.study.task}: {done:,} of {number(wanted, 'label')}, {each} a screen"
            yield people_so_far(people)
            yield people_table(found) if found else why_no_agreement(ledger)

        result(facts, lines(), as_json=json_output)


@app.command("export", epilog="Example: conqret annotate export labels -o labels.csv")
def export(
    folder: Folder,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")] = Path("labels.csv"),
    to: Annotated[
        Literal["csv", "label-studio", "comparisons", "pairs"],
        typer.Option(
            help="A long table; Label Studio's JSON; what conqret score correlate reads of preferences between "
            "systems; what conqret perspectives detect reads of pairs."
        ),
    ] = "csv",
    final: Annotated[
        bool, typer.Option("--final", help="One label each: what was decided, else what most people say.")
    ] = False,
    practice: Annotated[
        bool, typer.Option("--practice", help="What writers of counter-arguments practised on, to be graded.")
    ] = False,
    dropped: Annotated[
        bool, typer.Option("--with-dropped", help="Also the labels of people who were dropped.")
    ] = False,
) -> None:
    """Write the labels as conqret agree, conqret validate and Label Studio read them, with pseudonyms for people; of a
    debate study the answers, as conqret debate table reads them."""
    from conqret.annotation.counter_arguments import TASK as WRITING
    from conqret.annotation.debate_plan import TASK as JUDGING
    from conqret.annotation.export import EXPORTS, as_comparisons, as_finals, as_pair_labels, marks_of
    from conqret.annotation.finals import Finals
    from conqret.annotation.verdicts import verdicts
    from conqret.errors import DeclarationError
    from conqret.report.page import write_files

    if final and to in ("label-studio", "comparisons"):
        raise DeclarationError(f"--final is one label each, in a table: leave out --to {to}")
    with _opened(folder) as ledger, closing(Finals(folder)) as finals:
        if practice and ledger.study.task != WRITING:
            raise DeclarationError(
                f"{folder} holds no counter-arguments; of other practice the dashboard and status say how it went"
            )
        if ledger.study.task in (JUDGING, WRITING):
            if final or to != "csv":
                raise DeclarationError(f"{folder} is a debate study: leave out --final and --to")
            if ledger.study.task == WRITING:
                export_debates(ledger, output, practice=practice)
            else:
                export_answers(ledger, output, dropped=dropped)
            return
        given = list(ledger.given(dropped=dropped))
        if not given:
            raise DeclarationError(f"{folder} holds no labels yet")
        marks, decided = marks_of(ledger.study), list(verdicts(given, finals))
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
    (path,) = write_files(output.parent, {output.name: text.encode("utf-8", "replace")})
    say(at(path))
    if final or to == "pairs":
        _say_open(decided)
    say(f"read it with: {_reader(to, path, given, final=final)}")


def _say_open(decided: Sequence[Verdict]) -> None:
    """How many labels wait for somebody who decides."""
    if left := sum(one.value is None for one in decided):
        note(
            f"{number(left, 'label')} left out: people differ, and no one has decided (conqret annotate adjudicate)"
        )


def _reader(to: str, path: Path, given: Sequence[Given], *, final: bool) -> str:
    """The command that reads an export."""
    import shlex

    from conqret.annotation.labels import reading_options

    if to == "pairs":
        return shlex.join(["conqret", "perspectives", "detect", "PAIRS", "--labels", str(path)])
    if to == "comparisons":
        return shlex.join(["conqret", "score", "correlate", "SCORES", "--preferences", str(path)])
    options = reading_options({question.name: question for one in given for question in one.screen.questions})
    words = ["conqret", "validate", "RUN", "--labels"] if final else ["conqret", "agree"]
    return shlex.join([*words, str(path), *options])


@app.command("drop", epilog="Example: conqret annotate drop labels ben --why 'answered without reading'")
def drop(
    folder: Folder,
    name: Name,
    why: Annotated[str, typer.Option(help="The reason, which is kept.")] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Count this person's labels again.")] = False,
) -> None:
    """Leave a person's labels out of all exports, and give their screens to others; the labels are kept."""
    with _opened(folder) as ledger:
        ledger.set_state(ledger.person(name), "active" if undo else "dropped", why)
    say(f"{name}: {'counted again' if undo else 'left out; --undo takes it back'}")


@app.command("pause", epilog="Example: conqret annotate pause labels ben --resume")
def pause(
    folder: Folder,
    name: Name,
    resume: Annotated[bool, typer.Option("--resume", help="Let this person go on.")] = False,
) -> None:
    """Keep a person from labelling for the time being."""
    with _opened(folder) as ledger:
        ledger.set_state(ledger.person(name), "active" if resume else "paused")
    say(f"{name}: {'may go on' if resume else 'paused; --resume lets them go on'}")


@app.command("reassign", epilog="Example: conqret annotate reassign labels ben")
def reassign(folder: Folder, name: Name) -> None:
    """Give to others what a person was given and has not answered."""
    with _opened(folder) as ledger:
        freed = ledger.reassign(ledger.person(name))
    say(f"{number(freed, 'screen')} of {name} are free for others")


@app.command("forget", epilog="Example: conqret annotate forget labels ben --yes")
def forget(
    folder: Folder,
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Do it: it cannot be undone.")] = False,
) -> None:
    """Delete all that a person said, and their name, as they may ask."""
    from conqret.errors import DeclarationError

    with _opened(folder) as ledger:
        person = ledger.person(name)
        done, _ = ledger.counts(person)
        if not yes:
            raise DeclarationError(
                f"this deletes {number(done, 'answer')} of {person.name} for good; say --yes if that is meant"
            )
        deleted = ledger.forget(person)
    say(f"{number(deleted, 'answer')} of {name} are deleted; exports and backups made before still hold them")


@app.command("backup", epilog="Example: conqret annotate backup labels -o labels-monday.sqlite")
def backup(
    folder: Folder,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write; it must not be there.")],
) -> None:
    """Copy the labels as they are now, also while people label."""
    with _opened(folder) as ledger:
        ledger.backup(output)
    say(at(output))


def _opened(folder: Path) -> closing[Ledger]:
    from conqret.annotation.ledger import Ledger

    return closing(Ledger(folder))
