"""Two runs compared without labels: what changed, or which of two systems one judge finds better.

Items meet by their ids (two judges of the same items, the same judge before and after), or, where no id is in both or
ids are of other items in either run, by topic and side (two systems under one judge). Differences are the second run
minus the first, paired, and tested over topics. A judge may favor one system; with labels of both, the human
difference is estimated from all judgments and few labels by prediction-powered inference on the paired differences
(:mod:`conqret.stats.prediction_powered`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from pydantic import Field

from conqret.console.conditions import Requirement, RequirementOutcome, WorstItem
from conqret.data import Item, Judgment, Measure
from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.judging.build_gate import why
from conqret.judging.judge_folder import JudgeFolder
from conqret.show import words
from conqret.show.forest import Forest, ForestRow
from conqret.show.page import Ways
from conqret.show.report_page import ReportPage, section
from conqret.show.table import Column, Table
from conqret.show.visible_text import cut
from conqret.stats.effects import ALPHA
from conqret.stats.estimate import MIN_TOPICS, Estimate
from conqret.stats.prediction_powered import CorrectedMean
from conqret.stats.resampling import SAME
from conqret.text.citations import strip_citations
from conqret.text.sentences import sentences


class WithinMargin(Frozen):
    """Tests of equivalence and non-inferiority of two runs within ``margin``.

    ``p_equivalent`` is from two one-sided tests (Schuirmann 1987); a small value shows equivalence. A small
    ``p_not_worse`` shows that the second is not worse by ``margin`` or more. ``smallest_detectable`` is the
    difference that is found with a power of 80%. All are None below six topics.
    """

    margin: float
    p_equivalent: float | None
    p_not_worse: float | None
    smallest_detectable: float | None

    @property
    def verdict(self) -> Literal["equivalent", "not worse", "not shown"]:
        """The conclusion at 5%: "equivalent", "not worse" or "not shown"."""
        if self.p_equivalent is not None and self.p_equivalent < ALPHA:
            return "equivalent"
        return "not worse" if self.p_not_worse is not None and self.p_not_worse < ALPHA else "not shown"


class MetricDifference(Frozen):
    """The difference of two runs on one metric, over the ``pairs`` that both scored; means are in [0, 1].

    - ``difference``: second minus first, a mean over items. ``p`` is two-sided by t over topics (None below
    six), ``p_holm`` corrected over metrics.
    - ``over_topics``: the mean over topics, with ``p_topics``; it has more power if topics differ in size.
    - ``up`` and ``down``: the numbers of pairs that rose or fell.
    - ``only_first`` and ``only_second``: the numbers of pairs scored in one run only.
    - ``within``: tests against a margin, if one was given.
    - ``corrected``: the estimated human difference, if labels were given.
    """

    metric: str
    pairs: int
    first: Estimate
    second: Estimate
    difference: Estimate
    over_topics: Estimate
    p: float | None
    p_topics: float | None
    up: int
    down: int
    only_first: int
    only_second: int
    p_holm: float | None = None
    within: WithinMargin | None = None
    corrected: CorrectedMean | None = None


class ChangedScore(Frozen):
    """An item (or a topic and side) and a metric whose score changed between the runs."""

    first_item: str
    second_item: str
    topic: str
    metric: str
    first: float
    second: float


class ChangedPart(Frozen):
    """A part of an item (such as a document) whose rating in [0, 1] changed, with each judge's explanation."""

    item: str
    metric: str
    part: str
    first: float
    second: float
    first_says: str = ""
    second_says: str = ""


