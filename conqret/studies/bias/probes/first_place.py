"""How often does the first place win, where each pair was judged in one order only?"""

from __future__ import annotations

from collections.abc import Sequence

from conqret.judging.scales import swap_item
from conqret.studies.bias.contrast import ONE_ORDER, Contrast, NotAskedError, Probe, ProbeContext, observed

CHANCE = "the first place: its wins say something of the judge only where the order was drawn by chance"


def contrasts(ground: ProbeContext) -> Sequence[Contrast]:
    """With v the preference for what stood first, the mean of ``2 v - 1``.

    Raises:
        NotAskedError: the judge states no preference, or there are both orders of each pair.
    """
    ground.check_preference()
    log = ground.log
    single = [item for item in ground.items if log is None or not log.times(swap_item(item))]
    if not single:
        raise NotAskedError("every pair was judged in both orders: the probe position is more informative")
    return observed(
        ground, single, ONE_ORDER, name="the first place", up="more often than the second", remark=CHANCE
    )


PROBE = Probe(
    name="first place",
    contrasts=contrasts,
    compares="the places of two arguments that were judged in one order only",
    finds="none: it is only observed",
    default=False,
)
