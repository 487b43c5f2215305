"""Has a judge changed between runs over the same items? Each wave is compared with a reference wave as ``runs diff``
compares two runs, paired by item; p-values are corrected over all waves and metrics after Holm."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from conqret._optional import require
from conqret.data.item import Frozen
from conqret.errors import DeclarationError, check_known, strict_options
from conqret.judging.judge_folder import JudgeFolder
from conqret.stats.curve_tests import TOLERANCE
from conqret.stats.effects import ALPHA, holm
from conqret.stats.estimate import CONFIDENCE, Estimate
from conqret.studies.agreement.agreement_settings import AgreementSettings
from conqret.studies.diff.result import diff
from conqret.studies.drift.waves import Wave, read_waves

SCHEMA = "conqret.drift/2"


class WaveDifference(Frozen):
    """One metric of one wave: its mean and that of the reference over the ``pairs`` that both scored, the difference
    of the two, and its p-value, corrected over all waves and metrics (None: fewer than six topics)."""

    wave: str
    metric: str
    pairs: int
    reference: float | None
    mean: float | None
    difference: Estimate
    p: float | None

    @property
    def drifted(self) -> bool:
        """Whether the judge is shown to have changed, by more than a negligible difference."""
        return self.p is not None and self.p < ALPHA and abs(self.difference.value or 0.0) >= TOLERANCE


class Drift(Frozen):
    """Waves by date, and the differences of each from the ``reference``. ``left_out`` says which runs are not
    finished."""

    schema_name: str = SCHEMA
    format: str
    anchors: int
    topics: int
    reference: str
    confidence: float
    waves: tuple[Wave, ...]
    differences: tuple[WaveDifference, ...]
    left_out: tuple[str, ...] = ()

    @property
    def alarms(self) -> tuple[WaveDifference, ...]:
        """The differences that are shown."""
        return tuple(difference for difference in self.differences if difference.drifted)

    @property
    def newest(self) -> Wave:
        """The wave of the latest date."""
        return self.waves[-1]

    def of_newest(self) -> dict[str, WaveDifference]:
        """The differences of the newest wave, by metric."""
        return {row.metric: row for row in self.differences if row.wave == self.newest.name}


@strict_options
def drift(
    *runs: str | Path,
    reference: str | None = None,
    metrics: Sequence[str] = (),
    confidence: float = CONFIDENCE,
) -> Drift:
    """Compare waves of a judge (runs over the same items) with a reference wave.

    Args:
        runs: finished runs of ``conqret judge``, or folders that contain some.
        reference: the name of the reference wave; None: the earliest.
        metrics: only these; by default all that the waves share.
        confidence: the confidence level of the intervals.

    Raises:
        DeclarationError: fewer than two finished runs, or runs of other items or another format.
        UnknownNameError: there is no such wave, or no such metric.
    """
    require("numpy", "scipy", extra="stats")
    waves, left_out = read_waves(map(Path, runs))
    if len(waves) < 2:
        raise DeclarationError("; ".join([*left_out, "at least two finished waves are needed"]))
    known = {wave.name: wave for wave in waves}
    if reference is not None:
        check_known("wave", known, reference)
    base = waves[0] if reference is None else known[reference]
    settings = AgreementSettings(confidence=confidence)
    compared = {
        wave.name: diff(
            JudgeFolder(Path(base.place)),
            JudgeFolder(Path(wave.place)),
            settings=settings,
            metrics=metrics,
            most=0,
        )
        for wave in waves
        if wave is not base
    }
    rows = [(name, row) for name, difference in compared.items() for row in difference.metrics.values()]
    corrected = holm([row.p for _, row in rows])
    return Drift(
        format=JudgeFolder(Path(base.place)).record().format,
        anchors=base.anchors + base.missing,
        topics=max(difference.clusters for difference in compared.values()),
        reference=base.name,
        confidence=confidence,
        waves=tuple(waves),
        differences=tuple(
            WaveDifference(
                wave=name,
                metric=row.metric,
                pairs=row.pairs,
                reference=row.first.value,
                mean=row.second.value,
                difference=row.difference,
                p=p,
            )
            for (name, row), p in zip(rows, corrected, strict=True)
        ),
        left_out=tuple(left_out),
    )
