"""What the subcommands of ``conqret debateqa score`` have in common on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, end, note, note_each, result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from conqret.debateqa.answer_scores import AnswerScores, SystemAnswers
    from conqret.debateqa.debateqa_files import Partners
    from conqret.debateqa.score_table import SystemMean


References = Annotated[
    Path,
    typer.Option(
        help="Questions with partial answers (id, question, partial_answers), as DebateQA's file or the "
        "benchmark.jsonl of `conqret debateqa curate run`."
    ),
]
Device = Annotated[str | None, typer.Option(help="cpu, cuda, … Default: a GPU where there is one.")]
Dtype = Annotated[
    str | None, typer.Option(help="float32, bfloat16 or float16. Default: float32 on a CPU, else bfloat16.")
]


@dataclass(frozen=True)
class MetricOptions(OptionGroup):
    """One system's answers, what the system is called, and where its scores go.

    Arguments:
        answers: One system's answers: id and generation, as JSONL, CSV or Parquet.
    Args:
        output (--output, -o): The folder to write scores.parquet into. Default: runs/SYSTEM-METRIC-MODEL.
        system: The system's name. Default: the name of the answers' file, or of the run's folder that it is in.
        columns: Which column holds which field: `id=qid,answer=text,partial_answers=refs,…`
    """

    answers: Path
    output: Path | None = None
    system: str | None = None
    columns: str | None = None

    @property
    def of_system(self) -> SystemAnswers:
        """The same, as the functions that score take it."""
        from conqret.debateqa.answer_scores import SystemAnswers

        columns = options.column_map(self.columns, "id=qid,answer=text")
        return SystemAnswers(self.answers, self.output, self.system, columns)


def tell_partners(met: Partners, shown: options.OutputOptions) -> None:
    """Name the ids that only one side has."""
    for what, ids in (("answers", met.answers_alone), ("questions", met.questions_alone)):
        if ids:
            more = f", and {len(ids) - 10} more" if len(ids) > 10 else ""
            shown.note(f"{len(ids)} {what} have no partner: {', '.join(ids[:10])}{more}")


def show(scores: AnswerScores, shown: options.OutputOptions) -> None:
    """Print the system's means, what is missing, and where the scores are."""
    from dataclasses import asdict

    from conqret.debateqa.score_table import reasons, system_means

    shown.note(*scores.notes)
    remark_missing(reasons(scores.table))
    means = system_means(scores.table)
    result([asdict(mean) for mean in means], _lines(means, scores.file), as_json=shown.json_output)


def leave(scores: AnswerScores) -> None:
    """Leave with exit code 1 where there is no score, or where the session with a model stopped before its end."""
    from conqret.debateqa.score_table import reasons

    end(False, scores.session, there=scores.table["value"].count(), reasons=reasons(scores.table))


def _lines(means: list[SystemMean], file: Path) -> Iterator[RenderableType]:
    for instrument, instrument_means in groupby(means, key=attrgetter("instrument")):
        yield instrument or "measuring model without a name"
        for row in instrument_means:
            mean = "none" if row.mean is None else f"{row.mean:.4f}"
            ends = "" if row.low is None else f" [{row.low:.3f}, {row.high:.3f}]"
            yield f"  {row.metric:<22} {mean:>10}{ends}  (n = {row.scored} of {row.total})"
    yield at(file, "scores")


def remark_missing(reasons: Mapping[str, int]) -> None:
    """Say how many scores are missing, by their reasons."""
    from conqret.show.words import reason

    note_each(
        f"{count} {'score is' if count == 1 else 'scores are'} missing: {reason(name)}"
        for name, count in reasons.items()
    )


def remark_left_out(metric: str, instrument: str, answers: int, questions: int) -> None:
    """Say that scored answers are left out of the means, because not all systems have these questions' scores."""
    if answers:
        note(
            f"{metric} by {instrument or 'the measuring model without a name'}: {answers} scored "
            f"{'answer is' if answers == 1 else 'answers are'} left out; the means are over the {questions} "
            f"{'question' if questions == 1 else 'questions'} scored of all systems"
        )
