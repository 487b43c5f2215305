"""``conqret debate two-turn outcomes``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import at, note, result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from conqret.debate.two_turn.outcomes import Outcomes
    from conqret.debate.two_turn.slider_answers import SliderAnswer


Answers = Annotated[
    Path,
    typer.Argument(
        help="One answer a row: question, passage, judge, condition, turn, instruction, slider (-3 to 3), right (1 or "
        "2). JSONL, CSV, TSV or Parquet."
    ),
]
Design = Annotated[
    Literal["main", "pilot"] | None,
    typer.Option(
        help="Only answers of this design: conditions PS and PSA are the main one, S and SA the pilot."
    ),
]
BetterHalf = Annotated[
    Path | None,
    typer.Option(
        help="Only the better half of the judges, by their last judgments in this pilot: a file of answers in its "
        "conditions (S, SA).",
        dir_okay=False,
    ),
]


@grouped
def table(
    answers: Answers,
    design: Design = None,
    better_half: BetterHalf = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw where the slider stood: a .png or .svg file.", dir_okay=False)
    ] = None,
    *,
    confidence: label_options.Confidence = 0.95,
    json_output: options.Json = False,
) -> None:
    """Results of judging debates: right, wrong and abstaining by condition, confidence, pay-off, and whether debate
    helps.

    Intervals are over passages. Missing answers are counted, and never taken for abstentions.

    Examples:

    conqret debate two-turn outcomes answers.jsonl

    conqret debate two-turn outcomes answers.jsonl --design pilot --plot confidence.svg --json
    """
    from dataclasses import asdict

    from conqret._optional import require
    from conqret.debate.two_turn.outcome_page import confidence_plot, verdict
    from conqret.debate.two_turn.outcomes import outcomes
    from conqret.errors import DeclarationError
    from conqret.show.page import write_file

    kinds: dict[str, Literal["png", "svg"]] = {".png": "png", ".svg": "svg"}
    if plot is not None and plot.suffix not in kinds:
        raise DeclarationError(f"--plot draws a .png or .svg file, not {plot}")
    require("scipy", extra="stats")
    given = answers_of(answers, design, better_half)
    found = outcomes(given, confidence=confidence)
    if found.missing:
        note(f"{found.missing:,} of {found.answers:,} answers were not given, and are in no share")
    if plot is not None:
        write_file(plot, confidence_plot(found, kinds[plot.suffix]))
    told = verdict(found)
    result({"verdict": told, **asdict(found)}, _lines(found, told, plot), as_json=json_output)


def answers_of(
    file: Path, design: Literal["main", "pilot"] | None, pilot: Path | None
) -> tuple[SliderAnswer, ...]:
    """The answers of one design; with a ``pilot`` those of the better half of its judges."""
    from conqret.debate.two_turn.better_half import better_half, of_judges
    from conqret.debate.two_turn.slider_answers import read_slider_answers

    given = read_slider_answers(file, design)
    if pilot is None:
        return given
    names = better_half(read_slider_answers(pilot, "pilot"))
    kept = of_judges(given, names)
    judges = len({one.judge for one in kept})
    note(f"{judges} of {len({one.judge for one in given})} judges are kept, the better half of the pilot")
    return kept


def _lines(found: Outcomes, told: str, plot: Path | None) -> Iterator[RenderableType]:
    from conqret.debate.two_turn.outcome_page import outcome_tables
    from conqret.show.table import spaced

    yield from spaced(outcome_tables(found))
    right, wrong = (f"${found.writers[side]:.3f}" for side in ("right", "wrong"))
    yield f"Writers earn, by the last judgment: {right} an answer for the right option, {wrong} for the wrong one."
    yield told
    if plot is not None:
        yield at(plot, "plot")
