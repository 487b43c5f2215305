"""dimensions: the 15 quality dimensions of an argument (Wachsmuth et al. 2017), as rag-fine-grained rates them."""

from __future__ import annotations

from dataclasses import replace

from conqret.judging.dimensions import DIMENSIONS
from conqret.judging.judge_parts import JUDGES
from conqret.labels.task import AnnotationTask, Wanted
from conqret.labels.task_formats import format_task

FORMAT = "rag-fine-grained"
"""The format whose scale and words are taken: labels of people stand beside its judgments."""


def _asked(wanted: Wanted) -> Wanted:
    return replace(wanted, metrics=wanted.metrics or tuple(one.name for one in DIMENSIONS))


TASK = AnnotationTask(
    "dimensions",
    "rate an argument on its 15 quality dimensions",
    lambda item, wanted: format_task(JUDGES[FORMAT]).screens(item, _asked(wanted)),
    needs=lambda wanted, has: format_task(JUDGES[FORMAT]).needs(_asked(wanted), has),
)
