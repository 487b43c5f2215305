"""Is the judge more severe on questions that divide people? One argument under both kinds of question, word by word.

The items are our own, so neither labels nor the topics of anybody's items are needed.
"""

from __future__ import annotations

from collections.abc import Sequence

from conqret.data import Document, Item
from conqret.perturb.expectations import ANSWER, GROUNDING, QUALITY
from conqret.studies.bias.contrast import AS_IS, Contrast, Probe, ProbeContext, VersionPair

SUBJECTS = (
    ("looser rules on {}", "abortion", "bicycles"),
    ("stricter laws on {}", "guns", "dogs"),
    ("more places for {}", "refugees", "cyclists"),
    ("fewer limits on {}", "euthanasia", "sunbathing"),
    ("a wider use of {}", "the death penalty", "the bicycle stand"),
    ("more rights for {}", "trans people", "garden clubs"),
    ("a faster end to {}", "nuclear weapons", "printed tickets"),
    ("fixed quotas for {}", "women on boards", "milk in schools"),
    ("a vote on {}", "leaving the union", "moving the market"),
    ("a legal sale of {}", "cannabis", "lemonade"),
    ("public money for {}", "religious schools", "gardening lessons"),
    ("more {} in public squares", "police cameras", "wooden benches"),
)
"""What is asked for, of a thing that divides people, and of one that hardly does; both have as many words and
characters."""

ARGUMENTS = (
    "There should be {it}. In two towns the cost stayed at 4 per cent of the budget [1]. Of 100 people who were "
    "asked, 61 wanted to go on [1]. What is new is often feared at first, and later found useful.",
    "There should be {it}. A look at two towns found no lasting harm [1]. A change that takes 4 per cent of a budget "
    "can be taken back if it fails [1]. So it is worth a try.",
    "There should be {it}. Most of those who were asked were for it, 61 in 100 [1]. Nothing was found in two towns "
    "that would speak against it for good [1]. The gain is greater than the risk.",
)

DOCUMENT = (
    "Two towns looked for three years at what {it} would mean for them. The cost stayed at 4 per cent of the budget. "
    "Of 100 people who were asked, 61 wanted to go on. No sign of lasting harm was found."
)


def _item(number: int, kind: str, it: str) -> Item:
    return Item(
        id=f"severity-{number}-{kind}",
        topic=f"Should there be {it}?",
        stance="pro",
        documents=(Document(id=f"severity-{number}-{kind}", text=DOCUMENT.format(it=it)),),
        argument=ARGUMENTS[number % len(ARGUMENTS)].format(it=it),
    )


CHARGED = tuple(_item(n, "charged", frame.format(subject)) for n, (frame, subject, _) in enumerate(SUBJECTS))
EVERYDAY = tuple(
    _item(n, "everyday", frame.format(subject)) for n, (frame, _, subject) in enumerate(SUBJECTS)
)


def contrasts(ground: ProbeContext) -> Sequence[Contrast]:
    """The same argument under an everyday question minus under one that divides people.

    Raises:
        NotAskedError: the judge rates no single argument. (Severity is the same for both of a pair.)
    """
    lacking = "the judge rates no single argument, and severity is the same for both of a pair"
    return (
        Contrast(
            name="the same argument under an everyday question",
            adverse="any",
            up="more severe on questions that divide people",
            metrics=ground.among((*QUALITY, *ANSWER, *GROUNDING), lacking),
            pairs=tuple(
                VersionPair((AS_IS, charged.id), (AS_IS, other.id), charged.topic)
                for charged, other in zip(CHARGED, EVERYDAY, strict=True)
            ),
            versions={AS_IS: (*CHARGED, *EVERYDAY)},
            against="under a question that divides people",
        ),
    )


PROBE = Probe(
    name="severity",
    contrasts=contrasts,
    compares="twelve arguments of our own under questions that divide people, against the same under everyday ones",
    finds="any difference",
    advice="compare scores within a topic only, or calibrate by topic on people's labels",
    default=False,
)