class RunDifference(Frozen):
    """The comparison of two runs.

    - ``same_judge``: True if one judge configuration judged both; ``same_items``: True if the paired items
    are equal.
    - ``paired_by``: how items were paired; ``unlike``: pairs of equal ids whose topic or side differ.
    - ``moved``: the number of pairs that differ on some metric.
    - ``parts``: the number of parts that both rated; ``parts_moved``: of those rated differently;
    ``changed_parts``: the most different ones.
    - ``missing_first`` and ``missing_second``: items that only the other run has.
    - ``left_out``: metrics of one run only.
    - ``expected_values``: in how many pairs the first and the second run have scores that are expected values by a
    model's probabilities; ``stages``: of runs of a cascade, in how many pairs each of its judges gave the scores.
    """

    first: str
    second: str
    same_judge: bool
    same_items: bool
    paired_by: str
    pairs: int
    clustered_by: str
    clusters: int
    confidence: float
    metrics: Mapping[str, MetricDifference]
    changed: tuple[ChangedScore, ...]
    moved: int = 0
    parts: int = 0
    parts_moved: int = 0
    changed_parts: tuple[ChangedPart, ...] = ()
    missing_first: list[str]
    missing_second: list[str]
    left_out: list[str]
    unlike: tuple[str, ...] = ()
    expected_values: tuple[int, int] = Field(default=(0, 0), exclude_if=lambda counts: counts == (0, 0))
    stages: tuple[Mapping[str, int], Mapping[str, int]] = Field(
        default=({}, {}), exclude_if=lambda stages: not any(stages)
    )


MAX_ITEMS = 5
"""Items that are named behind a condition that is not met."""


def with_items(
    requirement: Requirement, outcome: RequirementOutcome, difference: RunDifference
) -> RequirementOutcome:
    """Return the outcome; if it is not met, with the items whose score changed most against it."""
    if outcome.met:
        return outcome
    sign = -1.0 if requirement.operator in ("<", "<=") else 1.0
    changed = [change for change in difference.changed if change.metric == requirement.dimension]
    against = sorted(
        (change for change in changed if sign * (change.second - change.first) < 0),
        key=lambda change: sign * (change.second - change.first),
    )
    row = difference.metrics[str(requirement.dimension)]
    more = (row.up if sign < 0 else row.down) - min(len(against), MAX_ITEMS)
    items = [
        WorstItem(change.second_item, change.second, f"{change.first:.2f} in the first run ({change.topic})")
        for change in against[:MAX_ITEMS]
    ]
    return replace(outcome, items=tuple(items), more=f"and {more} more" if items and more else "")


PARTS, CHANGED = "Documents and other parts rated differently", "Largest changes"
"""What stands on the page with texts, and not as a table."""
TEXT = 3_000
"""Characters of an argument that the page shows."""


def difference_tables(difference: RunDifference) -> Iterator[Table]:
    """Yield the tables: differences by metric, the human differences if labels were given, and what changed
    most.
    """
    rows = difference.metrics.values()
    yield _by_metric(difference)
    if corrected := [row for row in rows if row.corrected]:
        yield Table(
            "Difference in human labels, second minus first",
            {
                "Metric": lambda row: words.label(row.metric),
                "Judge alone": ("corrected", "naive"),
                "Labels alone": ("corrected", "labels"),
                "Both (prediction-powered)": ("corrected", "corrected"),
                "Labels": ("corrected", "labels", "n"),
            },
            corrected,
            note="Valid if the labeled pairs are a random sample, or the labels state the inclusion_probability of "
            "each item. Intervals are not corrected for the number of metrics.",
        )
    lost = [("Items", len(difference.missing_first), len(difference.missing_second))]
    lost += [(words.label(row.metric), row.only_second, row.only_first) for row in rows]
    lost = [row for row in lost if row[1] or row[2]]
    if lost:
        yield Table("Missing in one of the runs", ("", "In the first", "In the second"), lost)
    metric: dict[str | Column, Any] = {
        Column("Metric", "name"): lambda row: words.label(row.metric),
        "First": "first",
        "Second": "second",
    }
    if difference.changed_parts:
        yield Table(
            PARTS,
            {"Item": "item", Column("Part", "name"): "part", **metric},
            difference.changed_parts,
            note=f"The ratings of {words.count(difference.parts_moved)} of {words.number(difference.parts, 'part')} "
            f"that both runs rated differ; the {len(difference.changed_parts)} with the largest difference are listed.",
        )
    if changed := difference.changed:
        every = sum(row.up + row.down for row in rows)
        listed = f"The {len(changed)} largest of {words.number(every, 'change')} of a score are listed. "
        listed += "--metric METRIC lists those of one metric; scores.parquet of both runs has all scores."
        note = listed * (len(changed) != every)
        yield Table(CHANGED, {"Item": _name, **metric}, changed, note=note)


