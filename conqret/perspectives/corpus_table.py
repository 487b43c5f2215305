"""The table of corpora that were collected for questions."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.perspectives.own_corpora import Collected
from conqret.show.table import Table
from conqret.stats import mean_interval

PAPER = {"pages": 74.2, "passages": 4461.7}
"""What BeRDS had of a question, from Google (Table 2)."""


def collected_table(found: Sequence[Collected]) -> Table:
    """What the corpora of the questions hold, beside those of the paper."""
    names = ("results", "pages", "passages")
    return Table(
        "Corpora of the questions",
        ("of a question", "mean", "least", "most", "BeRDS"),
        [
            (
                name,
                mean_interval([getattr(one, name) for one in found], scale="variance"),
                min(getattr(one, name) for one in found),
                max(getattr(one, name) for one in found),
                PAPER.get(name),
            )
            for name in names
        ],
        note=f"{len(found):,} questions.",
    )
