"""How often the intervals of ``conqret check`` hold the truth, and how often its guard fires: docs/results/check.md.

    python benchmarks/check_coverage.py --page docs/results/check.md

Tables of 2,000 rows with known rates are drawn, some of their rows are labeled, and each interval is compared with the
rate of the process that made the rows. The tables replace those on the page, or are printed.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))
from harness import table

from conqret.stats.shares import Share, share_interval, share_of_sums, solve
from conqret.stats.verdict_rates import DESIGNS, DRAWN_BY, DrawnBy, draw_test

Numbers = NDArray[np.float64]
Truth = tuple[float, float, float]
"""Prevalence of passes, TPR and TNR."""
ROWS = 2000
SIZES = (60, 100, 200, 400)
GRID: tuple[Truth, ...] = tuple(
    itertools.product((0.5, 0.7, 0.85, 0.95), (0.7, 0.9, 0.98), (0.5, 0.7, 0.9, 0.98))
)
GUARDED: tuple[Truth, ...] = ((0.9, 0.93, 0.53), (0.8, 0.9, 0.8), (0.65, 0.9, 0.9), (0.5, 0.9, 0.9))
NAMES = ("tpr", "tnr", "kappa", "accuracy", "corrected")
HEADS = ("TPR", "TNR", "κ", "accuracy", "corrected rate")
ITEMS, ICC = 5, 0.2
"""Rows of a cluster, and how alike they are."""
ENOUGH = 10
HEADING = "## Tables\n"
Samples = tuple[Numbers, Numbers, Numbers]
"""Counts of labeled rows (samples, clusters, human x judge: 00, 01, 10, 11), passed rows and all rows of each cluster."""


def true_rates(truth: Truth) -> dict[str, float]:
    """Return the statistics of the process."""
    rate, tpr, tnr = truth
    q, right = rate * tpr + (1 - rate) * (1 - tnr), rate * tpr + (1 - rate) * tnr
    chance = rate * q + (1 - rate) * (1 - q)
    return dict(zip(NAMES, (tpr, tnr, (right - chance) / (1 - chance), right, rate), strict=True))


def cells(truth: Truth) -> Numbers:
    """Return the probabilities of human x judge: 00, 01, 10, 11."""
    rate, tpr, tnr = truth
    return np.array([(1 - rate) * tnr, (1 - rate) * (1 - tnr), rate * (1 - tpr), rate * tpr])


def drawn(
    rng: np.random.Generator, by: DrawnBy, truth: Truth, labels: int, samples: int, rows: int = ROWS
) -> Samples:
    """Draw tables of independent rows, of which some are labeled."""
    every = rng.multinomial(rows, cells(truth), size=samples)
    strata = {"random": ((0, 1, 2, 3),), "verdict": ((0, 2), (1, 3)), "label": ((0, 1), (2, 3))}[by]
    labeled = np.zeros_like(every)
    for stratum in strata:
        rest = every[:, stratum].sum(axis=1)
        left = np.minimum(labels // len(strata), rest)
        for cell in stratum:
            rest = rest - every[:, cell]
            labeled[:, cell] = rng.hypergeometric(every[:, cell], rest, left)
            left = left - labeled[:, cell]
    return (
        labeled[:, None].astype(float),
        every[:, None, [1, 3]].sum(axis=2).astype(float),
        np.full((samples, 1), rows),
    )


def clustered(rng: np.random.Generator, truth: Truth, labeled: int, samples: int) -> Samples:
    """Draw tables in which pass rate, TPR and TNR vary between clusters; the first so many clusters are labeled."""
    shape = (samples, ROWS // ITEMS)
    rate, tpr, tnr = (rng.beta(p * (1 / ICC - 1), (1 - p) * (1 / ICC - 1), shape) for p in truth)
    passes = rng.binomial(ITEMS, rate)
    caught, kept = rng.binomial(ITEMS - passes, tnr), rng.binomial(passes, tpr)
    counts = np.stack([caught, ITEMS - passes - caught, passes - kept, kept], axis=-1).astype(float)
    judged = counts[..., 1] + counts[..., 3]
    counts[:, labeled:] = 0
    return counts, judged, np.full(shape, float(ITEMS))


def weighted(rng: np.random.Generator, truth: Truth, labels: int, samples: int) -> tuple[Samples, Numbers]:
    """Draw independent rows, half of them hard, of which those that the judge fails and hard ones are labeled more
    often; return weights, too. Each row is a cluster of its own."""
    cell = rng.choice(4, p=cells(truth), size=(samples, ROWS))
    hard = rng.random(cell.shape) < np.where((cell == 1) | (cell == 2), 0.8, 0.4)
    chances = np.where(cell % 2, 1.0, 3.0) * np.where(hard, 2.0, 1.0)
    chances = np.minimum(chances * labels / chances.sum(axis=1, keepdims=True), 1.0)
    labeled = rng.random(cell.shape) < chances
    counts = (cell[..., None] == np.arange(4)) & labeled[..., None]
    return (counts.astype(float), (cell % 2).astype(float), np.ones(cell.shape)), 1 / chances


def shares(samples: Samples, alike: bool, weights: Numbers | None = None) -> dict[str, Share]:
    """Return the shares of which the statistics are made, as ``verdict_rates`` does."""
    counts, passes, rows = samples

    def share(part: Numbers, whole: Numbers, weights: Numbers | None = weights) -> Share:
        if weights is not None or alike:
            w = 1.0 if weights is None else weights
            return share_of_sums(w * part, w * whole, whole.sum(axis=1), clustered=alike)
        part, n = part.sum(axis=1), whole.sum(axis=1)
        pairs, place = np.unique(np.stack([part, n]), axis=1, return_inverse=True)
        value = np.where(pairs[1] > 0, pairs[0] / np.maximum(pairs[1], 1), 0.5)
        low, high = share_interval(value, pairs[1])
        return Share(value[place], low[place], high[place], n)

    failed, let_pass, lost, kept = np.moveaxis(counts, -1, 0)
    return {
        "judged": share(passes, rows, None),
        "labeled": share(let_pass + kept, counts.sum(axis=-1)),
        "passed": share(kept, let_pass + kept),
        "failed": share(lost, failed + lost),
        "sensitivity": share(kept, lost + kept),
        "fallout": share(let_pass, failed + let_pass),
        "right": share(failed + kept, counts.sum(axis=-1)),
    }


def coverage(by: DrawnBy, known: dict[str, Share], truth: Truth) -> dict[str, float]:
    """Return how often each interval holds the truth, where there is one."""
    covered = {}
    for name, (equation, parts) in DESIGNS[by].items():
        needed = [known[part] for part in parts]
        least = -1.0 if name == "kappa" and by != "label" else 0.0
        value, low, high = solve(equation, needed, least)
        there = ~np.isnan(value) & np.all([share.n > 0 for share in needed], axis=0)
        if by == "label" and len(parts) > 1:
            there &= known["sensitivity"].value > known["fallout"].value
        holds = (low - 1e-9 <= true_rates(truth)[name]) & (true_rates(truth)[name] <= high + 1e-9)
        covered[name] = float(holds[there].mean())
    return covered


def summary(results: list[tuple[dict[str, float], float]]) -> list[str]:
    """Return the mean of each statistic's coverage and its least, over grid points with enough labels of a class."""
    texts = []
    for name in NAMES:
        values = [covered[name] for covered, least in results if least >= ENOUGH or name == "tpr"]
        texts.append(f"{np.mean(values):.3f} ({min(values):.3f})" if values else "–")
    return texts


