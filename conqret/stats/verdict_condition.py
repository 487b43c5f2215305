"""Under which condition a verdict holds: what stands beside it wherever it is shown.

A t-test over topics errs as often as it says where topics' effects are symmetric about their mean. Where they are
skewed it errs more often, most where few topics move far against the others: a sample that holds none of these looks
all of one kind, so that no sample of few topics tells how skewed the others are. What is said is therefore the p-value
that the same t has if effects are as skewed as exponential ones, in the worse direction
(:mod:`conqret.stats.skewed_tails`). Two things are computed besides: which share of all topics a kind of topic has to
make up to be in the sample in 95% of draws, and which topics are needed for the verdict, each by itself.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from conqret.stats.effects import ALPHA
from conqret.stats.estimate import JackknifedEstimate
from conqret.stats.skewed_tails import skewed_p

OFTEN = 0.95
"""The share of draws in which a kind of topic is said to be in the sample."""
LEAST_LEVEL = 1e-12


class Claim(NamedTuple):
    """What a one-sided test at ``level`` shows of an estimate: that it lies above ``bound`` (``sign`` 1), or below
    (-1)."""

    estimate: JackknifedEstimate
    bound: float = 0.0
    sign: int = 1
    level: float = ALPHA


@dataclass(frozen=True, slots=True)
class VerdictCondition:
    """Under which condition a verdict holds, that was found at ``level``.

    It errs in that share of cases where the effects of ``topics`` are symmetric about their mean. ``p_if_skewed`` is
    its p-value where they are as skewed as exponential ones (None: simulations say that it holds then); with less than
    ``level`` it would have been found by a test that allows for that. A kind of topic that makes up ``rarest`` of all
    topics, or less, is in fewer than 95% of such samples, and nothing is known of it. ``rests_on`` names the topics
    without each of which the same test finds nothing.
    """

    topics: int
    level: float
    p_if_skewed: float | None
    rarest: float
    rests_on: tuple[str, ...] = ()

    @property
    def holds_if_skewed(self) -> bool:
        """Whether it would have been found by a test that allows for skewed effects."""
        return self.p_if_skewed is None or self.p_if_skewed < self.level


def rarest(topics: int) -> float:
    """The share of all topics that a kind of topic has to make up to be among so many in 95% of draws."""
    return 1 - math.pow(1 - OFTEN, 1 / topics)


def verdict_condition(
    claims: Sequence[Claim],
    topics: Sequence[Hashable] = (),
    *,
    two_sided: bool = False,
    level: float = ALPHA,
) -> VerdictCondition | None:
    """The condition of a verdict that needs all of ``claims``; None where there are none, or one has no test.

    ``topics`` names that of each item, as they were given to the estimates, so that those can be named that the verdict
    rests on. A ``two_sided`` verdict would be given of the other sign, too. ``level`` is that of the verdict; where a
    claim has a lower one, it was corrected for others, and so is its p-value.
    """
    if not claims or any(claim.estimate.above(claim.bound) is None for claim in claims):
        return None
    names = [str(name) for name in dict.fromkeys(topics)]
    rests_on: dict[str, None] = {}
    for claim in claims:
        needed = claim.estimate.needed(claim.bound, claim.sign, max(claim.level, LEAST_LEVEL))
        known = len(names) == len(claim.estimate.present)
        rests_on |= dict.fromkeys(names[place] if known else f"group {place + 1}" for place in needed)
    count = min(claim.estimate.clusters for claim in claims)
    return VerdictCondition(
        topics=count,
        level=level,
        p_if_skewed=max(_skewed(claim, two_sided, level) for claim in claims),
        rarest=rarest(count),
        rests_on=tuple(rests_on),
    )


def _skewed(claim: Claim, two_sided: bool, level: float) -> float:
    """The p-value of a claim with skewed effects, corrected as its level is; never below that without skew."""
    estimate, sides = claim.estimate, 1 + two_sided
    tail = estimate.above(claim.bound) or 0.0
    p = sides * (tail if claim.sign > 0 else 1 - tail)
    if estimate.varies:
        t = claim.sign * (estimate.value - claim.bound) / estimate.error
        effective = min(estimate.freedom + 1, estimate.clusters)
        p = max(p, skewed_p(t, estimate.clusters, effective, two_sided=two_sided))
    return min(1.0, p * level / sides / max(claim.level, LEAST_LEVEL))


def of_difference(
    estimate: JackknifedEstimate,
    topics: Sequence[Hashable] = (),
    *,
    corrected: float | None = None,
    family: int | None = None,
) -> VerdictCondition | None:
    """The condition of "it is not 0", where a two-sided test at 5% shows that; None where it does not.

    ``corrected`` is the p-value by which that is decided, where it is not the estimate's own: corrected for others, or
    of another test. It leaves as much room for each topic as it has itself; of a test by flips of signs, which is never
    below one pattern in all, at least as much as Bonferroni's correction for the ``family`` that was tested together.
    """
    p = estimate.p()
    decisive = p if corrected is None else corrected
    if p is None or decisive is None or decisive >= ALPHA:
        return None
    claim = Claim(estimate, 0.0, 1 if estimate.value > 0 else -1, ALPHA / 2 * room(p, decisive, family))
    return verdict_condition([claim], topics, two_sided=True)


def room(own: float, corrected: float, family: int | None = None) -> float:
    """By what the level is multiplied for a test's own p-value, where a ``corrected`` one decides; not below
    1 / ``family``."""
    if own <= 0 or corrected <= 0:
        return 1.0 if family is None else 1 / family
    return min(1.0, max(own / corrected, 0.0 if family is None else 1 / family))


def weakest(conditions: Iterable[VerdictCondition | None]) -> VerdictCondition | None:
    """The condition of a verdict that takes all of several: its p-value is the largest of theirs, and it rests on the
    topics that any of them rests on; None where one has none."""
    known = list(conditions)
    several = [condition for condition in known if condition is not None]
    if not several or len(several) < len(known):
        return None
    rests_on = dict.fromkeys(name for condition in several for name in condition.rests_on)
    worst = max(several, key=lambda condition: condition.p_if_skewed or 0.0)
    return replace(worst, rests_on=tuple(rests_on))
