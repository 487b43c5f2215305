"""dimensions: the 15 quality dimensions of an argument (Wachsmuth et al. 2017), as rag-fine-grained rates them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from conqret.annotation.formats import format_task
from conqret.annotation.screens import Screen
from conqret.annotation.task import AnnotationTask, Wanted
from conqret.data import Item
from conqret.judging.dimensions import DIMENSIONS
from conqret.judging.registry import JUDGES

FORMAT = "rag-fine-grained"
"""The format whose scale and words are taken: labels of people stand beside its judgments."""


def _screens(item: Item, wanted: Wanted) -> Iterable[Screen]:
    asked = wanted.metrics or tuple(one.name for one in DIMENSIONS)
    return format_task(JUDGES[FORMAT]).screens(item, replace(wanted, metrics=asked))


TASK = AnnotationTask("dimensions", "rate an argument on its 15 quality dimensions", _screens)
