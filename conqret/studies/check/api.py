"""``conqret.check``: from a table of verdicts and labels to how good the judge is, with conditions and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError, strict_options
from conqret.stats.estimate import CONFIDENCE
from conqret.studies.check.checked_table import DrawnBy
from conqret.studies.check.figures import check_table
from conqret.studies.check.read_table import read_checked_table
from conqret.studies.check.requirements import check_requirement, parse_requirement
from conqret.studies.check.result import CheckResult

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

JSON_NAME, PAGE_NAME, MARKDOWN_NAME = "check.json", "check.html", "check.md"
RECORD = "run.json"
"""The file that a run's folder has."""


@strict_options
def check(
    source: str | Path | pd.DataFrame | pl.DataFrame | Sequence[Mapping[str, object]],
    *,
    judge: str | Sequence[str] = (),
    human: str | Sequence[str] = (),
    passing: str = "",
    by: str = "",
    labels: str | Path | None = None,
    drawn_by: DrawnBy | None = None,
    require: Sequence[str] = (),
    confidence: float = CONFIDENCE,
    output: str | Path | None = None,
) -> CheckResult:
    """Check a judge: compare its verdicts with human labels in one table.

    ``assert conqret.check("results.csv").tnr.low >= 0.8`` is a test of a judge.

    Args:
        source: a file (CSV, TSV, JSON, JSONL, Parquet, or another tool's result), a frame, or rows as dictionaries.
        judge: the column of the verdicts, or several, to compare judges; by default recognized by its name.
        human: the column of the labels, or one for each annotator; by default recognized by its name.
        passing: what counts as a pass: a word, or a bound such as ``>=4``.
        by: a column whose rows are alike: intervals are then over its values.
        labels: a second file that has the labels of the same rows, by id.
        drawn_by: how the labeled rows were chosen: at ``random``, or a fixed number of each ``verdict`` or ``label``.
        require: conditions such as ``tnr.low >= 0.8``; their outcomes are ``requirements`` of the result.
        confidence: the confidence level of the intervals.
        output: the folder for ``check.html``, ``check.md`` and ``check.json``; None writes nothing.

    Raises:
        DeclarationError: the file cannot be read, its columns are ambiguous, or a condition cannot be parsed.
    """
    conditions = [parse_requirement(text) for text in require]
    if isinstance(source, str | Path) and (Path(source) / RECORD).exists():
        raise DeclarationError(
            f"{source} is a run of conqret, which has several metrics: conqret validate {source} --labels LABELS"
        )
    table = read_checked_table(
        source,
        judge=[judge] if isinstance(judge, str) else judge,
        human=[human] if isinstance(human, str) else human,
        passing=passing,
        by=by,
        labels=None if labels is None else Path(labels),
        drawn_by=drawn_by,
    )
    result = check_table(table, confidence=confidence)
    outcomes = [check_requirement(condition, result) for condition in conditions]
    if outcomes:
        result = result.model_copy(update={"requirements": tuple(outcomes)})
    if output is not None:
        from conqret.show.page import write_files  # pages take longer to import than a check takes
        from conqret.studies.check.page import check_page

        page = check_page(result)
        pages = {
            PAGE_NAME: page.html(),
            MARKDOWN_NAME: page.markdown(),
            JSON_NAME: result.model_dump_json(indent=1) + "\n",
        }
        write_files(Path(output), pages)
    return result
