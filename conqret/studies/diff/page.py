"""Two runs beside each other, as tables and as a page."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conqret.data import Item, Judgment
from conqret.data.digest import gathered
from conqret.judging.judge_folder import JudgeFolder
from conqret.show import words
from conqret.show.forest import Forest, ForestRow
from conqret.show.page import Ways, write_file
from conqret.show.report_page import ReportPage, section
from conqret.show.table import Cell, Column, Table
from conqret.show.visible_text import cut
from conqret.stats.estimate import FEWEST_TESTED
from conqret.stats.resampling import SAME
from conqret.studies.diff.result import ChangedScore, DifferenceOn, RunDifference, WithinMargin
from conqret.text.citations import strip_citations
from conqret.text.sentences import sentences

PARTS, CHANGED = "Documents and other parts rated differently", "Largest changes"
IN_FULL = (PARTS, CHANGED)
"""What stands on the page with texts, and not as a table."""
LEVEL = 0.05
"""A metric differs beyond chance where its p, corrected, is below."""
TEXT = 3_000
"""Characters of an argument that the page shows."""


def difference_tables(run_difference: RunDifference) -> Iterator[Table]:
    """The differences by metric, corrected by labels where there are some, and what changed most."""
    rows: list[tuple[Cell, ...]] = [
        (words.label(name), row.pairs, row.first.value, row.second.value, row.difference, words.p_value(row.p_holm))
        for name, row in run_difference.metrics.items()
    ]  # fmt: skip
    corrected = any(row.corrected is not None for row in run_difference.metrics.values())
    tested = (
        f"There are no p-values, as a test needs at least {FEWEST_TESTED} {run_difference.clustered_by}s."
    )
    if _tested(run_difference):
        tested = (
            f"The p-values are of t-tests over {run_difference.clustered_by}s, corrected for the number of metrics "
            f"after Holm. {words.NOT_CORRECTED} {words.symmetry_note(run_difference.clusters)}".rstrip()
        )
    favour = (
        " The judge may favor one of the two systems for other reasons than quality; human labels of some of the items "
        "show how much it does."
    )
    margins = [row.within for row in run_difference.metrics.values()]
    margin = next((within.margin for within in margins if within is not None), None)
    uneven = any(_uneven(row) for row in run_difference.metrics.values())
    extra: list[tuple[str, list[Cell]]] = []
    if uneven:
        extra.append(("Mean over topics", [row.over_topics for row in run_difference.metrics.values()]))
    if margin is not None:
        extra.append((f"Within {margin:g}", [_within(within) for within in margins]))
    columns = [values for _, values in extra]
    yield Table(
        "Second minus first",
        (
            "Metric", "Pairs", "First", "Second", "Difference", "p (Holm)",
            *(name for name, _ in extra),
        ),
        [(*row, *more) for row, *more in zip(rows, *columns, strict=True)],
        note=f"Brackets hold {run_difference.confidence:.0%} jackknife-t intervals over {run_difference.clusters} "
        f"{run_difference.clustered_by}s (or as many of them as have pairs). {tested} "
        "Means are over the items that both runs scored."
        + uneven
        * (
            " “Difference” is a mean over items, so topics with many items weigh more; “Mean over topics” weights each "
            "topic by the precision of its difference (random effects), and is more precise."
        )
        + (margin is not None)
        * (
            " The column of the margin says whether one-sided tests at the 5% level (not corrected for the number of "
            "metrics) show the runs to be equivalent within the margin, or the second not worse by more than it."
        )
        + (favour if not run_difference.same_items and not corrected else "")
    ).varying("Pairs")  # fmt: skip
    if corrected:
        yield _corrected_table(run_difference)
    lost: list[tuple[Cell, ...]] = [
        ("Items", len(run_difference.missing_first), len(run_difference.missing_second)),
        *(
            (words.label(name), row.only_second, row.only_first)
            for name, row in run_difference.metrics.items()
            if row.only_first or row.only_second
        ),
    ]
    if len(lost) > 1 or run_difference.missing_first or run_difference.missing_second:
        yield Table("Missing in one of the runs", ("", "In the first", "In the second"), lost)
    if run_difference.changed_parts:
        yield Table(
            PARTS,
            ("Item", Column("Part", "name"), Column("Metric", "name"), "First", "Second"),
            [
                (part.item, part.part, words.label(part.metric), part.first, part.second)
                for part in run_difference.changed_parts
            ],
            note=_parts_note(run_difference),
        )
    if run_difference.changed:
        yield Table(
            CHANGED,
            ("Item", Column("Metric", "text"), "First", "Second"),
            [
                (_name(change), words.label(change.metric), change.first, change.second)
                for change in run_difference.changed
            ],
            note=_changed_note(run_difference),
        )


def _corrected_table(run_difference: RunDifference) -> Table:
    """The difference in human labels, by metric."""
    rows = [(name, row.corrected) for name, row in run_difference.metrics.items() if row.corrected]
    note = (
        "These estimates are right only if the labeled pairs are a random sample, or if the labels state with "
        "which probability each item was drawn (inclusion_probability). Intervals are not corrected for the number "
        "of metrics."
    )
    return Table(
        "Difference in human labels, second minus first",
        (
            "Metric", "Judge alone", "Labels alone", "Both (prediction-powered)", "Labels",
        ),
        [
            (words.label(name), means.naive, means.labels, means.corrected, means.labels.n)
            for name, means in rows
        ],
        note=note,
    )  # fmt: skip


def _uneven(row: DifferenceOn) -> bool:
    """Whether the mean over topics is another than the mean over items, by more than rounding."""
    items, topics = row.difference.value, row.over_topics.value
    return items is not None and topics is not None and abs(items - topics) > SAME


def _within(within: WithinMargin | None) -> str:
    """Whether a difference is within the margin, and what would have been found where that is not shown."""
    if within is None or within.verdict != "not shown" or within.smallest_detectable is None:
        return "" if within is None else within.verdict
    return f"not shown (a difference of {within.smallest_detectable:.3f} would be detected)"


def unlike(run_difference: RunDifference) -> str:
    """How many of the items that met by their ids are of another topic or side."""
    these = ", ".join(run_difference.unlike[:3]) + ", …" * (len(run_difference.unlike) > 3)
    return f"topic or side differ in {len(run_difference.unlike)} of {run_difference.pairs} pairs of one id: {these}"


def difference_answer(run_difference: RunDifference) -> str:
    """On how many metrics the runs differ, which way, and on which most, in a sentence."""
    known = [row for row in run_difference.metrics.values() if row.difference.value is not None]
    whole = words.number(len(known), "metric")
    if not known:
        return "No metric has a score in both runs, so nothing can be compared."
    if not run_difference.changed:
        return f"The scores of the two runs are equal on all {whole}."
    clusters = words.number(run_difference.clusters, run_difference.clustered_by)
    most = max(known, key=_size)
    two = "systems" if of_systems(run_difference) else "runs"
    if not _tested(run_difference):
        return (
            f"No difference is tested, as there are {clusters} and a test needs {FEWEST_TESTED}. The {two} differ "
            f"most on {_by_how_much(most)}."
        )
    shown = [row for row in known if row.p_holm is not None and row.p_holm < LEVEL]
    if not shown:
        return (
            f"The {two} differ significantly on none of {whole} (p < {LEVEL:g} after Holm, {clusters}). They differ "
            f"most "
            f"on {_by_how_much(most)}."
        )
    ways = []
    for way, rows in (
        ("lower", [row for row in shown if (row.difference.value or 0.0) < 0]),
        ("higher", [row for row in shown if (row.difference.value or 0.0) > 0]),
    ):
        if rows:
            on = f"{way} on {len(rows)}, most on " if len(rows) > 1 else f"{way} on "
            ways.append(f"{on}{_by_how_much(max(rows, key=_size))}")
    differ = "differs" if len(shown) == 1 else "differ"
    return (
        f"{len(shown)} of {whole} {differ} significantly (p < {LEVEL:g} after Holm, {clusters}): the scores of the "
        f"second {two.removesuffix('s')} are {', and '.join(ways)}."
    )


def of_systems(run_difference: RunDifference) -> bool:
    """Whether one judge judged the texts of two systems."""
    return run_difference.same_judge and not run_difference.same_items


def undecided(run_difference: RunDifference) -> str:
    """What the means of the two do not tell."""
    if of_systems(run_difference):
        return "The means do not tell which system annotators would prefer: only human labels can."
    two = "runs" if run_difference.same_judge else "judges"
    return f"The means do not tell which of the two {two} is right: only human labels can."


def _size(row: DifferenceOn) -> float:
    return abs(row.difference.value or 0.0)


def _by_how_much(row: DifferenceOn) -> str:
    return f"{words.label(row.metric).lower()} (difference {words.with_interval(row.difference)})"


def difference_picture(run_difference: RunDifference) -> list[Forest]:
    """The differences by metric, those that are shown first, each group by size."""
    rows = [
        ForestRow(
            words.label(row.metric),
            row.difference.value,
            row.difference.low,
            row.difference.high,
            "" if row.p_holm is None or row.p_holm < LEVEL else "inconclusive",
            "differs" if row.p_holm is not None and row.p_holm < LEVEL else "",
        )
        for row in sorted(
            run_difference.metrics.values(),
            key=lambda row: ((1.0 if row.p_holm is None else row.p_holm) >= LEVEL, -_size(row)),
        )
        if row.difference.value is not None
    ]
    axis = f"Difference of means, {run_difference.confidence:.0%} confidence intervals"
    return [Forest("Second run minus first run", axis, rows)] if rows else []


def write_difference(
    run_difference: RunDifference, first: JudgeFolder, second: JudgeFolder, file: Path
) -> Path:
    """Write the page; returns its place."""
    return write_file(file, difference_page(run_difference, first, second))


def difference_page(
    run_difference: RunDifference, first: JudgeFolder, second: JudgeFolder, around: Ways = ()
) -> Iterator[str]:
    """The page, piece by piece: the tables, and what changed most side by side; ``around`` is what else there is."""
    left = _texts(first, {change.first_item for change in run_difference.changed})
    right = _texts(second, {change.second_item for change in run_difference.changed})
    tables = [table for table in difference_tables(run_difference) if table.title not in IN_FULL]
    sheet = ReportPage(
        "diff",
        f"What differs between two {'systems' if of_systems(run_difference) else 'runs'}?",
        list(map(section, tables)),
        answer=[difference_answer(run_difference)],
        picture=difference_picture(run_difference),
        badges=words.floor_badges([run.record().baseline for run in (first, second)]),
        lede=[
            f"The first run is {run_difference.first}.",
            f"The second run is {run_difference.second}.",
            _met(run_difference),
            undecided(run_difference),
        ],
    )
    return sheet.html(
        "run_difference.html.j2",
        around=around,
        changed_note=_changed_note(run_difference),
        beside=[
            PairedTexts(changed, left[changed[0].first_item], right[changed[0].second_item])
            for changed in gathered(
                ((change.first_item, change.second_item), change) for change in run_difference.changed
            ).values()
        ],
        parts=run_difference.changed_parts,
        parts_title=PARTS,
        parts_note=_parts_note(run_difference),
        longest=TEXT,
    )


@dataclass(frozen=True)
class PairedTexts:
    """One pair of items with all metrics of it that ``changed``, and what each run holds of it."""

    changed: Sequence[ChangedScore]
    first: tuple[Item, Judgment]
    second: tuple[Item, Judgment]

    @property
    def name(self) -> str:
        """What the pair is called."""
        return _name(self.changed[0])

    @property
    def same(self) -> bool:
        """Whether both judged one text."""
        return self.first[0].argument == self.second[0].argument

    @property
    def texts(self) -> list[list[tuple[str, bool]]]:
        """Both arguments in pieces, each with whether the other has that sentence nowhere, whatever it cites; nothing
        is marked in arguments that share none."""
        whole = [pair[0].argument or "" for pair in (self.first, self.second)]
        sentence_sets = [{strip_citations(sentence.text) for sentence in sentences(text)} for text in whole]
        shared = sentence_sets[0] & sentence_sets[1]
        return [list(_marked(text, shared)) for text in whole]


def _marked(text: str, shared: Collection[str]) -> Iterator[tuple[str, bool]]:
    """The sentences of a text and the space between them, with whether a sentence is none of those ``shared``; the one
    at which the text is cut is left as it is."""
    end = 0
    for sentence in sentences(text):
        if sentence.end > TEXT:
            yield cut(text[end:], TEXT - end), False
            return
        yield text[end : sentence.start], False
        yield sentence.text, bool(shared) and strip_citations(sentence.text) not in shared
        end = sentence.end


def _tested(run_difference: RunDifference) -> bool:
    return any(row.p_holm is not None for row in run_difference.metrics.values())


def _parts_note(run_difference: RunDifference) -> str:
    return (
        f"The ratings of {words.count(run_difference.parts_moved)} of {words.number(run_difference.parts, 'part')} "
        f"that "
        f"both runs rated differ; the {len(run_difference.changed_parts)} with the largest difference are listed."
    )


def _changed_note(run_difference: RunDifference) -> str:
    """How many of all changes are shown."""
    every = sum(row.up + row.down for row in run_difference.metrics.values())
    if len(run_difference.changed) == every:
        return ""
    return (
        f"This section lists the {len(run_difference.changed)} largest of {words.number(every, 'change')} of a "
        f"score; of "
        "equally large changes it lists those that come first in the runs."
    )


def met(run_difference: RunDifference) -> str:
    """How the items of the two met, and what both have in common."""
    judges = "the same judge" if run_difference.same_judge else "two judges"
    items = "the same texts" if run_difference.same_items else "different texts"
    return (
        f"{words.number(run_difference.pairs, 'pair')} of items matched by {run_difference.paired_by} are compared "
        f"({judges}, {items})"
    )


def _met(run_difference: RunDifference) -> str:
    """How the two met, and whether it can be said what made the difference."""
    sentence = (
        f"{met(run_difference)}. {words.count(run_difference.moved)} of these pairs differ on at least one "
        f"metric."
    )
    if run_difference.unlike:
        sentence += f" {words.capitalised(unlike(run_difference))}."
    if run_difference.same_judge or run_difference.same_items:
        return sentence
    return f"{sentence} Judge and items both differ, so the cause of a difference cannot be told."


def _name(score: ChangedScore) -> str:
    return (
        score.first_item
        if score.first_item == score.second_item
        else f"{score.first_item} / {score.second_item}"
    )


def _texts(run: JudgeFolder, wanted: set[str]) -> dict[str, tuple[Item, Judgment]]:
    items = {item.id: item for item in run.items() if item.id in wanted}
    return {
        judgment.item: (items[judgment.item], judgment)
        for judgment in run.judgments()
        if judgment.item in wanted
    }
