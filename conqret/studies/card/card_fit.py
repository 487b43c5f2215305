"""Is a judge card of this instrument, and if not, what has changed?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from conqret.judging.rubrics import identity_in_words
from conqret.judging.setup import Setup

if TYPE_CHECKING:
    from conqret.studies.card.result import Card


def changes(card: Card, setup: Setup) -> list[str]:
    """What has changed between the instrument of the card and ``setup``, in words; empty where the card fits."""
    if card.run.fingerprint == setup.fingerprint:
        return []
    changed_parts = differences(card.run.identity, setup.identity, "on the card")
    return changed_parts or ["something that this version of conqret counts and the card's version did not"]


def last_checked(card: Card) -> str:
    """The day (YYYY-MM-DD, UTC) on which the judge was last asked anything that the card rests on: the judged run or
    the bias probes."""
    dates = [card.run.created, *([] if card.bias is None else [card.bias.record.created])]
    return max(dates)[:10]


def differences(was: Mapping[str, Any], now: Mapping[str, Any], where: str) -> list[str]:
    """The parts of two identities that differ, in words; ``where`` says where the first one is."""
    was, now = identity_in_words(was), identity_in_words(now)
    differing = []
    for name in dict.fromkeys((*now, *was)):
        if was.get(name) == now.get(name):
            continue
        if name.startswith("prompt ") and not (name in was and name in now):
            differing.append(f"{name}: {'added' if name in now else 'no longer used'}")
        elif name.startswith(("prompt ", "schemas ", "definitions ")):  # digests say nothing to people
            differing.append(f"{name}: changed")
        else:
            differing.append(f"{name}: {now.get(name)}, and {was.get(name)} {where}")
    return differing
