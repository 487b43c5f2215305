"""How ``conqret debateqa score`` takes its files in, and what it prints and writes in the end."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.console.printing import at, end, note, result

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl
    from rich.console import RenderableType

    from conqret.debateqa.score_table import SystemMean
    from conqret.runs.session import SessionCounts


def show(scores: pl.DataFrame, file: Path, json_output: bool) -> None:
    """Print the system's means, what is missing, and where the scores are."""
    from dataclasses import asdict

    from conqret.debateqa.score_table import system_means

    remark_missing(scores)
    means = system_means(scores)
    result([asdict(one) for one in means], _lines(means, file), as_json=json_output)


def leave(scores: pl.DataFrame, session: SessionCounts | None = None) -> None:
    """Leave with exit code 1 where there is no score, or where the ``session`` with a model stopped before its end."""
    from conqret.debateqa.score_table import reasons

    end(False, session, there=scores["value"].count(), reasons=reasons(scores))


def _lines(means: list[SystemMean], file: Path) -> Iterator[RenderableType]:
    for instrument, own in groupby(means, key=attrgetter("instrument")):
        yield instrument or "instrument without a name"
        for one in own:
            mean = "none" if one.mean is None else f"{one.mean:.4f}"
            ends = "" if one.low is None else f" [{one.low:.3f}, {one.high:.3f}]"
            yield f"  {one.metric:<22} {mean:>10}{ends}  (n = {one.scored} of {one.total})"
    yield at(file, "scores")


def remark_missing(scores: pl.DataFrame) -> None:
    """Count the missing scores by their reasons."""
    from conqret.debateqa.score_table import reasons
    from conqret.show.words import reason

    for name, count in reasons(scores).items():
        note(f"{count} {'score is' if count == 1 else 'scores are'} missing: {reason(name)}")


def remark_left_out(metric: str, instrument: str, answers: int, questions: int) -> None:
    """Say that scored answers are left out of the means, because not all systems have these questions' scores."""
    if answers:
        note(
            f"{metric} by {instrument or 'the instrument without a name'}: {answers} scored "
            f"{'answer is' if answers == 1 else 'answers are'} left out; the means are over the {questions} "
            f"{'question' if questions == 1 else 'questions'} scored of all systems"
        )
