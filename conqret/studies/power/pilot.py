"""What a pilot says of how differences stray: of two runs on the same items, or of the versions of a damage or probe.

Planning takes the spread from the pilot and the effect from the user, so the differences stand around 0.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass

from conqret.data import Judgment
from conqret.data.digest import gathered
from conqret.errors import DeclarationError, check_known
from conqret.stats.curve_tests import trends

ALIKE = 1e-9
"""Differences that rounding alone tells apart are one."""


@dataclass(frozen=True, slots=True)
class Differences:
    """One number for each item, around 0, and its topic."""

    values: tuple[float, ...]
    topics: tuple[Hashable, ...]

    @classmethod
    def around(cls, found: Mapping[str, tuple[float, str]], what: str) -> Differences:
        """From differences and topics by item. Raises DeclarationError where there is none (of ``what``), or all are
        the same."""
        if not found:
            raise DeclarationError(f"the pilot has no item with {what}")
        values = [value for value, _ in found.values()]
        if max(values) - min(values) < ALIKE:
            raise DeclarationError(
                f"all {len(values)} items of the pilot differ by {values[0]:+.3f}: it says nothing of how far others "
                "stray; leave out --pilot and say --sd"
            )
        middle = sum(value for value, _ in found.values()) / len(found)
        return cls(
            tuple(value - middle for value, _ in found.values()), tuple(topic for _, topic in found.values())
        )


def between_runs(first: Iterable[Judgment], second: Iterable[Judgment], metric: str) -> Differences:
    """The second run less the first, on what both scored.

    Raises:
        DeclarationError: no item has a score in both.
        UnknownNameError: the first run has no such metric.
    """
    before = _checked(first, metric)
    after = {one.item: one for one in second}
    found = {
        one.item: (new - old, one.topic)
        for one in before
        if one.item in after
        and (old := one.value(metric)) is not None
        and (new := after[one.item].value(metric)) is not None
    }
    return Differences.around(found, f"a score for {metric} in both runs")


def of_versions(
    judgments: Iterable[Judgment], fingerprints: Collection[str], perturbation: str, metric: str
) -> Differences:
    """The trend of each item over the levels of a perturbation, that of no damage included: with one level, the changed
    version less the item as it is. ``judgments`` are those of a run of damage or of probes, by the instruments
    ``fingerprints``.

    Raises:
        DeclarationError: there are several instruments, or no item has a score at every level.
        UnknownNameError: the run has no such metric or perturbation.
    """
    if len(fingerprints) > 1:
        raise DeclarationError(
            f"the pilot is of {len(fingerprints)} judges: make one with the judge that is planned"
        )
    known = [one for one in _checked(judgments, metric) if one.fingerprint in fingerprints]
    plain = {one.item: one for one in known if one.version is None}
    names = {one.version.perturbation for one in known if one.version is not None}
    check_known("perturbation of the pilot", names, perturbation)
    changed = gathered(
        (one.version.original, (one.version.level, one))
        for one in known
        if one.version is not None and one.version.perturbation == perturbation
    )
    levels = {level for versions in changed.values() for level, _ in versions}
    found = {}
    for item, versions in changed.items():
        by_level = dict(versions)
        rows = [plain.get(item), *(by_level.get(level) for level in sorted(levels))]
        scores = [None if one is None else one.value(metric) for one in rows]
        if all(score is not None for score in scores):
            (trend,) = trends([[score or 0.0 for score in scores]])
            found[item] = trend, versions[0][1].topic
    return Differences.around(found, f"a score for {metric} at every level of {perturbation}")


def _checked(judgments: Iterable[Judgment], metric: str) -> list[Judgment]:
    known = list(judgments)
    names = dict.fromkeys(name for one in known for name in one.measures)
    check_known("metric of the pilot", names, metric)
    return known
