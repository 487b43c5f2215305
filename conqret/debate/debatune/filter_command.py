"""``conqret debate filter``: which statements may become training data?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.debate.debatune.judged_texts import Folder, judged, sifted, sifted_file
from conqret.judging.study_command import StudyOptions


@grouped
def filter_(
    statements: Path,
    *,
    model: options.Model = None,
    scored: Path | None = None,
    good_from: int = 100,
    output: Annotated[Path, sifted_file("statements")] = Path("kept.jsonl"),
    run: Folder = None,
    skip_invalid: options.SkipInvalid = False,
    asking: StudyOptions,
) -> None:
    """Keep the statements that contain nothing harmful, before a model is trained on them.

    The model looks for hate, violence, dangerous help, self-harm, sexual content and private data, and for nothing
    else: an unpopular side is no harm. A statement for which no answer came is not kept. Rows are not changed.

    Args:
        statements: Columns topic, side and statement (or response), optionally id: JSONL, CSV, TSV, Parquet.
    Judging:
        scored: A run of `conqret debate score` on these statements: those that are not wholly on their side are
            dropped, too.
        good_from: Per cent on the assigned side from which a statement is good, with `--scored`.

    Examples:

    conqret debate filter statements.jsonl --model gpt-4o-mini -o kept.jsonl

    conqret debate filter statements.jsonl --scored runs/controllability --model gpt-4o-mini -o kept.jsonl
    """
    from conqret.debate.debatune.controllability_scores import check_good_from
    from conqret.debate.debatune.filtering import FORMAT, controllability_of, filtered, rows_of
    from conqret.debate.debatune.statements import read_statements

    check_good_from(good_from)
    items = read_statements([statements], skip_invalid=skip_invalid, on_check=asking.shown.left_out)
    sides = None if scored is None else controllability_of(scored)
    judgments = judged(
        items, [statements], FORMAT, model=model, output=run, asking=asking,
    )  # fmt: skip
    if judgments is not None:
        found = filtered(
            rows_of(statements, skip_invalid=skip_invalid), items, judgments, sides, good_from=good_from
        )
        sifted(judgments, found, output, "Statements", "statements", asking=asking)
