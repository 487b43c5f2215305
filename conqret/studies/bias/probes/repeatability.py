"""Does the judge repeat itself? The very same request, several times."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.studies.bias.contrast import (
    AGAIN,
    AS_IS,
    Contrast,
    NotAskedError,
    Probe,
    ProbeContext,
    VersionPair,
)


def contrasts(ground: ProbeContext) -> Sequence[Contrast]:
    """Each further sample against the first. It is a measurement and raises no alarm: chance favours nobody.

    Raises:
        NotAskedError: fewer than two samples are asked for.
    """
    if ground.repeats < 2:
        raise NotAskedError("repeatability needs at least two samples")
    further = [f"{AGAIN} {number}" for number in range(1, ground.repeats)]
    pairs = [
        VersionPair((AS_IS, item.id), (way, item.id), item.topic) for item in ground.items for way in further
    ]
    return (
        Contrast(
            name=f"the same request {ground.repeats} times",
            adverse="none",
            up="later samples are higher",
            metrics=ground.metrics,
            pairs=tuple(pairs),
            versions={AS_IS: ground.items, **dict.fromkeys(further, ground.items)},
        ),
    )


PROBE = Probe(
    name="repeatability",
    contrasts=contrasts,
    compares="the very same request, several times",
    finds="none: it is only measured",
)
