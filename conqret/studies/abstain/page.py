"""When a judge abstains, as tables, charts and a page: error over coverage, and what confidences are worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conqret.llm.client_options import OFFLINE_MODEL
from conqret.show import words
from conqret.show.charts import Chart, ChartLine, Point, reach
from conqret.show.condition_words import condition_cell, condition_note
from conqret.show.report_page import ReportPage, Section
from conqret.show.table import Cell, Column, Table
from conqret.stats.confidence_scores import BANDS
from conqret.stats.estimate import Estimate, undefined
from conqret.stats.selective import LEAST_KEPT, Bound, fewest_labels
from conqret.studies.abstain.abstention import AbstainsOn, Abstention, LabelSets, Trust
from conqret.studies.abstain.result import TOGETHER

TITLE = "What can be kept"
WORTH = "What the confidences are worth"
SAID = {
    "logprobs": "log-probabilities",
    "samples": "how far samples agree",
    "stated": "what the judge says",
    "orders": "whether both orders agree",
}
"""Where confidences are from, in words."""
TESTED: Mapping[Bound, str] = {
    "t": "tested by a one-sided t-test over topics",
    "betting": "tested by betting over topics",
    "average": "conformal risk control over topics",
}
SETS = "Where the human label lies"
WORTHY = "shown to be worth something"
SEVERAL = undefined("no map could be fitted without one of the folds")


class Percent(Estimate):
    """A share, shown in per cent."""

    __slots__ = ()

    @classmethod
    def of(cls, share: Estimate) -> Percent:
        """``share`` as a cell."""
        return cls(share.value, share.low, share.high, share.n, share.reason)

    def __str__(self) -> str:
        ends = "" if self.low is None else f" [{self.low:.1%}, {self.high:.1%}]"
        return f"{self.value:.1%}{ends}"


DRAWN = (
    "the guarantee holds only if the labeled items were drawn at random from those that will be scored (conqret labels "
    "sample --plan), which the labels do not tell"
)
SAMPLED = (
    f"{DRAWN}; where they were chosen by the judge's own confidence, it was broken in 51% of simulated draws"
)


def abstention_tables(abstention: Abstention) -> Iterator[Table]:
    """What each threshold keeps and how often that is wrong, what the confidences are worth, and in which sets human
    labels lie: each where there is such a thing."""
    if abstention.found:
        yield from _rule_tables(abstention)
    if abstention.sets:
        yield _sets_table(abstention)


def _sets_table(abstention: Abstention) -> Table:
    """The sets of all metrics: how large they are, and how many labels they hold."""
    level = next(iter(abstention.sets.values())).level
    topics = abstention.basis.clustered_by
    rows: list[tuple[Cell, ...]] = []
    for metric, sets in abstention.sets.items():
        rarest = min(sets.by_label, key=lambda label: label.covered / label.items, default=None)
        rows.append(
            (
                words.label(metric),
                sets.units,
                f"{sets.size:.1f} of {len(sets.steps)}",
                f"{sets.whole:.0%}",
                Percent.of(sets.coverage) if sets.coverage.value is not None else sets.coverage,
                "–" if rarest is None else f"{rarest.label:g}: {rarest.covered} of {rarest.items}",
            )
        )
    return Table(
        SETS,
        ("Dimension", "Labels", "Mean size", "Whole scale", "Labels in their set", "Least covered label"),
        rows,
        note=f"Sets of adjacent steps, one for each score. The human label of an item of a new {topics} lies in its "
        f"set with a probability of {level:.0%} (conformal prediction), on average over draws of {topics}s, each of "
        "which counts the same, for each dimension by itself, where the labeled items are a random sample of those "
        "scored. It is no probability for "
        "one label or one topic: the last column shows the label that sets miss most often. Whole scale: the share of "
        "scores whose set has every step, and so says nothing. Labels in their set: the share of labeled items, each "
        f"with the set that the other {topics}s give, with intervals over {topics}s.",
    )


def _score_table(title: str, sets: LabelSets) -> Table:
    """The set of each score of one metric."""
    ends = [*(f"{step.score - 0.01:.2f}" for step in sets.sets[1:]), "1.00"]
    return Table(
        title,
        (Column("Score from", "name"), "to", "Human label"),
        [
            (
                f"{step.score:.2f}",
                end,
                f"{step.low:g}" if step.low == step.high else f"{step.low:g} to {step.high:g}",
            )
            for step, end in zip(sets.sets, ends, strict=True)
        ],
    )


def _rule_tables(abstention: Abstention) -> Iterator[Table]:
    """What each threshold keeps and how often that is wrong, and what the confidences are worth."""
    ends = f"{1 - 2 * abstention.delta:.0%}"
    rows: list[tuple[Cell, ...]] = []
    for name, rule in abstention.found.items():
        taken = rule.taken
        kept: tuple[Cell, ...] = ("–", "nothing", undefined(rule.why_none(abstention.error)))
        if taken is not None:
            kept = (f"{taken.threshold:.3f}", f"{taken.share:.0%}", Percent.of(taken.error))
        holds = condition_cell(rule.condition, abstention.basis.clustered_by)
        rows.append((_name(name, rule), rule.units, f"{rule.wrong.value:.0%}", *kept, holds))
    noted = condition_note(
        (rule.condition for rule in abstention.found.values()), abstention.basis.clustered_by
    )
    holding = [Column("Where that holds", "text")] if noted else []
    passed = f", whose upper end is the bound that is passed in {abstention.delta:.0%} of draws"
    if abstention.bound == "average":
        passed = ", whose upper end may lie above the guarantee, which holds on average only"
    yield Table(
        TITLE,
        ("Dimension", "Labels", "Wrong", "From", "Kept", "Wrong of kept", *holding),
        [row if noted else row[:-1] for row in rows],
        note=f"Guaranteed: {abstention.promise} ({TESTED[abstention.bound]}). Wrong: further than "
        f"{abstention.tolerance:.0%} of the scale from the human label, or where labels have no order, another. "
        "From: the "
        f"confidence from which on scores are kept, by {SAID.get(abstention.source, abstention.source)}. In "
        f"brackets: {ends} "
        f"intervals over {abstention.basis.clustered_by}s{passed}. {noted}".rstrip(),
    )
    yield Table(
        WORTH,
        ("Dimension", "Brier", "Constant", "Mapped", "ECE", "ECE, mapped"),
        [
            (
                _name(name, rule),
                rule.stated.brier,
                rule.constant,
                SEVERAL if rule.mapped is None else rule.mapped.brier,
                rule.stated.error,
                SEVERAL if rule.mapped is None else rule.mapped.error.value,
            )
            for name, rule in abstention.found.items()
        ],
        note="As probabilities of not being wrong; 0 is best. ECE: the expected calibration error. Constant: the "
        "Brier score of saying one thing of everything. Mapped: by isotonic regression on other "
        f"{abstention.basis.clustered_by}s. {_worth(abstention)}",
    )


def outcomes(abstention: Abstention) -> list[str]:
    """What is kept, and how large the sets of labels are, each in a sentence."""
    sentences = [outcome(abstention)] if abstention.found else []
    if sets := list(abstention.sets.values()):
        level, sizes = sets[0].level, [one.size for one in sets]
        sizes_text = f"{min(sizes):.1f}" + f" to {max(sizes):.1f}" * (len(sizes) > 1)
        scales = sorted({len(one.steps) for one in sets})
        of = " or ".join(map(str, scales))
        each = ", by dimension" * (len(sizes) > 1)
        sentences.append(
            f"The sets that hold the human label of a new item with a probability of {level:.0%} have {sizes_text} "
            f"adjacent steps of {of} on average{each}."
        )
    return sentences


def outcome(abstention: Abstention) -> str:
    """What is kept, in a sentence."""
    taken = [rule.taken for rule in abstention.found.values()]
    kept = [step for step in taken if step is not None]
    whole = sum(step.share >= 1 for step in kept)
    allowed = f"at most {abstention.error:.0%}" + " on average" * (abstention.bound == "average")
    if whole == len(taken):
        wrong = [step.error.value or 0.0 for step in kept]
        each = f"{min(wrong):.0%}" + f" to {max(wrong):.0%}, by dimension," * (len(wrong) > 1)
        return (
            f"Nothing has to be left out: of all labeled scores {each} are wrong, and {allowed} were allowed."
        )
    if not kept:
        return f"Nothing can be kept: no threshold is shown to leave {allowed} wrong."
    if len(taken) == 1:
        (step,) = kept
        return (
            f"{step.share:.0%} of the scores can be kept, those with a confidence of {step.threshold:.3f} or more: of "
            f"these {step.error.value or 0.0:.0%} are wrong, and {allowed} were allowed. The others are for annotators."
        )
    return (
        f"Of {len(taken)} dimensions {whole} keep every score, {len(kept) - whole} a part, and "
        f"{len(taken) - len(kept)} none."
    )


def _worth(abstention: Abstention) -> str:
    """Of how many confidences are shown to be worth something as probabilities: the interval of their Brier score lies
    below the constant's."""
    rules = abstention.found.values()
    trusts = {
        "as they are": [_worth_of(rule, rule.stated) for rule in rules],
        "mapped": [_worth_of(rule, rule.mapped) for rule in rules],
    }
    if len(rules) == 1:
        shown_text = ", and ".join(f"{worth[0]} {name}" for name, worth in trusts.items())
        return f"Compared with the constant, they are {shown_text}."
    shown = ", and ".join(f"for {worth.count(WORTHY)} {name}" for name, worth in trusts.items())
    return f"Of {len(rules)} dimensions they are {WORTHY} compared with the constant {shown}."


