"""Does the place of an argument decide which of two is preferred?

Formats that state a preference ask in both orders and call a flip a tie. Here the two answers are looked at singly:
they are the same requests, so recordings of an earlier run answer them.
"""

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

SWAPPED = "+swapped"


def contrasts(ground: Ground) -> Sequence[Contrast]:
    """Each pair in both orders. With v in {0, 0.5, 1} the preference for what stands first, the effect is the mean
    of ``v(given) + v(swapped) - 1``, from -1 (always the second place) to 1 (always the first); 0 where verdicts
    follow the arguments (Zheng et al. 2023, section 3.3).

    Raises:
        NotAskedError: the judge states no preference, or no item has two arguments.
    """
    if PREFERENCE not in ground.metrics:
        raise NotAskedError("the judge states no preference between two arguments")
    items = [item for item in ground.items if item.argument and item.second_argument]
    if not items:
        raise NotAskedError("no item has two arguments")
    swapped = [swap_item(item).model_copy(update={"id": f"{item.id}{SWAPPED}"}) for item in items]
    return (
        Contrast(
            name="the two arguments change places",
            adverse="any",
            up="the first place is preferred",
            metrics=(PREFERENCE,),
            pairs=tuple(
                Pair((ONE_ORDER, item.id), (ONE_ORDER, other.id), item.topic)
                for item, other in zip(items, swapped, strict=True)
            ),
            versions={ONE_ORDER: (*items, *swapped)},
            mirrored=True,
        ),
    )


PROBE = Probe(
    name="position",
    contrasts=contrasts,
    compares="both orders of two arguments, looked at singly",
    finds="a place that is preferred",
    advice="ask in both orders, and count what flips as a tie",
    source="Zheng et al. 2023; CALM: position",
)
