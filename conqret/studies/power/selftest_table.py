"""What a bias run would find, miss and falsely raise, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from conqret.show import words
from conqret.show.table import Column, Table
from conqret.studies.bias.result import POWER
from conqret.studies.bias.screen import WIDTH
from conqret.studies.power.planted_bias import VERDICT_TOPIC
from conqret.studies.power.selftest import SelfTest

UNDER_SKEW = (
    "Also under skew: alarms that `conqret bias` says to hold, too, if the effects of topics are as skewed as an "
    "exponential distribution. The simulated judges' effects are not skewed, so expect more false alarms than these "
    "of a judge that errs on few topics, but of the alarms also under skew not more than 5%."
)


def selftest_screen(selftest_result: SelfTest) -> Iterator[str | Table]:
    """What was planted, a row for each probe, and what follows."""
    yield from wrap(
        f"{words.number(selftest_result.items, 'item')}, {words.number(selftest_result.topics, 'topic')}. A "
        f"bias of {selftest_result.size:g} was "
        f"planted for one probe after another, in {selftest_result.simulations} simulated judges each: scores move by "
        f"{selftest_result.size:g}, a place wins {0.5 + selftest_result.size:.0%}"
        + (
            f", in the mean over topics, which differ by {selftest_result.vary:.0%} of that."
            if selftest_result.vary
            else "."
        ),
        WIDTH,
    )
    yield ""
    columns = (
        Column("probe", "name"),
        Column("metric", "name"),
        "found",
        "found also under skew",
        "missed",
        "called clear",
        "false alarms",
        "false alarms also under skew",
    )
    rows = [
        (
            row.probe,
            words.label(row.metric),
            *map(
                _share,
                (
                    row.found,
                    row.found_if_skewed,
                    1 - row.found,
                    row.cleared,
                    row.raised,
                    row.raised_if_skewed,
                ),
            ),
        )
        for row in selftest_result.rows
    ]
    yield Table(
        "",
        columns,
        rows,
        note=f"False alarms are of judges without any bias. {UNDER_SKEW} {_note(selftest_result.simulations)}",
    )  # fmt: skip
    for text in _advice(selftest_result):
        yield ""
        yield from wrap(text, WIDTH)


def _advice(selftest_result: SelfTest) -> Iterator[str]:
    many = "more than 5%" if selftest_result.raised > selftest_result.allowed else "not more than 5%"
    yield (
        f"Of the judges without any bias {selftest_result.raised:.0%} raised an alarm: {many} by a binomial "
        "test, which "
        f"{selftest_result.allowed:.0%} would still pass. {selftest_result.raised_if_skewed:.0%} raised one that "
        "holds also under skew."
    )
    if few := [row.probe for row in selftest_result.rows if row.found < POWER]:
        yield (
            f"Found in less than {POWER:.0%}: {', '.join(few)}. More topics tell: "
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
        "topics",
        "items a topic",
        *(row.probe for row in first.rows),
        "any alarm at nothing",
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