def _by_metric(difference: RunDifference) -> Table:
    """Return the table of differences, a row for each metric. It has means over topics only if one differs from the
    mean over items, and tests of the margin only if one was given."""
    clusters, rows = f"{difference.clustered_by}s", difference.metrics.values()
    margin = next((row.within.margin for row in rows if row.within is not None), None)
    uneven = any(
        abs((row.difference.value or 0.0) - (row.over_topics.value or 0.0)) > SAME
        for row in rows
        if row.difference.value is not None and row.over_topics.value is not None
    )
    notes = [
        f"Brackets hold {difference.confidence:.0%} jackknife-t intervals over {difference.clusters} {clusters}; means "
        "are over the items that both runs scored."
    ]
    if any(row.p_holm is not None for row in rows):
        notes += [
            f"The p-values are of t-tests over {clusters}, corrected for the number of metrics after Holm.",
            words.NOT_CORRECTED,
            words.symmetry_note(difference.clusters),
        ]
    else:
        notes.append(f"There are no p-values, as a test needs at least {MIN_TOPICS} {clusters}.")
    notes.append("“Mean over topics” weights each topic by its precision (random effects)." * uneven)
    if margin is not None:
        notes.append("The margin is tested by one-sided tests at the 5% level, not corrected.")
    if not difference.same_items and not any(row.corrected for row in rows):
        notes.append("The judge may favor one of the two systems; human labels show how much it does.")
    return Table(
        "Second minus first",
        {
            "Metric": lambda row: words.label(row.metric),
            "Pairs": "pairs",
            "First": ("first", "value"),
            "Second": ("second", "value"),
            "Difference": "difference",
            "p (Holm)": lambda row: words.p_value(row.p_holm),
            "Mean over topics": lambda row: row.over_topics if uneven else "",
            f"Within {margin or 0:g}": lambda row: _within(row.within),
        },
        rows,
        note=" ".join(filter(None, notes)),
        same=("Pairs",),
    )


def _within(within: WithinMargin | None) -> str:
    """Whether a difference is within the margin, and what would have been found where that is not shown."""
    if within is None or within.verdict != "not shown" or within.smallest_detectable is None:
        return "" if within is None else within.verdict
    return f"not shown (a difference of {within.smallest_detectable:.3f} would be detected)"


def difference_answer(difference: RunDifference) -> list[str]:
    """Return sentences on how many metrics differ, in which direction, and what the means do not tell."""
    which = "system annotators would prefer"
    if not of_systems(difference):
        which = f"of the two {'runs' if difference.same_judge else 'judges'} is right"
    return [_differs(difference), f"The means do not tell which {which}: only human labels can."]


