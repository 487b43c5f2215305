"""``conqret debate two-turn outcomes`` and ``anova``: what came of judging debates."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import at, note, result

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from conqret.debate.two_turn.outcomes import Outcomes
    from conqret.debate.two_turn.slider_answers import PayoffInstruction, SliderAnswer


@dataclass(frozen=True, kw_only=True)
class StudyAnswers(OptionGroup):
    """Those of judges' answers that count.

    Args:
        design: Use only judges' answers from this study design: `main` (they saw the whole passage) or `pilot` (they
            saw only quotations from it).
    """

    design: Literal["main", "pilot"] | None = None
    better_half: Annotated[
        Path | None,
        typer.Option(
            help="Use only the better half of the judges, by their accuracy in a pilot study. The file has their "
            "answers in the pilot, with the same columns as ANSWERS.",
            dir_okay=False,
        ),
    ] = None

    def read(self, file: Path) -> Sequence[SliderAnswer]:
        """The answers of one design; with a pilot those of the better half of its judges."""
        from conqret.debate.two_turn.outcomes import counted_answers

        answers = counted_answers(file, self.design)
        if self.better_half is None:
            return answers
        kept = counted_answers(answers, pilot=self.better_half)
        judges = len({answer.judge for answer in kept})
        note(
            f"{judges} of {len({answer.judge for answer in answers})} judges are kept: the better half of the pilot"
        )
        return kept


@grouped
def outcomes(
    answers: Path | None = None,
    *,
    counted: StudyAnswers,
    plot: Path | None = None,
    writers: bool = False,
    instruction: Literal["simple", "encourage-abstain"] | None = None,
    bonuses: str | None = None,
    confidence: label_options.Confidence = 0.95,
    json_output: options.Printed = None,
) -> None:
    """Report results of judging two-turn debates: right answers, wrong answers and abstentions by what judges were
    shown, their confidence and bonuses, and whether debate helps. Without ANSWERS, show from which confidence it pays a
    judge to answer instead of abstaining, which follows from the bonuses alone.

    Intervals are over passages. Missing answers are counted, and never taken for abstentions.

    Args:
        answers: A table of judges' answers, one a row, with the columns question, passage, judge, condition (such as PS
            or PSA), turn, instruction, slider (-3 sure of option 1, 0 abstains, 3 sure of option 2) and right (1 or 2):
            JSONL, CSV, TSV or Parquet.
        plot: Write a chart of how often judges chose each of the seven points of confidence, as a .png or .svg file.
        writers (--writers): Instead, rate who writes the more persuasive debates, by each judge's last judgment of a
            debate with both sides' arguments: an Elo, how often judges side with them, and what they earn.
        instruction: Without ANSWERS: only one of the two instructions of Parrish et al. 2022, which differ in what
            abstaining earns. Default: both.
        bonuses: Without ANSWERS: your own bonuses in dollars for the seven points of the answer scale, comma-separated:
            from completely confident and right, over abstaining, to completely confident and wrong.

    Examples:

    conqret debate two-turn outcomes answers.jsonl

    conqret debate two-turn outcomes runs/judged/answers.jsonl --writers

    conqret debate two-turn outcomes --bonuses=0.5,0.4,0.3,0.1,-0.1,-0.4,-0.8

    conqret debate two-turn outcomes answers.jsonl --design pilot --plot confidence.svg --json
    """
    from dataclasses import asdict

    from conqret.debate.two_turn.outcome_page import confidence_plot, verdict
    from conqret.debate.two_turn.outcomes import debate_outcomes
    from conqret.debate.two_turn.writer_scores import score_writers, writers_table
    from conqret.errors import DeclarationError
    from conqret.show.page import write_file

    kinds: dict[str, Literal["png", "svg"]] = {".png": "png", ".svg": "svg"}
    if plot is not None and plot.suffix not in kinds:
        raise DeclarationError(f"--plot takes a file that ends in .png or .svg, not {plot}")
    if answers is None:
        _show_payoffs(instruction, bonuses, json_output)
        return
    judged = counted.read(answers)
    if writers:
        ratings = score_writers(judged, confidence=confidence)
        result([asdict(rating) for rating in ratings], [writers_table(ratings)], as_json=json_output)
        return
    results = debate_outcomes(judged, confidence=confidence)
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


def _show_payoffs(
    instruction: Literal["simple", "encourage-abstain"] | None, bonuses: str | None, json_output: bool | None
) -> None:
    from itertools import chain

    from conqret.debate.two_turn.outcome_page import payoff_tables
    from conqret.debate.two_turn.slider_answers import payoffs as rewarded
    from conqret.show.table import spaced

    wanted = "--bonuses are seven numbers such as 0.6,0.45,0.3,0.15,-0.05,-0.3,-0.6"
    bonus_values = None if bonuses is None else options.numbers(bonuses, wanted)
    shown = rewarded(instruction=instruction, bonuses=bonus_values)
    result(
        [_plain(payoff) for payoff in shown],
        spaced(chain.from_iterable(map(payoff_tables, shown))),
        as_json=json_output,
    )


def _plain(instruction: PayoffInstruction) -> dict[str, Any]:
    from conqret.debate.two_turn.slider_answers import STRENGTHS

    return {
        "instruction": instruction.name,
        "bonuses": [float(bonus) for bonus in instruction.bonuses],
        "pays_from": {
            STRENGTHS[strength]: float(share) for strength, share in instruction.pays_from().items()
        },
        "wins_from_percent": {
            name: instruction.first_winner(strength) for strength, name in enumerate(STRENGTHS)
        },
    }


@grouped
def anova(
    answers: Path,
    *,
    counted: StudyAnswers,
    subject: Literal["judge", "passage"] | None = None,
    json_output: options.Printed = None,
) -> None:
    """Test by repeated-measures ANOVA whether arguments, a second judgment or the instruction (what abstaining earns)
    change the judges' answers.

    The answers are analyzed as right or wrong (abstentions left out, and abstentions as wrong) and as points on the
    judges' seven-point scale of confidence. If a subject lacks an answer in some condition, a mixed model of all
    answers is also fitted. Needs pip install 'conqret[anova]'.

    Args:
        answers: A table of judges' answers, one a row, with the columns question, passage, judge, condition (such as PS
            or PSA), turn, instruction, slider (-3 sure of option 1, 0 abstains, 3 sure of option 2) and right (1 or 2):
            JSONL, CSV, TSV or Parquet.
        subject: The subject of the repeated measures: `judge`, or `passage` (the text that questions are about).
            Default: judge, or passage if there is only one judge.

    Examples:

    conqret debate two-turn anova answers.jsonl

    conqret debate two-turn anova answers.jsonl --subject passage --json
    """
    from dataclasses import asdict

    from conqret.debate.two_turn.anova import anova_tables, debate_anova, default_subject
    from conqret.show.table import spaced

    judged = counted.read(answers)
    of = subject or default_subject(judged)
    results = debate_anova(judged, subject=of)
    if missing := sum(answer.slider is None for answer in judged):
        note(f"{missing:,} of {len(judged):,} answers are missing and are left out")
    result(
        [asdict(anova_result) for anova_result in results],
        spaced(anova_tables(results, of)),
        as_json=json_output,
    )
