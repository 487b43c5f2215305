"""A judge's bias table: its rows, and what is said of them on terminals, on a page and on the judge card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import ClassVar, Literal

from pydantic import Field

from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.errors import number, shortened
from conqret.judging.judge_folder import InstrumentRecord
from conqret.runs.session import SessionCounts
from conqret.show import words
from conqret.show.forest import Forest, ForestRow
from conqret.show.page import write_files
from conqret.show.report_page import CollapsedTable, PageRemarks, Part, ReportPage, Section, section
from conqret.show.table import Alarm, Cell, Column, Table
from conqret.stats.curve_tests import MARGIN
from conqret.stats.effects import Effect
from conqret.studies.bias.contrast import AS_IS, NEUTRAL, PROBES, Adverse, Probe, probe_name
from conqret.studies.variance.result import Repeatability, repeatability_table

SCHEMA = "conqret.bias/4"

UNRELATED = "scores do not rise with human labels"

Verdict = Literal["alarm", "clear", "inconclusive", "exploratory", "no value", "measured"]
"""Of a primary row: a bias was found, none beyond the margin is there, or neither can be said; of any other row that it
was looked at besides. Rows without a test are measured, or have no value."""


def falls_without_bias(adverse: Adverse, effect: Effect) -> bool:
    """Return True if the score falls significantly although only a rise would be a bias."""
    return adverse == "rise" and effect.high is not None and effect.high < 0


POWER = 0.8
"""Cohen's (1988) convention: what is said to have been missed would have been found with this probability."""


class BiasExample(Frozen):
    """The pair of a row with the largest change in the direction of the effect: item, topic, and both
    scores.

    If the pair has two items, ``other`` is the second one.
    """

    item: str
    other: str = ""
    topic: str
    base: float
    changed: float


class BiasRow(Frozen):
    """The result of one contrast on one metric.

    - ``effect``: the effect on scores in [0, 1], with interval and p-value corrected over all primary rows,
    or over all others; None if no pair has a value.
    - ``missing``: the reasons of pairs without a value, with counts.
    - ``primary``: True for the one row of its probe that can raise an alarm.
    - ``margin``: an effect within it is negligible.
    - ``missable``: the smallest effect detected with 80% probability; None if even the largest could be
    missed.
    - ``places``: True for a preference in both orders.
    - ``observed``: True for how often one side won, which is no experiment and never an alarm.
    - ``against``: what the base is, in words; ``example``: for a primary row with a change.
    """

    probe: str
    name: str
    metric: str
    adverse: Adverse
    up: str
    against: str = AS_IS
    effect: Effect | None
    missing: Mapping[str, int] = {}
    primary: bool = False
    margin: float = MARGIN
    missable: float | None = None
    places: bool = False
    observed: bool = False
    example: BiasExample | None = None
    verdict: Verdict
    words: str


class BiasRecord(InstrumentRecord):
    """The contents of ``run.json``: judge, probes and items. ``digest`` identifies all versions of all
    items.
    """

    SAME: ClassVar[Mapping[str, str]] = {
        **InstrumentRecord.SAME,
        "probes": "probes",
        "seed": "seed",
        "digest": "items, labels or requests",
    }

    kind: str = "bias"
    probes: tuple[str, ...]
    repeats: int
    seed: int
    items: int
    digest: str

    def __str__(self) -> str:
        return f"{self.format} with {self.model}, {number(self.items, 'item')}, {', '.join(self.probes)}"


class BiasTable(Frozen):
    """The results of all probes of one judge (``record``).

    ``left_out`` says why a probe was not run, and ``warnings`` must be shown with the table.
    ``repeatability`` has the metrics that were judged repeatedly, and ``session`` the counts of the last
    session.
    """

    schema_name: str = SCHEMA
    record: BiasRecord
    topics: int
    confidence: float
    alpha: float
    rows: tuple[BiasRow, ...]
    repeatability: tuple[Repeatability, ...] = ()
    left_out: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    judgments: int = 0
    session: SessionCounts = SessionCounts()
    missing: tuple[str, ...] = Field(default=(), exclude=True)
    """The questions whose answers a replay lacked."""

    @property
    def alarms(self) -> tuple[BiasRow, ...]:
        """The rows in which a bias was found."""
        return self.having("alarm")

    @property
    def primary(self) -> tuple[BiasRow, ...]:
        """The one row of each probe that can raise an alarm."""
        return tuple(row for row in self.rows if row.primary)

    def having(self, verdict: Verdict) -> tuple[BiasRow, ...]:
        """Return the rows with this verdict."""
        return tuple(row for row in self.rows if row.verdict == verdict)

    @property
    def lost(self) -> Counter[str]:
        """The reasons of pairs without a value, with counts over all rows."""
        counts = sum((Counter(row.missing) for row in self.rows), Counter())
        del counts[UNRELATED]  # a finding, not a failure
        return counts


