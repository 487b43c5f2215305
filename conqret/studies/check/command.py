"""``conqret check``: how good a judge is, from one table of its verdicts and human labels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from annotated_types import Interval

from conqret.console.exit_codes import end_by
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, note, result, tell
from conqret.console.result_options import DrawnBy, Printed

TEXT_COLUMNS = "id=ticket,output=summary"
"""An example of --columns."""

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, kw_only=True)
class TableOptions(OptionGroup):
    """How a table of verdicts is read.

    Args:
        judge: The column of the judge's verdicts. May be repeated, to compare judges. Default: recognized by its name.
        human: The column of an annotator's labels. May be repeated. Default: recognized by its name.
        passing (--pass): What counts as a pass, as a word (`correct`) or a bound (`">=4"`). Of preferences in both
            orders: whether the words name `answers` or `positions`. Default: recognized.
        by: A column such as `topic` whose rows are alike: intervals are then over its values, and not over rows.
        labels: A second table that has human labels of the same rows, by `id`. May be repeated.
        confidence: The confidence level of the intervals. Default: 0.95.
    """

    judge: list[str] | None = None
    human: list[str] | None = None
    passing: str | None = None
    by: str | None = None
    labels: list[Path] | None = None
    drawn_by: DrawnBy = None
    confidence: Annotated[float | None, Interval(ge=0.5, le=0.999)] = None


def check(
    file: Path,
    *,
    read: TableOptions,
    columns: str | None = None,
    require: list[str] | None = None,
    output: Path | None = None,
    json_output: Printed = None,
) -> None:
    """Check a judge: compare its verdicts with human labels in one table, and say how far it can be trusted.

    Any judge will do, and no model is called. Verdicts and labels may be pass and fail in any usual words, ratings,
    scores in [0, 1], preferences between two answers, or classes; an empty label is an unlabeled row. Columns with
    usual names are recognized, as are the results of promptfoo, DeepEval, inspect_ai, ragas, MLflow, Langfuse,
    LangSmith, Phoenix and Opik.

    Args:
        file: A table with a row for each verdict (CSV, TSV, JSON, JSONL or Parquet), another tool's result file, or
            the folder of a run of `conqret judge`, with a metric as `--judge`.
        columns: The columns of texts, if their names are unusual: `id=ticket,output=summary,input=article`. Further
            texts are `context`, `expected`, `reason`, `answer_a` and `answer_b`.
        require: A condition: `tnr.low >= 0.8` (the whole interval must lie above 0.8), `tpr >= 0.9`, `kappa.low > 0.4`.
            Exit code 0 if all are met, 1 if one is not, 3 if one is undecided because its interval contains the bound.
            May be repeated.
        output (--output, -o): The folder to write `check.html`, `check.md` and `check.json` into.

    Examples:

    conqret check results.csv

    conqret check results.csv --judge gpt_verdict --human anna --pass ">=4" -o checked/

    conqret check results.csv --require "tnr.low >= 0.8" --require "tpr.low >= 0.8"
    """
    from conqret.studies.check import api
    from conqret.studies.check.screen import notes, screen

    texts: dict[str, str] = {}
    if columns:
        from conqret.console.shared_options import column_map  # takes longer to import than a check takes

        texts = column_map(columns, TEXT_COLUMNS)
    found = api.check(
        file,
        columns=texts,
        **read.given(),
        require=require or (),
        output=output,
    )
    tell(found.guessed)
    lines: list[RenderableType] = [*screen(found, paged=output is not None)]
    if json_output is False:
        from conqret.studies.check.page import check_tables  # pages take longer to import than a check takes

        lines = [*check_tables(found)]
    result(found, lines, as_json=json_output, outcomes=found.requirements)
    note(*notes(found, paged=output is not None))
    if output is not None:
        tell(at(output / api.PAGE_NAME, "page"))
    end_by(found.requirements)
