"""The page of debates, topic by topic and folded: both sides beside each other, round by round, and what each
concludes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from conqret.data.gathering import gathered
from conqret.debate.debatune.debate_topics import SIDES
from conqret.debate.debatune.holding import HeldSummary
from conqret.debate.debatune.transcript import Debate
from conqret.show.page import page, write_file

SHOWN = 200
"""Debates on the page; more would make it slow to open, and all are in ``debates.jsonl``."""


def write_held(debates: Sequence[Debate], summary: HeldSummary, file: Path) -> Path:
    """Write the page of a run's debates; returns its place."""
    content = page(
        "held_debates.html.j2",
        topics=list(gathered((debate.topic, debate) for debate in debates[:SHOWN]).items()),
        omitted=max(0, len(debates) - SHOWN),
        summary=summary,
        sides=SIDES,
    )
    return write_file(file, content)
