"""The words for what judging has: a judge, its dimensions, its costs."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.judging.dimensions import DIMENSIONS
from conqret.judging.judge_parts import JURY
from conqret.judging.summary import Usage
from conqret.show.words import count, money

_QUESTIONS = {dimension.name: dimension.question for dimension in DIMENSIONS}


def judge_name(format_name: str, model: str) -> str:
    """What a judge is called: its format with its model, or the jury with its rule."""
    return f"the jury ({model})" if format_name == JURY.name else f"{format_name} with {model}"


def question(metric: str) -> str:
    """What a rater is asked of a dimension of argument quality; empty for any other metric."""
    return _QUESTIONS.get(metric, "")


def metric_names(metrics: Sequence[str]) -> str:
    """Metrics as they are asked for; all dimensions of quality are named together."""
    if not _QUESTIONS.keys() <= set(metrics):
        return ", ".join(metrics)
    others = [metric for metric in metrics if metric not in _QUESTIONS]
    return ", ".join([*others, f"the {len(_QUESTIONS)} dimensions"])


def cost(usage: Usage) -> str:
    """What all calls cost: unknown as soon as the price of one is, with what the priced ones make up."""
    if not usage.unpriced:
        return money(usage.cost_usd)
    at_least = f", at least {money(usage.cost_usd)}" if usage.cost_usd else ""
    answers = "1 answer" if usage.unpriced == 1 else f"{count(usage.unpriced)} answers"
    return f"unknown{at_least} (no price for {answers})"
