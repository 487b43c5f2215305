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
        answers: A table of judges' answers, one a row, with the columns question, passage, judge, condition (such as PS
            or PSA), turn, instruction, slider (-3 sure of option 1, 0 abstains, 3 sure of option 2) and right (1 or 2):
            JSONL, CSV, TSV or Parquet.
    Args:
        design: Use only answers of this design: `main` (the passage is shown: conditions PS, PSA) or `pilot` (only
            snippets: conditions S, SA).
    """

    answers: Path
    design: Literal["main", "pilot"] | None = None
    better_half: Annotated[
        Path | None,
        typer.Option(
            help="Use only the better half of the judges, by their accuracy in a pilot study: a file of their "
            "answers in the pilot's conditions S and SA.",
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
        Path | None,
        typer.Option(
            help="Write a chart of how often judges chose each of the seven points of confidence, as a .png or .svg "
            "file.",
            dir_okay=False,
        ),
    ] = None,
    *,
    confidence: label_options.Confidence = 0.95,
    json_output: options.Json = False,
) -> None:
    """Report results of judging two-turn debates: right answers, wrong answers and abstentions by what judges were
    shown, their confidence and bonuses, and whether debate helps.

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
    """Test by repeated-measures ANOVA whether arguments, a second judgment or the instruction (what abstaining earns)
    change the judges' answers.

    The answers are analyzed as right or wrong (abstentions left out, and abstentions as wrong) and as points on the
    judges' seven-point scale of confidence. If a subject lacks an answer in some condition, a mixed model of all
    answers is also fitted. Needs pip install 'conqret[anova]'.

    Args:
        subject: The subject of the repeated measures: `judge`, or `passage` (the text that questions are about).
            Default: judge, or passage if there is only one judge.

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

    Only each judge's last judgment of a debate with both sides' arguments counts. Bonuses are those of Parrish et al.
    2022: a writer earns $0.20 for each judge who is right where the writer argued for the right option, and $0.75 for
    each who is not where the writer argued for the wrong one.

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
    of: Annotated[
        Path,
        typer.Option(
            help="The questions with the annotated arguments and counter-arguments (JSONL), as `conqret debate "
            "two-turn argue` writes them.",
            dir_okay=False,
        ),
    ],
    confidence: label_options.Confidence = 0.95,
    json_output: options.Json = False,
) -> None:
    """Summarize annotations of the texts: quality, whether counter-arguments respond, which strategies they use.

    By kind of text and by the option that it argues for, the right one or the wrong one.

    Args:
        file: A table of annotations with a row for each annotator and text. Its columns are question, text (argument or
            counter-argument), option (1 or 2, for which it argues), annotator, quality (1 to 10), responds (yes or no)
            and strategies (names, separated by semicolons): JSONL, CSV, TSV or Parquet.

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
