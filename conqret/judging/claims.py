"""Claims into which a model breaks a text, each with a verdict: their share as a measure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Protocol

from conqret.data import Measure, Part, Status
from conqret.errors import number
from conqret.judging.responses import different

CREDIT = {"stated": 1.0, "borne_out": 1.0, "partly": 0.5}
"""What a claim counts by its verdict; by any other, nothing."""


class JudgedClaim(Protocol):
    """A claim, what decides, and the verdict."""

    @property
    def claim(self) -> str: ...  # noqa: D102
    @property
    def explanation(self) -> str: ...  # noqa: D102
    @property
    def verdict(self) -> str: ...  # noqa: D102


def claim_share(claims: Sequence[JudgedClaim], text: str) -> Measure:
    """The mean of what the claims of ``text`` count, each with its verdict as a part. There is one claim at least."""
    parts = tuple(
        Part(
            id=claim.claim,
            value=CREDIT.get(claim.verdict, 0.0),
            label=claim.verdict.replace("_", " "),
            explanation=claim.explanation,
        )
        for claim in claims
    )
    counts = Counter(part.label for part in parts)
    found = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    return Measure(
        status=Status.SCORED,
        value=fmean(part.value or 0.0 for part in parts),
        explanation=f"{number(len(parts), 'claim')} of {text}: {found}",
        parts=parts,
    )


DifferentClaims = different(lambda claim: claim.claim, "claims")
"""For lists of claims: no two may say the same words."""