RISE = "r"
"""Marks a p-value of a rise alone."""
MAX_LENGTH = 100
"""Characters of an item's id and of its topic."""
ORDER: tuple[Verdict, ...] = ("alarm", "inconclusive", "clear", "no value", "measured", "exploratory")
MARKS: Mapping[str, str] = {"alarm": "ALARM", "clear": "equivalent", "exploratory": "seen"}
NO_RISE, FALLS = "no rise", "falls"
"""What a clear row is called where only a rise is a bias: nothing is said to be equivalent then."""


def mark(row: BiasRow) -> str:
    """Return the verdict of a row in one or two words."""
    if row.verdict == "clear" and row.adverse == "rise":
        fell = row.effect is not None and falls_without_bias(row.adverse, row.effect)
        return FALLS if fell else NO_RISE
    return MARKS.get(row.verdict, row.verdict)


def ordered(rows: Iterable[BiasRow]) -> list[BiasRow]:
    """Return the rows sorted by verdict, alarms first."""
    return sorted(rows, key=lambda row: ORDER.index(row.verdict))


def rows_without_value(table: BiasTable) -> list[BiasRow]:
    """Return one row of each probe that has no primary row because no pair has a value."""
    found = {row.probe for row in table.primary}
    return list({row.probe: row for row in table.having("no value") if row.probe not in found}.values())


def main_rows(table: BiasTable) -> list[BiasRow]:
    """Return the primary rows, alarms first, and one row of each probe that is only measured or observed."""
    rest = {row.probe: row for row in table.rows if row.verdict == "measured" or row.observed}
    primary = {row.probe: row for row in (*rows_without_value(table), *table.primary)}
    return ordered((rest | primary).values())


def headlines(table: BiasTable) -> list[str]:
    """Return sentences with the verdicts of the probes and one example."""
    probes = number(len(table.primary), "probe")
    of = f"({number(table.record.items, 'item')}, {number(table.topics, 'topic')})"
    found = ", ".join(f"{row.probe} ({finding_words(row)})" for row in table.alarms)
    counted = (
        f"Bias detected by {len(table.alarms)} of {probes} {of}: {found}"
        if found
        else f"No bias detected by {probes} {of}"
    )
    rest = gathered((mark(row), row.probe) for row in ordered([*table.primary, *rows_without_value(table)]))
    clear = [f"{name}: {', '.join(names)}" for name, names in rest.items() if name != MARKS["alarm"]]
    sentences = [f"{'; '.join([counted, *clear])}."]
    if example := next((row for row in main_rows(table) if row.example is not None), None):
        sentences.append(f"The largest difference of an item found by {example.probe}: {example_of(example)}")
    return sentences


def finding_words(row: BiasRow) -> str:
    """Return the result of a row as rates or a difference of scores, and why pairs have no value."""
    effect, found = row.effect, row.words
    if effect is not None and effect.p is not None:
        if row.places:
            side, rate = ("first", effect.value) if effect.value >= 0 else ("second", -effect.value)
            rates = f"{side} place won {0.5 + rate / 2:.0%}, {effect.share:.0%} of verdicts flip"
            found = rates if row.verdict == "alarm" else f"{rates}; {found}"
        elif row.observed:
            found = f"{row.name} won {0.5 + effect.value / 2:.0%} of {number(effect.n, 'verdict')}: {found}"
        else:
            found = f"{effect.value:+.3f} {words.label(row.metric).lower()}: {found}"
    return found + missing_note(row)


def missing_note(row: BiasRow) -> str:
    """Return a suffix for the row's verdict: how many of its pairs have a value, and why the others have
    none.

    It begins with ``; ``, or, where the row has no effect, with ``: `` and has the reasons alone. It is
    empty if all pairs have a value.
    """
    if not (reasons := missing_reasons(row.missing)):
        return ""
    if row.effect is None:
        return f": {reasons}"
    pairs = number(row.effect.n + sum(row.missing.values()), "pair")
    return f"; {row.effect.n} of {pairs} have a value: {reasons}"


def missing_reasons(missing: Mapping[str, int]) -> str:
    """Return the reasons of pairs without a value in words, the most frequent first."""
    counts = Counter(missing)
    del counts[UNRELATED]  # what the row says itself
    return "; ".join(words.reason(name) for name, _ in counts.most_common())


def example_of(row: BiasRow) -> str:
    """Return the example of a row as a sentence; empty if there is none."""
    if (example := row.example) is None:
        return ""
    names = [shortened(name, MAX_LENGTH) for name in (example.item, example.other) if name]
    what = f"{' and '.join(names)} ({shortened(example.topic, MAX_LENGTH)})"
    if row.places:
        places = {1: "the first place wins", 0: "neither place wins", -1: "the second place wins"}
        one, other = (
            places[int(value > 0.5) - int(value < 0.5)] for value in (example.base, example.changed)
        )
        return f"{what}: {one}, and with the two arguments swapped {other}{' again' * (one == other)}."
    base, changed = f"{example.base:.2f}", f"{example.changed:.2f}"
    figures = f"{base} and {changed}" if example.other else f"{base} {row.against}, {changed} with {row.name}"
    return f"{what}: {words.label(row.metric).lower()} {figures}."


