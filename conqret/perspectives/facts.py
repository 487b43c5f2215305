"""Scores of rankings as files: ``scores.json`` and ``values.csv``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from conqret.io.label_sheets import csv_text
from conqret.perspectives.scoring import ALL, Diversity


def facts_of(found: Diversity) -> dict[str, Any]:
    """All means with their intervals by subset, and what they rest on."""
    scores = [
        {name: value for name, value in asdict(one).items() if name not in ("by_topic", "interval")}
        | {
            "mean": one.interval.value,
            "low": one.interval.low,
            "high": one.interval.high,
            "n": len(one.by_topic),
            "reason": one.interval.reason,
        }
        for one in found.scores
    ]
    return {
        "baseline": found.baseline,
        "questions": found.questions,
        "sided": found.sided,
        "cuts": list(found.cuts),
        "depth": found.depth,
        "ceiling": {view: asdict(one) for view, one in found.ceiling.items()},
        "only_supporting_against_only_opposing": dict(found.sides),
        "unjudged": dict(found.unjudged),
        "unranked": {name: list(one) for name, one in found.unranked.items()},
        "scores": scores,
    }


def values_of(found: Diversity) -> str:
    """The value of every question as the text of ``values.csv``."""
    return csv_text(
        ("system", "measure", "question", "value"),
        (
            (one.system, one.measure, question, value)
            for one in found.scores
            if one.view == ALL
            for question, value in one.by_topic.items()
        ),
    )
