"""The result of ``conqret judges abstain --against``: the rule of a cascade of two judges, its tables and its page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from conqret.data.item import Frozen
from conqret.errors import DeclarationError
from conqret.io.label_set import RANDOM_SAMPLE
from conqret.judging.cascade import ARROW, CascadeRule
from conqret.llm.client_options import OFFLINE_MODEL
from conqret.show import words
from conqret.show.charts import Chart, ChartLine, Point, reach
from conqret.show.report_page import ReportPage, section
from conqret.show.table import Cell, Column, Table
from conqret.stats.estimate import Estimate
from conqret.stats.selective import CascadeStep
from conqret.studies.abstain.result import SAMPLED, SOURCE_NAMES, TOGETHER, percent
from conqret.studies.agreement.agreement_settings import Basis, FittedFile

GATE = 0.9
"""The stated confidence of a gate without a guarantee, to which the cascade is compared."""


class LastJudge(Frozen):
    """The judge that judges what the first one is unsure of: its model, fingerprint, options and model settings."""

    model: str
    fingerprint: str
    options: Mapping[str, Any]
    model_options: Mapping[str, Any]


class CascadeErrors(Frozen):
    """The shares of wrong scores among ``units`` labeled scores, by who judges.

    ``first`` and ``last`` judge alone. ``cascade`` is None without a threshold. ``gate`` keeps what the first judge is
    sure of by at least :data:`GATE`.
    """

    metrics: tuple[str, ...]
    units: int
    topics: int
    first: Estimate
    last: Estimate
    cascade: Estimate | None
    gate: Estimate


class Cascade(FittedFile):
    """The rule of a cascade of two judge configurations, with its guarantee.

    The first judge keeps an item if its confidence from ``source`` is at least ``threshold``, the lowest of
    ``metrics``, or, if ``together``, their mean; the ``last`` one judges the others. In each metric (if ``together``:
    in all metrics taken together) the cascade makes at most ``margin`` more errors than the last judge alone, as a
    share of the scores, with a failure probability of ``delta`` over samples of topics. A score is wrong if its
    distance from the aggregated label exceeds ``tolerance`` (a share of the scale), or if nominal labels differ.

    ``curve`` has the thresholds as they were tested. ``errors`` maps dimensions, and ``all`` of them, to the errors of
    each judge. ``gate_share`` is the share of items that the gate keeps. ``left_out`` says why a labeled dimension is
    not covered; ``unpaired`` counts the labeled scores of the first judge that the last one lacks.
    """

    WHAT: ClassVar[str] = "cascade"
    COMMAND: ClassVar[str] = "conqret judges abstain --against"

    schema_name: str = "conqret.cascade/1"
    last: LastJudge
    basis: Basis
    source: str
    margin: float = Field(gt=0, lt=1)
    delta: float = Field(gt=0, lt=1)
    tolerance: float = Field(ge=0, le=1)
    together: bool
    metrics: tuple[str, ...]
    threshold: float | None
    curve: tuple[CascadeStep, ...]
    errors: Mapping[str, CascadeErrors]
    gate_share: float
    left_out: Mapping[str, str]
    unpaired: int

    @property
    def chosen(self) -> CascadeStep | None:
        """The tested step at the threshold; None if there is no threshold."""
        return next((step for step in self.curve if step.threshold == self.threshold), None)

    @property
    def rule(self) -> CascadeRule:
        """The rule by which the first judge keeps an item.

        Raises:
            DeclarationError: no threshold is shown to meet the guarantee.
        """
        if self.threshold is None or self.chosen is None:
            raise DeclarationError(
                f"the cascade has no threshold, so {self.model} would keep no item: judge with --model "
                f"{self.last.model} alone, or label more topics"
            )
        return CascadeRule(
            source=self.source,
            metrics=self.metrics,
            together=self.together,
            threshold=self.threshold,
            share=self.chosen.share,
        )

    def check_last(self, format_name: str, model: str, fingerprints: Sequence[str]) -> None:
        """Raise DeclarationError if the cascade was fitted with another last judge than this one."""
        if self.last.fingerprint not in fingerprints:
            raise DeclarationError(
                f"the cascade was fitted with {self.format} by {self.last.model} (fingerprint "
                f"{self.last.fingerprint}) as its last judge, but --escalate means {format_name} by {model} "
                f"({fingerprints[0]}): make one for these two judges with {self.COMMAND}"
            )

    def uncovered(self, metrics: Sequence[str]) -> tuple[str, ...]:
        """Return a note on the metrics of a run that the guarantee does not cover; empty if it covers all.

        Raises:
            DeclarationError: the run lacks a metric whose confidence the rule needs.
        """
        if lacking := [name for name in self.metrics if name not in metrics]:
            raise DeclarationError(
                f"the cascade needs the confidence in {', '.join(lacking)}, which is not judged here: judge it too"
            )
        others = [name for name in metrics if name not in self.metrics]
        if not others:
            return ()
        return (f"the guarantee of the cascade does not cover {', '.join(others)}, which had no labels",)


def cascade_outcome(cascade: Cascade) -> str:
    """Return the sentences that say what share of the last judge's calls is saved, and at what cost in errors."""
    errors, chosen, last = cascade.errors[TOGETHER], cascade.chosen, cascade.last.model
    alone = f"{last} alone is wrong in {errors.last.value:.1%} of labeled scores"
    gate = f"a gate at a confidence of {GATE:.2f} (saves {cascade.gate_share:.0%}) in {errors.gate.value:.1%}"
    if chosen is not None and errors.cascade is not None:
        return (
            f"{chosen.share:.0%} of the calls of {last} can be saved: {cascade.model} keeps the items in which it has "
            f"a confidence of {chosen.threshold:.3f} or more. {alone}, the cascade in {errors.cascade.value:.1%}, "
            f"{gate}."
        )
    return (
        f"No call of {last} can be saved: no confidence threshold is shown to make at most "
        f"{100 * cascade.margin:g} percentage points more errors. {alone}, {gate}.{_more_topics(cascade)}"
    )


