"""``conqret curate check``: the figures by which a benchmark's quality is known, and ``conqret curate remove``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conqret.cli import options
from conqret.cli.console import at, note, result
from conqret.cli.groups import Group, add_commands, grouped
from conqret.cli.label_options import LabelReading
from conqret.cli.questions import Encoder
from conqret.cli.verdicts import Done, verdicts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conqret.curation.review import Review

EPILOG = (
    "Examples:\n\n"
    "conqret curate check relevance benchmark/ --encoder models/gte-large\n\n"
    "conqret curate check comprehensiveness benchmark/ --model gpt-4o-mini -o chunks.csv\n\n"
    "conqret curate check distinctiveness benchmark/ --labels pairs.csv\n\n"
    "conqret curate remove benchmark/ --labels people.csv -o final.jsonl"
)
app = typer.Typer(
    help="How good is a benchmark: its documents, its points of view, its questions?",
    no_args_is_help=True,
    epilog=EPILOG,
)

Folder = Annotated[Path, typer.Argument(help="The folder of `conqret curate`.")]


@dataclass(frozen=True)
class Reviewed(Group):
    """Who looks at what is to be looked at."""

    model: options.Model = None
    labels: Annotated[
        Path | None,
        options.option(options.FILES, "The sheet, filled in with yes and no; nothing is asked then."),
    ] = None
    output: Annotated[
        Path | None,
        options.option(
            options.FILES,
            "The sheet to write as CSV; a judge's run lies beside it. Without --model it is left for people.",
            "--output",
            "-o",
        ),
    ] = None
    prompts: options.Prompts = None


@grouped
def relevance(folder: Folder, *, encoder: Encoder = "lexical", shown: options.Shown) -> None:
    """How near the documents' chunks of 1,000 tokens are to their questions (DebateQA, A.2 and Figure 4: .56)."""
    from conqret.curation.embeddings import embedder
    from conqret.curation.figures import near_chunks, relevance
    from conqret.curation.made import read_made
    from conqret.report.curation import relevance_table

    made = read_made(folder)
    found = relevance(near_chunks(made, embedder(encoder)))
    texts = {one.id: one.question for one in made.questions}
    result(found, [relevance_table(found, texts, encoder)], as_json=shown.json_output)


@grouped
def comprehensiveness(
    folder: Folder,
    *,
    encoder: Encoder = "lexical",
    reviewed: Reviewed,
    calls: options.Calls,
    kept: options.Kept,
    dry_run: options.DryRun = False,
    shown: options.Shown,
) -> None:
    """Do the points of view hold all that the five nearest chunks of each question say (DebateQA, A.3: 90.4 %)?

    Without --model a sheet is written, whose column covered people fill with yes or no; --labels reads it back.
    """
    from conqret.curation.embeddings import embedder
    from conqret.curation.figures import near_chunks
    from conqret.curation.made import read_made
    from conqret.curation.review import review_chunks
    from conqret.stats.resampling import mean_interval

    made = read_made(folder)
    review = review_chunks(made, near_chunks(made, embedder(encoder)))
    said, done = _reviewed(review, folder, "chunks", reviewed, calls, kept, dry_run=dry_run, shown=shown)
    if said is None:
        return
    places = [str(row[0]) for row in review.rows if str(row[0]) in said]
    share = mean_interval(
        [float(said[one]) for one in places], [one.rpartition("/")[0] for one in places], scale="share"
    )
    _tell(
        "Comprehensiveness",
        {"chunks whose perspectives are all covered": share, "chunks looked at": len(places), "of": len(review.rows)},
        "DebateQA: 90.4 % of the five nearest chunks, by people. The interval (95 %) is over questions.",
        done, shown,
    )  # fmt: skip


