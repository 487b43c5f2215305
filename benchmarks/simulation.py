"""How often intervals hold the truth, and how often verdicts err: the tables of docs/results/statistics.md.

    nice python benchmarks/simulation.py --kept simulated.jsonl --page docs/results/statistics.md

Samples of known truth (``simulated_intervals.py``, ``simulated_commands.py`` and ``simulated_verdicts.py``)
are drawn with seeds from 0 up, for 8, 20 and 50 topics, balanced and not; tournaments
(``simulated_tournaments.py``, of nine topics) a tenth as often. A verdict that errs more often than it may by more than
two standard errors is drawn five times as often, and five times that where it still does: with some hundred of them a
few do by chance. What is done stands in ``--kept``, a line for each hundred, and the same command goes on where it
stopped. ``--only`` names the beginnings of cells. The tables replace those on the page, or are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

os.environ.setdefault(
    "OMP_NUM_THREADS", "1"
)  # the matrices are small: further threads only wait for each other
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from simulated_commands import (
    COMMANDED,
    COMPONENTS,
    META,
    PILOT,
    STABLE,
    commanded,
    planned,
    ranked_systems,
    sources,
    stable,
    true_values,
)
from simulated_intervals import (
    INTERVALS,
    RANKINGS,
    ranked_once,
    simulated,
    truths,
)
from simulated_tournaments import COMPARISONS, TOURNAMENTS, held
from simulated_tournaments import TOPICS as TOURNAMENT_TOPICS
from simulated_verdicts import CASES, SKEWED_CASES, Case, happened

TOPICS = (8, 20, 50)
HEADS = [f"{topics}{'' if balanced else ' u'}" for topics in TOPICS for balanced in (True, False)]
"""The columns of the tables; u: topics of unequal sizes."""
MORE = {"bias alarm, 100 rows: one row moves by 0.1: alarm in that row": (6, 8, 12, 20, 50)}
"""Cases that are shown by more numbers of topics, balanced."""
PLANS = "plans"
CHUNK = 100
UNDRAWN = "–"
AGAIN = 5
"""How many times as often what is in doubt is drawn."""
WANTED = 0.93
TABLES = "## Tables\n"
"""The heading under which the tables stand on the page."""
KINDS = {
    "even": "five labels that occur about equally often",
    "skewed": "five labels, the upper ones rare",
}
SMALLER = {
    "rankings": RANKINGS,
    "commands": COMMANDED,
    "stability": STABLE,
    "rankings of systems": META,
    "variance components": COMPONENTS,
}
"""Further tables of intervals, and what stands in them."""
ONCE = {
    "rankings": ranked_once,
    "commands": commanded,
    "stability": stable,
    "rankings of systems": ranked_systems,
    "variance components": sources,
}
"""What makes one sample of each."""

SKEWED = {f"skewed: {case.name}": case for case in SKEWED_CASES}
"""The verdicts where the effects of topics are skewed, by what they are kept under."""

Cell = tuple[str, int, bool, int]
"""What is simulated, topics, whether balanced, and the first seed."""


def cells(simulations: int, names: Iterable[str]) -> Iterator[Cell]:
    """The chunks of these cells, the first ones of every cell first."""
    kinds = list(names)
    for begin in range(0, simulations, CHUNK):
        for topics in TOPICS:
            for balanced in (True, False):
                yield from ((kind, topics, balanced, begin) for kind in kinds)


def wanted_cells(simulations: int, only: Sequence[str]) -> list[Cell]:
    """The chunks of the cells whose names begin so (none: all)."""
    usual = (*KINDS, *SMALLER, *(case.name for case in CASES), *SKEWED)
    every = [
        *cells(simulations, usual), *more_cells(simulations), *plans(simulations), *tournaments(simulations),
    ]  # fmt: skip
    return [cell for cell in every if not only or cell[0].startswith(tuple(only))]


def more_cells(simulations: int) -> Iterator[Cell]:
    """The chunks of :data:`MORE` that are not among the others."""
    for begin in range(0, simulations, CHUNK):
        yield from (
            (name, size, True, begin) for name, sizes in MORE.items() for size in sizes if size not in TOPICS
        )


def plans(simulations: int) -> Iterator[Cell]:
    """The chunks of what is planned, balanced."""
    for begin in range(0, simulations, CHUNK):
        yield from ((PLANS, topics, True, begin) for topics in TOPICS)


def tournaments(simulations: int) -> Iterator[Cell]:
    """The chunks of tournaments: a tenth as many of each, but 200."""
    for begin in range(0, min(simulations, max(simulations // 10, 200)), CHUNK):
        yield from ((name, TOURNAMENT_TOPICS, True, begin) for name in TOURNAMENTS)


def doubtful(done: dict[Cell, dict[str, list[Any]]], simulations: int) -> Iterator[Cell]:
    """Further chunks of the verdicts that err too often in so many simulations."""
    for case in CASES:
        for topics in TOPICS:
            for balanced in (True, False):
                if errs(case, together(done, case.name, topics, balanced).get(case.name, [])):
                    yield from (
                        (case.name, topics, balanced, begin)
                        for begin in range(simulations, AGAIN * simulations, CHUNK)
                    )


def errs(case: Case, drawn: list[Any]) -> bool:
    """Whether a verdict errs more often than it may, by more than two standard errors."""
    return (
        case.errs is not None
        and len(drawn) > 0
        and below(1 - float(np.mean(drawn)), 1 - case.errs, len(drawn))
    )


def chunk(cell: Cell, samples: int = CHUNK) -> dict[str, list[Any]]:
    """By name, what came of each of so many samples of a chunk."""
    kind, topics, balanced, begin = cell
    found: dict[str, list[Any]] = {}
    for seed in range(begin, begin + samples):
        drawn: dict[str, Any]
        if kind in KINDS:
            drawn = dict(simulated(kind, topics, balanced, seed))
        elif kind == PLANS:
            drawn = planned(topics, seed)
        elif kind in TOURNAMENTS:
            drawn = held(kind, seed)
        elif kind in ONCE:
            drawn = dict(ONCE[kind](topics, balanced, seed))
        elif kind in SKEWED:
            drawn = {kind: happened(SKEWED[kind].name, topics, balanced, seed, SKEWED_CASES)}
        else:
            drawn = {kind: happened(kind, topics, balanced, seed)}
        for name, one in drawn.items():
            found.setdefault(name, []).append(one)
    return found


def kept_chunks(
    path: Path, wanted: Iterable[Cell], processes: int, samples: int
) -> dict[Cell, dict[str, list[Any]]]:
    """What is done, and what is done now in so many processes; each chunk is kept as it comes."""
    done: dict[Cell, dict[str, list[Any]]] = {}
    if path.exists():
        for line in path.read_text("utf-8").splitlines():
            cell, found = json.loads(line)
            done[tuple(cell)] = found
    cells = list(wanted)
    left = [cell for cell in cells if cell not in done]
    with path.open("a", encoding="utf-8") as target, ProcessPoolExecutor(processes) as pool:
        begun = {pool.submit(chunk, cell, samples): cell for cell in left}
        for number, finished in enumerate(as_completed(begun), start=1):
            cell = begun[finished]
            done[cell] = finished.result()
            target.write(json.dumps([cell, done[cell]]) + "\n")
            target.flush()
            print(f"{number} of {len(left)}: {cell}", file=sys.stderr)
    return {cell: done[cell] for cell in cells}


def together(
    done: dict[Cell, dict[str, list[Any]]], kind: str, topics: int, balanced: bool
) -> dict[str, list[Any]]:
    """All samples of a cell by name."""
    found: dict[str, list[Any]] = {}
    for (one, size, even, _), names in done.items():
        if (one, size, even) == (kind, topics, balanced):
            for name, drawn in names.items():
                found.setdefault(name, []).extend(drawn)
    return found


def row_of_intervals(drawn: list[Any], truth: float | None) -> tuple[float, float, float, int]:
    """Coverage, median width, share without an interval, and the number of samples."""
    if not drawn:
        return float("nan"), float("nan"), 0.0, 0
    known = [one for one in drawn if one is not None and one[1] is not None]
    if truth is None:
        truth = float(np.mean([one[0] for one in known])) if known else 0.0
    covered = [low <= truth <= high for _, low, high in known]
    width = float(np.median([high - low for _, low, high in known])) if known else float("nan")
    return (
        float(np.mean(covered)) if known else float("nan"),
        width,
        1 - len(known) / len(drawn),
        len(drawn),
    )


def below(share: float, wanted: float, n: float) -> bool:
    """Whether it lies more than two standard errors below what is wanted."""
    return bool(share < wanted - 2 * (wanted * (1 - wanted) / max(n, 1)) ** 0.5)


def interval_table(
    done: dict[Cell, dict[str, list[Any]]],
    kind: str,
    names: Iterable[str],
    truth: Mapping[str, float],
    simulations: int,
) -> Iterator[str]:
    """A row for each interval: coverage / width / none for each number of topics."""
    yield f"| interval | truth | {' | '.join(HEADS)} |"
    yield f"| --- | ---: |{' ---: |' * len(HEADS)}"
    for name in names:
        marks = []
        for topics in TOPICS:
            for balanced in (True, False):
                drawn = together(done, kind, topics, balanced).get(name, [])
                share, width, none, n = row_of_intervals(drawn, truth.get(name.split("/")[0]))
                if none == 1 or not n:
                    marks.append("none" if n else UNDRAWN)
                    continue
                mark = "**" if below(share, WANTED, n * (1 - none)) else ""
                absent = f" ({none:.0%})" if none >= 0.005 else ""
                fewer = f", n = {n}" if n != simulations else ""
                marks.append(f"{mark}{share:.3f}{mark} / {width:.2f}{absent}{fewer}")
        known = f"{truth[name]:.3f}" if name in truth else ""
        yield f"| {name} | {known} | {' | '.join(marks)} |"


def plan_table(done: dict[Cell, dict[str, list[Any]]]) -> Iterator[str]:
    """What was planned from pilots (the median, and between which 90% lie) beside what studies then found (the median
    of half-widths, the share of findings)."""
    yield f"| from a pilot of {PILOT} topics | {' | '.join(f'{topics} topics' for topics in TOPICS)} |"
    yield f"| --- |{' ---: |' * len(TOPICS)}"
    for name in together(done, PLANS, TOPICS[0], True):
        marks = []
        for topics in TOPICS:
            values = [one for one in together(done, PLANS, topics, True)[name] if one is not None]
            middle = np.mean(values) if name == "power, seen" else np.median(values)
            low, high = np.quantile(values, (0.05, 0.95))
            marks.append(
                f"{middle:.2f}" + (f" ({low:.2f} to {high:.2f})" if name.endswith("planned") else "")
            )
        yield f"| {name} | {' | '.join(marks)} |"


def tournament_table(done: dict[Cell, dict[str, list[Any]]]) -> Iterator[str]:
    """A row for each kind of tournament: coverage of the intervals of items, systems and position, and the reliability
    as printed and as it is, with the standard error of their difference."""
    yield (
        f"{TOURNAMENT_TOPICS} topics, {COMPARISONS:g} comparisons an item. Coverage is bold where it lies more than "
        "two standard errors (between tournaments) below 93%; reliability where it is off by more than .03 and two "
        "standard errors.\n"
    )
    covered = "items covered | systems | position"
    yield f"| items | spread | position | pairs | {covered} | reliability as printed | true | n |"
    yield "| ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for name, case in TOURNAMENTS.items():
        drawn = together(done, name, TOURNAMENT_TOPICS, True)
        named = f"| {case.items} | {case.spread:g} | {case.position:g} | {case.design} |"
        if not drawn:
            yield named + f" {UNDRAWN} |" * 6
            continue
        values = {key: np.array(each, dtype=float) for key, each in drawn.items()}
        n = len(values["items"])
        marks = []
        for key in ("items", "systems", "position"):
            share, error = float(values[key].mean()), float(values[key].std()) / n**0.5
            marks.append(f"**{share:.3f}**" if share < WANTED - 2 * error else f"{share:.3f}")
        away = values["printed"] - values["true"]
        off = abs(float(away.mean())) > max(0.03, 2 * float(away.std()) / n**0.5)
        printed = f"{values['printed'].mean():.3f}"
        yield (
            f"{named} {' | '.join(marks)} "
            f"| {f'**{printed}**' if off else printed} | {values['true'].mean():.3f} | {n} |"
        )


def verdict_table(
    done: dict[Cell, dict[str, list[Any]]], simulations: int, cases: Mapping[str, Case]
) -> Iterator[str]:
    """A row for each case: how often what is counted happened, and in how many simulations if in more than others;
    ``cases`` come by the name of their cell."""
    yield f"| verdict | truth | counted | at most | {' | '.join(HEADS)} |"
    yield f"| --- | --- | --- | ---: |{' ---: |' * len(HEADS)}"
    for cell, case in cases.items():
        shares = []
        for topics in TOPICS:
            for balanced in (True, False):
                drawn = together(done, cell, topics, balanced).get(cell, [])
                if not drawn:
                    shares.append(UNDRAWN)
                    continue
                share = float(np.mean(drawn))
                often = f" ({len(drawn)})" if len(drawn) != simulations else ""
                shares.append((f"**{share:.3f}**" if errs(case, drawn) else f"{share:.3f}") + often)
        most = "" if case.errs is None else f"{case.errs:.2f}"
        yield f"| {case.verdict} | {case.truth} | {case.counted} | {most} | {' | '.join(shares)} |"


def page(done: dict[Cell, dict[str, list[Any]]], simulations: int) -> Iterator[str]:
    """The tables as Markdown."""
    kinds = {cell[0] for cell in done}
    yield f"{simulations} simulations a cell.\n"
    for kind, words in KINDS.items():
        if kind in kinds:
            truth = truths(kind) | true_values()
            yield f"### {words.capitalize()}\n"
            yield from interval_table(done, kind, INTERVALS, truth, simulations)
            yield ""
            if kind == "even":
                for smaller, those in SMALLER.items():
                    yield f"### {smaller.capitalize()}\n"
                    yield from interval_table(done, smaller, those, truth, simulations)
                    yield ""
    if all(together(done, PLANS, topics, True) for topics in TOPICS):
        yield "### Plans\n"
        yield from plan_table(done)
        yield ""
    if kinds & set(TOURNAMENTS):
        yield "### Tournaments\n"
        yield from tournament_table(done)
        yield ""
    if kinds & {case.name for case in CASES}:
        yield "### Verdicts\n"
        yield from verdict_table(done, simulations, {case.name: case for case in CASES})
        yield ""
        for name, sizes in MORE.items():
            drawn = [together(done, name, size, True).get(name) for size in sizes]
            if None not in drawn:
                yield f"### By the number of topics: {name}\n"
                yield f"| topics | {' | '.join(map(str, sizes))} |\n| --- |{' ---: |' * len(sizes)}"
                yield f"| power | {' | '.join(f'{np.mean(each):.2f}' for each in drawn)} |"
                yield ""
    if kinds & set(SKEWED):
        yield "### Verdicts where topics' effects are exponential and noise is heavy-tailed\n"
        yield from verdict_table(done, simulations, SKEWED)
        yield ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--simulations", type=int, default=2000, help="fewer than 100: to try it, kept elsewhere"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--kept", type=Path, default=Path("simulated.jsonl"))
    parser.add_argument("--page", type=Path)
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="cells whose names begin so")
    args = parser.parse_args()

    def drawn(wanted: Iterable[Cell]) -> dict[Cell, dict[str, list[Any]]]:
        return kept_chunks(args.kept, wanted, args.processes, min(CHUNK, args.simulations))

    done = drawn(wanted_cells(args.simulations, args.only))
    for count in (args.simulations, AGAIN * args.simulations):
        done |= drawn(doubtful(done, count))
    tables = "\n".join(page(done, args.simulations))
    if args.page is None:
        print(tables)
    else:
        before = args.page.read_text("utf-8").partition(TABLES)[0]
        args.page.write_text(f"{before}{TABLES}\n{tables.rstrip()}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
