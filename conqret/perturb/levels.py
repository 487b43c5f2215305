"""Levels as people write them: ``0,10,50`` in a perturbation's own unit, ``25%,50%`` as shares."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.errors import DeclarationError
from conqret.perturb.perturbation import PERCENT, PERTURBATIONS, Perturbation

Level = float | str
"""A number, or a text: ``"5"``, or ``"25%"``."""


def at_levels(
    perturbation: Perturbation, levels: Sequence[Level] = ()
) -> tuple[Perturbation, tuple[float, ...]]:
    """The perturbation that has these levels, and the levels as numbers; its own where none are given.

    Shares of a perturbation that counts are levels of the one that it names in ``share``: ``hallucinate`` at
    ``25%`` is ``hallucinate-share`` at 25.

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
    """Whether ``text`` is meant as a level, and not as the name of a perturbation."""
    try:
        float(text.rstrip("% "))
    except ValueError:
        return is_share(text)
    return True


def is_share(level: Level) -> bool:
    """Whether the level is written with a per cent sign."""
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
