"""What the checks of a benchmark share: who looks at what is to be looked at, and how the figures are told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import end, result
from conqret.errors import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conqret.debateqa.curation.benchmark_checks import ReviewedRows, RunVerdicts, Verdicts
    from conqret.debateqa.curation.check_verdicts import CheckVerdict, Subject
    from conqret.debateqa.curation.review import Review
    from conqret.judging.study_command import StudyOptions


def tell_verdict_cost(
    verdict: CheckVerdict, subjects: Sequence[Subject], model: str | None, asking: StudyOptions
) -> None:
    """Print what asking about each of ``subjects`` is expected to take."""
    from conqret.debateqa.curation.check_verdicts import estimate

    asking.tell_cost([estimate(verdict, subjects, asking.session(model))])


def asks(source: Path, model: str | None, asking: StudyOptions) -> RunVerdicts:
    """Who asks a model about subjects that come from ``source``, with a bar."""

    def ask(verdict: CheckVerdict, subjects: Sequence[Subject], name: str, folder: Path | None) -> Verdicts:
        from conqret.debateqa.curation.check_verdicts import VerdictFolder, VerdictPlan
        from conqret.runs.run_folder import default_folder, stem

        session = asking.session(model)
        place = VerdictFolder(folder or default_folder(stem(source), name, session.options.model))
        return asking.execute(
            VerdictPlan(session, place, verdict, subjects), len(subjects), "judgments",
            about=f"{number(len(subjects), 'judgment')} from {source}, by",
        )  # fmt: skip

    return ask


def end_of(asked: Verdicts) -> None:
    """Leave with exit code 1 where judgments are missing."""
    lost = asked.lost
    end(lost, asked.session, there=len(asked.rows) - sum(lost.values()), reasons=lost)


Folder = Annotated[Path, typer.Argument(help="The folder of `conqret debateqa curate run`.")]


@dataclass(frozen=True)
class ReviewOptions(OptionGroup):
    """Who looks at what is to be looked at.

    Files:
        labels: The form, filled in with yes and no; no model is called then.
        output (--output, -o): The form to write (CSV). Without `--model` annotators fill it in; with it, the model
            does, and its run folder is next to the form.
    """

    model: options.Model = None
    labels: Path | None = None
    output: Path | None = None


def looked_at(
    review: Review,
    folder: Path,
    name: str,
    reviewed: ReviewOptions,
    asking: StudyOptions,
) -> ReviewedRows | None:
    """What a filled sheet or a judge says of each row; None where the sheet is left for people, or only the price was
    asked for."""
    from conqret.debateqa.curation.benchmark_checks import labelled_rows, reviewed_rows

    if reviewed.labels is not None:
        return labelled_rows(review, reviewed.labels)
    if reviewed.model is not None and asking.dry_run:
        tell_verdict_cost(review.verdict, review.subjects, reviewed.model, asking)
        return None
    ask = None if reviewed.model is None else asks(folder, reviewed.model, asking)
    sheet = reviewed.output
    rows = reviewed_rows(review, folder, name, sheet, ask, overwrite=asking.kept.overwrite)
    if sheet is not None:
        asking.shown.note(f"{rows.rows:,} rows in {sheet}; the column {review.column} takes yes or no")
    return rows if ask is not None else None


def tell_figures(
    title: str,
    facts: Mapping[str, Any],
    remark: str,
    asked: Verdicts | None,
    shown: options.OutputOptions,
    data: object = None,
    *lines: str,
) -> None:
    """Print figures as a table or as JSON (``data`` in their place), and end as the judge's run did."""
    from dataclasses import asdict, is_dataclass

    from conqret.show.table import Column, Table

    table = Table(title, (Column("", "text"), "value"), facts.items(), note=remark)
    plain = {
        name: asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
        for name, value in facts.items()
    }
    result(plain if data is None else data, [table, *lines], as_json=shown.json_output)
    if asked is not None:
        end_of(asked)
