"""Does another wording of the same question move the score further than asking once more does?"""

from __future__ import annotations

import random
from collections.abc import Sequence

from conqret.studies.bias.contrast import (
    AGAIN,
    AS_IS,
    Contrast,
    NotAskedError,
    Probe,
    ProbeContext,
    VersionPair,
    in_english,
)

TEMPLATES = (
    "The question is this: {topic}",
    "{topic} That is the question.",
    "What is asked is the following: {topic}",
    "Both sides were asked this: {topic}",
    "Here is the question under discussion: {topic}",
    "The matter to be argued: {topic}",
)
"""All ask the same, whatever the topic is."""


def contrasts(ground: ProbeContext) -> Sequence[Contrast]:
    """As many wordings of each item's question as it is asked again, drawn by seed.

    With b the score as it is, w that of another wording and r that of the very same request once more, the effect is
    the mean of ``|w - b| - |r - b|``. Where the wording does not matter, w and r are two draws of one thing, and either
    sign is as likely: noise alone moves nothing.

    Raises:
        NotAskedError: the same is not asked again, so noise is not known; or no item is in English.
    """
    if ground.repeats < 2:
        raise NotAskedError(
            "the noise of the judge can only be estimated from repeated requests: give at least two samples"
        )
    pairs, worded = [], []
    further = [f"{AGAIN} {number}" for number in range(1, min(ground.repeats, len(TEMPLATES) + 1))]
    items, notes = in_english(ground, "wording")
    for item in items:
        drawn = random.Random(f"{ground.seed}/wording/{item.id}").sample(TEMPLATES, len(further))
        for number, (way, template) in enumerate(zip(further, drawn, strict=True), start=1):
            topic = template.format(topic=item.topic)
            other = item.model_copy(update={"id": f"{item.id}+wording-{number}", "topic": topic})
            worded.append(other)
            pairs.append(VersionPair((AS_IS, item.id), (AS_IS, other.id), item.topic, again=(way, item.id)))
    return (
        Contrast(
            name="the question in other words",
            adverse="rise",
            up="another wording moves it further than asking again",
            metrics=ground.metrics,
            pairs=tuple(pairs),
            versions={AS_IS: (*items, *worded), **dict.fromkeys(further, items)},
            notes=notes,
        ),
    )


PROBE = Probe(
    name="wording",
    contrasts=contrasts,
    compares="the question in other words, beyond how far the same request moves when it is asked again",
    finds="a rise",
    advice="ask in several wordings, and take the mean",
    default=False,
)
