"""Statements and topics that a judge reads: ``conqret debate topics``, ``filter`` and ``score``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from conqret.console import shared_options as options
from conqret.console.option_groups import option
from conqret.console.printing import NONE, result
from conqret.console.shared_options import StudyOptions
from conqret.debate.debatune.debate_files import read_statements
from conqret.debate.judging_command import conclude, run_judge
from conqret.errors import DeclarationError
from conqret.io import open_items
from conqret.judging.judgments import Judgments

if TYPE_CHECKING:
    from conqret.debate.debatune.statement_filters import FilterResult


COLUMNS = (
    "Tables with the columns topic, side and statement (or named response), optionally id and system: JSONL, "
    "CSV, TSV or Parquet; or folders of conqret debate hold or write. Several files are several systems."
)
Output = Annotated[Path | None, options.run_folder("STATEMENTS-FORMAT-MODEL")]
Folder = Annotated[
    Path | None,
    options.option(
        options.FILES,
        "The run's folder; the same command continues a stopped run. Default: runs/FILE-FORMAT-MODEL.",
        "--run",
    ),
]


def kept_file(rows: str) -> Any:
    """Return the declaration of the option ``-o`` for a command that keeps some of many ``rows``."""
    return option(
        options.FILES, f"The {rows} that are kept; next to it, NAME.dropped.jsonl.", "--output", "-o"
    )


Statements = Annotated[list[Path], options.option(None, COLUMNS)]


def conclude_filter(
    judgments: Judgments,
    filtered: FilterResult,
    file: Path,
    title: str,
    rows: str,
    *,
    run_options: StudyOptions,
) -> None:
    """Write the kept rows to ``file`` and the dropped ones next to it, print their numbers, and end the command with
    the exit code of the judge's run."""
    from conqret.debate.debatune.statement_filters import filter_table

    register = None if judgments.folder is None else judgments.folder.path
    dropped = filtered.write(file, overwrite=run_options.overwrite, register=register)
    conclude(
        judgments,
        lambda: filter_table(title, rows, filtered),
        shown=run_options.shown,
        files={"kept": file, "dropped": dropped},
        kept=len(filtered.kept),
        dropped=filtered.reasons,
    )


def score(
    statements: Statements,
    *,
    model: options.Model = None,
    good_from: int = 100,
    against: str | None = None,
    quality: Literal["any-side", "own-side"] = "any-side",
    sample: Path | None = None,
    plan: Path | None = None,
    output: Output = None,
    skip_invalid: options.SkipInvalid = False,
    language: options.Language = None,
    run_options: StudyOptions,
) -> None:
    """How often are statements wholly on the side that they were told to take? With `--against`: whose are better?

    The model sees topic and statement, never the side, and says which share of the statement supports the topic and
    which opposes it. A statement is good if all of it is on its own side. The result is a run folder like that of
    `conqret judge --format controllability`.

    Judging:
        good_from: A statement counts as good if, as the judge says, at least this percentage of its content supports
            the side that it was to take; above 50. Changing it sends no new requests.
        against: Instead, compare all other systems with this one, two statements at a time in both orders. The model
            rates helpfulness, relevance, accuracy and detail with one number from 1 to 10; a statement wins if it is
            better in both orders, or better in one and equal in the other. The score is (win - lose) / all + 1.
        quality: With `--against`: whether the side that a statement takes counts for nothing (`any-side`, DEBATunE's
            Figure 4), or a statement for another side than it was to take is worse (`own-side`).
    Inspection:
        sample: Also draw the statements that annotators should inspect into this form (CSV): all that were judged bad,
            and 100 of the good ones of each system. They write good (strictly on its side), bad (it contains something
            of the other side) or tie (hard to judge) into the column `controllability`. Next to it, NAME.plan.json has
            the judge's verdicts, which annotators must not see.
        plan: Instead, report how far annotators agree with the judge, corrected for how the statements were drawn:
            STATEMENTS is the completed form of `--sample`, and this its .plan.json file. Each label is weighted by the
            number of statements that it stands for; ties are left out and counted. Intervals are over topics.

    Examples:

    conqret debate score statements.jsonl --model gpt-4o-mini -o runs/controllability --sample sheet.csv

    conqret debate score sheet-of-anna.csv --plan sheet.csv.plan.json

    conqret debate score baseline.jsonl ours.jsonl --against baseline --model gpt-4o-mini -o runs/quality
    """
    if plan is not None:
        _compare_with_annotators(statements, plan, run_options.shown)
        return

    from conqret.debate.debatune.statement_scores import (
        CONTROLLABILITY,
        QUALITY_FORMATS,
        check_good_from,
        controllability,
        controllability_table,
        pair,
        quality_table,
        response_quality,
    )

    check_good_from(good_from)
    items = read_statements(
        statements,
        sided=against is None,
        skip_invalid=skip_invalid,
        language=language,
        on_check=run_options.shown.left_out,
    )
    if against is not None:
        judged_pairs = run_judge(
            pair(items, against),
            statements,
            QUALITY_FORMATS[quality],
            model=model,
            output=output,
            run_options=run_options,
            by=partial(response_quality, items, against=against, quality=quality),
        )
        table = partial(quality_table, judged_pairs.systems, against, quality)
        systems = [system.model_dump(mode="json") for system in judged_pairs.systems]
        conclude(judged_pairs.judgments, table, shown=run_options.shown, against=against, systems=systems)
        return
    scores = run_judge(
        items,
        statements,
        CONTROLLABILITY,
        model=model,
        output=output,
        run_options=run_options,
        by=partial(controllability, items, good_from=good_from),
    )
    files: Mapping[str, Path] = NONE
    folder = scores.judgments.folder
    if sample is not None and folder is not None:
        from conqret.debate.debatune.manual_inspection import write_inspection

        files = write_inspection(folder.path, sample, good_from=good_from, overwrite=run_options.overwrite)
    table = partial(controllability_table, scores.systems, good_from)
    systems = [system.model_dump(mode="json") for system in scores.systems]
    conclude(
        scores.judgments, table, shown=run_options.shown, files=files, good_from=good_from, systems=systems
    )


