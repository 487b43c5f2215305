"""The tables of a comparison, from its runs."""

from __future__ import annotations

import statistics

from harness import table
from side_by_side.trials import Trial

COSTS = (
    "library",
    "release",
    "calls an item",
    "prompt characters an item",
    "items a second over all, beside conqret's",
    "CPU, ms a further call",
    "CPU, ms a further item",
    "CPU, s of a process for one item",
    "peak memory, MiB",
)
FAULTY = (
    "library",
    "with faults: questions that met one",
    "items with both scores",
    "of these, not the score without faults",
    "after kill -9: asked again, of those asked before (under way)",
)


def tables(trials: list[Trial], names: list[str]) -> str:
    """Return two tables in Markdown, what a score costs and what becomes of it, a row for each library that was run.

    The last run of a kind counts, of plain runs the median.
    """
    runs = {name: [trial for trial in trials if trial.library == name] for name in names}
    own = _median([run.seconds for run in _kind("plain", runs[names[0]])])
    costs = [_costs(name, made, own) for name, made in runs.items() if made]
    faulty = [_faults(name, made) for name, made in runs.items() if any(run.scores for run in made)]
    return "\n".join([*table(COSTS, costs), *table(FAULTY, faulty)])


def _costs(name: str, runs: list[Trial], own: float) -> list[str]:
    plain, one = [run for run in _kind("plain", runs) if run.scores], _kind("one", runs)
    if not plain:
        return [name, runs[-1].version, f"cannot be run: {runs[0].fault}", *["–"] * (len(COSTS) - 3)]
    items = len(plain[0].scores)
    calls = _median([run.counts["calls"] for run in plain]) / items
    embeddings = _median([run.counts["embeddings"] for run in plain]) / items
    # a run over all items less that over one, so without imports and starts
    cpu = (_median([run.cpu for run in plain]) - _median([run.cpu for run in one])) / (items - 1) * 1000
    return [
        name,
        runs[-1].version,
        f"{calls:.3g}" + (f" + {embeddings:.3g}" if embeddings else ""),
        f"{_median([run.counts['characters'] for run in plain]) / items:,.0f}",
        f"{own / _median([run.seconds for run in plain]):.2f}",
        f"{cpu / (calls + embeddings):.1f}",
        f"{cpu:.0f}",
        f"{_median([run.process for run in one]):.1f}",
        f"{_median([run.memory for run in plain]):.0f}",
    ]


def _faults(name: str, runs: list[Trial]) -> list[str]:
    cells = ["–", "–", "–"]
    if with_faults := _kind("faults", runs):
        last = with_faults[-1]
        cells = [f"{last.counts['faults']} of {last.counts['calls']}", f"none: {last.fault}", "–"]
        if not last.fault:
            plain = next(run for run in _kind("plain", runs) if run.scores)
            right = statistics.mode(tuple(scores) for scores in plain.scores.values())
            both = [tuple(scores) for scores in last.scores.values() if None not in scores and scores]
            cells[1:] = [str(len(both)), str(sum(scores != right for scores in both))]
    again = "–"
    if killed := _kind("killed", runs):
        counts = killed[-1].counts
        again = f"{counts['again']} of {counts['before']} ({counts['under_way']}) {killed[-1].fault}".strip()
    return [name, *cells, again]


def _kind(kind: str, runs: list[Trial]) -> list[Trial]:
    return [run for run in runs if run.kind == kind]


def _median(values: list[float]) -> float:
    return statistics.median(values) if values else 0.0
