"""What the subcommands of ``conqret debateqa score`` have in common on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.runs.run_folder import RECORD_NAME, default_folder, stem

if TYPE_CHECKING:
    from conqret.debateqa.debateqa_files import DebatableQuestion

References = Annotated[Path, typer.Option(help="Questions with partial answers, in DebateQA's layout.")]
Device = Annotated[str | None, typer.Option(help="cpu, cuda, … Default: a GPU where there is one.")]
Dtype = Annotated[
    str | None, typer.Option(help="float32, bfloat16 or float16. Default: float32 on a CPU, else bfloat16.")
]


@dataclass(frozen=True)
class MetricOptions(OptionGroup):
    """One system's answers, what the system is called, and where its scores go.

    Args:
        output (--output, -o): The folder for scores.parquet. Default: runs/SYSTEM-METRIC-INSTRUMENT.
        system: The system's name. Default: the name of the answers' file, or of the run's folder that it is in.
        columns: Which column holds which field: `id=qid,answer=text,partial_answers=refs,…`
    """

    answers: Annotated[
        Path, typer.Argument(help="One system's answers: id and generation, as JSONL, CSV or Parquet.")
    ]
    output: Path | None = None
    system: str | None = None
    columns: str | None = None

    @property
    def name(self) -> str:
        """The system's."""
        run = self.answers.resolve().parent
        return self.system or (run.name if (run / RECORD_NAME).is_file() else stem(self.answers))

    @property
    def mapping(self) -> Mapping[str, str]:
        """From field to column, of answers and questions."""
        return options.column_map(self.columns, "id=qid,answer=text")

    def met(
        self, questions: Mapping[str, DebatableQuestion], shown: options.OutputOptions
    ) -> tuple[str, ...]:
        """The ids of the answers that have one of ``questions``, all checked; ids that only one side has are named."""
        from conqret.debateqa.debateqa_files import check_answers, partners

        met = partners(check_answers(self.answers, self.mapping), questions)
        for what, ids in (("answers", met.answers_alone), ("questions", met.questions_alone)):
            if ids:
                more = f", and {len(ids) - 10} more" if len(ids) > 10 else ""
                shown.note(f"{len(ids)} {what} have no partner: {', '.join(ids[:10])}{more}")
        return met.together

    def folder(self, metric: str, *instrument: str) -> Path:
        """Where the scores go; ``instrument`` tells two measurements of a metric apart."""
        return self.output or default_folder(self.name, metric, *instrument)
