"""What ``conqret debateqa curate`` does with a finished benchmark: the figures by which its quality is known, and what
is left without what annotators rejected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.printing import at, note, result
from conqret.debateqa.curation.benchmark_checks import (
    ReviewedRows,
    Verdicts,
    benchmark_coverage,
    benchmark_duplicates,
    missed_viewpoints,
)
from conqret.debateqa.curation.benchmark_figures import (
    MIN_REJECTIONS,
    benchmark_domains,
    benchmark_relevance,
    read_curated,
    remove_partial_answers,
)
from conqret.errors import DeclarationError
from conqret.io.jsonl import json_lines
from conqret.io.safe_files import write_new
from conqret.show.table import Column, Table

if TYPE_CHECKING:
    from conqret.console.shared_options import StudyOptions

F = TypeVar("F", bound="ReviewedRows")

SHOWN = 10
"""Questions that are shown."""


Reviewer = tuple[str | None, "Sequence[Path] | None", Path | None]
"""Who looks at what is to be looked at: a model, or annotators with the form in these files; and the form to write,
with the run of the model in a folder next to it."""


def relevance(folder: Path, encoder: str, run_options: StudyOptions) -> None:
    """Measure how relevant documents are to their questions, and print the mean and the least relevant
    questions (DebateQA, A.2 and Figure 4)."""

    figures = benchmark_relevance(folder, encoder=encoder)
    texts = {question.id: question.question for question in read_curated(folder).questions}
    lowest = list(figures.by_question.items())[:SHOWN]
    table = Table(
        "Relevance of documents to their questions",
        (Column("question", "text"), "mean cosine"),
        [(texts[name], value) for name, value in lowest],
        foot=[("all questions", figures.mean)],
        note=f"{figures.chunks} chunks of {figures.documents} documents, by {encoder}; the {len(lowest)} farthest "
        "questions are shown. The interval (95%) is over questions. DebateQA: .56, by gte-Qwen2-1.5B-instruct.",
    )
    result(figures, [table], as_json=run_options.shown.json_output)


def comprehensiveness(folder: Path, encoder: str, reviewer: Reviewer, run_options: StudyOptions) -> None:
    """Check whether the points of view cover what the nearest document chunks of each question say (A.3), and
    print the share. Nothing is printed if only the form for annotators is written."""

    figures = _checked(benchmark_coverage, folder, "covered", reviewer, run_options, encoder=encoder)
    if figures is None:
        return
    facts = {
        "chunks whose perspectives are all covered": figures.covered,
        "chunks looked at": len(figures.verdicts),
        "of": figures.rows,
    }
    note_text = (
        "DebateQA: 90.4% of the five nearest chunks, by annotators. The interval (95%) is over questions."
    )
    _tell_figures("Comprehensiveness", facts, note_text, figures.model_verdicts, run_options.shown)


def distinctiveness(
    folder: Path, encoder: str, threshold: float, reviewer: Reviewer, run_options: StudyOptions
) -> None:
    """Find points of view of one question that may say the same (A.3), and print how many pairs there are.
    Nothing is printed if only the form for annotators is written."""

    figures = _checked(
        benchmark_duplicates, folder, "duplicate", reviewer, run_options, encoder=encoder, threshold=threshold
    )
    if figures is None:
        return
    rows = figures
    facts = {
        "points of view": figures.views,
        "pairs within a question": figures.pairs,
        f"pairs with a cosine of {threshold} or more": rows.rows,
    }
    if rows.rows:
        facts["of these called duplicates"] = figures.duplicates
        facts["not looked at"] = rows.rows - len(rows.verdicts)
    elif not run_options.shown.quiet:
        note(
            "no pair is similar enough to be checked, so no annotation form is written or read: "
            f"lower --threshold below {threshold}"
        )
    _tell_figures("Distinctiveness", facts, "", figures.model_verdicts, run_options.shown)


def viewpoints(
    folder: Path, answers: Path | None, model: str | None, output: Path | None, run_options: StudyOptions
) -> None:
    """Count the answers that contain an important point of view missing from the partial answers (Table 11), by a
    model's ratings, and print them.

    Raises:
        DeclarationError: no answers are named.
    """

    if answers is None:
        raise DeclarationError(
            "--check viewpoints needs answers to the benchmark's questions: name them with --answers"
        )
    figures = run_options.study(
        missed_viewpoints,
        folder,
        answers,
        model=run_options.calls.for_model(model),
        output=output,
        rows="judgments",
    )
    facts = {
        "answers with a rating of 5": figures.missed,
        **{f"rating {rating}": count for rating, count in figures.ratings.items()},
        "no rating": figures.unrated,
        "answers to no question of the benchmark": figures.foreign,
    }
    note_text = "DebateQA, Table 11: .03 to .09 of six models' answers, after annotators had checked the ratings of 5."
    _tell_figures(
        "Viewpoints that the benchmark misses", facts, note_text, figures.model_verdicts, run_options.shown
    )


def domains(folder: Path, encoder: str, run_options: StudyOptions) -> None:
    """Group similar questions into domains, named by their most typical words (Figure 7), and print them."""

    groups = benchmark_domains(folder, encoder=encoder)
    rows = [(", ".join(group.words), group.questions, group.example) for group in groups]
    columns = (Column("domain", "text"), "questions", Column("in its middle", "text"))
    table = Table("Domains", columns, rows, note=f"Groups by k-means over embeddings by {encoder}.")
    result([group.model_dump() for group in groups], [table], as_json=run_options.shown.json_output)


def remove(
    folder: Path,
    labels: Sequence[Path] | None,
    duplicates: Path | None,
    output: Path | None,
    run_options: StudyOptions,
) -> None:
    """Write the benchmark into the file ``output`` (JSON lines) without the partial answers that two annotators or more
    reject (A.4), or that repeat another, and without questions that keep none; print the counts.

    An annotator who answers no to any question of the form rejects that partial answer; one without labels is kept.

    Raises:
        DeclarationError: no ``output`` is named, or :func:`remove_partial_answers` raises it.
    """

    if output is None:
        raise DeclarationError("the benchmark that is left needs a file: name it with -o")
    lines, removal = remove_partial_answers(folder, labels=labels, duplicates=duplicates)
    write_new({output: json_lines(lines)}, overwrite=run_options.overwrite)
    facts = {
        "partial answers": removal.answers,
        f"rejected by {MIN_REJECTIONS} annotators or more": removal.rejected,
        **{f"no to {name}": count for name, count in removal.noes.items()},
        "say what another says": removal.duplicates,
        "partial answers left": removal.kept,
        "questions left": removal.questions,
        "questions that lost all": len(removal.lost),
    }
    remark = (
        "Noes count labels. DebateQA removed 767 of 11,640 partial answers (6.6%) that two of three "
        "annotators rejected."
    )
    _tell_figures("Removed", facts, remark, None, run_options.shown, removal, at(output, "benchmark"))
    if removal.unlabelled:
        run_options.shown.note(f"{removal.unlabelled:,} partial answers have no label and are kept")


def _checked(
    check: Callable[..., F],
    folder: Path,
    column: str,
    reviewer: Reviewer,
    run_options: StudyOptions,
    **how: Any,
) -> F | None:
    """Return what a ``check`` finds by a filled form or by a judge; None if it has only written the form for annotators
    (its place is noted).

    Raises:
        DeclarationError: several forms are given.
    """
    model, files, output = reviewer
    labels = files or ()
    if len(labels) > 1:
        raise DeclarationError("--check reads one form: give --labels once")
    how |= {"labels": labels[0] if labels else None, "output": output}
    if model is not None and not labels:
        figures = run_options.study(
            check, folder, model=run_options.calls.for_model(model), rows="judgments", **how
        )
    else:
        figures = check(folder, overwrite=run_options.overwrite, **how)
    rows = figures
    if rows.form is not None:
        run_options.shown.note(f"{rows.rows:,} rows in {rows.form}; the column {column} takes yes or no")
    return figures if model is not None or labels or not rows.rows else None


def _tell_figures(
    title: str,
    facts: Mapping[str, Any],
    remark: str,
    model_verdicts: Verdicts | None,
    shown: options.OutputOptions,
    data: object = None,
    *lines: str,
) -> None:
    """Print figures as a table or as JSON (``data`` in their place), and end the command with the exit code of the
    judge's run, if there was one."""

    table = Table(title, (Column("", "text"), "value"), facts.items(), note=remark)
    plain = {
        name: asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
        for name, value in facts.items()
    }
    result(plain if data is None else data, [table, *lines], as_json=shown.json_output)
    if model_verdicts is not None:
        lost = model_verdicts.lost
        end(lost, model_verdicts.session, there=len(model_verdicts.rows) - sum(lost.values()), reasons=lost)