@grouped
def distinctiveness(
    folder: Folder,
    *,
    encoder: Encoder = "lexical",
    threshold: Annotated[
        float, typer.Option(help="The cosine from which two points of view are looked at (DebateQA: .75).")
    ] = 0.75,
    reviewed: Reviewed,
    calls: options.Calls,
    kept: options.Kept,
    dry_run: options.DryRun = False,
    shown: options.Shown,
) -> None:
    """Which points of view of one question may say the same (DebateQA, A.3)? People or a judge look at like pairs.

    `conqret curate remove --duplicates SHEET` takes away the second of each pair that is called a duplicate.
    """
    from conqret.curation.embeddings import embedder
    from conqret.curation.figures import alike_views
    from conqret.curation.made import read_made
    from conqret.curation.review import review_pairs

    made = read_made(folder)
    review = review_pairs(made, alike_views(made, embedder(encoder), threshold))
    counts = [len(one.partial_answers) for one in made.questions]
    facts: dict[str, Any] = {
        "points of view": sum(counts),
        "pairs within a question": sum(count * (count - 1) // 2 for count in counts),
        f"pairs with a cosine of {threshold} or more": len(review.rows),
    }
    done = None
    if review.rows:
        said, done = _reviewed(review, folder, "pairs", reviewed, calls, kept, dry_run=dry_run, shown=shown)
        if said is None:
            return
        facts["of these called duplicates"] = sum(said.values())
        facts["not looked at"] = len(review.rows) - len(said)
    _tell("Distinctiveness", facts, "", done, shown)


@grouped
def viewpoints(
    folder: Folder,
    answers: Annotated[Path, typer.Argument(help="Answers to the benchmark's questions: id and generation.")],
    *,
    model: options.Model = None,
    output: Annotated[
        Path | None,
        options.option(
            options.FILES, "The run's folder. Default: runs/ANSWERS-viewpoints-MODEL.", "--output", "-o"
        ),
    ] = None,
    prompts: options.Prompts = None,
    calls: options.Calls,
    kept: options.Kept,
    dry_run: options.DryRun = False,
    shown: options.Shown,
) -> None:
    """How many answers hold a weighty viewpoint that the partial answers miss: a rating of 5 (DebateQA, Table 11)."""
    from conqret.curation.made import read_made
    from conqret.curation.review import MISSED, missed_subjects
    from conqret.errors import DeclarationError
    from conqret.io.debateqa import check_answers, read_answers
    from conqret.stats.estimate import undefined
    from conqret.stats.resampling import mean_interval

    made = read_made(folder)
    every = check_answers(answers)
    subjects = missed_subjects(made, list(read_answers(answers)))
    if not subjects:
        raise DeclarationError(f"no id of the {len(every)} answers is among the questions of {folder}")
    done = verdicts(
        MISSED, subjects, answers, "viewpoints", model=model, output=output, prompts=prompts, calls=calls, kept=kept,
        dry_run=dry_run, shown=shown,
    )  # fmt: skip
    if done is None:
        return
    ratings = [int(one.answer["rating"]) for one in done.asked.rows if one.answered]
    share = (
        mean_interval([float(one == 5) for one in ratings], scale="share")
        if ratings
        else undefined("no answer")
    )
    facts = {
        "answers with a rating of 5": share,
        **{f"rating {rating}": ratings.count(rating) for rating in range(5, 0, -1)},
        "no rating": len(subjects) - len(ratings),
        "answers to no question of the benchmark": len(every) - len(subjects),
    }
    note_text = (
        "DebateQA, Table 11: .03 to .09 of six models' answers, after people had checked the ratings of 5."
    )
    _tell("Viewpoints that the benchmark misses", facts, note_text, done, shown)


@grouped
def domains(
    folder: Folder,
    *,
    number: Annotated[int, typer.Option("--number", "-n", help="How many domains.")] = 8,
    encoder: Encoder = "lexical",
    shown: options.Shown,
) -> None:
    """Which domains the questions are from: groups of like questions, named by their words (DebateQA, Figure 7)."""
    from conqret.curation.embeddings import embedder
    from conqret.curation.figures import domains
    from conqret.curation.made import read_made
    from conqret.report.table import Column, Table

    questions = [one.question for one in read_made(folder).questions]
    found = domains(questions, embedder(encoder), number)
    rows = [(", ".join(one.words), one.questions, one.example) for one in found]
    columns = (Column("domain", "text"), "questions", Column("in its middle", "text"))
    table = Table("Domains", columns, rows, note=f"Groups by k-means over embeddings by {encoder}.")
    result([one.model_dump() for one in found], [table], as_json=shown.json_output)


add_commands(
    app,
    {
        "relevance": relevance,
        "comprehensiveness": comprehensiveness,
        "distinctiveness": distinctiveness,
        "viewpoints": viewpoints,
        "domains": domains,
    },
)


@grouped
def remove(
    folder: Folder,
    *,
    output: Annotated[Path, options.option(options.FILES, "The benchmark that is left.", "--output", "-o")],
    labels: Annotated[
        Path | None,
        options.option(
            options.FILES,
            "People's labels: sheets of `conqret label --task partial-answer`, one below the other.",
        ),
    ] = None,
    duplicates: Annotated[
        Path | None,
        options.option(options.FILES, "The sheet of `conqret curate check distinctiveness`, filled in."),
    ] = None,
    least: Annotated[int, typer.Option(help="How many people must reject what is removed.")] = 2,
    reading: LabelReading,
    shown: options.Shown,
) -> None:
    """Remove the partial answers that two of three people reject (DebateQA, A.4), and those that say what others say.

    Who says no to any question of the sheet rejects the partial answer. `conqret agree` gives Fleiss's kappa.
    """
    from dataclasses import replace

    from conqret.curation.made import read_made
    from conqret.curation.removal import missing_people
    from conqret.curation.removal import remove as removed
    from conqret.curation.review import read_review
    from conqret.errors import DeclarationError
    from conqret.io.corpus import write_lines
    from conqret.reliability.tasks.partial_answer import TASK

    if labels is None and duplicates is None:
        raise DeclarationError("nothing says what is to be removed: give --labels, --duplicates or both")
    made = read_made(folder)
    scale = reading.scale or ["{}:{}".format(*TASK.scale)]
    people = None if labels is None else replace(reading, scale=scale).load(labels)
    alike = {} if duplicates is None else read_review(duplicates, "duplicate")
    lines, found = removed(made, people, alike, least=least)
    write_lines(output, lines)
    facts = {
        "partial answers": found.answers,
        f"rejected by {least} people or more": found.rejected,
        **{f"no to {name}": count for name, count in found.noes.items()},
        "say what another says": found.duplicates,
        "partial answers left": found.kept,
        "questions left": found.questions,
        "questions that lost all": len(found.lost),
    }
    remark = (
        "Noes count labels. DebateQA removed 767 of 11,640 partial answers (6.6 %) by two of three people."
    )
    _tell("Removed", facts, remark, None, shown, found, at(output, "benchmark"))
    if found.unlabelled and not shown.quiet:
        note(f"{found.unlabelled:,} partial answers have no label, and stay")
    if people is not None and (few := missing_people(people, least)) and not shown.quiet:
        note(
            f"{len(few):,} partial answers were labelled by fewer than {least} people, and cannot be removed by them"
        )


def _reviewed(
    review: Review,
    folder: Path,
    name: str,
    reviewed: Reviewed,
    calls: options.Calls,
    kept: options.Kept,
    *,
    dry_run: bool,
    shown: options.Shown,
) -> tuple[Mapping[str, bool] | None, Done | None]:
    """What a filled sheet or a judge says of each row, by id; None where the sheet is left for people, or only the
    price was asked for."""
    from conqret.curation.review import read_review
    from conqret.errors import DeclarationError
    from conqret.io.label_sheets import csv_text
    from conqret.report.page import write_files

    if reviewed.labels is not None:
        known = {str(row[0]) for row in review.rows}
        said = read_review(reviewed.labels, review.column)
        found = {one: answer for one, answer in said.items() if one in known}
        if not found:
            raise DeclarationError(
                f"{reviewed.labels} answers none of the {len(known)} rows: fill its column {review.column} with yes or "
                "no, and take the benchmark, encoder and threshold that the sheet was made with"
            )
        return found, None
    answered: dict[str, bool] = {}
    done = None
    sheet = reviewed.output
    if reviewed.model is not None:
        beside = None if sheet is None else sheet.with_suffix(".run")
        done = verdicts(
            review.verdict, review.subjects, folder, name, model=reviewed.model, output=beside,
            prompts=reviewed.prompts, calls=calls, kept=kept, dry_run=dry_run, shown=shown,
        )  # fmt: skip
        if done is None:
            return None, None
        answered = {one.id: review.said(one.answer) for one in done.asked.rows if one.answered}
    if sheet is not None:
        words = {True: "yes", False: "no"}
        cells = [words[answered[name]] if (name := str(row[0])) in answered else "" for row in review.rows]
        rows = [(*row, cell) for row, cell in zip(review.rows, cells, strict=True)]
        write_files(sheet.parent, {sheet.name: csv_text((*review.head, review.column), rows)})
        if not shown.quiet:
            note(f"{len(rows):,} rows in {sheet}; the column {review.column} takes yes or no")
    elif done is None:
        raise DeclarationError(
            f"{len(review.rows)} rows are to be looked at: -o SHEET writes them for people, --model asks a judge, and "
            "--labels SHEET reads what was filled in"
        )
    return (answered if done is not None and answered else None), done


def _tell(
    title: str,
    facts: Mapping[str, Any],
    remark: str,
    done: Done | None,
    shown: options.Shown,
    data: object = None,
    *lines: str,
) -> None:
    from dataclasses import asdict, is_dataclass

    from conqret.report.table import Column, Table

    table = Table(title, (Column("", "text"), "value"), facts.items(), note=remark)
    plain = {
        name: asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
        for name, value in facts.items()
    }
    result(plain if data is None else data, [table, *lines], as_json=shown.json_output)
    if done is not None:
        done.end()
