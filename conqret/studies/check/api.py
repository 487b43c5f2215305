"""``conqret.check``: from a table of verdicts and labels to how good the judge is, with requirements and files.

A requirement such as ``tnr.low >= 0.8`` is met, not met, or undecided until more rows are labeled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.console.conditions import Requirement, RequirementOutcome
from conqret.errors import DeclarationError, check_known, metric_name, number, strict_options
from conqret.stats.estimate import CONFIDENCE, Estimate
from conqret.stats.verdict_rates import labels_to_decide
from conqret.studies.check.checked_table import DrawnBy
from conqret.studies.check.figures import check_table
from conqret.studies.check.read_table import read_checked_table
from conqret.studies.check.result import TITLES, CheckResult
from conqret.studies.check.text_table import TextTable, read_text_table
from conqret.text.words import dimension_name

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

JSON_NAME, PAGE_NAME, MARKDOWN_NAME = "check.json", "check.html", "check.md"
RECORD = "run.json"
"""The file that a run's folder has."""
EXAMPLE = "tnr.low >= 0.8"
COVERAGE = "coverage"
KNOWN = (*TITLES, COVERAGE, "recall")
SHARES = ("tnr", "tpr", "recall", "precision", "agreement", "flip_rate", "changed")
"""Shares of the rows that their n counts: their intervals narrow as those of binomial shares do."""
OF_ALL_ROWS = ("judge_mean", "flip_rate", "first_share", "changed", "run_sd")
"""Figures that take no labels: more rows decide them."""


