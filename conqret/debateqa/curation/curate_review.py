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

    from conqret.debateqa.curation.check_verdicts import CheckVerdict, Subject, VerdictFolder, VerdictRow
    from conqret.debateqa.curation.review import Review
    from conqret.judging.study_command import StudyOptions
    from conqret.runs.study_run import StudyOutcome


@dataclass(frozen=True)
class VerdictOutcome:
    """The judgments, and the folder that holds them."""

    asked: StudyOutcome[VerdictRow, None]
    folder: VerdictFolder

    def end(self) -> None:
        """Leave with exit code 1 where judgments are missing."""
        lost = self.asked.lost
        end(lost, self.asked.session, there=len(self.asked.rows) - sum(lost.values()), reasons=lost)


def verdicts(
    verdict: CheckVerdict,
    subjects: Sequence[Subject],
    source: Path,
    name: str,
    *,
    model: str | None,
    output: Path | None,
    asking: StudyOptions,
) -> VerdictOutcome | None:
    """Ask about each of ``subjects``, which come from ``source``; None where only the price was asked for."""
    from conqret.debateqa.curation.check_verdicts import VerdictFolder, VerdictPlan, estimate
    from conqret.runs.run_folder import default_folder, stem

    session = asking.session(model)
    if asking.dry_run:
        asking.tell_cost([estimate(verdict, subjects, session)])
        return None
    folder = VerdictFolder(output or default_folder(stem(source), name, session.options.model))
    asked = asking.execute(
        VerdictPlan(session, folder, verdict, subjects), len(subjects), "judgments",
        about=f"{number(len(subjects), 'judgment')} from {source}, asked of",
    )  # fmt: skip
    return VerdictOutcome(asked, folder)


Folder = Annotated[Path, typer.Argument(help="The folder of `conqret debateqa curate run`.")]


@dataclass(frozen=True)
class ReviewOptions(OptionGroup):
    """Who looks at what is to be looked at.

    Files:
        labels: The sheet, filled in with yes and no; no model is called then.
        output (--output, -o): The sheet to write as CSV; a judge's run lies beside it. Without `--model` it is left for
            people.
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
) -> tuple[Mapping[str, bool] | None, VerdictOutcome | None]:
    """What a filled sheet or a judge says of each row, by id; None where the sheet is left for people, or only the
    price was asked for."""
    from conqret.debateqa.curation.review import read_review
    from conqret.errors import DeclarationError
    from conqret.io.label_sheets import csv_text
    from conqret.io.overwriting import write_new

    if reviewed.labels is not None:
        known = {str(row[0]) for row in review.rows}
        verdict_by_id = read_review(reviewed.labels, review.column)
        known_verdicts = {row_id: answer for row_id, answer in verdict_by_id.items() if row_id in known}
        if not known_verdicts:
            raise DeclarationError(
                f"{reviewed.labels} answers none of the {len(known)} rows: fill its column {review.column} with yes or "
                "no, and take the benchmark, encoder and threshold that the sheet was made with"
            )
        return known_verdicts, None
    answered: dict[str, bool] = {}
    done = None
    sheet = reviewed.output
    if reviewed.model is not None:
        beside = None if sheet is None else sheet.with_suffix(".run")
        done = verdicts(
            review.verdict, review.subjects, folder, name, model=reviewed.model, output=beside,
            asking=asking,
        )  # fmt: skip
        if done is None:
            return None, None
        answered = {row.id: review.said(row.answer) for row in done.asked.rows if row.answered}
    if sheet is not None:
        words = {True: "yes", False: "no"}
        cells = [words[answered[name]] if (name := str(row[0])) in answered else "" for row in review.rows]
        rows = [(*row, cell) for row, cell in zip(review.rows, cells, strict=True)]
        write_new(
            {sheet: csv_text((*review.head, review.column), rows)},
            overwrite=asking.kept.overwrite,
            register=folder,
        )
        asking.shown.note(f"{len(rows):,} rows in {sheet}; the column {review.column} takes yes or no")
    elif done is None:
        raise DeclarationError(
            f"{len(review.rows)} rows are to be looked at: -o SHEET writes them for people, --model asks a judge, and "
            "--labels SHEET reads what was filled in"
        )
    return (answered if done is not None and answered else None), done


def tell_figures(
    title: str,
    facts: Mapping[str, Any],
    remark: str,
    done: VerdictOutcome | None,
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
    if done is not None:
        done.end()
