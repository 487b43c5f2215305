"""How sure a judge is of a score, from 0 to 1, by what says so.

- ``logprobs``: the probability of the likeliest rating, where ratings are read from log-probabilities
- ``stated``: what the judge says, where it is asked (:mod:`conqret.judging.stated`)
- ``samples``: ``1 - 2 s``, s the standard deviation of the samples (0.5 at most): 1 where all say the same
- ``orders``: 1 where both orders of two arguments give one verdict, 0 where it flips

None of them is a probability of being right; ``conqret judges abstain`` says what they are worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev

from conqret.data import Measure

SOURCES = ("logprobs", "samples", "stated", "orders")
"""In the order in which they are taken where nobody says which."""
PLACES = 9
"""Decimals that are kept, so that no confidences are told apart by rounding alone."""


def confidences(measure: Measure) -> dict[str, float]:
    """The confidence of a measure by each source that there is."""
    found = dict(measure.confidence)
    samples = [value for value in measure.samples if value is not None]
    if len(samples) > 1:
        found["samples"] = max(0.0, round(1 - 2 * pstdev(samples), PLACES))
    if measure.flipped is not None:
        found["orders"] = float(not measure.flipped)
    return found


def with_confidence(measure: Measure, sure: Mapping[str, float]) -> Measure:
    """A scored measure with what speaks for it; any other as it is."""
    if not sure or measure.value is None:
        return measure
    return measure.model_copy(update={"confidence": {**measure.confidence, **sure}})


def mean_confidence(measures: Sequence[Measure]) -> dict[str, float]:
    """The mean over measures that become one, of each source that all of them have."""
    shared = set.intersection(*(set(one.confidence) for one in measures))
    return {source: fmean(one.confidence[source] for one in measures) for source in sorted(shared)}
