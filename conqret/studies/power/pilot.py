"""What a pilot says of how differences stray: of two runs on the same items, or of the versions of a damage or probe.

Planning takes the spread from the pilot and the effect from the user, so the differences stand around 0.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass

from conqret.data import Judgment
from conqret.data.digest import gathered
from conqret.data.topic_keys import TopicKeys
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
    def around(cls, differences: Mapping[str, tuple[float, str]], what: str) -> Differences:
        """From differences and topics by item. Raises DeclarationError where there is none (of ``what``), or all are
        the same."""
        if not differences:
            raise DeclarationError(f"the pilot has no item with {what}")
        values = [value for value, _ in differences.values()]
        if max(values) - min(values) < ALIKE:
            raise DeclarationError(
                f"all {len(values)} items of the pilot differ by {values[0]:+.3f}, so it shows no "
                "variance between items: leave out --pilot and give --sd"
            )
        middle = sum(value for value, _ in differences.values()) / len(differences)
        return cls(
            tuple(value - middle for value, _ in differences.values()),
            tuple(topic for _, topic in differences.values()),
        )


def between_runs(first: Iterable[Judgment], second: Iterable[Judgment], metric: str) -> Differences:
    """The second run less the first, on what both scored.

    Raises:
        DeclarationError: no item has a score in both.
        UnknownNameError: the first run has no such metric.
    """
    before = _checked(first, metric)
    after = {judgment.item: judgment for judgment in second}
    keys = TopicKeys.of(before)
    differences = {
        judgment.item: (new - old, keys[judgment.topic])
        for judgment in before
        if judgment.item in after
        and (old := judgment.value(metric)) is not None
        and (new := after[judgment.item].value(metric)) is not None
    }
    return Differences.around(differences, f"a score for {metric} in both runs")


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
            f"the pilot comes from {len(fingerprints)} judges: make one with the planned judge only"
        )
    known = [judgment for judgment in _checked(judgments, metric) if judgment.fingerprint in fingerprints]
    plain = {judgment.item: judgment for judgment in known if judgment.version is None}
    names = {judgment.version.perturbation for judgment in known if judgment.version is not None}
    check_known("perturbation of the pilot", names, perturbation)
    changed = gathered(
        (judgment.version.original, (judgment.version.level, judgment))
        for judgment in known
        if judgment.version is not None and judgment.version.perturbation == perturbation
    )
    levels = {level for versions in changed.values() for level, _ in versions}
    keys, trends_by_item = TopicKeys.of(known), {}
    for item, versions in changed.items():
        by_level = dict(versions)
        rows = [plain.get(item), *(by_level.get(level) for level in sorted(levels))]
        scores = [None if row is None else row.value(metric) for row in rows]
        if all(score is not None for score in scores):
            (trend,) = trends([[score or 0.0 for score in scores]])
            trends_by_item[item] = trend, keys[versions[0][1].topic]
    return Differences.around(trends_by_item, f"a score for {metric} at every level of {perturbation}")


def _checked(judgments: Iterable[Judgment], metric: str) -> list[Judgment]:
    known = list(judgments)
    names = dict.fromkeys(name for judgment in known for name in judgment.measures)
    check_known("metric of the pilot", names, metric)
    return known
