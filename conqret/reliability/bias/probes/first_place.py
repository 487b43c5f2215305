"""How often does the first place win, where each pair was judged in one order only?"""

from __future__ import annotations

from collections.abc import Sequence

from conqret.judging.orders import swap_item
from conqret.reliability.bias.contrast import (
    ONE_ORDER,
    PREFERENCE,
    Contrast,
    Ground,
    NotAskedError,
    Pair,
    Probe,
)

CHANCE = "the first place: its wins say something of the judge only where the order was drawn by chance"


def contrasts(ground: Ground) -> Sequence[Contrast]:
    """With v the preference for what stood first, the mean of ``2 v - 1``.

    Raises:
        NotAskedError: the judge states no preference, or there are both orders of each pair.
    """
    if PREFERENCE not in ground.metrics:
        raise NotAskedError("the judge states no preference between two arguments")
    log = ground.log
    single = [item for item in ground.items if log is None or not log.times(swap_item(item))]
    if not single:
        raise NotAskedError("every pair was judged in both orders: the probe position tells more")
    keys = [((ONE_ORDER, item.id), item.topic) for item in single]
    return (
        Contrast(
            name="the first place",
            adverse="any",
            up="more often than the second",
            metrics=(PREFERENCE,),
            pairs=tuple(Pair(key, key, topic) for key, topic in keys),
            versions={ONE_ORDER: ground.items},
            mirrored=True,
            observed=True,
            notes=(CHANCE,),
        ),
    )


PROBE = Probe(
    name="first place",
    contrasts=contrasts,
    compares="the places of two arguments that were judged in one order only",
    finds="none: it is only observed",
    default=False,
)
