"""``conqret.check``: from a table of verdicts and labels to how good the judge is, with conditions and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.console.conditions import Requirement, RequirementOutcome
from conqret.errors import check_known, number, strict_options
from conqret.stats.estimate import CONFIDENCE
from conqret.stats.verdict_rates import labels_to_decide
from conqret.studies.check.checked_table import DrawnBy
from conqret.studies.check.figures import check_table
from conqret.studies.check.read_table import read_checked_table
from conqret.studies.check.result import TITLES, CheckResult
from conqret.text.words import dimension_name

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

JSON_NAME, PAGE_NAME, MARKDOWN_NAME = "check.json", "check.html", "check.md"
COVERAGE = "coverage"
EXAMPLE = "tnr.low >= 0.8"
SHARES = ("tnr", "tpr", "agreement", "flip_rate", "first_share")
"""Figures that are shares of rows."""


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
        drawn_by: how the labeled rows were chosen: at ``random``, so many of each ``verdict``, or of each ``label``.
        require: conditions such as ``tnr.low >= 0.8``; their outcomes are ``requirements`` of the result.
        confidence: the confidence level of the intervals.
        output: the folder for ``check.html``, ``check.md`` and ``check.json``; None writes nothing.

    Raises:
        DeclarationError: the file cannot be read, its columns are ambiguous, or a condition cannot be parsed.
    """
    conditions = [parse_requirement(text) for text in require]
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


def parse_requirement(text: str) -> Requirement:
    """Parse one condition, such as ``tnr.low >= 0.8`` or, for one of several judges, ``tnr.low[gpt] >= 0.8``.

    Raises:
        DeclarationError: the text does not have the form of a condition.
        UnknownNameError: there is no such figure.
    """
    return Requirement.parse(text, {*TITLES, COVERAGE}, "figure to require", EXAMPLE, TITLES)


def check_requirement(requirement: Requirement, result: CheckResult) -> RequirementOutcome:
    """Compare a condition with a figure of a judge: the first one, unless the condition names one in brackets.

    Raises:
        UnknownNameError: there is no such judge, or verdicts of this kind have no such figure.
    """
    judges = {dimension_name(judge.name): judge for judge in result.judges}
    name = requirement.dimension or next(iter(judges))
    check_known("judge of this table", judges, name)
    judge = judges[name]
    if requirement.name == COVERAGE:
        return requirement.outcome(judge.coverage)
    estimate = judge.figure(requirement.name)
    outcome = requirement.decision(estimate)
    if not outcome.undecided or estimate.value is None:
        return outcome
    bound = requirement.bound
    more = labels_to_decide(
        estimate,
        bound,
        judge.compared,
        end="low" if estimate.value > bound else "high",
        share=requirement.name in SHARES,
        confidence=result.confidence,
    )
    if more is None:
        return outcome
    return replace(outcome, reason=f"{outcome.reason}; about {number(more, 'more label')} would decide it")
