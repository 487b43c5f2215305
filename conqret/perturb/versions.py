"""Perturb items at every level, and select the items and levels of one curve (:func:`series`)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from conqret.data import Item
from conqret.data.item import Frozen
from conqret.errors import DeclarationError, number
from conqret.perturb.perturbation import (
    CHANGES_NOTHING,
    PERCENT,
    PERTURBATIONS,
    SEED,
    InapplicableError,
    LanguageError,
    Materials,
    Perturbation,
    UnreachedError,
)

Level = float | str
"""A level as a number or a text: ``"5"``, or ``"25%"``."""


def at_levels(
    perturbation: Perturbation, levels: Sequence[Level] = ()
) -> tuple[Perturbation, tuple[float, ...]]:
    """Return the perturbation for these levels, and the levels as numbers; by default its own levels.

    If a perturbation counts and the levels are percentages, the one named in its ``share`` replaces it.
    For example, ``hallucinate`` at ``25%`` becomes ``hallucinate-share`` at 25.

    Raises:
        DeclarationError: a level is no number, is out of range, is a share where there are none, or shares and counts
            stand together.
    """
    shares = [is_share(level) for level in levels]
    numbers = tuple(_number(level) for level in levels)
    counts = [number for number, share in zip(numbers, shares, strict=True) if number and not share]
    if any(shares) and counts:
        raise DeclarationError(
            f"{perturbation.name} cannot mix counts and shares in one curve "
            f"({', '.join(map(_text, levels))}): write all levels with % or all without"
        )
    if any(shares) and perturbation.most != PERCENT:
        if not perturbation.share:
            raise DeclarationError(
                f"{perturbation.name} takes counts ({perturbation.unit}), not shares: write its levels without %"
            )
        perturbation = PERTURBATIONS[perturbation.share]
    chosen = numbers or perturbation.levels
    for level in chosen:
        perturbation.check_level(level)
    if not any(chosen):
        raise DeclarationError(f"{perturbation.name} needs a level above 0")
    return perturbation, chosen


def is_level(text: str) -> bool:
    """Return True if ``text`` has the form of a level, not of a perturbation's name."""
    try:
        float(text.rstrip("% "))
    except ValueError:
        return is_share(text)
    return True


def is_share(level: Level) -> bool:
    """Return True if the level is written with a percent sign."""
    return isinstance(level, str) and level.strip().endswith("%")


def _number(level: Level) -> float:
    try:
        return float(level.strip().removesuffix("%")) if isinstance(level, str) else float(level)
    except ValueError as error:
        raise DeclarationError(
            f"{level!r} is not a level: write numbers such as 0,10,20 or shares such as 25%"
        ) from error


def _text(level: Level) -> str:
    return level.strip() if isinstance(level, str) else f"{level:g}"


MAX_UNREACHED = 0.5
"""A level that a larger share of the items cannot reach is left out of the curve; otherwise those items
are. A curve is over items with every level, and else would be one of a few long texts.
"""


@dataclass(frozen=True, slots=True)
class LeftOutItem:
    """An item that could not be perturbed, with the reason.

    ``level`` is set if this concerns one level only, and ``language`` if there are no rules for that
    language.
    """

    item: str
    reason: str
    level: float | None = None
    language: str = ""

    @classmethod
    def from_error(cls, item: str, error: InapplicableError, level: float | None = None) -> LeftOutItem:
        """Create the entry of an item from the error that its perturbation raised."""
        return cls(item, str(error), level, error.language if isinstance(error, LanguageError) else "")


def counted_reasons(reasons: Sequence[str]) -> str:
    """Summarize the reasons why items are left out, as one text.

    Repeated reasons are shown with their numbers of items, most frequent first; otherwise the first reason
    is an example.
    """
    lines, different = reason_lines(reasons), len({_item.sub("", reason) for reason in reasons})
    if not reasons:
        return "there are no items"
    if different < 2 or different == len(reasons):
        return f"{'for example ' * (different > 1)}{reasons[0]}"
    more = len(lines) - MAX_REASONS
    return "; ".join([*lines[:MAX_REASONS], *[f"and {number(more, 'other reason')}"] * (more > 0)])


def reason_lines(reasons: Sequence[str]) -> list[str]:
    """Return the reasons why items are left out, one line each.

    If all reasons differ, each is listed with its item; otherwise with its number of items, most frequent
    first.
    """
    counts = Counter(_item.sub("", reason) for reason in reasons)
    if len(counts) == len(reasons):
        return list(reasons)
    return [f"{reason} ({number(count, 'item')})" for reason, count in counts.most_common()]


_item = re.compile(r"^item .{1,200}?: ")
MAX_REASONS = 10


