"""Does the judge favour a side? Pro against con of one topic, beyond what people find."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.data import Item
from conqret.studies.bias.contrast import Contrast, NotAskedError, Probe, ProbeContext
from conqret.studies.bias.matching import compared


def contrasts(ground: ProbeContext) -> Sequence[Contrast]:
    """Pro minus con, beyond what people find.

    Raises:
        NotAskedError: items state no stances, or there are no labels, or no pairs.
    """
    if {"pro", "con"} - {item.stance for item in ground.items}:
        raise NotAskedError("the items do not state both stances")

    def pro(item: Item) -> bool | None:
        return {"pro": True, "con": False}.get(item.stance)

    return compared(ground, pro, name="pro minus con", up="pro is favoured")


PROBE = Probe(
    name="stance",
    contrasts=contrasts,
    compares="pro minus con of one topic, beyond what people find",
    finds="any difference",
    advice="compare arguments of one side only, or correct by people's labels",
)