def coverage_table(rng: np.random.Generator, samples: int) -> Iterator[str]:
    """Yield a row for each way of drawing and number of labels."""
    rows = []
    for by, labels in itertools.product(DRAWN_BY, SIZES):
        results = []
        for truth in GRID:
            tables = drawn(rng, by, truth, labels, samples)
            failures = float(np.median(tables[0][:, 0, :2].sum(axis=-1)))
            results.append((coverage(by, shares(tables, False), truth), failures))
        few = [min(covered.values()) for covered, least in results if least < ENOUGH]
        rows.append((by, str(labels), *summary(results), f"{min(few):.3f} of {len(few)}" if few else "–"))
        print(rows[-1], file=sys.stderr)
    for labels in (100, 200):
        results = []
        for truth in GUARDED:
            tables, weights = weighted(rng, truth, labels, samples // 2)
            results.append((coverage("verdict", shares(tables, False, weights), truth), float(ENOUGH)))
        rows.append(("with probabilities", str(labels), *summary(results), "–"))
    for count in (12, 20, 30):
        results = []
        for truth in GRID[:36]:
            tables = clustered(rng, truth, count, samples // 2)
            failures = count * ITEMS * (1 - truth[0])
            results.append((coverage("random", shares(tables, True), truth), failures))
        rows.append(("random, clusters", f"{count} × {ITEMS}", *summary(results), "–"))
        print(rows[-1], file=sys.stderr)
    yield from table(("drawn", "labels", *HEADS, "least with fewer"), rows)


def guard_table(rng: np.random.Generator, samples: int) -> Iterator[str]:
    """Yield how often the guard fires for each truth and way of drawing, beside the coverage of rates that trust the
    rows to be drawn at random."""
    rows = []
    for truth, by, (labels, every) in itertools.product(GUARDED, DRAWN_BY, ((100, ROWS), (100, 150))):
        tables = drawn(rng, by, truth, labels, samples, every)
        covered = coverage("random", shares(tables, False), truth)
        fires = 0
        for counts, passes in zip(tables[0][:, 0].astype(int), tables[1][:, 0].astype(int), strict=True):
            n, seen = counts.sum(), counts[1] + counts[3]
            human = np.repeat([1.0, np.nan], [n, every - n])
            judge = np.repeat(
                [1.0, 0.0, 1.0, 0.0], [seen, n - seen, passes - seen, every - n - passes + seen]
            )
            fires += (draw_test(human, judge) or 0.0) < 0.05
        shown = [f"{covered[name]:.2f}" for name in ("tpr", "tnr", "corrected")]
        rows.append((*map(str, truth), by, f"{labels} of {every}", *shown, f"{fires / samples:.3f}"))
    for truth, count in itertools.product(GUARDED, (12, 30)):
        tables = clustered(rng, truth, count, samples // 2)
        covered = coverage("random", shares(tables, True), truth)
        clusters = np.arange(ROWS) // ITEMS
        judges = [
            np.repeat(np.tile([1.0, 0.0], len(row)), np.stack([row, ITEMS - row], 1).ravel().astype(int))
            for row in tables[1]
        ]
        human = np.where(clusters < count, 1.0, np.nan)
        fires = sum((draw_test(human, judge, clusters=clusters.tolist()) or 0.0) < 0.05 for judge in judges)
        shown = [f"{covered[name]:.2f}" for name in ("tpr", "tnr", "corrected")]
        labeled = f"{count} of {ROWS // ITEMS} clusters"
        rows.append((*map(str, truth), "random, clusters", labeled, *shown, f"{fires / len(judges):.3f}"))
    yield from table(
        (
            "pass rate",
            "TPR",
            "TNR",
            "drawn",
            "labeled",
            *(f"{head} covered" for head in ("TPR", "TNR", "rate")),
            "guard fires",
        ),
        rows,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--samples", type=int, default=2000, help="tables of each grid point")
    parser.add_argument("--page", type=Path)
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    tables = "\n".join(
        (*coverage_table(rng, args.samples), "### The guard\n", *guard_table(rng, args.samples))
    )
    if args.page is None:
        print(tables)
    else:
        before = args.page.read_text("utf-8").partition(HEADING)[0]
        args.page.write_text(f"{before}{HEADING}\n{tables.rstrip()}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
