"""What a judge costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from conqret.data.item import Frozen
from conqret.judging.summary import Summary


class Cost(Frozen):
    """What the run took: ``calls`` requests (answered by the model or a recording), tokens, US dollars (None where
    a price is unknown) and the model's seconds; an ``item`` takes the mean of each."""

    judgments: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None
    seconds: float
    item: Mapping[str, float | None]

    @classmethod
    def of(cls, summary: Summary) -> Self:
        """The costs of a finished run."""
        used, total = summary.usage, summary.total
        calls = used.calls + used.recorded
        usd = None if used.unpriced else used.cost_usd
        return cls(
            judgments=total,
            calls=calls,
            prompt_tokens=used.prompt_tokens,
            completion_tokens=used.completion_tokens,
            usd=usd,
            seconds=used.seconds,
            item={
                "calls": calls / total if total else None,
                "tokens": (used.prompt_tokens + used.completion_tokens) / total if total else None,
                "usd": usd / total if usd is not None and total else None,
                "seconds": used.seconds / total if total else None,
            },
        )
