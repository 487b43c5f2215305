"""How often intervals hold the truth, and how often verdicts err: the tables of docs/results/statistics.md.

    nice python benchmarks/simulation.py --kept simulated.jsonl --page docs/results/statistics.md

Samples of known truth (``simulated_intervals.py``, ``simulated_commands.py`` and ``simulated_verdicts.py``) are drawn
with seeds from 0 up, for 8, 20 and 50 topics, balanced and not; tournaments (``simulated_tournaments.py``, of nine
topics) a tenth as often. What is done stands in ``--kept``, a line for each hundred samples, and the same command
resumes. ``--only`` names the beginnings of cells. The tables replace those on the page, or are printed.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # matrices are small: further threads only wait for each other
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import simulated_commands as commands
from harness import arguments, put_tables, table
from simulated_intervals import INTERVALS, RANKINGS, ranked_once, simulated, truths
from simulated_tournaments import COMPARISONS, TOURNAMENTS, tournament_sample
from simulated_tournaments import TOPICS as TOURNAMENT_TOPICS
from simulated_verdicts import CASES, SKEWED_CASES, Case

TOPICS = (8, 20, 50)
DESIGNS = [(topics, balanced) for topics in TOPICS for balanced in (True, False)]
HEADS = [f"{topics}{'' if balanced else ' u'}" for topics, balanced in DESIGNS]
"""The columns of the tables; u: topics of unequal sizes."""
CHUNK = 100
WANTED = 0.93
KINDS = {
    "even": "five labels that occur about equally often",
    "skewed": "five labels, the upper ones rare",
}
SMALLER: dict[str, tuple[Iterable[str], Callable[[int, bool, int], Mapping[str, Any]]]] = {
    "rankings": (RANKINGS, ranked_once),
    "commands": (commands.COMMANDED, commands.commanded),
    "stability": (commands.STABLE, commands.stable),
    "rankings of systems": (commands.META, commands.ranked_systems),
    "variance components": (commands.COMPONENTS, commands.sources),
}
"""Further tables of intervals: the names in them, and what makes one sample."""
VERDICTS = {case.name: case for case in CASES}
SKEWED = {f"skewed: {case.name}": case for case in SKEWED_CASES}
"""The verdicts, and those where the effects of topics are skewed, by their cells."""

Cell = tuple[str, int, bool, int]
"""What is simulated, topics, whether balanced, and the first seed."""
Done = dict[Cell, dict[str, list[Any]]]


def sampler(kind: str, topics: int, balanced: bool) -> Callable[[int], Mapping[str, Any]]:
    """Return what makes one sample of a cell from its seed: its outcomes by name."""
    if kind in KINDS:
        return partial(simulated, kind, topics, balanced)
    if kind in SMALLER:
        return partial(SMALLER[kind][1], topics, balanced)
    if kind in TOURNAMENTS:
        return partial(tournament_sample, kind)
    case = (VERDICTS | SKEWED)[kind]
    return lambda seed: {kind: case.happened(topics, balanced, seed)}


def wanted_cells(simulations: int, only: Sequence[str]) -> Iterator[Cell]:
    """Yield the chunks of the cells whose names begin so (none: all), the first chunks of every cell first."""
    for begin in range(0, simulations, CHUNK):
        for kind in (*KINDS, *SMALLER, *VERDICTS, *SKEWED, *TOURNAMENTS):
            if only and not kind.startswith(tuple(only)):
                continue
            if kind in TOURNAMENTS:
                if begin < max(simulations // 10, 200):
                    yield kind, TOURNAMENT_TOPICS, True, begin
                continue
            yield from ((kind, *design, begin) for design in DESIGNS)


def chunk(cell: Cell, samples: int) -> dict[str, list[Any]]:
    """Return the outcomes of so many samples of a chunk by name."""
    *design, begin = cell
    sample = sampler(*design)
    outcomes: dict[str, list[Any]] = {}
    for seed in range(begin, begin + samples):
        for name, outcome in sample(seed).items():
            outcomes.setdefault(name, []).append(outcome)
    return outcomes


def kept_chunks(path: Path, wanted: Iterable[Cell], processes: int, samples: int) -> Done:
    """Simulate the chunks that the file lacks, in so many processes, and append each to it; return all."""
    done: Done = {}
    if path.exists():
        for line in path.read_text("utf-8").splitlines():
            cell, outcomes = json.loads(line)
            done[tuple(cell)] = outcomes
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


def together(done: Done, kind: str, topics: int, balanced: bool) -> dict[str, list[Any]]:
    """Return all samples of a cell by name."""
    outcomes: dict[str, list[Any]] = {}
    for (name, *design, _), chunks in done.items():
        if (name, *design) == (kind, topics, balanced):
            for key, values in chunks.items():
                outcomes.setdefault(key, []).extend(values)
    return outcomes


def below(share: float, wanted: float, n: float) -> bool:
    """Return whether a share lies more than two standard errors below what is wanted."""
    return bool(share < wanted - 2 * (wanted * (1 - wanted) / max(n, 1)) ** 0.5)


def interval_cell(intervals: list[Any], truth: float | None) -> str:
    """Return coverage / median width (share without an interval); coverage in bold where it is too low."""
    known = [one for one in intervals if one is not None and one[1] is not None]
    if not known:
        return "none" if intervals else "–"
    if truth is None:
        truth = float(np.mean([one[0] for one in known]))
    share = float(np.mean([low <= truth <= high for _, low, high in known]))
    width = float(np.median([high - low for _, low, high in known]))
    mark = "**" if below(share, WANTED, len(known)) else ""
    none = 1 - len(known) / len(intervals)
    return f"{mark}{share:.3f}{mark} / {width:.2f}" + (f" ({none:.0%})" if none >= 0.005 else "")


def interval_table(done: Done, kind: str, names: Iterable[str], truth: Mapping[str, float]) -> Iterator[str]:
    """Yield a row for each interval, a column for each design."""
    rows = []
    for name in names:
        cells = [
            interval_cell(together(done, kind, *design).get(name, []), truth.get(name.split("/")[0]))
            for design in DESIGNS
        ]
        rows.append((name, f"{truth[name]:.3f}" if name in truth else "", *cells))
    yield from table(("interval", "truth", *HEADS), rows)


def tournament_table(done: Done) -> Iterator[str]:
    """Yield a row for each kind of tournament: coverage of the intervals, reliability as printed and as it is."""
    yield (
        f"{TOURNAMENT_TOPICS} topics, {COMPARISONS:g} comparisons an item. Coverage is bold where it lies more than "
        "two standard errors (between tournaments) below 93%; reliability where it is off by more than .03 and two "
        "standard errors.\n"
    )
    rows = []
    for name, case in TOURNAMENTS.items():
        samples = together(done, name, TOURNAMENT_TOPICS, True)
        if not samples:
            continue
        values = {key: np.array(each, dtype=float) for key, each in samples.items()}
        n = len(values["items"])
        marks = []
        for key in ("items", "systems", "position"):
            share, error = float(values[key].mean()), float(values[key].std()) / n**0.5
            marks.append(f"**{share:.3f}**" if share < WANTED - 2 * error else f"{share:.3f}")
        away = values["printed"] - values["true"]
        off = abs(float(away.mean())) > max(0.03, 2 * float(away.std()) / n**0.5)
        printed = f"{values['printed'].mean():.3f}"
        design = (str(case.items), f"{case.spread:g}", f"{case.position:g}", case.design)
        reliability = (f"**{printed}**" if off else printed, f"{values['true'].mean():.3f}")
        rows.append((*design, *marks, *reliability, str(n)))
    heads = ("items", "spread", "position", "pairs", "items covered", "systems", "position")
    yield from table((*heads, "reliability as printed", "true", "n"), rows)


def verdict_table(done: Done, cases: Mapping[str, Case]) -> Iterator[str]:
    """Yield a row for each case: how often what is counted happened, in bold where that is too often."""
    rows = []
    for cell, case in cases.items():
        shares = []
        for design in DESIGNS:
            happened = together(done, cell, *design).get(cell, [])
            share = float(np.mean(happened)) if happened else 0.0
            errs = case.errs is not None and below(1 - share, 1 - case.errs, len(happened))
            shares.append((f"**{share:.3f}**" if errs else f"{share:.3f}") if happened else "–")
        allowed = "" if case.errs is None else f"{case.errs:.2f}"
        rows.append((case.verdict, case.truth, case.counted, allowed, *shares))
    yield from table(("verdict", "truth", "counted", "at most", *HEADS), rows)


def page(done: Done, simulations: int) -> Iterator[str]:
    """Yield the tables as Markdown."""
    kinds = {cell[0] for cell in done}
    yield f"{simulations} simulations a cell.\n"
    truth = commands.true_values()
    for kind in KINDS.keys() & kinds:
        yield f"### {KINDS[kind].capitalize()}\n"
        yield from interval_table(done, kind, INTERVALS, truths(kind) | truth)
    for kind in SMALLER.keys() & kinds:
        yield f"### {kind.capitalize()}\n"
        yield from interval_table(done, kind, SMALLER[kind][0], truths("even") | truth)
    if kinds & set(TOURNAMENTS):
        yield "### Tournaments\n"
        yield from tournament_table(done)
    if kinds & set(VERDICTS):
        yield "### Verdicts\n"
        yield from verdict_table(done, VERDICTS)
    if kinds & set(SKEWED):
        yield "### Verdicts where topics' effects are exponential and noise is heavy-tailed\n"
        yield from verdict_table(done, SKEWED)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument(
        "--simulations", type=int, default=2000, help="fewer than 100: to try it, kept elsewhere"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--kept", type=Path, default=Path("simulated.jsonl"))
    parser.add_argument("--page", type=Path)
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="cells whose names begin so")
    args = parser.parse_args()
    cells = wanted_cells(args.simulations, args.only)
    done = kept_chunks(args.kept, cells, args.processes, min(CHUNK, args.simulations))
    tables = "\n".join(page(done, args.simulations))
    put_tables(args.page, tables)


if __name__ == "__main__":
    main()
