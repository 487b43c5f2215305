"""The tables and pages of ``conqret judges abstain``: of an abstention, and of a cascade of two judges."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.data.judgment import ARROW
from conqret.io.label_set import RANDOM_SAMPLE
from conqret.llm.client_options import OFFLINE_MODEL
from conqret.show import words
from conqret.show.charts import Chart, ChartLine, Point, reach
from conqret.show.report_page import ReportPage, Section, section
from conqret.show.table import Cell, Column, Table
from conqret.stats.estimate import Estimate, undefined
from conqret.stats.selective import MIN_KEPT, CascadeStep, fewest_labels
from conqret.studies.abstain.result import GATE, SOURCE_NAMES, TOGETHER, Abstention, AbstentionRow, Cascade


def percent(share: Estimate) -> Cell:
    """Return a share with its interval as a cell in percent."""
    if share.value is None:
        return share
    return f"{share.value:.1%}" + ("" if share.low is None else f" [{share.low:.1%}, {share.high:.1%}]")


HOLDS = {True: "holds", False: "not shown to hold", None: "not tested"}
SAMPLED = (
    "the guarantee holds only if the labeled items were drawn at random from those that will be scored (conqret labels "
    "sample --plan), which the labels do not tell; chosen by the judge's own confidence, they broke it in 51% of "
    "simulated draws"
)


def abstention_remarks(abstention: Abstention) -> Iterator[str]:
    """Yield sentences on what these rules do to a judge, and on the sampling that their guarantee requires."""
    nothing = [name for name, threshold in abstention.rules.items() if threshold is None]
    if not abstention.kept:
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
        f"{_intervals(abstention)}",
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


def abstention_outcome(abstention: Abstention) -> str:
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
    axes = ("Share of scores that is kept", "Share that is wrong")
    charts = [
        _chart(
            "Wrong scores among those kept",
            axes,
            "Wrong among those kept",
            [Point.from_estimate(step.share, step.error) for step in rule.curve if step.labelled],
            abstention.error,
        )
        for rule in abstention.found.values()
    ]
    for place, (name, rule) in enumerate(abstention.found.items()):
        curve = _curve(rule, abstention.error)
        sections.append(Section(_name(name, rule), [*charts[place : place + (place > 0)], curve]))
    return ReportPage(
        "abstention",
        "When the judge abstains",
        sections,
        badges=words.baseline_badges([abstention.model == OFFLINE_MODEL]),
        answer=[abstention_outcome(abstention)],
        picture=charts[:1],
        facts=_facts(abstention, ("Judge", f"{abstention.format} with {abstention.model}")),
    )


def _chart(title: str, axes: tuple[str, str], name: str, points: list[Point], promised: float) -> Chart:
    """Return the chart of an error over the share that is kept or saved, with the most that is allowed."""
    limit = [Point(end, promised) for end in (min((point.x for point in points), default=0.0), 1.0)]
    lines = [ChartLine(name, points), ChartLine("The most that is allowed", limit, marked=False)]
    return Chart(title, *axes, lines, ends=reach(lines, 0.0), levels=False)


def _facts(fitted: Abstention | Cascade, first: tuple[str, str]) -> list[tuple[str, str]]:
    basis = fitted.basis
    return [
        first,
        ("Confidence", SOURCE_NAMES.get(fitted.source, fitted.source)),
        ("Labels", basis.labels),
        (f"{basis.clustered_by.capitalize()}s", words.count(basis.clusters)),
    ]


def _intervals(fitted: Abstention | Cascade) -> str:
    """Return the sentences on the intervals of a table."""
    basis = fitted.basis
    level = f"{1 - 2 * fitted.delta:.0%}"
    return (
        f"Brackets hold {level} confidence intervals over {basis.clustered_by}s. "
        f"{words.symmetry_note(basis.clusters)}".rstrip()
    )


def _curve(rule: AbstentionRow, error: float) -> Table:
    return Table(
        "Thresholds",
        {
            Column("From"): lambda step: f"{step.threshold:.3f}",
            "Kept": lambda step: f"{step.share:.0%}",
            "Labels": "labelled",
            "Topics": "topics",
            "Wrong of kept": lambda step: percent(step.error),
            Column("Guarantee", "text"): lambda step: HOLDS[step.holds],
        },
        rule.curve,
        note="Thresholds are tested from the highest down, beginning with the first that keeps at least "
        f"{MIN_KEPT:.0%} of the scores and {fewest_labels(error)} labels, as long as the guarantee is shown to hold.",
    )


def _name(name: str, rule: AbstentionRow) -> str:
    together = name == TOGETHER and len(rule.metrics) > 1
    return f"All {len(rule.metrics)} metrics together" if together else words.label(name)


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
    """Return a sentence on how many labeled topics would show the guarantee for the first threshold that fails, or that
    more would not help; empty if no threshold fails."""
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
        f"{'mean' if cascade.together else 'lowest'} of its metrics. {_intervals(cascade)}",
    )
    yield Table(
        "Thresholds",
        {
            Column("From"): lambda step: f"{step.threshold:.3f}",
            "Calls saved": lambda step: f"{step.share:.0%}",
            "More errors": lambda step: percent(_most(step)),
            Column("Guarantee", "text"): lambda step: HOLDS[step.holds],
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
    axes = ("Share of calls that is saved", "More errors, as a share of all scores")
    name = "More errors than the last judge alone"
    return ReportPage(
        "cascade",
        "A cascade of two judges",
        [section(table) for table in cascade_tables(cascade)],
        badges=words.baseline_badges([OFFLINE_MODEL in (cascade.model, cascade.last.model)]),
        answer=[cascade_outcome(cascade)],
        picture=[_chart("Errors of the cascade", axes, name, points, cascade.margin)],
        facts=_facts(
            cascade, ("Judges", f"{cascade.format} with {cascade.model}{ARROW}{cascade.last.model}")
        ),
    )


ABSTENTION = abstention_outcome, abstention_tables, abstention_remarks, abstention_page
CASCADE = cascade_outcome, cascade_tables, cascade_remarks, cascade_page
"""The answer, the tables, the remarks and the page of each kind of file."""
