"""Self-consistency: put several samples of one measure together (Wang et al. 2023; ConQRet, section 5.1).

Every sample stays beside the mean and the majority; a sample without a value is None among them and counts
for nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean, median

from conqret.data import Measure, Part
from conqret.data.gathering import gathered
from conqret.judging.scales import mean_of, mean_part, most_frequent
from conqret.judging.stated_confidence import mean_confidence


def majority(values: Sequence[float]) -> float:
    """The most frequent value; the median of them where several are equally frequent."""
    counts = Counter(values)
    top = max(counts.values())
    return median(value for value, count in counts.items() if count == top)


def combine_samples(measures: Sequence[Measure]) -> Measure:
    """One measure from those of the samples: the mean of the values that there are.

    A single sample is returned as it is. Without any value it is the first sample's reason that counts.
    """
    if len(measures) == 1:
        return measures[0]
    scored = [sample for sample in measures if sample.value is not None]
    values = [sample.value for sample in scored if sample.value is not None]
    if not values:
        return measures[0].model_copy(update={"samples": (None,) * len(measures)})
    labels = [sample.label for sample in scored if sample.label is not None]
    flips = [sample.flipped for sample in scored if sample.flipped is not None]
    methods = {sample.method for sample in scored}
    return Measure(
        status=scored[0].status,
        value=fmean(values),
        raw=mean_of(sample.raw for sample in scored),
        label=most_frequent(labels) if labels else None,
        flipped=any(flips) if flips else None,
        method=methods.pop() if len(methods) == 1 else "mixed",
        majority=majority(values),
        samples=tuple(sample.value for sample in measures),
        confidence=mean_confidence(scored),
        explanation=scored[0].explanation,
        parts=_combine_parts([sample.parts for sample in scored]),
        detail=""
        if len(scored) == len(measures)
        else f"{len(scored)} of {len(measures)} samples gave a value",
    )


def _combine_parts(measures: Sequence[tuple[Part, ...]]) -> tuple[Part, ...]:
    """The parts of all samples by id, in the order of their first appearance, with their mean ratings."""
    groups = gathered((part.id, part) for parts in measures for part in parts)
    return tuple(mean_part(group, _commonest(part.label for part in group)) for group in groups.values())


def _commonest(labels: Iterable[str | None]) -> str | None:
    counts = Counter(label for label in labels if label is not None)
    return max(counts, key=counts.__getitem__, default=None)
