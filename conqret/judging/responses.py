"""The pieces that typed answers are made of, with the checks that make an answer valid.

An answer that leaves out a document, rates one twice or invents one is invalid; the validator says which,
in words that the model is shown when it is asked again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationInfo

from conqret.baseline.alignment import SentenceFinding
from conqret.data import Measure, Part, Status
from conqret.errors import number
from conqret.judging.scales import ONE_TO_FIVE, ONE_TO_THREE, ZERO_TO_FIVE, ZERO_TO_TEN, preferred
from conqret.llm.replies import after_thoughts, written_text

if TYPE_CHECKING:
    from conqret.judging.judge_parts import Case, JudgeReply

Side = Literal["argument_1", "argument_2", "tie"]
GradedSide = Literal["argument_1", "argument_1_slightly", "tie", "argument_2_slightly", "argument_2"]
NuggetSide = Literal["argument_1", "argument_2", "both"]
LABELS = {"argument_1": "first", "argument_2": "second", "tie": "tie", "both": "tie"}
SLIGHTLY = "_slightly"
"""Ends the name of an argument that is the better one by a little."""


def _without_thoughts(text: str) -> str:
    """A model that must write an object at once may put its thoughts into the first text of it."""
    if after_thoughts(text) == text:
        return text
    if not (written := written_text(text)):
        raise ValueError("there is no text after the thoughts in it")
    return written


Written = Annotated[str, AfterValidator(_without_thoughts)]
"""A text that is used as it is written."""


class Typed(BaseModel, extra="forbid"):
    """Base of all answers: no fields but the declared ones."""


class Preference(Typed):
    """Which argument is better, clearly or slightly."""

    preference: GradedSide


def score_preference(reply: JudgeReply[Preference], case: Case) -> Mapping[str, Measure]:
    """The preference; one by a little lies halfway between a clear one and a tie."""
    side = reply.value.preference
    verdict = preferred(LABELS[side.removesuffix(SLIGHTLY)], slightly=side.endswith(SLIGHTLY))
    return {"preference": verdict}


def no_truth_value(value: Any) -> Any:
    """Pydantic would read true as 1, which is a rating that nobody gave."""
    if isinstance(value, bool):
        raise ValueError("a whole number is wanted, not true or false")
    return value


Whole = Annotated[int, BeforeValidator(no_truth_value)]
ZeroToTen = Annotated[int, Field(ge=ZERO_TO_TEN.low, le=ZERO_TO_TEN.high), BeforeValidator(no_truth_value)]
ZeroToFiveRating = Annotated[
    int, Field(ge=ZERO_TO_FIVE.low, le=ZERO_TO_FIVE.high), BeforeValidator(no_truth_value)
]
OneToFive = Annotated[int, Field(ge=ONE_TO_FIVE.low, le=ONE_TO_FIVE.high), BeforeValidator(no_truth_value)]
OneToThreeRating = Annotated[
    int, Field(ge=ONE_TO_THREE.low, le=ONE_TO_THREE.high), BeforeValidator(no_truth_value)
]
Percent = Annotated[int, Field(ge=0, le=100), BeforeValidator(no_truth_value)]


class ZeroToFive(Typed):
    """An explanation, then a rating from 0 to 5."""

    explanation: str
    rating: ZeroToFiveRating


class ZeroToFiveOrNull(Typed):
    """An explanation, then a rating from 0 to 5; null where it cannot be judged."""

    explanation: str
    rating: ZeroToFiveRating | None


class OneToThreeOrNull(Typed):
    """An explanation, then a rating from 1 to 3; null where it cannot be judged."""

    explanation: str
    rating: OneToThreeRating | None


class DocumentRating(Typed):
    """The rating of one document, named by its number."""

    document: Whole
    explanation: str
    rating: ZeroToFiveRating


def once_each(items: Iterable[Any], expected: Sequence[Any], noun: str) -> None:
    """Check that ``items`` holds every one of ``expected`` exactly once, and nothing else.

    Raises:
        ValueError: with every omission, repetition and invention named.
    """
    counts, wanted = Counter(items), set(expected)
    if counts == Counter(wanted):
        return
    faults = []
    for problem, names in (
        ("missing", [name for name in expected if name not in counts]),
        ("given more than once", [name for name in expected if counts[name] > 1]),
        ("not among those asked for", sorted(name for name in counts if name not in wanted)),
    ):
        if names:
            faults.append(f"{noun} {', '.join(map(str, names))} {problem}")
    if faults:
        raise ValueError("; ".join(faults))


def each_once(key: Callable[[Any], Any], context: str, noun: str) -> AfterValidator:
    """For lists of objects: sorted by ``key``, and where the validation context says under ``context`` which keys are
    expected, each of them exactly once (see :func:`once_each`)."""

    def check(items: list[Any], info: ValidationInfo) -> list[Any]:
        expected = (info.context or {}).get(context)
        if expected is not None:
            once_each(map(key, items), expected, noun)
        return sorted(items, key=key)

    return AfterValidator(check)


DocumentRatings = Annotated[
    list[DocumentRating], each_once(lambda rating: rating.document, "documents", "document")
]


def different(text: Callable[[Any], str], plural: str) -> AfterValidator:
    """A validator that lets no two things of a list say the same words; ``plural`` is what they are, for the model."""

    def check(listed: list[Any]) -> list[Any]:
        texts = Counter(" ".join(text(thing).lower().split()) for thing in listed)
        if repeated := [words for words, count in texts.items() if count > 1]:
            raise ValueError(f"the {plural} must all be different; repeated: {'; '.join(repeated)[:300]}")
        return listed

    return AfterValidator(check)


Different = different(lambda nugget: nugget.nugget, "nuggets")
"""For lists of objects with a field ``nugget``."""


CREDIT = {"stated": 1.0, "borne_out": 1.0, "partly": 0.5}
"""What a claim counts by its verdict; by any other, nothing."""


def claim_share(claims: Sequence[Any], text: str) -> Measure:
    """The mean of what the claims of ``text`` count, each with its verdict as a part. There is one claim at least, and
    each has the texts ``claim``, ``explanation`` and ``verdict``."""
    parts = tuple(
        Part(
            id=claim.claim,
            value=CREDIT.get(claim.verdict, 0.0),
            label=claim.verdict.replace("_", " "),
            explanation=claim.explanation,
        )
        for claim in claims
    )
    counts = Counter(part.label for part in parts)
    found = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    return Measure(
        status=Status.SCORED,
        value=fmean(part.value or 0.0 for part in parts),
        explanation=f"{number(len(parts), 'claim')} of {text}: {found}",
        parts=parts,
    )


def claims(findings: Iterable[SentenceFinding], **verdicts: str) -> list[dict[str, str]]:
    """What the baseline finds of sentences as claims; ``verdicts`` are a judge's words for those of the baseline, and
    ``nothing`` that for none."""
    words = {"": verdicts.pop("nothing"), **verdicts}
    return [
        {"claim": one.text, "explanation": one.explanation, "verdict": words.get(one.verdict, one.verdict)}
        for one in findings
    ]


DifferentClaims = different(lambda claim: claim.claim, "claims")
"""For lists of claims: no two may say the same words."""
