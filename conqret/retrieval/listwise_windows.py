"""Sliding windows over a ranking, and what makes a permutation of whatever a model answers.

A model sees one window at a time, from the bottom of the ranking to its top, so that a good document climbs
from window to window (Sun et al. 2023, section 3.2).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from pydantic import ValidationInfo, field_validator

from conqret.errors import DeclarationError
from conqret.judging.responses import Typed

WINDOW, STEP = 20, 10
"""Documents in a window, and how far it moves (Sun et al. 2023)."""

T = TypeVar("T")

_LABELLED = re.compile(r"\[\s*(\d+)\s*\]")
_CHAIN = re.compile(r"(?<!\d)\d++(?:\s*+>\s*+\d++)++")


@dataclass(frozen=True, slots=True)
class Repair:
    """A whole permutation of ``range(count)``, and what had to be done to an answer to make it one."""

    order: tuple[int, ...]
    duplicates: int = 0
    invented: int = 0
    missing: int = 0


def spans(count: int, *, window: int = WINDOW, step: int = STEP) -> list[tuple[int, int]]:
    """The windows over ``count`` documents as (start, end), the last documents first.

    Every window overlaps the one before by ``window - step`` at least, and the last one starts at 0.
    Fewer than two documents need no window.

    Raises:
        DeclarationError: ``step`` is not between 1 and ``window``, or the window holds fewer than 2.
    """
    if window < 2 or not 1 <= step <= window:
        raise DeclarationError(
            f"the window is {window} and the step {step}, but the window must be at least 2, and "
            "the step from 1 to the window"
        )
    if count < 2:
        return []
    ends = range(count, window - step, -step) or (count,)
    return [(max(0, end - window), end) for end in ends]


def repair(ranking: Sequence[int], count: int) -> Repair:
    """Make a permutation of an answer that numbers documents from 1.

    A number that comes again is dropped, one that no document has is ignored, and what was left out follows
    in its old order.
    """
    there = [number - 1 for number in ranking if 1 <= number <= count]
    order = dict.fromkeys(there)
    rest = [place for place in range(count) if place not in order]
    return Repair(
        (*order, *rest),
        duplicates=len(there) - len(order),
        invented=len(ranking) - len(there),
        missing=len(rest),
    )


def apply(items: Sequence[T], start: int, order: Sequence[int]) -> list[T]:
    """``items`` with the window that begins at ``start`` put into the given order."""
    window = [items[start + place] for place in order]
    return [*items[:start], *window, *items[start + len(order) :]]


class RankingAnswer(Typed):
    """The numbers of all the documents, each exactly once, the most useful first."""

    # That docstring is what a model is shown. Read is more: the bare list [3, 1, 2], [3] > [1] > [2] or 3 > 1 > 2 in
    # any prose, numbers as text ("[3]"), and what is no permutation (repair makes it one), as long as it names one of
    # the documents that the validation context counts.

    ranking: list[int]

    @field_validator("ranking", mode="before")
    @classmethod
    def _read_numbers(cls, value: Any) -> Any:
        if isinstance(value, str):
            return ranking_in(value) or value
        if isinstance(value, list):
            return [_number(entry) for entry in value]
        return value

    @field_validator("ranking")
    @classmethod
    def _names_a_document(cls, ranking: list[int], info: ValidationInfo) -> list[int]:
        count = (info.context or {}).get("documents")
        if not any(number >= 1 and (count is None or number <= count) for number in ranking):
            raise ValueError(
                f"it names none of the documents, whose numbers are 1 to {count or 'their count'}"
            )
        return ranking

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        """Read the answer; what is no JSON object is looked through for a ranking."""
        text = json_data if isinstance(json_data, str) else bytes(json_data).decode("utf-8", "replace")
        if "{" not in text and (ranking := ranking_in(text)):
            return super().model_validate_json(json.dumps({"ranking": ranking}), **options)
        return super().model_validate_json(json_data, **options)


def ranking_in(text: str) -> list[int]:
    """The numbers of ``[3, 1, 2]``, ``[3] > [1]`` or ``3 > 1`` inside ``text``; empty where there are none."""
    for part in re.findall(r"\[[\d\s,]+\]", text):
        numbers = re.findall(r"\d+", part)
        if len(numbers) > 1:
            return _whole(numbers)
    if labelled := _LABELLED.findall(text):
        return _whole(labelled)
    chain = _CHAIN.search(text)
    return _whole(re.findall(r"\d+", chain.group())) if chain else []


def _whole(numbers: Sequence[str]) -> list[int]:
    """Numbers of documents; of one with more digits than any document has, those that it begins with."""
    return [int(number[:10]) for number in numbers]


def _number(entry: Any) -> Any:
    if isinstance(entry, str) and (
        digits := re.fullmatch(r"\A\W*+(?:(?:document|doc|passage)\W*+)?(\d{1,9})\W*+", entry, re.I)
    ):
        return int(digits.group(1))
    return entry