class NoItemChangedError(DeclarationError):
    """Raised when a perturbation can change none of the items.

    Attributes:
        left_out: the items, each with the reason.
    """

    def __init__(self, message: str, left_out: Sequence[LeftOutItem] = ()) -> None:
        super().__init__(message)
        self.left_out = tuple(left_out)


class UnreachableLevel(Frozen):
    """A level that is left out of the curves: ``items`` of ``total`` items cannot reach it, the first for
    the ``reason``.
    """

    perturbation: str
    level: float
    unit: str
    items: int
    total: int
    reason: str

    def __str__(self) -> str:
        return (
            f"{self.perturbation}: level {self.level:g} ({self.unit}) is left out, {self.items} of {self.total} items "
            f"cannot reach it: {self.reason}"
        )


@dataclass(frozen=True)
class Series:
    """The versions behind one curve: the same items at each level, by their original ids.

    ``left_out`` are items that lack a level; ``unreached`` are levels that too many items lack.
    """

    versions: Mapping[float, Mapping[str, Item]]
    left_out: tuple[LeftOutItem, ...]
    unreached: tuple[UnreachableLevel, ...]


def perturb_items(
    items: Iterable[Item],
    perturbation: Perturbation,
    levels: Sequence[float],
    *,
    seed: int = SEED,
    materials: Materials | None = None,
) -> tuple[dict[float, list[Item]], list[LeftOutItem]]:
    """Perturb items at each of ``levels``; return the versions by level, and the items that were left
    out.

    An item that cannot be perturbed, or that reaches no level above 0, is left out at all levels including
    0.

    Raises:
        DeclarationError: the perturbation does not allow a level.
    """
    for level in levels:
        perturbation.check_level(level)
    items_by_level: dict[float, list[Item]] = {level: [] for level in levels}
    left_out = []
    for item in items:
        versions: dict[float, Item] = {}
        unreached: list[LeftOutItem] = []
        try:
            for level in levels:
                try:
                    versions[level] = perturbation.apply(item, level, seed=seed, materials=materials)
                except UnreachedError as error:
                    unreached.append(LeftOutItem.from_error(item.id, error, level))
        except InapplicableError as error:
            left_out.append(LeftOutItem.from_error(item.id, error))
            continue
        if unreached and versions and not any(versions):
            telling = (omission for omission in unreached if CHANGES_NOTHING not in omission.reason)
            left_out.append(replace(next(telling, unreached[0]), level=None))
            continue
        left_out += unreached
        for level, version in versions.items():
            items_by_level[level].append(version)
    return items_by_level, left_out


def series(
    items: Sequence[Item],
    perturbation: Perturbation,
    levels: Sequence[float],
    *,
    seed: int = SEED,
    materials: Materials | None = None,
) -> Series:
    """Perturb ``items`` at ``levels`` for a curve: every item that is kept has a version at each kept level.
    Levels that more than half of the items cannot reach are left out, and then items that lack a kept level.

    Raises:
        NoItemChangedError: the perturbation can change none of the items.
        DeclarationError: the perturbation does not allow a level, or no item has all levels that are kept.
    """
    items_by_level, out = perturb_items(items, perturbation, levels, seed=seed, materials=materials)
    lost = {omission.item: omission for omission in out if omission.level is None}
    lacking = Counter(omission.level for omission in out if omission.level is not None)
    total = len(items) - len(lost)
    gone = {level for level, count in lacking.items() if count > MAX_UNREACHED * total}
    kept = [level for level in levels if level not in gone]
    if not total:
        reason = counted_reasons([omission.reason for omission in out])
        raise NoItemChangedError(f"{perturbation.name} can change none of the items: {reason}", out)
    for omission in out:
        if omission.level in kept:
            lost.setdefault(omission.item, omission)
    if not any(kept) or len(lost) == len(items):
        raise DeclarationError(
            f"{perturbation.name}: no curve is possible, because none of the items reaches all "
            f"levels that half of them reach; give fewer levels: {out[0].reason}"
        )
    unreached = tuple(
        UnreachableLevel(
            perturbation=perturbation.name,
            level=level,
            unit=perturbation.unit,
            items=lacking[level],
            total=total,
            reason=next(omission.reason for omission in out if omission.level == level),
        )
        for level in sorted(gone)
    )
    versions = {}
    for level in kept:
        without = {omission.item for omission in out if omission.level in (None, level)}
        named = zip((item.id for item in items if item.id not in without), items_by_level[level], strict=True)
        versions[level] = {name: version for name, version in named if name not in lost}
    return Series(versions, tuple(lost.values()), unreached)
