"""Does a document contain a perspective? A grade for each pair, and from which grade it is a yes (BeRDS, section 5)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import not_
from typing import Any, Self

from pydantic import BaseModel, Field

from conqret.data import Reason
from conqret.errors import shortened
from conqret.io.pairs import Pair
from conqret.judging.responses import Typed
from conqret.llm.decisions import GRADE, Decided, Decision, expected_grade, rating
from conqret.llm.request import Answer, Message, Plain, Request, decision_request, messages
from conqret.prompts import Library
from conqret.runs.study_run import ResponseRow
from conqret.text.analysis import weight
from conqret.text.lexicons import NEGATIONS
from conqret.text.stance_detection import values
from conqret.text.text_passages import Passage, read

COVERED = 0.6
"""The share of a statement's words that its best passage must hold; from 3 of 5 on, the passage is taken to
speak of the same thing (as in the offline baseline's alignment of claims with sources)."""

TOUCHED, WHOLE = 0.4, 0.8
"""As far again below and above: where a passage begins to speak of the same thing, and where it leaves little out."""

PASSAGE = 2
"""Sentences that are read together."""

MAX_ANSWER = 80
"""Characters of an answer that are shown where it is neither Yes nor No."""


def baseline_grade(document: str, perspective: str) -> tuple[int, float]:
    """Return a document's grade for a perspective, from 0 (against it) to 4 (clearly for it), and a share in
    [0, 1].

    This is the lexical baseline. The share is that of the perspective's stems that the best passage contains,
    where common words count half. The best passage is the two neighboring sentences with the largest share.

    The grade is 4 from a share of :data:`WHOLE` on, 3 from :data:`COVERED`, 2 from :data:`TOUCHED`, else 1. A
    grade of 3 or 4 becomes 0 where only the perspective has a negation. It stays where the passage has more
    negative than positive words.
    """
    statement = Passage(perspective)
    passage, covered = best_passage(statement, read(document).sentences)
    if covered < COVERED:
        return (2 if covered >= TOUCHED else 1), covered
    if _denies(statement) and not any(_denies(sentence) for sentence in passage):
        counts = [values(sentence) for sentence in passage]
        if sum(bad for _, bad in counts) <= sum(good for good, _ in counts):
            return 0, covered
    return (4 if covered >= WHOLE else 3), covered


def best_passage(statement: Passage, sentences: Sequence[Passage]) -> tuple[Sequence[Passage], float]:
    """Return the two neighboring sentences that contain most of the statement's stems by weight, and their
    share in [0, 1]; none and 0 without stems or sentences."""
    weights = {term: weight(term) for term in sorted(set(statement.roots) - {""})}
    total = sum(weights.values())
    if not total or not sentences:
        return (), 0.0
    shares = []
    for place in range(len(sentences)):
        held = {term for sentence in sentences[place : place + PASSAGE] for term in sentence.roots}
        shares.append(sum(value for term, value in weights.items() if term in held))
    best = shares.index(max(shares))
    return sentences[best : best + PASSAGE], shares[best] / total


def _denies(sentence: Passage) -> bool:
    return not NEGATIONS.isdisjoint(sentence.words)


PROMPT = "perspective-detection"

GRADES = ("against it", "nothing", "touches it", "speaks for it in part", "clearly speaks for it")
"""What the grades mean, from 0 on."""

YES_OR_NO = {True: "yes", False: "no", None: ""}
"""What tables say of an answer, and of a label."""

YES_FROM = 3
"""The grade from which a document contains its perspective, where no labels say better: from there on the prompt says
that the document leans to the statement's side, so that its supporters would cite it."""


class Graded(Typed):
    """A short explanation, then how far the document speaks for the statement."""

    explanation: str
    grade: int = Field(ge=0, le=len(GRADES) - 1, strict=True)


@dataclass(frozen=True, slots=True)
class DetectorPrompt:
    """A prompt by which a model detects perspectives.

    ``levels`` are the meanings of the grades, from 0 on, and ``yes_from`` is the grade from which the document
    contains the perspective. ``tokens`` is the length of a response.
    """

    id: str
    response: type[BaseModel]
    levels: tuple[str, ...]
    yes_from: int
    tokens: int


GRADED = DetectorPrompt(PROMPT, Graded, GRADES, YES_FROM, 60)
DETECTORS = {
    "graded": GRADED,
    **{
        name: DetectorPrompt(f"perspectives/{name}", Plain, ("No", "Yes"), 1, 1)
        for name in ("zero-shot", "one-shot")
    },
}
"""The detectors that are a prompt: conqret's own, and the two of BeRDS (Table 14), which answer Yes or No."""

_YES_OR_NO = re.compile(r"\A\W*+(?:the )?+(?:answer\b(?: is\b)?+\W*+)?+(yes|no)\b", re.IGNORECASE)
"""How an answer begins that is Yes or No."""


class Detection(ResponseRow):
    """The grade of one pair of document and perspective (an index into :data:`GRADES`), with its explanation.

    The grade is None, with a ``reason``, where the model gave no valid response. Of a decision model,
    ``distribution`` has the probability of each grade, and the grade is the highest that is reached with a
    probability of at least 1/2.
    """

    grade: int | None = None
    explanation: str = ""
    distribution: dict[str, float] = Field(default_factory=dict, exclude_if=not_)

    @classmethod
    def from_answer(cls, id: str, answer: Answer[Any]) -> Self:  # noqa: A002 - the field's name
        """Return the row of an answer: a grade, the highest grade that is reached with a probability of one half, or
        Yes (grade 1) and No (0). An answer that is neither Yes nor No is an INVALID_ANSWER."""
        if isinstance(answer.value, Plain):
            answered = _YES_OR_NO.match(answer.value.text)
            if answered is None:
                text = shortened(answer.value.text, MAX_ANSWER)
                return cls(id=id, reason=Reason.INVALID_ANSWER, detail=f"neither Yes nor No: {text}")
            return cls(id=id, grade=int(answered[1].lower() == "yes"))
        if not isinstance(answer.value, Decided):
            return super().from_answer(id, answer)
        shares = answer.value[GRADE]
        reached = [grade for grade in range(len(GRADES)) if _from(grade, shares) >= 1 / 2]
        return cls(id=id, grade=max(reached), distribution=dict(shares))

    @property
    def score(self) -> float | None:
        """The expected grade, or the grade where there are no probabilities."""
        return expected_grade(self.distribution) if self.distribution else self.grade

    def contains(self, yes_from: int = YES_FROM) -> bool | None:
        """Return True if the grade is ``yes_from`` or higher, that is, the document contains the perspective;
        None without a grade."""
        return None if self.grade is None else self.grade >= yes_from


def _from(grade: int, shares: Mapping[str, float]) -> float:
    return math.fsum(share for label, share in shares.items() if int(label) >= grade)


QUESTION = rating(
    "Does `document` contain the view of `statement`: would a reader who holds it cite the document for it? Whose view "
    "it is does not matter.",
    {
        0: "The document comes down on the opposite side.",
        1: "It is about something else, or shares only the subject or words.",
        2: "It bears on the point but comes down on neither side, or on a related point only.",
        3: "It leans to this side, but what it gives is weaker than the statement, or implied.",
        4: "It states the view, or argues, reports or shows that it is so, on the very point.",
    },
)
"""The typed question for a grade."""


def request(
    pair: Pair, library: Library, *, prompt: DetectorPrompt = GRADED, decides: bool = False
) -> Request[Any]:
    """Build the request that has a model read one pair of document and perspective, after the prompt's example (if
    any); ``decides`` is True for a decision model."""
    if decides:
        state = {"document": pair.document, "statement": pair.perspective}
        return decision_request(PROMPT, pair.id, Decision(state, {GRADE: QUESTION}))
    own = library[prompt.id]
    shown, before = {"document": pair.document, "perspective": pair.perspective}, tuple[Message, ...]()
    if example := own.data.get("example"):
        before = Message("user", own.render(example).user), Message("assistant", example["answer"])
        shown["of"] = ""
    system, user = messages(own.render(shown))
    return Request(
        ask=prompt.id,
        item=pair.id,
        messages=(system, *before, user),
        response=prompt.response,
        temperature=0.0,
        baseline=lambda: _by_words(pair, prompt),
    )


def _by_words(pair: Pair, prompt: DetectorPrompt) -> dict[str, object] | str:
    grade, covered = baseline_grade(pair.document, pair.perspective)
    if prompt is not GRADED:
        return prompt.levels[grade >= YES_FROM]
    return {"explanation": f"the best passage holds {covered:.0%} of the statement's words", "grade": grade}