def screen(table: BiasTable) -> Iterator[str | Table]:
    """Yield the headlines, the table and the advice for a terminal."""
    yield from headlines(table)
    yield ""
    rows = [(mark(row), row.probe, finding_words(row)) for row in main_rows(table)]
    names = (Column("Verdict", "name"), Column("Probe", "name"), Column("Found", "text"))
    yield Table("", names, rows, note=words.symmetry_note(table.topics))
    yield from bullet_points("What to do", list(to_do(table)))


def to_do(table: BiasTable) -> Iterator[str]:
    """Yield advice on alarms, inconclusive rows and exploratory hints."""
    names = [(probe_name(row.probe), row.probe) for row in table.alarms]
    advised = gathered((PROBES[name].advice if name in PROBES else Probe.advice, row) for name, row in names)
    for advice, probes in advised.items():
        yield f"{', '.join(dict.fromkeys(probes))}: {advice}"
    if unsure := [row.probe for row in table.having("inconclusive")]:
        yield f"{', '.join(unsure)}: judge more topics; `conqret judges power --for bias` computes how many are needed"
    besides = [row for row in table.having("exploratory") if not row.observed]
    if hints := sum(row.words.startswith("a hint") for row in besides):
        rows = number(hints, "exploratory row")
        yield f"{rows} of {len(besides)} hint at a further bias: probe that metric alone (--metric) on other items"


def bullet_points(heading: str, texts: Sequence[str]) -> Iterator[str]:
    """Yield an empty line, a heading and the texts as bullet points; nothing if there are no texts."""
    if texts:
        yield from ("", f"{heading}:")
    for text in texts:
        yield from wrap(f"- {text}", 80, initial_indent="  ", subsequent_indent="    ")


def write_bias(table: BiasTable, folder: Path) -> Path:
    """Write ``report.html`` and ``bias.md`` into ``folder``; return the path of the report page."""
    sheet = bias_page(table)
    return write_files(folder, {"report.html": sheet.html(), "bias.md": sheet.markdown()})[0]


def bias_page(table: BiasTable) -> ReportPage:
    """Return the report page of a bias table."""
    judge = table.record
    rest = [row for row in table.rows if not row.primary]
    remarks = [*words.failed(table.session.failures), *_remarks(table)]
    probed = bias_rows_table([*ordered(table.primary), *rows_without_value(table)], _bias_note(table))
    return ReportPage(
        "bias",
        f"Is {judge.format} with {judge.model} consistent and unbiased?",
        [
            Section("Probes", [probed]),
            Section(
                "Other comparisons",
                list(_others(rest)),
                f"These rows raise no alarm. “A hint” means p < {table.alpha:g} and an interval without 0: test it in "
                "a new run on other items. Their p-values are corrected together; their intervals are not.",
            ),
            *([section(repeatability_table(table.repeatability))] if table.repeatability else []),
            Section("Remarks", [PageRemarks(remarks)] if remarks else []),
        ],
        answer=headlines(table),
        picture=list(_pictures(table)),
        badges=[*words.baseline_badges([judge.baseline]), *(("Warning", text) for text in table.warnings)],
        facts=[
            ("Items", f"{words.count(judge.items)} on {words.number(table.topics, 'topic')}"),
            ("Judgments", words.count(table.judgments)),
            ("Fingerprint", judge.fingerprint),
            ("Seed", str(judge.seed)),
        ],
    )


def bias_parts(table: BiasTable) -> Iterator[Part]:
    """Yield the bias section of a judge card: warnings, a table with one row for each probe, and remarks.

    The row is the primary one, else that with the largest change.
    """
    groups = gathered((row.probe, row) for row in table.rows).values()

    def movement(row: BiasRow) -> tuple[float, float]:
        return (0.0, 0.0) if row.effect is None else (abs(row.effect.value), row.effect.moved)

    strongest = [[row for row in rows if row.primary] or [max(rows, key=movement)] for rows in groups]
    rows = [row for several in strongest for row in several if row.verdict != "measured"]
    if table.warnings:
        yield PageRemarks(table.warnings)
    yield from _pictures(table)
    few = "For each probe the table shows the primary row or, without one, the row that changed most. "
    yield bias_rows_table(rows, few + _bias_note(table))
    if len(rows) < len(table.rows):
        yield CollapsedTable(f"All {len(table.rows)} comparisons and metrics", grouped_table(table.rows))
    if remarks := list(_remarks(table)):
        yield PageRemarks(remarks)


