"""The result of ``conqret judges abstain``: confidence thresholds, how they are applied to judgments, tables and page.

A score below the threshold is *unscored: unsure*, and never 0; so is a score without this confidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from pydantic import Field

from conqret.data import Judgment, Measure, Reason
from conqret.data.item import Frozen
from conqret.io.label_set import RANDOM_SAMPLE
from conqret.judging.scales import confidences
from conqret.llm.client_options import OFFLINE_MODEL
from conqret.show import words
from conqret.show.charts import Chart, ChartLine, Point, reach
from conqret.show.report_page import ReportPage, Section, section
from conqret.show.table import Cell, Column, Table
from conqret.stats.estimate import Estimate, undefined
from conqret.stats.selective import MIN_KEPT, SelectedScores, fewest_labels
from conqret.studies.agreement.agreement_settings import Basis, FittedFile


class ConfidenceQuality(Frozen):
    """The quality of confidences as probabilities that a score is right; 0 is best.

    ``brier`` is the Brier score, ``error`` the expected calibration error.
    """

    brier: Estimate
    error: Estimate


class AbstentionRow(Frozen):
    """The abstention threshold of one rule, for these ``metrics``.

    - ``units``: units with a label, a score and a confidence, on so many ``topics``.
    - ``unsaid``: the number of scores without a confidence.
    - ``wrong``: the share of wrong scores without abstention.
    - ``threshold``: the lowest confidence of a kept score; None if no threshold is shown to meet the
    guarantee.
    - ``curve``: the risk-coverage curve.
    - ``stated``: the quality of the confidences; ``constant``: the Brier score of the same probability for
    all scores.
    """

    metrics: tuple[str, ...]
    units: int
    topics: int
    unsaid: int
    wrong: Estimate
    threshold: float | None
    curve: tuple[SelectedScores, ...]
    stated: ConfidenceQuality
    constant: float

    @property
    def chosen(self) -> SelectedScores | None:
        """The point of the risk-coverage curve at the threshold; None if there is no threshold."""
        return next((step for step in self.curve if step.threshold == self.threshold), None)


class Abstention(FittedFile):
    """The abstention rules of one judge configuration, with their risk guarantee.

    Among kept scores, the share of wrong ones is at most ``error``, with a failure probability of ``delta``
    over samples of topics. A score is wrong if its distance from the aggregated label exceeds ``tolerance``
    (a share of the scale), or if nominal labels differ.

    ``source`` is the kind of confidence. ``rules`` maps each metric to its threshold (None: every score is
    dropped). ``found`` maps dimensions (or ``all``) to the results behind the rules. ``left_out`` says why a
    labeled dimension has no rule.
    """

    WHAT: ClassVar[str] = "abstention"
    COMMAND: ClassVar[str] = "conqret judges abstain"

    schema_name: str = "conqret.abstention/3"
    basis: Basis
    source: str
    error: float = Field(gt=0, lt=1)
    delta: float = Field(gt=0, lt=1)
    tolerance: float = Field(ge=0, le=1)
    rules: Mapping[str, float | None]
    found: Mapping[str, AbstentionRow]
    left_out: Mapping[str, str]

    @property
    def guarantee(self) -> str:
        """The risk guarantee as a clause of a sentence."""
        return (
            f"at most {self.error:.0%} of the kept scores are wrong, in {1 - self.delta:.0%} of random samples of "
            "topics, if the labeled items are a random sample of the items to be scored"
        )

    def apply_to(self, judgment: Judgment) -> Judgment:
        """Return the judgment with scores below their thresholds marked as unscored; unchanged if there are
        none.
        """
        held = {
            name: self._unsure(measure, self.rules[name])
            for name, measure in judgment.measures.items()
            if name in self.rules and measure.value is not None
        }
        changed = {name: measure for name, measure in held.items() if measure is not None}
        if not changed:
            return judgment
        return judgment.model_copy(update={"measures": {**judgment.measures, **changed}})

    def _unsure(self, measure: Measure, threshold: float | None) -> Measure | None:
        """The unscored measure in place of a score below its threshold; None for a score that is kept."""
        sure = confidences(measure).get(self.source)
        if sure is not None and threshold is not None and sure >= threshold:
            return None
        confidence = ("no confidence" if sure is None else f"confidence {sure:.3f}") + f" ({self.source})"
        wanted = "no confidence is enough" if threshold is None else f"{threshold:.3f} is needed"
        left = Measure.missing(Reason.UNSURE, f"would be {measure.value:.3f} with {confidence}; {wanted}")
        return left.model_copy(
            update={"confidence": confidences(measure), "explanation": measure.explanation}
        )


TOGETHER = "all"
"""The name of the rule for all metrics together."""
SOURCE_NAMES = {
    "logprobs": "log-probabilities of the model",
    "probabilities": "spread of a decision model's probabilities",
    "samples": "agreement of repeated samples",
    "stated": "confidence that the judge states",
    "orders": "agreement of both orders of the arguments",
}
"""The sources of confidence, in words."""


def percent(share: Estimate) -> Cell:
    """Return a share with its interval as a cell in percent."""
    if share.value is None:
        return share
    return f"{share.value:.1%}" + ("" if share.low is None else f" [{share.low:.1%}, {share.high:.1%}]")


SAMPLED = (
    "the guarantee holds only if the labeled items were drawn at random from those that will be scored (conqret labels "
    "sample --plan), which the labels do not tell; chosen by the judge's own confidence, they broke it in 51% of "
    "simulated draws"
)


def abstention_remarks(abstention: Abstention) -> Iterator[str]:
    """Yield sentences on what these rules do to a judge, and on the sampling that their guarantee requires."""
    nothing = [name for name, threshold in abstention.rules.items() if threshold is None]
    if len(nothing) == len(abstention.rules):
        yield (
            "judge --abstain would mark every score as unsure: guarantee less (--error, --tolerance), take all metrics "
            "together (--together), or label more topics"
        )
        return
    if nothing:
        yield f"with judge --abstain, every score of these metrics becomes 'unsure': {', '.join(nothing)}"
    if RANDOM_SAMPLE not in abstention.basis.notes:
        yield SAMPLED


def abstention_tables(abstention: Abstention) -> Iterator[Table]:
    """Yield two tables: thresholds with the share and the error of kept scores, and the quality of
    confidences.
    """
    rows: list[tuple[Cell, ...]] = []
    source = SOURCE_NAMES.get(abstention.source, abstention.source)
    for name, rule in abstention.found.items():
        chosen = rule.chosen
        why = "no threshold is shown to keep the guarantee"
        if all(step.holds is None for step in rule.curve):
            fewest = fewest_labels(abstention.error)
            why = f"fewer than the {fewest} labels that a guarantee of {abstention.error:.0%} needs"
        kept: tuple[Cell, ...] = ("–", "nothing", undefined(why))
        if chosen is not None:
            kept = (f"{chosen.threshold:.3f}", f"{chosen.share:.0%}", percent(chosen.error))
        rows.append((_name(name, rule), rule.units, f"{rule.wrong.value:.0%}", *kept))
    yield Table(
        "Which scores can be kept",
        ("Dimension", "Labels", "Wrong", "From", "Kept", "Wrong of kept"),
        rows,
        note=f"The guarantee is: {abstention.guarantee} (tested by a one-sided t-test over topics). A score is wrong "
        f"if it is further than {abstention.tolerance:.0%} of the scale from the human label, or, where labels have no "
        f"order, another label. “From” is the lowest confidence ({source}) at which a score is kept. "
        f"Brackets hold {1 - 2 * abstention.delta:.0%} confidence intervals over {abstention.basis.clustered_by}s. "
        f"{words.symmetry_note(abstention.basis.clusters)}".rstrip(),
    )
    yield Table(
        "How good the confidences are as probabilities",
        {
            "Dimension": lambda pair: _name(*pair),
            "Brier": (1, "stated", "brier"),
            "Constant": (1, "constant"),
            "ECE": (1, "stated", "error"),
        },
        abstention.found.items(),
        note="Errors of each confidence as the probability that a score is right; 0 is best. ECE is the expected "
        "calibration error. “Constant” is the Brier score of one probability for every score.",
    )


def outcome(abstention: Abstention) -> str:
    """Return a sentence that says which scores can be kept."""
    chosen = [rule.chosen for rule in abstention.found.values()]
    kept = [step for step in chosen if step is not None]
    whole = sum(step.share >= 1 for step in kept)
    allowed = f"at most {abstention.error:.0%}"
    if whole == len(chosen):
        wrong = [step.error.value or 0.0 for step in kept]
        each = f"{min(wrong):.0%}" + f" to {max(wrong):.0%}, by dimension," * (len(wrong) > 1)
        return f"Every score of the judge can be kept: of all labeled scores {each} are wrong, and {allowed} may be."
    if not kept:
        return f"No score can be kept: no confidence threshold is shown to leave {allowed} of the kept scores wrong."
    if len(chosen) == 1:
        (step,) = kept
        return (
            f"{step.share:.0%} of the scores can be kept, those with a confidence of {step.threshold:.3f} or more: of "
            f"these {step.error.value or 0.0:.0%} are wrong, and {allowed} may be."
        )
    return (
        f"On {whole} of {len(chosen)} dimensions every score can be kept, on {len(kept) - whole} a part of the scores, "
        f"and on {len(chosen) - len(kept)} none."
    )


def abstention_page(abstention: Abstention) -> ReportPage:
    """Return the report page: the thresholds, and for each rule the risk-coverage curve and the reliability
    diagram.
    """
    sections = [section(table) for table in abstention_tables(abstention)]
    charts = [_chart(rule, abstention.error) for rule in abstention.found.values()]
    for place, (name, rule) in enumerate(abstention.found.items()):
        curve = _curve(rule, abstention.error)
        sections.append(Section(_name(name, rule), [*charts[place : place + (place > 0)], curve]))
    return ReportPage(
        "abstention",
        "When the judge abstains",
        sections,
        badges=words.baseline_badges([abstention.model == OFFLINE_MODEL]),
        answer=[outcome(abstention)],
        picture=charts[:1],
        facts=[
            ("Judge", f"{abstention.format} with {abstention.model}"),
            ("Confidence", SOURCE_NAMES.get(abstention.source, abstention.source)),
            ("Labels", abstention.basis.labels),
            (abstention.basis.clustered_by.capitalize() + "s", words.count(abstention.basis.clusters)),
        ],
    )


def _chart(rule: AbstentionRow, promised: float) -> Chart:
    kept = [Point.from_estimate(step.share, step.error) for step in rule.curve if step.labelled]
    limit = [Point(end, promised) for end in (min((at.x for at in kept), default=0.0), 1.0)]
    allowed = ChartLine("The most that is allowed", limit, marked=False)
    lines = [ChartLine("Wrong among those kept", kept), allowed]
    axes = ("Share of scores that is kept", "Share that is wrong")
    return Chart("Wrong scores among those kept", *axes, lines, ends=reach(lines, 0.0), levels=False)


def _curve(rule: AbstentionRow, error: float) -> Table:
    holds = {True: "holds", False: "not shown to hold", None: "not tested"}
    return Table(
        "Thresholds",
        {
            Column("From"): lambda step: f"{step.threshold:.3f}",
            "Kept": lambda step: f"{step.share:.0%}",
            "Labels": "labelled",
            "Topics": "topics",
            "Wrong of kept": lambda step: percent(step.error),
            Column("Guarantee", "text"): lambda step: holds[step.holds],
        },
        rule.curve,
        note="Thresholds are tested from the highest down, beginning with the first that keeps at least "
        f"{MIN_KEPT:.0%} of the scores and {fewest_labels(error)} labels, as long as the guarantee is shown to hold.",
    )


def _name(name: str, rule: AbstentionRow) -> str:
    together = name == TOGETHER and len(rule.metrics) > 1
    return f"All {len(rule.metrics)} metrics together" if together else words.label(name)