def _worth_of(rule: AbstainsOn, trust: Trust | None) -> str:
    if trust is not None and trust.brier.high is not None and trust.brier.high < rule.constant:
        return WORTHY
    if trust is not None and trust.brier.low is not None and trust.brier.low > rule.constant:
        return "shown to be worse"
    return "not shown to be worth anything"


def abstention_sheet(abstention: Abstention) -> ReportPage:
    """The page: a section a rule, with the curve of error over what is kept and the reliability diagram."""
    sections = [Section(table.title, [table]) for table in abstention_tables(abstention)]
    charts = {name: list(_charts(rule, abstention.error)) for name, rule in abstention.found.items()}
    pictures = [chart for drawn in charts.values() for chart in drawn[:1]]
    sections += [
        Section(
            _name(name, rule),
            [*(chart for chart in charts[name] if chart is not pictures[0]), _curve(rule, abstention.error)],
            _bands(rule),
        )
        for name, rule in abstention.found.items()
    ]
    if abstention.sets:
        tables = [_score_table(words.label(metric), sets) for metric, sets in abstention.sets.items()]
        sections.append(
            Section("Sets of labels by score", tables, "Scores in [0, 1], rounded to two places.")
        )
    return ReportPage(
        "abstention",
        "When the judge abstains" if abstention.found else SETS,
        sections,
        badges=words.floor_badges([abstention.model == OFFLINE_MODEL]),
        answer=outcomes(abstention),
        picture=pictures[:1],
        facts=[
            ("Judge", f"{abstention.format} with {abstention.model}"),
            ("Confidence", SAID.get(abstention.source, abstention.source) or "none"),
            ("Labels", abstention.basis.labels),
            (abstention.basis.clustered_by.capitalize() + "s", words.count(abstention.basis.clusters)),
        ],
    )