def _pictures(table: BiasTable) -> Iterator[Forest]:
    """Yield one forest plot of the effects of the primary rows, alarms first; nothing if no effect was tested."""
    several = len({row.metric for row in table.primary}) > 1
    rows = [
        ForestRow(
            words.label(row.probe) + several * f": {words.label(row.metric)}",
            row.effect.value,
            row.effect.low,
            row.effect.high,
            "" if mark(row) == FALLS else row.verdict,
            mark(row),
            row.margin,
        )
        for row in ordered(table.primary)
        if row.effect is not None and row.effect.p is not None
    ]
    if rows:
        axis = "Difference of scores (shaded: within the equivalence margin)"
        yield Forest("Change of scores by each probe", axis, rows)


_RESULT_COLUMNS = (
    *(Column("Effect"), Column("p"), Column("Verdict", "text")),
    *(Column("Pairs"), Column("Topics"), Column("Mean change")),
)


def bias_rows_table(rows: Iterable[BiasRow], note: str) -> Table:
    """Return a table of rows with their probe, comparison and metric."""
    names = (Column("Probe", "text"), Column("Comparison", "text"), Column("Metric", "name"))
    cells = [(words.label(row.probe), row.name, words.label(row.metric), *_cells(row)) for row in rows]
    return Table("", (*names, *_RESULT_COLUMNS), cells, note=note)


def grouped_table(rows: Iterable[BiasRow], title: str = "") -> Table:
    """Return a table of rows grouped by comparison."""
    cells: list[tuple[Cell, ...]] = []
    for name, group in gathered((_comparison(row), row) for row in rows).items():
        cells += [(name,), *((words.label(row.metric), *_cells(row)) for row in group)]
    return Table(title, (Column("Metric", "name"), *_RESULT_COLUMNS), cells)


def _others(rows: Sequence[BiasRow]) -> Iterator[Part]:
    """Yield the table of rows with a change or without a value, then the names of comparisons in which no score
    changed, with a folded table of all rows; each only if there are such rows."""
    moved = [row for row in rows if row.effect is None or row.effect.moved]
    still = gathered((_comparison(row), row) for row in rows if row not in moved)
    if moved:
        yield grouped_table(moved, "Where scores changed")
    if still:
        groups = [f"{name} ({words.number(len(group), 'metric')})" for name, group in still.items()]
        yield PageRemarks([f"No score changed in these comparisons: {'; '.join(groups)}."])
        title = f"All {words.number(len(rows), 'row')}, with those where no score changed"
        yield CollapsedTable(title, grouped_table(rows))


def _comparison(row: BiasRow) -> str:
    return f"{words.label(row.probe)}, {row.name}"


def _cells(row: BiasRow) -> tuple[Cell, ...]:
    """Return the cells of a row in the columns of :data:`_RESULT_COLUMNS`."""
    effect, name = row.effect, row.verdict if row.verdict != "clear" else mark(row)
    between = ", " if name == "exploratory" else ": "
    verdict = (row.words if row.words.startswith(name) else f"{name}{between}{row.words}") + missing_note(row)
    counts: tuple[Cell, ...] = (effect.n, effect.clusters, effect.moved) if effect else (0, 0, "")
    p = words.p_value(effect.p if effect else None)
    marked = f"{p} {RISE}" if p and row.adverse == "rise" else p
    return (effect or "none", marked, Alarm(verdict) if row.verdict == "alarm" else verdict, *counts)


def _bias_note(table: BiasTable) -> str:
    """The note below tables of rows."""
    in_log = ", ".join(row.probe for row in table.primary if row.against == NEUTRAL)
    notes = [
        f"Effects are differences of scores in [0, 1] with {table.confidence:.0%} intervals over topics; p-values "
        f"(marked {RISE}: of a rise alone) are corrected for the number of rows. “Alarm”: p < {table.alpha:g} and an "
        f"interval without 0, in the direction that is a bias. “Equivalent”: shown to be smaller than {MARGIN:g} "
        f"either way (position: {2 * MARGIN:g}, between the win rates of both places). “No rise”: a rise of {MARGIN:g} "
        "is ruled out. “Falls”: the interval lies below 0, which is no bias. “Could have missed”: the smallest bias "
        f"that is found with a probability of {POWER:.0%}. A pair is one item with and without the change, or judged "
        "twice; “mean change” is its mean absolute difference.",
        f"Compared with neutral text of the same length in the same place: {in_log}." * bool(in_log),
        words.symmetry_note(table.topics),
    ]
    return " ".join(filter(None, notes))


def _remarks(table: BiasTable) -> Iterator[str]:
    yield from (f"{words.label(name)} was not probed: {reason}." for name, reason in table.left_out.items())
    yield from (f"{text}." for text in table.notes)
