"""Does the order matter in which dimensions are asked for?"""

from __future__ import annotations

from collections.abc import Sequence

from conqret.studies.bias.contrast import AS_IS, QUALITY, REVERSED, Contrast, Probe, ProbeContext, VersionPair


def contrasts(ground: ProbeContext) -> Sequence[Contrast]:
    """The dimensions of argument quality in reverse (ConQRet, Table 13).

    Raises:
        NotAskedError: no question of this judge has several dimensions.
    """
    asks = ground.setup.judge.select(ground.setup.options.metrics)
    together = [metric for ask in asks if len(set(ask.metrics) & set(QUALITY)) > 1 for metric in ask.metrics]
    several = [metric for metric in together if metric in QUALITY]
    metrics = ground.among(several, "no question of this judge asks for several dimensions")
    return (
        Contrast(
            name="dimensions in reverse",
            adverse="any",
            up="higher in reverse",
            metrics=metrics,
            pairs=tuple(
                VersionPair((AS_IS, item.id), (REVERSED, item.id), item.topic) for item in ground.items
            ),
            versions={AS_IS: ground.items, REVERSED: ground.items},
        ),
    )


PROBE = Probe(
    name="dimension order",
    contrasts=contrasts,
    compares="the dimensions in reverse",
    finds="any difference",
    advice="shuffle the dimensions over several samples, or ask for each alone",
    source="ConQRet, Table 13",
)
