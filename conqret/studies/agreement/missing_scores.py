"""What has no score, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from conqret.data import Judgment, Status
from conqret.data.item import Frozen


class Missingness(Frozen):
    """Judgments by status and reason."""

    total: int
    scored: int
    unscored: int
    failed: int
    reasons: dict[str, int]


def missingness(judgments: Sequence[Judgment]) -> Missingness:
    """Count what is missing among ``judgments``."""
    statuses = Counter(judgment.status for judgment in judgments)
    reasons = Counter(str(judgment.reason) for judgment in judgments if judgment.reason is not None)
    return Missingness(
        total=len(judgments),
        scored=statuses[Status.SCORED],
        unscored=statuses[Status.UNSCORED],
        failed=statuses[Status.FAILED],
        reasons=dict(sorted(reasons.items())),
    )