@strict_options
def check(
    source: str | Path | pd.DataFrame | pl.DataFrame | Sequence[Mapping[str, object]],
    *,
    judge: str | Sequence[str] = (),
    human: str | Sequence[str] = (),
    passing: str = "",
    by: str = "",
    labels: str | Path | Sequence[str | Path] | None = None,
    drawn_by: DrawnBy | None = None,
    columns: Mapping[str, str] | None = None,
    require: str | Sequence[str] = (),
    confidence: float = CONFIDENCE,
    output: str | Path | None = None,
) -> CheckResult:
    """Check a judge: compare its verdicts with human labels in one table.

    ``assert conqret.check("results.csv").tnr.low >= 0.8`` is a test of a judge.

    Args:
        source: a file (CSV, TSV, JSON, JSONL, Parquet, or another tool's result), a frame, rows as dictionaries, or the
            folder of a run of ``conqret judge``, whose metrics are the columns.
        judge: the column of the verdicts, or several, to compare judges; by default recognized by its name.
        human: the column of the labels, or one for each annotator; by default recognized by its name.
        passing: what counts as a pass: a word, or a bound such as ``>=4``.
        by: a column whose rows are alike: intervals are then over its values.
        labels: a second file that has the labels of the same rows, by id, or several.
        drawn_by: how the labeled rows were chosen: at ``random``, or a fixed number of each ``verdict`` or ``label``.
        columns: the columns of texts, as in ``{"id": "ticket", "output": "summary"}``; by default recognized.
        require: a condition such as ``tnr.low >= 0.8``, or several; their outcomes are ``requirements`` of the result.
        confidence: the confidence level of the intervals.
        output: the folder for ``check.html``, ``check.md`` and ``check.json``; None writes nothing.

    Raises:
        DeclarationError: the file cannot be read, its columns are ambiguous, or a condition cannot be parsed.
    """
    conditions = [parse_requirement(text) for text in ([require] if isinstance(require, str) else require)]
    judges, rows = [judge] if isinstance(judge, str) else judge, source
    if isinstance(source, str | Path) and (Path(source) / RECORD).exists():
        judges, rows = _of_run(Path(source), judges, passing, (columns or {}).get("id", "id"))
    table = read_checked_table(
        rows,
        judge=judges,
        human=[human] if isinstance(human, str) else human,
        passing=passing,
        by=by,
        labels=labels,
        drawn_by=drawn_by,
        columns=columns,
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


def _of_run(run: Path, metrics: Sequence[str], passing: str, name: str) -> tuple[list[str], TextTable]:
    """Return the metrics of a run that are checked, and the table of its scores, with the ids in the column ``name``.

    Raises:
        DeclarationError: it is no run of ``conqret judge``, does not say which of several metrics to check, or lower
            scores are better and nothing says which of them pass.
        UnknownNameError: the run has no such metric.
    """
    from conqret.judging.judge_folder import JudgeFolder

    folder = JudgeFolder(run)
    known = folder.record().metrics
    checked = [metric_name(metric) for metric in metrics] or list(known)
    check_known("metric of this run", known, *checked)
    if not metrics and len(known) > 1:
        raise DeclarationError(
            f"{run} has several metrics ({', '.join(known)}): check one with --judge METRIC, or all: "
            f"conqret validate {run} --labels LABELS"
        )
    if not passing and (lower := [metric for metric in checked if folder.gate.lower_is_better(metric)]):
        raise DeclarationError(f'lower scores of {", ".join(lower)} are better: set the bar, --pass "<=0.2"')
    texts = {item.id: {"input": item.topic, "output": item.argument or ""} for item in folder.items()}
    rows = [
        {
            name: judgment.item,
            **{metric: judgment.value(metric) for metric in checked},
            **texts[judgment.item],
        }
        for judgment in folder.judgments()
    ]
    return checked, replace(read_text_table(rows), source=str(run))


def parse_requirement(text: str) -> Requirement:
    """Parse a condition such as ``tnr.low >= 0.8``, ``recall[refund] >= 0.7`` or ``tnr[gpt-4o] >= 0.8``.

    Raises:
        DeclarationError: the text has another form.
        UnknownNameError: there is no such figure.
    """
    ended = [name for name in KNOWN if name != COVERAGE]
    requirement = Requirement.parse(text, KNOWN, "figure to require", EXAMPLE, ended)
    if requirement.name == "recall" and requirement.dimension is None:
        raise DeclarationError(
            f"the requirement {text!r} names no class: write, for example, recall[refund] >= 0.7"
        )
    return requirement


def check_requirement(requirement: Requirement, result: CheckResult) -> RequirementOutcome:
    """Check one requirement; without a judge's name, or its beginning, in brackets, it is on the first judge.

    Raises:
        UnknownNameError: there is no such judge or class, or verdicts of this kind have no such figure.
        DeclarationError: it is on a class, and these verdicts are not classes.
    """
    judge, name = result.judges[0], requirement.name
    first = len(result.judges) > 1 and requirement.dimension is None
    if name == "recall" or (name == "precision" and judge.classes):
        if not judge.classes:
            raise DeclarationError(
                f"{name} is of classes without an order, and these verdicts are none: see tnr and tpr"
            )
        classes = {dimension_name(one.name): one for one in judge.classes}
        check_known("class", classes, requirement.dimension or "")
        estimate: Estimate = getattr(classes[requirement.dimension or ""], name)
    else:
        if requirement.dimension is not None:
            judges = {dimension_name(one.name): one for one in result.judges}
            begun = [name for name in judges if name.startswith(requirement.dimension)]
            named = begun[0] if len(begun) == 1 else requirement.dimension
            check_known("judge", judges, named)
            judge = judges[named]
        estimate = Estimate(judge.coverage) if name == COVERAGE else judge.figure(name)
    if result.drawn_by == "label" and result.unlabeled and name not in OF_ALL_ROWS:
        outcome = requirement.decision(estimate)  # rows drawn later are weighted in another way
    else:
        rows = estimate.n if name in OF_ALL_ROWS else judge.compared
        outcome = decide(requirement, estimate, rows, result.confidence)
    return replace(outcome, reason="; ".join(filter(None, [f"of {judge.name}" * first, outcome.reason])))


def decide(
    requirement: Requirement, estimate: Estimate, labeled: int, confidence: float
) -> RequirementOutcome:
    """Return the outcome of a requirement on ``estimate``; where it is undecided, with the number of rows that would
    decide it.

    ``labeled`` is the number of rows so far: the labeled ones, or all for a figure that takes no labels.
    """
    outcome = requirement.decision(estimate)
    if not outcome.undecided or estimate.value is None:
        return outcome
    labels = labels_to_decide(
        estimate,
        requirement.bound,
        labeled,
        end="low" if estimate.value > requirement.bound else "high",
        share=requirement.name in SHARES,
        confidence=confidence,
    )
    if not labels:
        return outcome
    unit = "more row" if requirement.name in OF_ALL_ROWS else "more labeled row"
    remedy = f"about {number(labels, unit)} would decide it"
    return replace(outcome, reason=f"{outcome.reason}; {remedy}", labels=labels)
