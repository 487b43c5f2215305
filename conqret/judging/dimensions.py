"""The taxonomy of argument quality of Wachsmuth et al. (2017), "Computational Argumentation Quality Assessment
in Natural Language" (EACL), section 3: three aspects with their sub-dimensions and overall quality, fifteen in all.

The definitions are ours. The order is the one of ConQRet, Table 11.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

Order = Literal["given", "reversed", "shuffled"]


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of argument quality: name in reports, aspect, question to annotators, and definition."""

    name: str
    aspect: str
    question: str
    definition: str


DIMENSIONS: tuple[Dimension, ...] = (
    Dimension(
        "local_acceptability",
        "cogency",
        "How acceptable are the premises?",
        "A premise is acceptable if a sensible reader has reason to believe it, or none to doubt it. "
        "With several premises, weigh them by how much of the argument rests on each. In the middle: what is "
        "claimed may well be so, but is merely asserted.",
    ),
    Dimension(
        "local_relevance",
        "cogency",
        "How relevant are the premises to the conclusion?",
        "A premise is relevant if, supposing it true, it speaks for or against the conclusion. "
        "Whether you share the view does not matter. In the middle: the premises are on the subject, and some of "
        "them leave the conclusion where it was.",
    ),
    Dimension(
        "local_sufficiency",
        "cogency",
        "Are the premises enough?",
        "Premises are sufficient if, taken together, they give a sensible reader enough reason to "
        "draw the conclusion. In the middle: they give some reason, and the reader would want more of it.",
    ),
    Dimension(
        "cogency",
        "overall_quality",
        "How cogent is the argument?",
        "An argument is cogent if its premises are acceptable, bear on the conclusion, and suffice to draw it.",
    ),
    Dimension(
        "credibility",
        "effectiveness",
        "How far does the argument make its author worth believing?",
        "It does so by sources, knowledge, fairness and honesty that show in the text, and loses it "
        "by errors, exaggeration or hostility. In the middle: an author of whom the text says little either way.",
    ),
    Dimension(
        "emotional_appeal",
        "effectiveness",
        "How well does the argument use emotion?",
        "It appeals well if it puts the reader in a mood that opens the mind to what is said: by what is at stake for "
        "people, an example, a telling word. In the middle: sober text that suits its subject and leaves the reader's "
        "mood as it was. Low: text whose pathos, anger or coldness turns the reader away.",
    ),
    Dimension(
        "clarity",
        "effectiveness",
        "How clear is the wording?",
        "It is clear if the language is correct and plain, says what is meant once, and stays with "
        "the issue. In the middle: one understands it, but has to read some of it twice.",
    ),
    Dimension(
        "appropriateness",
        "effectiveness",
        "How well does the language suit the issue and the reader?",
        "This is about wording and tone alone, whatever is said with them. They suit if they are in proportion to the "
        "issue, support the author's standing, and insult nobody. In the middle: plain, careless or chatty, but civil.",
    ),
    Dimension(
        "arrangement",
        "effectiveness",
        "How well is the argument arranged?",
        "It is well arranged if issue, premises and conclusions come in an order in which each prepares the next. In "
        "the middle: one can follow it, though something stands in the wrong place or is not tied to the rest.",
    ),
    Dimension(
        "effectiveness",
        "overall_quality",
        "How effective is the argument?",
        "An argument is effective if it wins readers over, or strengthens them in the view that it defends. Think of "
        "a reader who has not made up their mind. In the middle: such a reader would give it some thought, and "
        "not be moved.",
    ),
    Dimension(
        "global_acceptability",
        "reasonableness",
        "Would people on every side accept these points as fair to raise?",
        "This is about what is said, not in which tone: grounds and values that people on either side would regard as "
        "a legitimate part of the debate though they disagree, and a fair picture of the other side. In the middle: "
        "legitimate to many, while some would say that it passes over or distorts what matters to them.",
    ),
    Dimension(
        "global_relevance",
        "reasonableness",
        "Does the argument help to settle the issue?",
        "It is relevant to the whole debate if it adds information or points that move the question "
        "towards an answer. In the middle: it bears on the question with what everybody says about it.",
    ),
    Dimension(
        "global_sufficiency",
        "reasonableness",
        "Does the argument deal with the objections to be expected?",
        "It is sufficient for the whole debate if it takes up the counter-arguments that a reader "
        "would think of, and answers them. In the middle: it mentions an objection without a real answer, or answers "
        "one of several. Low: it mentions none.",
    ),
    Dimension(
        "reasonableness",
        "overall_quality",
        "How reasonable is the argument?",
        "An argument is reasonable if it helps to settle the issue in a way that its whole audience "
        "can accept, and deals with objections enough to do so.",
    ),
    Dimension(
        "overall_quality",
        "overall_quality",
        "How good is the argument over all?",
        "Weigh its reasoning, its effect on readers and what it brings to the debate as you find fit, and anything "
        "else that counts.",
    ),
)

QUALITY_LEVELS: dict[tuple[int, int], dict[int, str]] = {
    (0, 5): {
        0: "useless or harmful: nothing of it is there",
        1: "poor: one thing can be said for it",
        2: "weak: some of it holds, but the faults weigh more",
        3: "fair: most of it holds, and a fault that matters remains",
        4: "good: all of it holds, with slight faults only",
        5: "excellent: a critical reader would find nothing to mend",
    },
}
"""The levels of quality for typed questions, by the ends of their scale."""

BY_NAME: dict[str, Dimension] = {}
for _dimension in DIMENSIONS:
    BY_NAME[_dimension.name] = _dimension


def ordered(order: Order, *, seed: int, sample: int) -> tuple[Dimension, ...]:
    """Return the fifteen dimensions in the order in which one sample (response) rates them.

    Sample 0 uses ``order``. Every further sample has a random order that depends only on ``seed`` and
    ``sample``, so that a provider can cache the static part of the prompt over all items (ConQRet, section
    5.1: self-consistency over differently ordered dimensions).
    """
    if sample == 0 and order == "given":
        return DIMENSIONS
    if sample == 0 and order == "reversed":
        return DIMENSIONS[::-1]
    shuffled = list(DIMENSIONS)
    random.Random(f"{seed}:{sample}").shuffle(shuffled)
    return tuple(shuffled)
