"""The settings of agreement statistics, what they are based on, and files fitted for one judge configuration."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import ClassVar, Literal, Self

from conqret.data.item import Frozen
from conqret.errors import DeclarationError
from conqret.io.label_set import LabelSet, Unit
from conqret.io.limits import read_written
from conqret.io.safe_files import write_whole
from conqret.stats.agreement import EPSILON
from conqret.stats.estimate import CONFIDENCE
from conqret.stats.resampling import pooling

SEED = 13
AggregateRule = Literal["auto", "mean", "majority"]
"""How labels are aggregated: their mean, or the most frequent (none if two are equally frequent). ``auto`` is the
majority for nominal and binary labels, else the mean."""


class AgreementSettings(Frozen):
    """Settings of agreement statistics.

    ``aggregate`` is the rule that aggregates several labels into one. ``epsilon`` is the tolerance of the
    alternative annotator test. ``confidence`` is the level of intervals. ``seed`` assigns topics to folds at
    random.
    """

    aggregate: AggregateRule = "auto"
    epsilon: float = EPSILON["experts"]
    confidence: float = CONFIDENCE
    seed: int = SEED


DEFAULT_SETTINGS = AgreementSettings()
"""The defaults."""


class Basis(Frozen):
    """The data and settings behind a set of statistics.

    ``labels`` is the name of the label file, read as ``layout`` with these ``notes``. The jackknife leaves
    out ``clusters`` clusters of the kind ``clustered_by`` (topic or item) that have a label.
    """

    labels: str
    layout: str
    notes: tuple[str, ...]
    clustered_by: str
    clusters: int
    settings: AgreementSettings

    @classmethod
    def from_labels(
        cls,
        labels: LabelSet,
        clustered_by: str,
        units: Sequence[Unit],
        clusters: Sequence[Hashable],
        settings: AgreementSettings,
    ) -> Self:
        """Return the basis of statistics of these labels; ``clusters`` has the cluster of each unit, labeled
        or not.
        """
        labelled = set(labels.units)
        return cls(
            labels=Path(labels.name).name,
            layout=labels.layout,
            notes=labels.notes,
            clustered_by=clustered_by,
            clusters=len({name for unit, name in zip(units, clusters, strict=True) if unit in labelled}),
            settings=settings,
        )

    @property
    def intervals(self) -> str:
        """The confidence level and the method of intervals, such as "95% jackknife-t intervals over 12
        topics".
        """
        over = f"{self.clusters:,} {self.clustered_by}s{pooling(self.clusters, means=True)}"
        return f"{self.settings.confidence:.0%} jackknife-t intervals over {over}"


class FittedFile(Frozen):
    """A JSON file of parameters that a command fitted for one judge configuration.

    ``COMMAND`` is the command, ``WHAT`` the name of the file's content in messages, and ``schema_name`` the
    schema version.
    """

    WHAT: ClassVar[str]
    COMMAND: ClassVar[str]

    schema_name: str
    format: str
    model: str
    fingerprint: str

    def check(self, format_name: str, model: str, fingerprints: Sequence[str]) -> None:
        """Raise DeclarationError if the file was fitted for a judge that has none of these ``fingerprints`` (the
        message names the first, ``format_name`` and ``model``)."""
        if self.fingerprint not in fingerprints:
            raise DeclarationError(
                f"the {self.WHAT} was fitted for {self.format} with {self.model} (fingerprint "
                f"{self.fingerprint}), but the judgments come from {format_name} with {model} "
                f"({fingerprints[0]}): make one for this judge with {self.COMMAND}"
            )

    def write(self, file: Path) -> None:
        """Write the content to ``file`` as JSON."""
        write_whole(file, self.model_dump_json(indent=1).encode() + b"\n")

    @classmethod
    def read(cls, file: Path) -> Self:
        """Read a file that the command ``COMMAND`` wrote.

        Raises:
            DeclarationError: the file does not exist, or has another content.
        """
        return read_written(file, cls, cls.COMMAND, f"no {cls.WHAT}")
