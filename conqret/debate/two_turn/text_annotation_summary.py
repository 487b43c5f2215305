"""What people's annotations of arguments and counter-arguments come to (Parrish et al. 2022, section C.1, Table 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from conqret.data.digest import gathered
from conqret.debate.two_turn.text_annotations import BEST, Kind, TextAnnotation
from conqret.stats.estimate import CONFIDENCE, Estimate
from conqret.stats.resampling import mean_interval

RATINGS = (1, BEST)
"""The ends of a rating."""


@dataclass(frozen=True, slots=True)
class Annotated:
    """The texts of one kind for one option; intervals are over passages.

    Attributes:
        quality: the mean rating, 1 to 10.
        difference: the mean absolute difference between two people's ratings of one text.
        responds: the share of the answers that say that it directly responds to the argument.
        strategies: on how many texts each was noted by anybody, the commonest first.
    """

    kind: Kind
    for_right: bool
    texts: int
    quality: Estimate
    difference: Estimate
    responds: Estimate
    strategies: dict[str, int]


def annotated(found: Sequence[TextAnnotation], *, confidence: float = CONFIDENCE) -> tuple[Annotated, ...]:
    """A summary for each kind of text and option that was annotated: arguments first, those for the right one first."""
    kinds: tuple[Kind, ...] = ("argument", "counter-argument")
    groups = [
        [one for one in found if (one.kind, one.for_right) == (kind, right)]
        for kind in kinds
        for right in (True, False)
    ]
    return tuple(_annotated(own, confidence) for own in groups if own)


def _annotated(own: Sequence[TextAnnotation], confidence: float) -> Annotated:
    by_text = gathered((one.question, one) for one in own)
    rated = [(one.quality, one.passage) for one in own if one.quality is not None]
    apart = [
        (abs((one.quality or 0) - (other.quality or 0)), one.passage)
        for texts in by_text.values()
        for one, other in combinations([one for one in texts if one.quality is not None], 2)
    ]
    said = [(int(one.responds), one.passage) for one in own if one.responds is not None]
    noted = Counter(
        name for texts in by_text.values() for name in {name for one in texts for name in one.strategies}
    )

    def mean(values: Sequence[tuple[int, str]], reason: str, ends: tuple[int, int]) -> Estimate:
        numbers, passages = [number for number, _ in values], [passage for _, passage in values]
        return mean_interval(numbers, passages, confidence=confidence, ends=ends, reason=reason)

    return Annotated(
        kind=own[0].kind,
        for_right=own[0].for_right,
        texts=len(by_text),
        quality=mean(rated, "nobody rated the quality", RATINGS),
        difference=mean(apart, "nobody rated what another one rated", (0, RATINGS[1] - RATINGS[0])),
        responds=mean(said, "nobody was asked", (0, 1)),
        strategies=dict(sorted(noted.items(), key=lambda pair: (-pair[1], pair[0]))),
    )
