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
    """``aggregate`` is the rule by which labels are aggregated, ``epsilon`` that of the alternative annotator test, and
    ``seed`` deals topics to folds."""

    aggregate: AggregateRule = "auto"
    epsilon: float = EPSILON["experts"]
    confidence: float = CONFIDENCE
    seed: int = SEED


DEFAULT_SETTINGS = AgreementSettings()
"""The defaults."""


class Basis(Frozen):
    """What statistics are based on: the file of ``labels``, read as ``layout`` (with ``notes``), and the number of
    ``clusters`` of the kind ``clustered_by`` (topics or items) with a label, which the jackknife leaves out in turn."""

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
        """The basis of statistics of these labels; ``clusters`` has that of each unit, labeled or not."""
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
        """The level and method of intervals, in words."""
        over = f"{self.clusters:,} {self.clustered_by}s{pooling(self.clusters, means=True)}"
        return f"{self.settings.confidence:.0%} jackknife-t intervals over {over}"


class FittedFile(Frozen):
    """A file that ``COMMAND`` fitted for one judge configuration. ``schema_name`` is its schema (only the default is
    read), and ``WHAT`` its name in messages."""

    WHAT: ClassVar[str]
    COMMAND: ClassVar[str]

    schema_name: str
    format: str
    model: str
    fingerprint: str

    def check(self, format_name: str, model: str, fingerprint: str) -> None:
        """Raise DeclarationError if it was fitted for another judge configuration."""
        if fingerprint != self.fingerprint:
            raise DeclarationError(
                f"the {self.WHAT} was fitted for {self.format} with {self.model} (fingerprint "
                f"{self.fingerprint}), but the judgments come from {format_name} with {model} "
                f"({fingerprint}): make one for this judge with {self.COMMAND}"
            )

    def write(self, file: Path) -> None:
        """Write it as JSON."""
        write_whole(file, self.model_dump_json(indent=1).encode() + b"\n")

    @classmethod
    def read(cls, file: Path) -> Self:
        """The contents of a file of ``COMMAND``.

        Raises:
            DeclarationError: there is no such file, or it holds something else.
        """
        fitted_file = read_written(file, cls, cls.COMMAND, f"no {cls.WHAT}")
        wanted = cls.model_fields["schema_name"].default
        if fitted_file.schema_name != wanted:
            raise DeclarationError(
                f"{file} is a {fitted_file.schema_name}, not a {wanted}: make it again with {cls.COMMAND}"
            )
        return fitted_file