def _charts(rule: AbstainsOn, promised: float) -> Iterator[Chart]:
    kept = [Point.of(step.share, step.error) for step in rule.curve if step.labelled]
    limit = [Point(end, promised) for end in (min((at.x for at in kept), default=0.0), 1.0)]
    yield _chart(
        "Error of what is kept",
        "Share that is kept",
        "Share that is wrong",
        [
            ChartLine("Wrong of what is kept", kept),
            ChartLine("At most, by the guarantee", limit, marked=False),
        ],
        least=0.0,
    )
    trusts = {"Raw": rule.stated, "Mapped": rule.mapped}
    ends = (rule.curve[-1].threshold, rule.curve[0].threshold)
    yield _chart(
        "Reliability of the confidences",
        "Confidence",
        "Share that is right",
        [
            ChartLine(name, [Point.of(band.said.value or 0.0, band.people) for band in trust.bands])
            for name, trust in trusts.items()
            if trust is not None
        ]
        + [ChartLine("Perfect", [Point(end, end) for end in ends], marked=False)],
        least=1.0,
    )


def _bands(rule: AbstainsOn) -> str:
    """What a point of the reliability diagram is."""
    trusts = {"raw": rule.stated, "mapped": rule.mapped}
    counted = "; ".join(
        f"{name} {', '.join(words.count(band.units) for band in trust.bands)}"
        for name, trust in trusts.items()
        if trust is not None
    )
    return (
        f"Reliability: a point is a band of scores with much the same confidence ({BANDS} bands of as many scores "
        f"each, but those of one confidence stay together). Scores, from left to right: {counted}."
    )


def _chart(title: str, x: str, y: str, lines: Sequence[ChartLine], *, least: float) -> Chart:
    """Lines on an axis upright that holds what they hold, and ``least``."""
    return Chart(title, x, y, lines, ends=reach(lines, least), levels=False)


def _curve(rule: AbstainsOn, error: float) -> Table:
    holds_text = {True: "holds", False: "not shown to hold", None: "not tested"}
    return Table(
        "Thresholds",
        (Column("From"), "Kept", "Labels", "Topics", "Wrong of kept", Column("Promise", "text")),
        [
            (
                f"{step.threshold:.3f}",
                f"{step.share:.0%}",
                step.labelled,
                step.topics,
                Percent.of(step.error),
                holds_text[step.holds],
            )
            for step in rule.curve
        ],
        note=f"Tested one after the other, from the first that keeps {LEAST_KEPT:.0%} of the scores and "
        f"{fewest_labels(error)} labels or more; the first for which the guarantee is not shown to hold ends it.",
    )


def _name(name: str, rule: AbstainsOn) -> str:
    return (
        f"All {len(rule.metrics)} metrics together"
        if name == TOGETHER and len(rule.metrics) > 1
        else words.label(name)
    )
