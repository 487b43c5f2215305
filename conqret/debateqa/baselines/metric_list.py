"""Which baselines there are, by the names that are typed. Of all of them more is better."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from conqret.errors import DeclarationError, UnknownNameError

Kind = Literal["similarity", "asked", "text"]
"""Compared with the partial answers; asked of a model; read off the answer's text."""


@dataclass(frozen=True, slots=True)
class BaselineMetric:
    """One baseline: its name (``rouge-l``), and how it is had. ``docs/baselines.md`` says what each computes."""

    name: str
    kind: Kind

    @property
    def metric(self) -> str:
        """Its name in a table of scores: ``rouge_l``."""
        return self.name.replace("-", "_")


_ALL = (
    BaselineMetric("bleu", "similarity"),  # Papineni et al. 2002; DebateQA, B.1.2
    BaselineMetric("rouge-l", "similarity"),  # Lin 2004; DebateQA, B.1.2
    BaselineMetric("bartscore", "similarity"),  # Yuan et al. 2021; DebateQA, B.1.2
    BaselineMetric("semscore", "similarity"),  # Aynetdinov and Akbik 2024; DebateQA, B.1.2
    BaselineMetric("direct-score", "asked"),  # DebateQA, Table 10
    BaselineMetric("g-eval", "asked"),  # Liu et al. 2023; DebateQA, Table 10
    BaselineMetric("num-of-povs", "asked"),  # DebateQA, Table 10
    BaselineMetric("acknowledge", "text"),  # Sun et al. 2023 (DELPHI); DebateQA, C.1
)

BASELINES: Mapping[str, BaselineMetric] = {metric.name: metric for metric in _ALL}
DEFAULT = ("bleu", "rouge-l")
"""What needs neither weights nor a model to ask, and can tell answers apart."""


def selected(names: Iterable[str]) -> tuple[BaselineMetric, ...]:
    """The baselines of these names (``rouge_l`` is understood too), each once, in their order.

    Raises:
        UnknownNameError: there is no such baseline.
        DeclarationError: no name is given.
    """
    metrics = {}
    for name in names:
        typed = name.strip().lower().replace("_", "-")
        if typed not in BASELINES:
            raise UnknownNameError("baseline", name.strip(), BASELINES)
        metrics[typed] = BASELINES[typed]
    if not metrics:
        raise DeclarationError(f"no baseline is named; known: {', '.join(BASELINES)}")
    return tuple(metrics.values())
