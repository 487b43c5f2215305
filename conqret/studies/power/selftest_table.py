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


def selftest_screen(found: SelfTest) -> Iterator[str | Table]:
    """What was planted, a row for each probe, and what follows."""
    yield from wrap(
        f"{words.number(found.items, 'item')}, {words.number(found.topics, 'topic')}. A bias of {found.size:g} was "
        f"planted for one probe after another, in {found.simulations} simulated judges each: scores move by "
        f"{found.size:g}, a place wins {0.5 + found.size:.0%}.",
        WIDTH,
    )
    yield ""
    columns = (
        Column("probe", "name"),
        Column("metric", "name"),
        "found",
        "missed",
        "called clear",
        "false alarms",
    )
    rows = [
        (
            one.probe,
            words.label(one.metric),
            *map(_share, (one.found, 1 - one.found, one.cleared, one.raised)),
        )
        for one in found.rows
    ]
    yield Table(
        "", columns, rows, note=f"False alarms are of judges without any bias. {_note(found.simulations)}"
    )
    for text in _advice(found):
        yield ""
        yield from wrap(text, WIDTH)


def _advice(found: SelfTest) -> Iterator[str]:
    many = "more than 5%" if found.raised > found.allowed else "not more than 5%"
    yield (
        f"Of the judges without any bias {found.raised:.0%} raised an alarm: {many} by a binomial test, which "
        f"{found.allowed:.0%} would still pass."
    )
    if few := [one.probe for one in found.rows if one.found < POWER]:
        yield (
            f"Found in less than {POWER:.0%}: {', '.join(few)}. More topics tell: "
            f"`conqret judges power bias --size {found.size:g}` says how many, for pairs."
        )
    if found.left_out:
        yield f"Not probed: {'; '.join(f'{name} ({reason})' for name, reason in found.left_out.items())}."


def power_table(cells: Mapping[tuple[int, int], SelfTest]) -> Table:
    """How often a bias is found, by probe: a row for each number of topics and of items a topic."""
    first = next(iter(cells.values()))
    rows = [
        (str(topics), str(each), *(_share(one.found) for one in found.rows), _share(found.raised))
        for (topics, each), found in cells.items()
    ]
    columns: Sequence[str] = (
        "topics",
        "items a topic",
        *(one.probe for one in first.rows),
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
