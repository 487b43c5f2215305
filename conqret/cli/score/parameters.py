"""What the subcommands of ``conqret score`` have in common on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Answers = Annotated[
    Path, typer.Argument(help="One system's answers: id and generation, as JSONL, CSV or Parquet.")
]
References = Annotated[Path, typer.Option(help="Questions with partial answers, in DebateQA's layout.")]
SystemName = Annotated[str | None, typer.Option(help="The system's name. Default: the answers' file name.")]
Columns = Annotated[
    str | None, typer.Option(help="Which column holds what: id=qid,answer=text,partial_answers=refs,…")
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", help="The folder of scores.parquet. Default: in runs/, ANSWERS-METRIC-INSTRUMENT."
    ),
]
Device = Annotated[str | None, typer.Option(help="cpu, cuda, … Default: a GPU where there is one.")]
Dtype = Annotated[
    str | None, typer.Option(help="float32, bfloat16 or float16. Default: float32 on a CPU, else bfloat16.")
]
