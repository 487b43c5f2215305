"""``conqret debate two-turn outcomes``, ``anova``, ``writers`` and ``annotations``: what came of judging debates."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import at, note, result

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from conqret.debate.two_turn.outcomes import Outcomes
    from conqret.debate.two_turn.slider_answers import SliderAnswer


@dataclass(frozen=True, kw_only=True)
class StudyAnswers(OptionGroup):
    """The answers of judges on the slider, and those of them that count.

    Arguments:
        answers: One answer a row: question, passage, judge, condition, turn, instruction, slider (-3 to 3), right (1 or
            2). JSONL, CSV, TSV or Parquet.
    Args:
        design: Only answers of this design: conditions PS and PSA are the main one, S and SA the pilot.
    """

    answers: Path
    design: Literal["main", "pilot"] | None = None
    better_half: Annotated[
        Path | None,
        typer.Option(
            help="Only the better half of the judges, by their last judgments in this pilot: a file of answers in its "
            "conditions (S, SA).",
            dir_okay=False,
        ),
    ] = None

    def read(self) -> Sequence[SliderAnswer]:
        """The answers of one design; with a pilot those of the better half of its judges."""
        from conqret.debate.two_turn.outcomes import counted_answers

        answers = counted_answers(self.answers, self.design)
        if self.better_half is None:
            return answers
        kept = counted_answers(answers, pilot=self.better_half)
        judges = len({answer.judge for answer in kept})
        note(
            f"{judges} of {len({answer.judge for answer in answers})} judges are kept: the better half of the pilot"
        )
        return kept


@grouped
def table(
    given: StudyAnswers,
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
    from conqret.debate.two_turn.outcomes import debate_outcomes
    from conqret.errors import DeclarationError
    from conqret.show.page import write_file

    kinds: dict[str, Literal["png", "svg"]] = {".png": "png", ".svg": "svg"}
    if plot is not None and plot.suffix not in kinds:
        raise DeclarationError(f"--plot takes a file that ends in .png or .svg, not {plot}")
    require("scipy", extra="stats")
    answers = given.read()
    results = debate_outcomes(answers, confidence=confidence)
    if results.missing:
        note(f"{results.missing:,} of {results.answers:,} answers are missing, and count in no share")
    if plot is not None:
        write_file(plot, confidence_plot(results, kinds[plot.suffix]))
    conclusion = verdict(results)
    result({"verdict": conclusion, **asdict(results)}, _lines(results, conclusion, plot), as_json=json_output)


def _lines(results: Outcomes, conclusion: str, plot: Path | None) -> Iterator[RenderableType]:
    from conqret.debate.two_turn.outcome_page import outcome_tables
    from conqret.show.table import spaced

    yield from spaced(outcome_tables(results))
    right, wrong = (f"${results.writers[side]:.3f}" for side in ("right", "wrong"))
    yield f"Writers earn, by the last judgment: {right} an answer for the right option, {wrong} for the wrong one."
    yield conclusion
    if plot is not None:
        yield at(plot, "plot")


@grouped
def anova(
    given: StudyAnswers,
    *,
    subject: Literal["judge", "passage"] | None = None,
    json_output: options.Json = False,
) -> None:
    """Do arguments, the second judgment or the instruction change the answers? A repeated-measures ANOVA.

    Of right or wrong (once without abstentions, once with abstentions as wrong), and of the seven points of the
    slider. If subjects lack a cell, a mixed model of all answers is shown, too. Needs conqret[anova].

    Args:
        subject: The subject of the repeated measures. Default: judges; with one judge, passages.

    Examples:

    conqret debate two-turn anova answers.jsonl

    conqret debate two-turn anova answers.jsonl --subject passage --json
    """
    from dataclasses import asdict

    from conqret.debate.two_turn.anova import debate_anova, default_subject
    from conqret.debate.two_turn.outcome_page import anova_tables
    from conqret.show.table import spaced

    answers = given.read()
    of = subject or default_subject(answers)
    results = debate_anova(answers, subject=of)
    if missing := sum(answer.slider is None for answer in answers):
        note(f"{missing:,} of {len(answers):,} answers are missing and are left out")
    result(
        [asdict(anova_result) for anova_result in results],
        spaced(anova_tables(results, of)),
        as_json=json_output,
    )


@grouped
def writers(
    given: StudyAnswers,
    confidence: label_options.Confidence = 0.95,
    json_output: options.Json = False,
) -> None:
    """Who writes the more persuasive debates: an Elo of the writers, how often judges side with them, what they earn.

    Counted is the last judgment with arguments, in debates. Bonuses are the paper's: $0.20 for each judge who ends on
    the right option where the writer argued for it, and $0.75 for each who does not where the writer argued for the
    wrong one.

    Examples:

    conqret debate two-turn writers runs/judged/answers.jsonl

    conqret debate two-turn writers answers.jsonl --better-half pilot.jsonl --json
    """
    from dataclasses import asdict

    from conqret._optional import require
    from conqret.debate.two_turn.writer_scores import score_writers
    from conqret.debate.two_turn.writer_tables import writers_table

    require("scipy", extra="stats")
    ratings = score_writers(given.read(), confidence=confidence)
    result([asdict(rating) for rating in ratings], [writers_table(ratings)], as_json=json_output)


@grouped
def annotated(
    file: Path,
    of: Annotated[Path, typer.Option(help="The questions whose texts were annotated.", dir_okay=False)],
    confidence: label_options.Confidence = 0.95,
    json_output: options.Json = False,
) -> None:
    """Summarize annotations of the texts: quality, whether counter-arguments respond, which strategies they use.

    By kind of text and by the option that it argues for, the right one or the wrong one.

    Args:
        file: A table with a row for each annotator and text: question, text (argument or counter-argument), option (1
            or 2, that it argues for), annotator, and quality (1 to 10), responds (yes or no), strategies. JSONL, CSV,
            TSV, Parquet.

    Example:

    conqret debate two-turn annotations annotations.csv --of debates.jsonl
    """
    from dataclasses import asdict

    from conqret._optional import require
    from conqret.debate.two_turn.text_annotations import summarize_annotations
    from conqret.debate.two_turn.writer_tables import annotation_tables
    from conqret.show.table import spaced

    require("scipy", extra="stats")
    summaries = summarize_annotations(file, of=of, confidence=confidence)
    result(
        [asdict(summary) for summary in summaries], spaced(annotation_tables(summaries)), as_json=json_output
    )
