"""What several formats share: ratings from 1 to 3, the shares of claims that are borne out, ratings of nuggets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from conqret.baseline import By
from conqret.baseline.alignment import SentenceFinding
from conqret.data import Measure, Part, Status
from conqret.errors import number
from conqret.judging.judge_parts import Case
from conqret.judging.responses import Typed, no_truth_value
from conqret.judging.scales import ONE_TO_FIVE, ONE_TO_THREE, graded, mean_of_parts

OneToThreeRating = Annotated[
    int, Field(ge=ONE_TO_THREE.low, le=ONE_TO_THREE.high), BeforeValidator(no_truth_value)
]
Side = Literal["argument_1", "argument_2", "tie"]
LABELS = {"argument_1": "first", "argument_2": "second", "tie": "tie", "both": "tie"}
SIDES = {"first": "argument_1", "second": "argument_2", "tie": "tie"}
NuggetSide = Literal["argument_1", "argument_2", "both"]


class OneToThreeOrNull(Typed):
    """An explanation, then a rating from 1 to 3; null where it cannot be judged."""

    explanation: str
    rating: OneToThreeRating | None


def different(text: Callable[[Any], str], plural: str) -> AfterValidator:
    """Return a validator that rejects a list in which two entries have the same words.

    Args:
        text: a function from an entry to its text.
        plural: the name of the entries in the message to the model.
    """

    def check(listed: list[Any]) -> list[Any]:
        texts = Counter(" ".join(text(thing).lower().split()) for thing in listed)
        if repeated := [words for words, count in texts.items() if count > 1]:
            raise ValueError(f"the {plural} must all be different; repeated: {'; '.join(repeated)[:300]}")
        return listed

    return AfterValidator(check)


Different = different(lambda nugget: nugget.nugget, "nuggets")
"""For lists of objects with a field ``nugget``."""


CREDIT = {
    "stated": 1.0,
    "borne_out": 1.0,
    "supported": 1.0,
    "yes": 1.0,
    "answered": 1.0,
    "all": 1.0,
    "answers": 1.0,
    "partly": 0.5,
    "helps": 0.5,
}
"""What an entry of a response counts by its verdict; by any other, nothing."""


def credited_part(entry: Any, name: str, verdict: str) -> Part:
    """Return an entry of a response with the credit of its verdict.

    ``name`` and ``verdict`` are the fields of the entry that hold these; its ``explanation`` is the part's.
    """
    label = getattr(entry, verdict)
    return Part(
        id=str(getattr(entry, name)),
        value=CREDIT.get(label, 0.0),
        label=label.replace("_", " "),
        explanation=entry.explanation,
    )


def credited_share(entries: Sequence[Any], name: str, verdict: str, source: str = "") -> Measure:
    """Return the mean credit of the entries of a response, each of them a part (:func:`credited_part`).

    There must be at least one entry. ``source`` says in the explanation where they come from, if it is given.
    """
    parts = tuple(credited_part(entry, name, verdict) for entry in entries)
    counts = Counter(part.label for part in parts)
    found = ", ".join(f"{count} {label}" for label, count in counts.most_common())
    return Measure(
        status=Status.SCORED,
        value=fmean(part.value or 0.0 for part in parts),
        explanation=f"{number(len(parts), name)}{source and f' of {source}'}: {found}",
        parts=parts,
    )


def claim_share(claims: Sequence[Any], text: str) -> Measure:
    """Return the mean credit of the claims of a text, with each claim and its verdict as a part.

    There must be at least one claim, each with ``claim``, ``explanation`` and ``verdict``. ``text`` names the
    text.
    """
    return credited_share(claims, "claim", "verdict", text)


def claims(findings: Iterable[SentenceFinding], **verdicts: str) -> list[dict[str, str]]:
    """Return the baseline's findings on sentences as claims, plain data in a judge's response format.

    ``verdicts`` maps the baseline's verdicts to those of the judge; ``nothing`` is the one for no finding.
    """
    words = {"": verdicts.pop("nothing"), **verdicts}
    return [
        {"claim": one.text, "explanation": one.explanation, "verdict": words.get(one.verdict, one.verdict)}
        for one in findings
    ]


DifferentClaims = different(lambda claim: claim.claim, "claims")
"""For lists of claims: no two may say the same words."""


def average_precision(uses: Sequence[float]) -> float:
    """Average precision of documents by rank, each counting its use in [0, 1]; 0 where none is of use."""
    total, gained, summed = sum(uses), 0.0, 0.0
    for rank, credit in enumerate(uses, start=1):
        gained += credit
        summed += credit * gained / rank
    return min(1.0, summed / total) if total else 0.0


def side(first: float, second: float, tie: str) -> str:
    """Return ``argument_1`` or ``argument_2``, whichever rating is higher, or ``tie`` for equal ratings."""
    return tie if first == second else "argument_1" if first > second else "argument_2"


def covered(case: Case, nuggets: Sequence[str], by: By, *, weight: float = 1.0) -> list[int]:
    """Return the baseline's coverage of each nugget by documents or an argument, times ``weight``, as ratings
    from 1 to 5.
    """
    return [ONE_TO_FIVE.rating(weight * case.evidence.coverage(nugget, by)) for nugget in nuggets]


def nugget_share(nuggets: Sequence[Any], rating: str) -> Measure:
    """Return the mean of (rating - 1) / 4 over nuggets, with each as a part; ``rating`` is the name of the
    field.
    """
    return mean_of_parts([graded(ONE_TO_FIVE, nugget.nugget, getattr(nugget, rating)) for nugget in nuggets])
