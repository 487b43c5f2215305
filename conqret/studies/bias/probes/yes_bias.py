"""Is the side favoured that says yes? The question is turned round, and the argument stays."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.data import Item
from conqret.perturb.expectations import ANSWER, PREFERENCE, QUALITY
from conqret.studies.bias.contrast import (
    AS_IS,
    NO_QUALITY,
    Contrast,
    NotAskedError,
    Probe,
    ProbeContext,
    VersionPair,
    in_english,
)

ASKED = 'Would it be right to say "{answer}" to this: {topic}'
"""The question in both ways has the same words but one, so neither is the harder to read."""

YES = {"pro": "yes", "con": "no"}
NO = {"pro": "no", "con": "yes"}
"""What is asked so that an argument of this stance says yes to it, or no."""


def turned(item: Item, answer: str, stance: str) -> Item:
    """The item under the question with this answer in it; ``stance`` is the one that its argument then has."""
    topic = ASKED.format(answer=answer, topic=item.topic)
    return item.model_copy(update={"id": f"{item.id}+says-{stance}", "topic": topic, "stance": stance})


def contrasts(ground: ProbeContext) -> Sequence[Contrast]:
    """Each argument where it says yes against the same where it says no.

    Raises:
        NotAskedError: no item in English with an argument states its stance, or the judge has no metric that looks at
            both.
    """
    english, notes = in_english(ground, "yes-bias")
    items = [item for item in english if item.argument and item.stance in YES]
    if not items:
        raise NotAskedError("no item with an argument states its stance")
    metrics = ground.among((*PREFERENCE, *QUALITY, *ANSWER), NO_QUALITY)
    says_no = [turned(item, NO[item.stance], "con") for item in items]
    says_yes = [turned(item, YES[item.stance], "pro") for item in items]
    return (
        Contrast(
            name="the question turned so that it says yes",
            adverse="any",
            up="higher where it says yes",
            metrics=metrics,
            pairs=tuple(
                VersionPair((AS_IS, no.id), (AS_IS, yes.id), item.topic, item.id)
                for item, no, yes in zip(items, says_no, says_yes, strict=True)
            ),
            versions={AS_IS: (*says_no, *says_yes)},
            against="where it says no",
            notes=notes,
        ),
    )


PROBE = Probe(
    name="yes-bias",
    contrasts=contrasts,
    compares="each argument under a question to which it says yes, against one to which it says no",
    finds="any difference",
    advice="ask each question both ways round, and take the mean",
    default=False,
)
