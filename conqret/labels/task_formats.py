"""Any rating or preference of a format, asked of people with the format's own definitions, points and scale."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from conqret.data import Item
from conqret.errors import DeclarationError
from conqret.io.item_check import Share
from conqret.judging.judge_parts import SECOND, Judge
from conqret.labels.guide import guide_to
from conqret.labels.screens import Screen, ScreenQuestion, rating
from conqret.labels.task import AnnotationTask, Wanted, heading, passages

PREFERENCE = "preference"
"""It is asked by the task of this name."""
_SCALE = re.compile(r"\A(\d++) to (\d++)")
_DERIVED = ("predicted_precision",)
"""What follows from other ratings and is not asked."""


def format_task(judge: Judge) -> AnnotationTask:
    """The task that asks people for the metrics of ``judge``."""

    def needs(wanted: Wanted, has: Mapping[str, Share]) -> frozenset[str]:
        """As for the judge: without a choice, ratings are left out whose fields no item has."""
        metrics = [one for one in rateable(judge) if not wanted.metrics or one in wanted.metrics]
        each = [judge.select([metric])[0].needs for metric in metrics]
        possible = [fields for fields in each if all(has[name] != "none" for name in fields)]
        return frozenset[str]().union(*(each if wanted.metrics else possible or each))

    return AnnotationTask(
        judge.name, judge.summary, lambda item, wanted: _screens(judge, item, wanted), needs=needs
    )


def states_ratings(judge: Judge) -> bool:
    """Whether the format rates on a scale of whole numbers, as people can."""
    return _SCALE.fullmatch(judge.scale) is not None


def rateable(judge: Judge) -> tuple[str, ...]:
    """The metrics that people can rate on the format's scale.

    Raises:
        DeclarationError: the format states no ratings.
    """
    if not states_ratings(judge):
        raise DeclarationError(
            f"the format {judge.name} has no scale on which people could rate ({judge.scale}); take one of ratings, as "
            "rag-fine-grained, or a task of its own, as citation-support"
        )
    return tuple(
        metric
        for metric in judge.metrics
        if metric not in (*_DERIVED, PREFERENCE) and not metric.startswith(SECOND)
    )


def _screens(judge: Judge, item: Item, wanted: Wanted) -> Iterator[Screen]:
    known = rateable(judge)
    metrics = [metric for metric in known if metric in wanted.metrics] if wanted.metrics else known
    questions = {metric: _question(judge, metric, wanted) for metric in metrics}
    needs = {metric: judge.select([metric])[0].needs for metric in metrics}
    single = [metric for metric in metrics if needs[metric] == {"documents"}]
    had = {metric for metric in metrics if all(getattr(item, name) for name in needs[metric])}
    whole = [metric for metric in metrics if metric in had and metric not in single]
    for place, document in enumerate(item.documents if single else ()):
        yield Screen(
            item=item.id,
            part=document.id,
            topic=item.topic,
            heading=item.topic,
            passages=passages(item, ("documents",), only=place),
            questions=tuple(questions[metric] for metric in single),
        )
    if whole:
        fields = frozenset[str]().union(*(needs[metric] for metric in whole))
        yield Screen(
            item=item.id,
            topic=item.topic,
            heading=heading(item),
            passages=passages(item, fields),
            questions=tuple(questions[metric] for metric in whole),
        )


def _question(judge: Judge, metric: str, wanted: Wanted) -> ScreenQuestion:
    low, high = map(int, judge.scale.split(" to "))
    told = guide_to(judge.select([metric])[0], metric, wanted.library)
    return ScreenQuestion(
        name=metric,
        asks=told.asks,
        choices=rating(low, high, told.points),
        guide=told.paragraphs,
    )
