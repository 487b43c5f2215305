"""Those who write debates: how often judges go with them, what they earn, and how persuasive they are.

All of it goes by the last judgment with arguments, in debates, not in consultancies. Bonuses are those of Parrish et
al. 2022 (section A.3). Persuasiveness is a rating by the model of Bradley and Terry, in points of Elo, as Khan et al.
2024 ("Debating with More Persuasive LLMs Leads to More Truthful Answers") rate debaters: each answer is a game between
the writers of its two options, and abstaining is a tie.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from conqret.data.digest import gathered
from conqret.debate.two_turn.judge_answers import QUESTION
from conqret.debate.two_turn.outcomes import Answers, counted_answers
from conqret.debate.two_turn.slider_answers import Design, SliderAnswer, conditions_of, writers_bonus
from conqret.errors import DeclarationError, strict_options
from conqret.labels.answer_ledger import Ledger
from conqret.labels.screens import Annotator
from conqret.show.table import Column, Table
from conqret.stats.estimate import Estimate, undefined
from conqret.stats.paired_ranking import SPREAD, START, PairwisePreference, bradley_terry
from conqret.stats.resampling import mean_interval

POINTS = SPREAD / math.log(10)
"""Points of Elo for one unit of strength: 400 points are odds of ten to one."""


@dataclass(frozen=True, slots=True)
class WrittenArgument:
    """One writer's results for one option: the share of judges that follow, the number of answers, and the
    bonus.

    ``followed`` is the share among answers that take a side; ``dollars`` is the bonus of all answers together.
    """

    followed: Estimate
    answers: int
    dollars: float


@dataclass(frozen=True, slots=True)
class Writer:
    """One writer's Elo rating and results for either option; the rating has no value where no one argued
    against the writer."""

    writer: str
    rating: Estimate
    right: WrittenArgument
    wrong: WrittenArgument


@strict_options
def score_writers(answers: Answers, *, design: Design | None = None) -> tuple[Writer, ...]:
    """Score the writers of debates by how often judges follow them; return the most persuasive first.

    Args:
        answers: a file of answers on the slider, or such answers of one design.
        design: for a file with both designs, the one to use.

    Raises:
        ItemsError: rows have faults; all are listed.
        DeclarationError: there is no answer of the design, no answer names the writers of both options,
            or none of those was given with arguments shown.
    """
    given = last_with_arguments(counted_answers(answers, design))
    ratings = _ratings(given)
    names = dict.fromkeys(name for one in given for name in (one.for_right, one.for_wrong))
    found = [
        Writer(
            name,
            ratings.get(name, undefined("nobody else argued against it")),
            _argued([one for one in given if one.for_right == name], True),
            _argued([one for one in given if one.for_wrong == name], False),
        )
        for name in names
    ]
    return tuple(sorted(found, key=lambda writer: -(writer.rating.value or 0.0)))


def last_with_arguments(answers: Sequence[SliderAnswer]) -> list[SliderAnswer]:
    """Return the answers of the last judgment with arguments (the highest turn that occurs), on debates whose
    writers are known; missing answers are left out.

    Raises:
        DeclarationError: no answer names the writers of both options, or none of those was given with
            arguments shown.
    """
    shown = conditions_of(answers)[1]
    named = [
        answer for answer in answers if answer.for_right and answer.for_wrong and answer.condition == shown
    ]
    if not named:
        raise DeclarationError(
            f"no answer in condition {shown} names the writer for either option: add the columns "
            "for_right and for_wrong, which judge writes for debates by conqret debate two-turn write"
        )
    last = max(answer.turn for answer in named)
    return [answer for answer in named if answer.turn == last and answer.toward_right is not None]


def _ratings(answers: Sequence[SliderAnswer]) -> dict[str, Estimate]:
    games = []
    for answer in answers:
        slider = answer.toward_right or 0
        won = 0.5 if not slider else float(slider > 0)
        if answer.for_right != answer.for_wrong:
            games.append(PairwisePreference(answer.for_right, answer.for_wrong, won, answer.passage))
    standings = bradley_terry(games) if games else ()
    ratings = {}
    for standing in standings:
        known = {name: getattr(standing.rating, name) for name in ("value", "low", "high")}
        points = {name: START + POINTS * end for name, end in known.items() if end is not None}
        ratings[standing.player] = replace(standing.rating, **points)
    return ratings


def _argued(answers: Sequence[SliderAnswer], right: bool) -> WrittenArgument:
    sliders = [answer.toward_right or 0 for answer in answers]
    sided = [(answer.passage, slider) for answer, slider in zip(answers, sliders, strict=True) if slider]
    followed = mean_interval(
        [float((slider > 0) is right) for _, slider in sided],
        [passage for passage, _ in sided],
        scale="share",
        reason="no answer takes a side",
    )
    return WrittenArgument(followed, len(answers), float(writers_bonus(right, sliders)))


@dataclass(frozen=True, slots=True)
class WriterResult:
    """The result of one counter-argument: its question, its ``option``, and True in ``right`` if that is the
    right one.

    ``followed`` of ``judges`` judges ended on its side, and it earned ``dollars``.
    """

    question: str
    option: str
    right: bool
    judges: int
    followed: int
    dollars: Fraction


def check_judged(ledger: Ledger, answers: Sequence[SliderAnswer]) -> None:
    """Check that answers judge debates that were written in this study.

    Raises:
        DeclarationError: no answer does, or none names the writers.
    """
    written = {(record.screen.item, record.annotator.pseudonym) for record in ledger.finished_answers()}
    known = {(answer.question, name) for answer in last_with_arguments(answers) for name in _writers(answer)}
    if not known & written:
        raise DeclarationError(
            "these answers judge no text of this study: export its debates (conqret labels export), "
            "have them judged, and give the answers"
        )


def feedback(ledger: Ledger, annotator: Annotator, answers: Sequence[SliderAnswer]) -> list[WriterResult]:
    """Return the results of a writer's counter-arguments, in the order of the questions, by the judges' last
    judgments with arguments. A judge who abstains counts for the wrong option; missing answers do not count.
    Counter-arguments that were not judged are left out."""
    by_question = gathered((answer.question, answer) for answer in last_with_arguments(answers))
    results = []
    for record in ledger.finished_answers(annotator=annotator.number):
        sliders = [
            judgment.toward_right or 0
            for judgment in by_question.get(record.screen.item, ())
            if annotator.pseudonym in _writers(judgment)
        ]
        if not sliders:
            continue
        question = QUESTION.validate_json(ledger.text(record.screen.item))
        argued_for = 3 - record.screen.against
        right = question.right == argued_for
        option = question.sides[argued_for - 1].option
        followed = sum((slider > 0) is right for slider in sliders)
        earned = writers_bonus(right, sliders)
        results.append(WriterResult(question.question, option, right, len(sliders), followed, earned))
    return results


def _writers(answer: SliderAnswer) -> tuple[str, str]:
    return answer.for_right, answer.for_wrong


def writers_table(writers: Sequence[Writer]) -> Table:
    """Build the table of writers, with a row for each writer and option, the most persuasive first."""
    rows = [
        (writer, side, part)
        for writer in writers
        for side, part in (("right", writer.right), ("wrong", writer.wrong))
    ]
    alone = " Elo is undefined, because no other writer argued against this one." if len(writers) == 1 else ""
    return Table(
        "Whom judges follow",
        {
            Column("writer", "text"): (0, "writer"),
            Column("Elo", "name"): lambda row: _elo(row[0].rating),
            Column("argues for", "name"): lambda row: f"the {row[1]} option",
            "answers": (2, "answers"),
            "followed": (2, "followed"),
            "dollars": lambda row: f"{row[2].dollars:.2f}",
        },
        rows,
        note="By the last judgment with arguments. Followed: the share of the answers that take a side and go with the "
        "writer. Elo: 1500 is the mean of the writers, 400 points more are odds of ten to one, abstaining is a tie. "
        "Dollars: $0.20 for each judge who ends on the right option, $0.75 for each who does not. Intervals are "
        f"over passages.{alone}",
    )


def feedback_table(feedback: Sequence[WriterResult]) -> Table:
    """Build the table that a writer sees at the end: the result of each counter-argument, and the total
    bonus."""
    followed, judges = (
        sum(getattr(counter, name) for counter in feedback) for name in ("followed", "judges")
    )
    return Table(
        "How your counter-arguments did",
        {
            Column("Question", "text"): "question",
            Column("You argued for", "text"): "option",
            Column("Which is", "name"): lambda counter: "right" if counter.right else "wrong",
            "On your side": lambda counter: f"{counter.followed} of {counter.judges}",
            "Bonus": lambda counter: f"${float(counter.dollars):.2f}",
        },
        feedback,
        foot=[
            (
                "In all",
                "",
                "",
                f"{followed} of {judges}",
                f"${float(sum(counter.dollars for counter in feedback)):.2f}",
            )
        ],
        note="Counted at the end, when the judges had read everything: a judge who moved the slider toward the right "
        "option at all is on its side, and any other, abstaining included, on the side of the wrong one.",
    )


def _elo(rating: Estimate) -> str:
    if rating.value is None:
        return "\u2013"
    ends = "" if rating.low is None or rating.high is None else f" [{rating.low:.0f}, {rating.high:.0f}]"
    return f"{rating.value:.0f}{ends}"
