"""Notes: what was done with an input that is no fault, counted instead of repeated."""

from __future__ import annotations

MAX_NOTES = 100
"""Different notes that are kept, so that a hostile file cannot pile them up."""


class Notes:
    """Remarks such as "ids were made", each with how often and where first."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[int, str]] = {}
        self._told: set[str] = set()

    def once(self, key: str) -> bool:
        """Whether this is the first time that ``key`` is asked about (of :data:`MAX_NOTES` keys)."""
        if key in self._told or len(self._told) >= MAX_NOTES:
            return False
        self._told.add(key)
        return True

    def add(self, text: str, place: str) -> None:
        """Count one more occurrence of a remark at ``place``."""
        count, first = self._counts.get(text, (0, place))
        if count or len(self._counts) < MAX_NOTES:
            self._counts[text] = (count + 1, first)

    def lines(self) -> tuple[str, ...]:
        """Return each remark once, in the order of first occurrence."""
        return tuple(
            f"{text} ({place})" if count == 1 else f"{text} ({count} times, first: {place})"
            for text, (count, place) in self._counts.items()
        )
