"""How probes make comparisons: two groups of items of the same topics, with what people find of them, and remarks in
the argument, against neutral ones of the same length.

Items that people *called* equally good are not equally good where their labels err: of the better group the unlucky
ones would be matched with the lucky ones of the other. So nothing is matched: what the judge finds of a group beyond
people is what counts (:mod:`conqret.studies.bias.result`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle, islice

from conqret.data import Item
from conqret.perturb import Perturbation
from conqret.perturb.added import AddingVariant, at_the_end, matched
from conqret.perturb.expectations import ANSWER, GROUNDING, PREFERENCE, expect
from conqret.perturb.perturbation import ENGLISH
from conqret.studies.bias.contrast import (
    AS_IS,
    NEUTRAL,
    NO_QUALITY,
    OVERALL,
    QUALITY,
    Adverse,
    Contrast,
    NotAskedError,
    Probe,
    ProbeContext,
    VersionPair,
    perturbed,
)


def compared(
    ground: ProbeContext,
    group: Callable[[Item], bool | None],
    *,
    name: str,
    up: str,
) -> tuple[Contrast, ...]:
    """One contrast a metric: items of the group (``group`` is true) minus others (false) of the same topic.

    Pairs are made without a look at scores or labels; where one group has fewer items on a topic, they take turns. None
    of ``group`` leaves an item out.

    Raises:
        NotAskedError: there are no labels, no metric of quality, or no topic with both groups.
    """
    if not ground.people:
        raise NotAskedError("it needs human labels (conqret bias --labels FILE)")
    contrasts = []
    for metric in ground.among((*QUALITY, *ANSWER), NO_QUALITY):
        if metric not in ground.people and ground.likened(metric) != metric:
            continue  # what people find of the whole says nothing of a criterion of one's own
        known = ground.quality(metric)
        pairs = _pairs(ground, group, known)
        if pairs:
            of = next((dimension for dimension in (metric, OVERALL) if dimension in ground.people), "quality")
            contrasts.append(
                Contrast(
                    name=f"{name}, people's {of.replace('_', ' ')} allowed for",
                    adverse="any",
                    up=up,
                    metrics=(metric,),
                    pairs=tuple(pairs),
                    versions={AS_IS: ground.items},
                    people=known,
                )
            )
    if not contrasts:
        raise NotAskedError("no topic has labeled items of both groups")
    return tuple(contrasts)


def _pairs(
    ground: ProbeContext, group: Callable[[Item], bool | None], known: Mapping[str, float]
) -> list[VersionPair]:
    topics: dict[str, tuple[list[Item], list[Item]]] = {}
    for item in ground.items:
        side = group(item)
        if side is not None and item.id in known:
            topics.setdefault(item.topic, ([], []))[0 if side else 1].append(item)
    pairs = []
    for topic, sides in topics.items():
        if all(sides):
            inside, outside = (islice(cycle(side), max(map(len, sides))) for side in sides)
            pairs += [
                VersionPair((AS_IS, other.id), (AS_IS, inner.id), topic)
                for inner, other in zip(inside, outside, strict=True)
            ]
    return pairs


OF_THE_ARGUMENT = (*GROUNDING, *ANSWER, *QUALITY, *PREFERENCE)
"""The metrics in which a remark in the argument could show."""

FINDS: Mapping[Adverse, str] = {
    "rise": "a rise",
    "any": "any difference",
    "none": "none: it is only measured",
}


def remark_probe(
    name: str,
    pairs: Sequence[tuple[str, str]],
    *,
    thing: str,
    up: str,
    advice: str,
    source: str,
    adverse: Adverse = "rise",
    way: AddingVariant = at_the_end,
    level: int = 1,
) -> Probe:
    """A probe that is made only where it is named.

    Args:
        name: of the probe; without spaces, as it stands in the ids of the changed items.
        pairs: remarks, each with a neutral one of as many characters and words.
        thing: what is put into the argument, in words.
        up: what a positive effect means.
        advice: what to do about an alarm.
        source: who found the bias.
        adverse: which difference is a bias.
        way: where the remarks stand.
        level: how many of them there are.

    Raises:
        DeclarationError: a remark and its neutral one are not of one length.
    """
    change, control = matched(way, pairs)
    expects = expect(no_rise=OF_THE_ARGUMENT) if adverse == "rise" else expect(unchanged=OF_THE_ARGUMENT)
    perturbation = Perturbation(
        name=name, summary=thing, unit="remarks", levels=(0, level), expects=expects,
        needs=frozenset({"argument"}), source=source, change=change, control=control, most=None, languages=ENGLISH,
    )  # fmt: skip

    return Probe(
        name=name,
        contrasts=perturbed(perturbation, level, name=thing, adverse=adverse, up=up),
        compares=f"{thing}, against {NEUTRAL.removeprefix('with ')}",
        finds=FINDS[adverse],
        advice=advice,
        source=source,
        default=False,
        sways=True,
    )