def _more_topics(cascade: Cascade) -> str:
    """How many labeled topics would help, as far as that can be known."""
    failed = next((step for step in cascade.curve if step.holds is False), None)
    kind = f"{cascade.basis.clustered_by}s"
    if failed is None:
        return ""
    if failed.topics is None:
        return f" More labeled {kind} would not help: the surest {failed.share:.0%} of the items add too many errors."
    return (
        f" About {failed.topics:,} labeled {kind} instead of {cascade.errors[TOGETHER].topics} would show it for the "
        f"surest {failed.share:.0%} of the items, if errors stay as rare."
    )


def cascade_remarks(cascade: Cascade) -> Iterator[str]:
    """Yield sentences on what the guarantee rests on."""
    if cascade.unpaired:
        yield (
            f"{words.number(cascade.unpaired, 'labeled score')} of {cascade.model} without a score by "
            f"{cascade.last.model} left out"
        )
    if RANDOM_SAMPLE not in cascade.basis.notes:
        yield SAMPLED


def cascade_tables(cascade: Cascade) -> Iterator[Table]:
    """Yield two tables: the errors of each judge, of the cascade and of a gate, and the thresholds."""
    rows: list[tuple[Cell, ...]] = []
    for name, errors in cascade.errors.items():
        if name != TOGETHER or len(cascade.errors) != 2:
            both = "–" if errors.cascade is None else percent(errors.cascade)
            label = f"All {len(errors.metrics)} together" if name == TOGETHER else words.label(name)
            rows.append(
                (label, errors.units, percent(errors.last), percent(errors.first), both, percent(errors.gate))
            )
    covered = "all metrics together" if cascade.together else "each metric"
    source = SOURCE_NAMES.get(cascade.source, cascade.source)
    yield Table(
        "Wrong scores",
        ("Dimension", "Labels", "Last judge", "First judge", "Cascade", f"Gate at {GATE:.2f}"),
        rows,
        note=f"The first judge is {cascade.model}, the last {cascade.last.model}. The guarantee is: in {covered} the "
        f"cascade makes at most {100 * cascade.margin:g} percentage points more errors than the last judge alone, in "
        f"{1 - cascade.delta:.0%} of random samples of topics, if the labeled items are a random sample of the items "
        f"to be scored. A score is wrong if it is further than {cascade.tolerance:.0%} of the scale from the human "
        f"label, or, where labels have no order, another label. An item's confidence ({source}) is the "
        f"{'mean' if cascade.together else 'lowest'} of its metrics. Brackets hold {1 - 2 * cascade.delta:.0%} "
        f"confidence intervals over {cascade.basis.clustered_by}s. "
        f"{words.symmetry_note(cascade.basis.clusters)}".rstrip(),
    )
    holds = {True: "holds", False: "not shown to hold", None: "not tested"}
    yield Table(
        "Thresholds",
        {
            Column("From"): lambda step: f"{step.threshold:.3f}",
            "Calls saved": lambda step: f"{step.share:.0%}",
            "More errors": lambda step: percent(_most(step)),
            Column("Guarantee", "text"): lambda step: holds[step.holds],
        },
        cascade.curve,
        note="“More errors” are those of the cascade less those of the last judge alone, as a share of all labeled "
        "scores, in the metric with the most. Thresholds are tested from the highest down, as long as the guarantee is "
        "shown to hold: by a t over topics and one corrected for their skewness.",
    )


def _most(step: CascadeStep) -> Estimate:
    return max(step.extra, key=lambda extra: extra.value or 0.0)


def cascade_page(cascade: Cascade) -> ReportPage:
    """Return the report page: the errors of each judge, and the thresholds with the calls that they save."""
    points = [Point.from_estimate(step.share, _most(step)) for step in cascade.curve]
    limit = [Point(end, cascade.margin) for end in (min(point.x for point in points), 1.0)]
    lines = [
        ChartLine("More errors than the last judge alone", points),
        ChartLine("The most that is allowed", limit, marked=False),
    ]
    axes = ("Share of calls that is saved", "More errors, as a share of all scores")
    return ReportPage(
        "cascade",
        "A cascade of two judges",
        [section(table) for table in cascade_tables(cascade)],
        badges=words.baseline_badges([OFFLINE_MODEL in (cascade.model, cascade.last.model)]),
        answer=[cascade_outcome(cascade)],
        picture=[Chart("Errors of the cascade", *axes, lines, ends=reach(lines, 0.0), levels=False)],
        facts=[
            ("Judges", f"{cascade.format} with {cascade.model}{ARROW}{cascade.last.model}"),
            ("Confidence", SOURCE_NAMES.get(cascade.source, cascade.source)),
            ("Labels", cascade.basis.labels),
            (cascade.basis.clustered_by.capitalize() + "s", words.count(cascade.basis.clusters)),
        ],
    )