def _compare_with_annotators(forms: Sequence[Path], plan: Path, shown: options.OutputOptions) -> None:
    from conqret.debate.debatune.manual_inspection import agreement_table, statement_agreement

    if len(forms) > 1:
        raise DeclarationError("--plan goes with one completed form: give the forms one after the other")
    agreements = statement_agreement(forms[0], plan=plan)
    shown.note(*agreements.notes)
    data = {
        "model": agreements.inspection.model,
        "good_from": agreements.inspection.good_from,
        "systems": [system.model_dump(mode="json") for system in agreements.systems],
    }
    result(data, [agreement_table(agreements.systems, agreements.inspection)], as_json=shown.json_output)


def filter_(
    statements: Path,
    *,
    model: options.Model = None,
    scored: Path | None = None,
    output: Annotated[Path, kept_file("statements")] = Path("kept.jsonl"),
    run: Folder = None,
    skip_invalid: options.SkipInvalid = False,
    language: options.Language = None,
    run_options: StudyOptions,
) -> None:
    """Keep the statements that contain nothing harmful, before a model is trained on them.

    The model looks for hate, violence, dangerous help, self-harm, sexual content and private data, and for nothing
    else: an unpopular side is no harm. A statement for which no answer came is not kept. Rows are not changed.

    Args:
        statements: A table with the columns topic, side (affirmative or negative) and statement (or named response),
            optionally id: JSONL, CSV, TSV or Parquet; or a folder of `conqret debate hold` or `write`.
    Judging:
        scored: A run of `conqret debate score` on these statements: those that are not wholly on their side are
            dropped, too.

    Examples:

    conqret debate filter runs/held --model gpt-4o-mini -o kept.jsonl

    conqret debate filter statements.jsonl --scored runs/controllability --model gpt-4o-mini -o kept.jsonl
    """
    from conqret.debate.debatune.statement_filters import FORMAT, filter_statements

    items = read_statements(
        [statements], skip_invalid=skip_invalid, language=language, on_check=run_options.shown.left_out
    )
    done = run_judge(
        items,
        [statements],
        FORMAT,
        model=model,
        output=run,
        run_options=run_options,
        by=partial(
            filter_statements, statements, scored=scored, skip_invalid=skip_invalid, language=language
        ),
    )
    conclude_filter(done.judgments, done.found, output, "Statements", "statements", run_options=run_options)


def topics(
    raw: Path,
    *,
    model: options.Model = None,
    output: Annotated[Path, kept_file("topics")] = Path("topics.jsonl"),
    run: Folder = None,
    skip_invalid: options.SkipInvalid = False,
    language: options.Language = None,
    run_options: StudyOptions,
) -> None:
    """Turn collected topics into claims with two sides, and keep each once.

    The model says whether thoughtful people argue for both sides, and words the claim that one side affirms and the
    other denies. Of topics with nearly the same words the first is kept. Dropped topics are counted and written to a
    file of their own, with the reason.

    Args:
        raw: Collected topics: column topic, optionally id and arguments (JSONL, CSV, TSV, Parquet), or a JSON list of
            texts.

    Examples:

    conqret debate topics raw.jsonl --model gpt-4o-mini -o topics.jsonl

    conqret debate topics raw.csv --model gpt-4o-mini --dry-run
    """
    from conqret.debate.debatune.statement_filters import TWO_SIDED, two_sided_topics

    source = open_items(raw, skip_invalid=skip_invalid, language=language)
    run_options.shown.left_out(source.check())
    items = tuple(source)
    by = partial(two_sided_topics, raw, skip_invalid=skip_invalid, language=language)
    done = run_judge(items, [raw], TWO_SIDED, model=model, output=run, run_options=run_options, by=by)
    conclude_filter(done.judgments, done.found, output, "Debate topics", "topics", run_options=run_options)
