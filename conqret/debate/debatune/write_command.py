"""``conqret debate write``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import at
from conqret.errors import number
from conqret.judging.study_command import PlanOptions
from conqret.llm.token_sampling import Sampling


@grouped
def write(
    rows: Path,
    *,
    model: options.Model = None,
    system: str | None = None,
    sampling: Sampling,
    output: Annotated[Path | None, options.run_folder("ROWS-debate-write-MODEL")] = None,
    asking: PlanOptions,
) -> None:
    """Have a model write statements, or answer any instructions, to be judged by `conqret debate score` and
    `conqret debate score`.

    Each instruction is sent word for word, and the answer is kept word for word. With `local/FOLDER` a
    transformers model on this machine writes, one text after another.

    Args:
        rows: What the model is to write: rows with topic, side and argument, with an instruction, or with chat messages
            (JSONL, CSV, TSV or Parquet). Responses in them are ignored.
    Model:
        system: The name of the writer in the rows. Default: the model's name.

    Examples:

    conqret debate write data/test.jsonl --model local/models/llama-2-7b --system before -o runs/before

    conqret debate write data/test.jsonl --model local/tuned/model --system after -o runs/after

    conqret debate score runs/before/statements.jsonl runs/after/statements.jsonl --model gpt-4o-mini
    """
    from conqret.debate.debatune.statement_run import estimate, statements_plan

    session = asking.session(model)
    plan = statements_plan(rows, session, system=system, sampling=sampling, output=output)
    instructions, folder = plan.rows, plan.folder
    if asking.dry_run:
        asking.tell_cost([estimate(instructions, session)])
        return
    outcome = asking.execute(
        plan, len(instructions), "statements",
        about=f"{len(instructions)} statements by", doing="writing", role="an author",
    )  # fmt: skip
    summary = outcome.summary
    if summary.cut:
        asking.shown.note(
            f"{summary.cut:,} statements were cut off at the token limit: raise it with --max-tokens"
        )
    facts = {"statements": str(folder.statements_file), "written": summary.written, "cut": summary.cut}
    lines = (
        f"{summary.written:,} of {number(len(instructions), 'statement')} written",
        at(folder.statements_file, "statements"),
    )
    data = {**facts, "unwritten": summary.unwritten}
    asking.conclude(data, lines, outcome, summary.unwritten, there=summary.written)