def _differs(difference: RunDifference) -> str:
    known = [row for row in difference.metrics.values() if row.difference.value is not None]
    whole = words.number(len(known), "metric")
    if not known:
        return "No metric has a score in both runs, so nothing can be compared."
    if not difference.changed:
        return f"The scores of the two runs are equal on all {whole}."
    clusters = words.number(difference.clusters, difference.clustered_by)
    two = "system" if of_systems(difference) else "run"
    if all(row.p_holm is None for row in known):
        untested = f"No difference is tested, as there are {clusters} and a test needs {MIN_TOPICS}."
        return f"{untested} The {two}s differ most on {_most(known)}."
    level = f"(p < {ALPHA:g} after Holm, {clusters})"
    shown = [row for row in known if _shown(row)]
    if not shown:
        none = f"The {two}s differ significantly on none of {whole} {level}."
        return f"{none} They differ most on {_most(known)}."
    ways = [
        f"{way} on {f'{len(rows)}, most on ' if len(rows) > 1 else ''}{_most(rows)}"
        for way, sign in (("lower", -1), ("higher", 1))
        if (rows := [row for row in shown if sign * (row.difference.value or 0.0) > 0])
    ]
    differ = f"{len(shown)} of {whole} {'differs' if len(shown) == 1 else 'differ'} significantly {level}"
    return f"{differ}: the scores of the second {two} are {', and '.join(ways)}."


def of_systems(difference: RunDifference) -> bool:
    """Return True if one judge judged the texts of two systems."""
    return difference.same_judge and not difference.same_items


def _shown(row: MetricDifference) -> bool:
    return row.p_holm is not None and row.p_holm < ALPHA


def _size(row: MetricDifference) -> float:
    return abs(row.difference.value or 0.0)


def _most(rows: Sequence[MetricDifference]) -> str:
    row = max(rows, key=_size)
    return f"{words.label(row.metric).lower()} (difference {words.with_interval(row.difference)})"


def _picture(difference: RunDifference) -> list[Forest]:
    """Return a chart of the differences by metric, those that are shown first and each group by size; metrics without a
    value are left out, and no chart is returned if that leaves none."""
    rows = [
        ForestRow(
            words.label(row.metric),
            row.difference.value,
            row.difference.low,
            row.difference.high,
            "inconclusive" if row.p_holm is not None and not _shown(row) else "",
            "differs" if _shown(row) else "",
        )
        for row in sorted(difference.metrics.values(), key=lambda row: (not _shown(row), -_size(row)))
        if row.difference.value is not None
    ]
    axis = "Difference of means"
    if any(row.low is not None for row in rows):
        axis += f", {difference.confidence:.0%} confidence intervals"
    return [Forest("Second run minus first run", axis, rows)] if rows else []


def difference_page(
    difference: RunDifference, first: JudgeFolder, second: JudgeFolder, around: Ways = ()
) -> Iterator[str]:
    """Yield the report page in pieces: the tables, then the most changed items side by side.

    ``around`` are links to other pages.
    """
    left = _texts(first, {change.first_item for change in difference.changed})
    right = _texts(second, {change.second_item for change in difference.changed})
    tables = {table.title: table for table in difference_tables(difference)}
    parts, changed = tables.pop(PARTS, None), tables.pop(CHANGED, None)
    answer, undecided = difference_answer(difference)
    sheet = ReportPage(
        "diff",
        f"What differs between two {'systems' if of_systems(difference) else 'runs'}?",
        [section(table) for table in tables.values()],
        answer=[answer],
        picture=_picture(difference),
        badges=words.baseline_badges([run.record().baseline for run in (first, second)]),
        lede=[
            f"The first run is {difference.first}.",
            f"The second run is {difference.second}.",
            *(f"{words.capitalised(text)}." for text in (met(difference), *remarks(difference))),
            undecided,
        ],
    )
    by_pair = gathered(((change.first_item, change.second_item), change) for change in difference.changed)
    return sheet.html(
        "run_difference.html.j2",
        around=around,
        changed_note=changed and changed.note,
        beside=[_beside(rows, left[one], right[other]) for (one, other), rows in by_pair.items()],
        parts=difference.changed_parts,
        parts_title=PARTS,
        parts_note=parts and parts.note,
        longest=TEXT,
    )


