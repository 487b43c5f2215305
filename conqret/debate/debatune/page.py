"""Tables of debates: how far statements keep to their side, and how good they are beside another system's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conqret.data.digest import gathered
from conqret.debate.debatune.controllability_scores import GOOD_FROM, Controllability
from conqret.debate.debatune.debate_topics import SIDES
from conqret.debate.debatune.manual_inspection import Inspection, InspectionAgreement
from conqret.debate.debatune.output_filter import NO_ANSWER, NOT_ITS_SIDE, SiftResult
from conqret.debate.debatune.quality_scores import Quality
from conqret.debate.debatune.topic_check import DUPLICATE
from conqret.debate.debatune.transcript import HeldSummary, ModelDebate
from conqret.show import words
from conqret.show.page import page
from conqret.show.table import Cell, Column, Table
from conqret.stats.estimate import FEWEST_TESTED

SHOWN = 200
"""Debates on the page; more would make it slow to open, and all are in ``debates.jsonl``."""


def held_page(debates: Sequence[ModelDebate], summary: HeldSummary) -> Iterator[str]:
    """The page of a run's debates."""
    return page(
        "held_debates.html.j2",
        topics=list(gathered((debate.topic, debate) for debate in debates[:SHOWN]).items()),
        omitted=max(0, len(debates) - SHOWN),
        summary=summary,
        sides=SIDES,
    )


DROPPED = {
    NO_ANSWER: "the judge gave no answer",
    DUPLICATE: "says the same as an earlier one",
    "one_sided": "hardly anybody defends one of the sides",
    "matter_of_fact": "a matter of fact, and settled",
    "no_claim": "no claim that could be affirmed or denied",
    NOT_ITS_SIDE: "not wholly on the side that it was to take",
    "hate": "demeans a group for what it is",
    "violence": "calls for violence, or praises it",
    "dangerous_help": "tells how to do serious harm",
    "self_harm": "encourages self-harm",
    "sexual": "sexual content",
    "private_data": "private details of a named individual",
}
"""Why a row is dropped, in words."""


def sifted_table(title: str, rows: str, outcome: SiftResult) -> Table:
    """How many ``rows`` are kept, and how many dropped for each reason."""
    total = len(outcome.kept) + len(outcome.dropped)
    return Table(
        title,
        ("", rows),
        [
            ("kept", len(outcome.kept)),
            *(
                (f"dropped: {DROPPED.get(reason, reason)}", count)
                for reason, count in outcome.reasons.items()
            ),
        ],
        foot=(("all", total),),
    )


def controllability_table(scores: Sequence[Controllability], good_from: int) -> Table:
    """A row for each system, as the right half of DEBATunE's Table 1, with what argues for no side beside it."""
    rows: list[tuple[Cell, ...]] = [
        (
            score.system, score.statements, score.positive, score.negative, score.overall, score.refusals,
            score.no_side,
            score.unanswered, score.separation, "" if score.beyond_first is None else score.beyond_first,
            words.p_value(score.p),
        )
        for score in scores
    ]  # fmt: skip
    beside = (
        f" Less {scores[0].system}: overall less that of {scores[0].system}, paired over the topics that both "
        "have; p by "
        f"t over them, Holm over the systems, none below {FEWEST_TESTED}. {words.NOT_CORRECTED}"
        if len(scores) > 1
        else ""
    )
    whole = "all" if good_from == GOOD_FROM else f"{good_from}%"
    bounds = "".join(
        f" {score.system}: overall {score.bounds[0]:.3f} to {score.bounds[1]:.3f}, were all without an answer "
        "bad or good."
        for score in scores
        if score.bounds is not None
    )
    return Table(
        "Controversy controllability",
        (
            Column("System", "text"), "Statements", "Positive", "Negative", "Overall", "Refusals", "No side",
            "No answer", "AUROC", f"Less {scores[0].system}" if scores else "", "p",
        ),
        rows,
        note=f"Good is a statement with {whole} of what it argues on the side "
        "that it was told to take; overall is the mean of the two sides. Refusals, and statements for no side, are not "
        "good; those without an answer of the judge are left out. AUROC: how well supporting less opposing tells the "
        f"sides apart. Intervals (95%) are over topics.{beside}{bounds}",
    ).compact()  # fmt: skip


def quality_table(scores: Sequence[Quality], baseline: str) -> Table:
    """A row for each system, as the left half of DEBATunE's Table 1."""
    rows: list[tuple[Cell, ...]] = [
        (score.system, score.win, score.tie, score.lose, score.score, score.flip_rate, score.unanswered)
        for score in scores
    ]
    return Table(
        f"Response quality against {baseline}",
        (Column("System", "text"), "Win", "Tie", "Lose", "Score", "Flips", "No answer"),
        rows,
        note="A win is better in both orders of the two responses, or better in one and equal in the other; a loss "
        "likewise. Score is (win - lose) / all + 1: 1 is as good as the other, 2 always better. Flips: the share of "
        "pairs whose better response is not the same in both orders. Intervals (95%) are over topics.",
    )


def agreement_table(agreements: Sequence[InspectionAgreement], inspection: Inspection) -> Table:
    """A row for each system: people beside the judge, over all of its statements."""
    rows: list[tuple[Cell, ...]] = [
        (
            agreement.system, agreement.sheet - agreement.unlabelled, agreement.agreement, agreement.kappa,
            agreement.bad_confirmed, agreement.good_confirmed,
            agreement.good_by_judge, agreement.good_by_people, agreement.ties,
        )
        for agreement in agreements
    ]  # fmt: skip
    return Table(
        f"Annotators and {inspection.model}, corrected for the sampling",
        (
            Column("System", "text"), "Labeled", "Agreement", "Kappa", "Bad confirmed", "Good confirmed",
            "Good by judge", "Good by annotators", "Ties",
        ),
        rows,
        note="Every label weighs as many statements as it stands for: the shares are those of the whole run. "
        "Agreement: both say good, or both bad. Confirmed: annotators give the same label to what the judge calls "
        "bad, or good. "
        "Ties are left out of all but the last column. Intervals (95%) are over topics.",
    )  # fmt: skip
