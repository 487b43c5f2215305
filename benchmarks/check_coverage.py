"""How often the intervals of ``conqret check`` hold the truth, and how often its guard fires: docs/results/check.md.

    python benchmarks/check_coverage.py --page docs/results/check.md

Tables of 2,000 rows with known rates are drawn, some of their rows are labeled, and each interval is compared with the
rate of the process that made the rows. The tables replace those on the page, or are printed.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))
from harness import arguments, put_tables, table

from conqret.stats.verdict_rates import (
    DESIGNS,
    DRAWN_BY,
    DrawnBy,
    Share,
    draw_matters,
    draw_test,
    rates_by_label,
    share_interval,
    share_of_sums,
    solve,
)
from conqret.studies.check.label_view import SUSPICIOUS

Numbers = NDArray[Any]
Rng = np.random.Generator
Truth = tuple[float, float, float]
"""Prevalence of passes, TPR and TNR."""
ROWS = 2000
SIZES = (60, 100, 200, 400)
GRID: tuple[Truth, ...] = tuple(
    itertools.product((0.5, 0.7, 0.85, 0.95), (0.7, 0.9, 0.98), (0.5, 0.7, 0.9, 0.98))
)
GUARDED: tuple[Truth, ...] = ((0.9, 0.93, 0.53), (0.8, 0.9, 0.8), (0.65, 0.9, 0.9), (0.5, 0.9, 0.9))
NAMES = ("tpr", "tnr", "kappa", "accuracy", "precision", "corrected")
HEADS = ("TPR", "TNR", "κ", "accuracy", "precision", "corrected rate")
ITEMS, ICC = 5, 0.2
"""Rows of a cluster, and how alike they are."""
CLUSTERS = (12, 20, 30)
ENOUGH = 10
"""Labels of a class from which on no grid point may be far off."""


class Samples(NamedTuple):
    """Counts of labeled rows (samples, clusters, human x judge: 00, 01, 10, 11), passed and all rows of each cluster.

    With ``weights`` each cluster is one row.
    """

    labeled: Numbers
    passes: Numbers
    rows: Numbers
    weights: Numbers | None = None


def true_rates(truth: Truth) -> dict[str, float]:
    """Return the statistics of the process."""
    rate, tpr, tnr = truth
    q, right = rate * tpr + (1 - rate) * (1 - tnr), rate * tpr + (1 - rate) * tnr
    chance = rate * q + (1 - rate) * (1 - q)
    kappa = (right - chance) / (1 - chance)
    return dict(zip(NAMES, (tpr, tnr, kappa, right, rate * tpr / q, rate), strict=True))


def cells(truth: Truth) -> Numbers:
    """Return the probabilities of human x judge: 00, 01, 10, 11."""
    rate, tpr, tnr = truth
    return np.array([(1 - rate) * tnr, (1 - rate) * (1 - tnr), rate * (1 - tpr), rate * tpr])


def drawn(truth: Truth, rng: Rng, by: DrawnBy, labels: int, samples: int, rows: int = ROWS) -> Samples:
    """Draw tables of independent rows, of which some are labeled."""
    every = rng.multinomial(rows, cells(truth), size=samples)
    strata = {"random": ((0, 1, 2, 3),), "verdict": ((0, 2), (1, 3)), "label": ((0, 1), (2, 3))}[by]
    labeled = np.zeros(every.shape)
    for stratum in strata:
        rest = every[:, stratum].sum(axis=1)
        left = np.minimum(labels // len(strata), rest)
        for cell in stratum:
            rest = rest - every[:, cell]
            labeled[:, cell] = taken = rng.hypergeometric(every[:, cell], rest, left)
            left = left - taken
    return Samples(labeled[:, None], every[:, [1, 3]].sum(axis=1)[:, None], np.full((samples, 1), rows))


def clustered(truth: Truth, rng: Rng, labeled: int, samples: int) -> Samples:
    """Draw tables in which pass rate, TPR and TNR vary between clusters; so many whole clusters are labeled."""
    shape = (samples, ROWS // ITEMS)
    rate, tpr, tnr = (rng.beta(p * (1 / ICC - 1), (1 - p) * (1 / ICC - 1), shape) for p in truth)
    passes = rng.binomial(ITEMS, rate)
    caught, kept = rng.binomial(ITEMS - passes, tnr), rng.binomial(passes, tpr)
    counts = np.stack([caught, ITEMS - passes - caught, passes - kept, kept], axis=-1)
    known = counts * (np.arange(shape[1]) < labeled)[:, None]
    return Samples(known, counts[..., 1] + counts[..., 3], np.full(shape, ITEMS))


def weighted(truth: Truth, rng: Rng, labels: int, samples: int) -> Samples:
    """Draw independent rows, of which hard ones and those that the judge fails are labeled more often."""
    cell = rng.choice(4, p=cells(truth), size=(samples, ROWS))
    hard = rng.random(cell.shape) < np.where((cell == 1) | (cell == 2), 0.8, 0.4)
    chances = np.where(cell % 2, 1.0, 3.0) * np.where(hard, 2.0, 1.0)
    chances = np.minimum(chances * labels / chances.sum(axis=1, keepdims=True), 1.0)
    labeled = rng.random(cell.shape) < chances
    return Samples(
        (cell[..., None] == np.arange(4)) & labeled[..., None], cell % 2, np.ones(cell.shape), 1 / chances
    )


def shares(samples: Samples) -> dict[str, Share]:
    """Return the shares of which the statistics are made, as ``verdict_rates`` does."""
    counts, alike = samples.labeled.astype(float), samples.weights is None and samples.rows.shape[1] > 1

    def share(part: Numbers, whole: Numbers, weights: Numbers | None = samples.weights) -> Share:
        if weights is not None or alike:
            w = 1.0 if weights is None else weights
            return share_of_sums(w * part, w * whole, whole.sum(axis=1), clustered=alike)
        pairs, place = np.unique([part.sum(axis=1), whole.sum(axis=1)], axis=1, return_inverse=True)
        value = np.where(pairs[1] > 0, pairs[0] / np.maximum(pairs[1], 1), 0.5)
        return Share(*(each[place] for each in (value, *share_interval(value, pairs[1]), pairs[1])))

    failed, let_pass, lost, kept = np.moveaxis(counts, -1, 0)
    return {
        "judged": share(samples.passes, samples.rows, None),
        "labeled": share(let_pass + kept, counts.sum(axis=-1)),
        "passed": share(kept, let_pass + kept),
        "failed": share(lost, failed + lost),
        "sensitivity": share(kept, lost + kept),
        "fallout": share(let_pass, failed + let_pass),
        "right": share(failed + kept, counts.sum(axis=-1)),
    }


def holds(by: DrawnBy, known: dict[str, Share], truth: Truth) -> dict[str, Numbers]:
    """Return for each sample whether each interval holds the truth; NaN where there is none."""
    held, rates = {}, true_rates(truth)

    def add(name: str, low: Numbers, high: Numbers, there: Numbers) -> None:
        within = (low - 1e-9 <= rates[name]) & (rates[name] <= high + 1e-9)
        held[name] = np.where(there, within, np.nan)

    for name, (equation, parts) in DESIGNS[by].items():
        needed = [known[part] for part in parts]
        value, low, high = solve(equation, needed, -1.0 if name == "kappa" else 0.0)
        add(name, low, high, ~np.isnan(value) & np.all([share.n > 0 for share in needed], axis=0))
    if by == "label":
        by_label, explained = rates_by_label(known)
        explained &= known["sensitivity"].value > known["fallout"].value
        for name, (_, low, high) in by_label.items():
            add(name, low, high, explained)
    return held


def guard_fires(samples: Samples) -> NDArray[np.bool_]:
    """Return for each sample whether the guard of ``conqret check`` fires."""
    fired = np.zeros(len(samples.rows), dtype=bool)
    known: dict[bytes, bool] = {}
    for place, (counts, passes, rows) in enumerate(zip(*samples[:3], strict=True)):
        key = counts.tobytes() + passes.tobytes()
        if key not in known:
            labeled, seen = counts.sum(axis=1), counts[:, 1] + counts[:, 3]
            rest = np.stack([passes - seen, rows - labeled - passes + seen], axis=1)
            kinds = np.concatenate([counts, rest], axis=1).astype(int).ravel()
            human = np.repeat(np.tile([0.0, 0.0, 1.0, 1.0, np.nan, np.nan], len(rows)), kinds)
            judge = np.repeat(np.tile([0.0, 1.0, 0.0, 1.0, 1.0, 0.0], len(rows)), kinds)
            clusters = np.repeat(np.arange(len(rows)), rows.astype(int)).tolist() if len(rows) > 1 else None
            p = draw_test(human, judge, clusters=clusters, balance=0.5)
            known[key] = p is not None and p < SUSPICIOUS and draw_matters(human, judge, clusters=clusters)
        fired[place] = known[key]
    return fired


def coverage_table(rng: Rng, samples: int) -> Iterator[str]:
    """Yield a row for each way of drawing and number of labels: mean coverage over the grid, and the least."""
    designs: list[tuple[str, DrawnBy, str, Sequence[Truth], Callable[[Truth], Samples]]] = []
    for by, n in itertools.product(DRAWN_BY, SIZES):
        designs.append((by, by, str(n), GRID, partial(drawn, rng=rng, by=by, labels=n, samples=samples)))
    for n in SIZES[1:3]:
        hard = partial(weighted, rng=rng, labels=n, samples=samples // 2)
        designs.append(("with probabilities", "verdict", str(n), GUARDED, hard))
    for n in CLUSTERS:
        whole = partial(clustered, rng=rng, labeled=n, samples=samples // 2)
        designs.append(("random, clusters", "random", f"{n} × {ITEMS}", GRID[::3], whole))
    rows = []
    for title, by, labels, truths, sample in designs:
        enough: list[dict[str, float]] = []
        few: list[dict[str, float]] = []
        for truth in truths:
            known = shares(sample(truth))
            least = min(np.median(known["sensitivity"].n), np.median(known["fallout"].n))
            held = holds(by, known, truth)
            covered = {name: float(np.nanmean(each)) for name, each in held.items()}
            (enough if least >= ENOUGH else few).append(covered)
        columns = [[covered[name] for covered in enough] for name in NAMES]
        columns.append([value for covered in few for value in covered.values()])
        cells = [f"{np.mean(column):.3f} ({min(column):.3f})" if column else "–" for column in columns]
        rows.append((title, labels, *cells))
        print(*rows[-1], file=sys.stderr)
    yield from table(("drawn", "labels", *HEADS, f"all, under {ENOUGH} of a class"), rows)


def guard_table(rng: Rng, samples: int) -> Iterator[str]:
    """Yield how often the guard fires, how often intervals hold the truth that take rows as drawn at random (the least
    of them also where the guard is silent), and how often rows cannot be drawn by label."""
    rows = []
    for truth in GUARDED:
        kinds: list[tuple[str, str, Samples]] = [
            (by, f"100 of {every}", drawn(truth, rng, by, 100, samples, every))
            for by, every in itertools.product(DRAWN_BY, (ROWS, 150))
        ]
        for n in CLUSTERS[::2]:
            labeled = f"{n} of {ROWS // ITEMS} clusters"
            kinds.append(("random, clusters", labeled, clustered(truth, rng, n, samples)))
        for title, labeled, tables in kinds:
            known = shares(tables)
            held, (_, explained) = holds("random", known, truth), rates_by_label(known)
            fired = guard_fires(tables)
            every = np.stack([held[name] for name in ("tpr", "tnr", "corrected")])
            silent = f"{np.nanmean(every[:, ~fired], axis=1).min():.2f}" if (~fired).mean() >= 0.02 else "–"
            cells = [*(f"{each:.2f}" for each in np.nanmean(every, axis=1)), f"{fired.mean():.3f}", silent]
            rates = " / ".join(f"{rate:g}" for rate in truth)
            rows.append((rates, title, labeled, *cells, f"{1 - explained.mean():.3f}"))
    heads = (
        "rate / TPR / TNR",
        "drawn",
        "labeled",
        *HEADS[:2],
        HEADS[-1],
        "guard fires",
        "least where it is silent",
        "not by label",
    )
    yield from table(heads, rows)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--samples", type=int, default=2000, help="tables of each grid point")
    parser.add_argument("--page", type=Path)
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    tables = (*coverage_table(rng, args.samples), "### The guard\n", *guard_table(rng, args.samples))
    put_tables(args.page, "\n".join(tables))


if __name__ == "__main__":
    main()
