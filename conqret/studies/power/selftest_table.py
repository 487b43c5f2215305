"""What a bias run would find, miss and falsely raise, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from conqret.show import words
from conqret.show.forest import Forest, ForestRow
from conqret.show.report_page import ReportPage, section
from conqret.show.table import Column, Table
from conqret.studies.bias.result import POWER
from conqret.studies.bias.screen import WIDTH
from conqret.studies.power.planted_bias import VERDICT_TOPIC
from conqret.studies.power.selftest import SelfTest


def selftest_answer(selftest_result: SelfTest) -> list[str]:
    """Which probes find the bias in 80% of runs, and which do less often, in sentences."""
    size = f"a bias of {selftest_result.size:g}"
    found, missed = (
        [f"{row.probe} ({row.found:.0%})" for row in selftest_result.rows if (row.found >= POWER) == enough]
        for enough in (True, False)
    )
    if not found:
        return [f"On these items no probe finds {size} in at least {POWER:.0%} of runs: {', '.join(missed)}."]
    less = f" Less often: {', '.join(missed)}." if missed else ""
    return [
        f"On these items, probes that find {size} in at least {POWER:.0%} of runs: {', '.join(found)}.{less}"
    ]


def selftest_sheet(selftest_result: SelfTest, seed: int) -> ReportPage:
    """The page: the share of runs in which each probe finds its bias, and in which it raises a false alarm."""
    rows = [
        ForestRow(
            row.probe,
            row.found,
            others={"False alarms (no bias planted)": row.raised},
        )
        for row in sorted(selftest_result.rows, key=lambda row: -row.found)
    ]
    return ReportPage(
        "power",
        "Which biases would a bias run find on these items?",
        [section(_table(selftest_result), title="Found biases and false alarms")],
        answer=selftest_answer(selftest_result),
        picture=[Forest("Runs that find the bias, by probe", "Share of runs", rows)] if rows else [],
        lede=[_planted(selftest_result), *_advice(selftest_result)],
        facts=[
            ("Simulated judges for each bias", f"{selftest_result.simulations:,}"),
            ("Noise of a score", f"{selftest_result.noise:g}"),
            ("Seed", str(seed)),
        ],
    )


def selftest_screen(selftest_result: SelfTest) -> Iterator[str | Table]:
    """What was planted, a row for each probe, and what follows."""
    yield from wrap(_planted(selftest_result), WIDTH)
    yield ""
    yield _table(selftest_result)
    for text in _advice(selftest_result):
        yield ""
        yield from wrap(text, WIDTH)


def _planted(selftest_result: SelfTest) -> str:
    """What was planted, in a sentence."""
    return (
        f"{words.number(selftest_result.items, 'item')}, {words.number(selftest_result.topics, 'topic')}. A "
        f"bias of {selftest_result.size:g} was "
        f"planted for one probe after another, in {selftest_result.simulations} simulated judges each: scores move by "
        f"{selftest_result.size:g}, a place wins {0.5 + selftest_result.size:.0%}"
        + (
            f", in the mean over topics, which differ by {selftest_result.vary:.0%} of that."
            if selftest_result.vary
            else "."
        )
    )


def _table(selftest_result: SelfTest) -> Table:
    """A row for each probe."""
    columns = (
        Column("Probe", "name"),
        Column("Metric", "name"),
        "Found",
        "Called equivalent",
        "False alarms",
    )
    rows = [
        (
            row.probe,
            words.label(row.metric),
            *map(_share, (row.found, row.cleared, row.raised)),
        )
        for row in selftest_result.rows
    ]
    return Table(
        "",
        columns,
        rows,
        note=f"False alarms are of judges without any bias. {_note(selftest_result.simulations)}",
    )


def _advice(selftest_result: SelfTest) -> Iterator[str]:
    many = "more than 5%" if selftest_result.raised > selftest_result.allowed else "not more than 5%"
    yield (
        f"Of the judges without any bias {selftest_result.raised:.0%} raised an alarm: {many} by a binomial "
        "test, which "
        f"{selftest_result.allowed:.0%} would still pass."
    )
    if any(row.found < POWER for row in selftest_result.rows):
        yield (
            "More topics find more: "
            f"`conqret judges power bias --size {selftest_result.size:g}` says how many, for pairs."
        )
    if selftest_result.left_out:
        yield f"Not probed: {'; '.join(f'{name} ({reason})' for name, reason in selftest_result.left_out.items())}."


def power_table(cells: Mapping[tuple[int, int], SelfTest]) -> Table:
    """How often a bias is found, by probe: a row for each number of topics and of items a topic."""
    first = next(iter(cells.values()))
    rows = [
        (str(topics), str(each), *(_share(row.found) for row in cell.rows), _share(cell.raised))
        for (topics, each), cell in cells.items()
    ]
    columns: Sequence[str] = (
        "Topics",
        "Items a topic",
        *(row.probe for row in first.rows),
        "False alarms",
    )
    title = f"How often a bias of {first.size:g} is found (a place wins {0.5 + first.size:.0%})"
    return Table(title, columns, rows, note=f"{_note(first.simulations)} Below six topics there is no alarm.")


def _share(value: float) -> str:
    return f"{value:.0%}"


def _note(simulations: int) -> str:
    return (
        f"Of {simulations} judges each: a share near one half is known to ±{1.96 * 0.5 / simulations**0.5:.0%}. "
        f"Assumed: what a change does to verdicts differs between topics by {VERDICT_TOPIC:g} (an intraclass "
        "correlation of some .1); where it differs less, more is found."
    )
