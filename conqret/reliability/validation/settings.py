"""How the numbers of an agreement come about: what is drawn, and how several labels become one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Literal, Self

from conqret.data.item import Frozen
from conqret.io.labels import LabelSet
from conqret.stats.alternative_annotator import EPSILON
from conqret.stats.bootstrap import CONFIDENCE, RESAMPLES
from conqret.stats.resampling import Resamples, draw

SEED = 13
PeopleRule = Literal["auto", "mean", "majority"]
"""How several labels become one: their mean, or the most frequent (none where two are equally frequent). ``auto`` is
the majority for nominal and binary labels, else the mean."""


class Settings(Frozen):
    """``people`` is the rule that makes one label of several; ``positive_from`` the label from which an item counts
    as positive (None: binary dimensions only); ``epsilon`` the allowance of the alternative annotator test. Intervals
    of ``confidence`` come from ``resamples`` that ``seed`` draws."""

    people: PeopleRule = "auto"
    positive_from: float | None = None
    epsilon: float = EPSILON["experts"]
    resamples: int = RESAMPLES
    confidence: float = CONFIDENCE
    seed: int = SEED

    def draw(self, clusters: Sequence[Hashable]) -> Resamples:
        """The resamples of units in these clusters."""
        import numpy as np

        return draw(clusters, np.random.default_rng(self.seed), resamples=self.resamples)


class Basis(Frozen):
    """What numbers rest on: the file of ``labels``, read as ``layout`` (with ``notes``), and resamples of ``clusters``
    of the kind ``clustered_by`` (topics or items)."""

    labels: str
    layout: str
    notes: tuple[str, ...]
    clustered_by: str
    clusters: int
    settings: Settings

    @classmethod
    def of(cls, labels: LabelSet, clustered_by: str, drawn: Resamples, settings: Settings) -> Self:
        """The basis of what was computed from these labels and resamples."""
        return cls(
            labels=Path(labels.name).name,
            layout=labels.layout,
            notes=labels.notes,
            clustered_by=clustered_by,
            clusters=drawn.clusters,
            settings=settings,
        )

    @property
    def intervals(self) -> str:
        """How wide intervals are, and what they resample, in words."""
        return (
            f"{self.settings.confidence:.0%} intervals over {self.settings.resamples} resamples of {self.clusters} "
            f"{self.clustered_by}s"
        )