def _beside(
    changed: Sequence[ChangedScore], first: tuple[Item, Judgment], second: tuple[Item, Judgment]
) -> dict[str, object]:
    """Return one pair of items as the report page shows it side by side.

    Args:
        changed: the metrics whose score changed, for this pair (at least one).
        first: the item and its judgment in the first run.
        second: the same in the second run.

    Returns:
        A dictionary for the template: ``name`` (the pair's name), ``changed``, ``first`` and ``second`` (as given),
        ``same`` (True if both arguments are equal), and ``texts`` (for each run the pieces of its argument with True
        for a sentence that the other argument lacks, as :func:`_marked` yields them). Citation marks are ignored in
        the comparison. Arguments that share no sentence have no marked piece.
    """
    whole = [pair[0].argument or "" for pair in (first, second)]
    left, right = ({strip_citations(sentence.text) for sentence in sentences(text)} for text in whole)
    return {
        "name": _name(changed[0]),
        "changed": [
            (one, *(_says(pair[1].measures[one.metric]) for pair in (first, second))) for one in changed
        ],
        "topic": changed[0].topic,
        "first": first,
        "second": second,
        "same": first[0].argument == second[0].argument,
        "texts": [list(_marked(text, left & right)) for text in whole],
    }


def _says(measure: Measure) -> str:
    """The label and explanation of a score, and the part that decides it: of claims, which is not supported and why."""
    return "\n".join(dict.fromkeys(filter(None, (measure.label, measure.explanation, why(measure)))))


def _marked(text: str, shared: Collection[str]) -> Iterator[tuple[str, bool]]:
    """Yield the sentences of a text and the space between them, each with True if it is a sentence that is not among
    those ``shared``. The text is cut after :data:`TEXT` characters, and the last, cut sentence is never marked."""
    end = 0
    for sentence in sentences(text):
        if sentence.end > TEXT:
            yield cut(text[end:], TEXT - end), False
            return
        yield text[end : sentence.start], False
        yield sentence.text, bool(shared) and strip_citations(sentence.text) not in shared
        end = sentence.end


def met(difference: RunDifference) -> str:
    """Return a phrase on how items were paired and what the two runs have in common."""
    judges = "the same judge" if difference.same_judge else "two judges"
    items = "the same texts" if difference.same_items else "different texts"
    pairs = words.number(difference.pairs, "pair")
    return f"{pairs} of items matched by {difference.paired_by} are compared ({judges}, {items})"


def remarks(difference: RunDifference) -> Iterator[str]:
    """Yield phrases on how many pairs changed, and on the limits of the comparison."""
    pairs = words.number(difference.pairs, "pair")
    moved = (
        f"{words.count(difference.moved)} of {pairs} of items have different scores on at least one metric"
    )
    yield moved if difference.moved else f"no score differs in {pairs} of items"
    if unlike := difference.unlike:
        these = ", ".join(unlike[:3]) + ", …" * (len(unlike) > 3)
        yield f"topic or side differ in {len(unlike)} of {difference.pairs} pairs of one id: {these}"
    if not difference.same_judge and not difference.same_items:
        yield "judge and items both differ, so the difference cannot be attributed to either"
    for which, stages in zip(("first", "second"), difference.stages, strict=True):
        if stages:
            judges = " and ".join(f"{model} judged {words.count(n)}" for model, n in stages.items())
            yield f"the {which} run is of a cascade: in these pairs {judges}"
    first, second = map(words.count, difference.expected_values)
    if first != second and not difference.same_judge:
        yield (
            f"scores are expected values by a model's probabilities in {first} pairs of the first run and {second} of "
            "the second, else ratings as given: expected values lie nearer to the middle of the scale, so the means "
            "can differ where the order of the items is the same"
        )


def _name(score: ChangedScore) -> str:
    return " / ".join(dict.fromkeys((score.first_item, score.second_item)))


def _texts(run: JudgeFolder, wanted: set[str]) -> dict[str, tuple[Item, Judgment]]:
    items = {item.id: item for item in run.items() if item.id in wanted}
    judged = (judgment for judgment in run.judgments() if judgment.item in wanted)
    return {judgment.item: (items[judgment.item], judgment) for judgment in judged}
