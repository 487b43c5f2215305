"""Agreement: the reference values, and the averages of published tables.

    python benchmarks/agreement.py    the averages of Tables 5, 13 and 14

With CONQRET_DATA naming the folder of data sets, also the public data.

Prints Markdown, as in docs/results/agreement.md.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from harness import csv_rows, data, has_data, print_table

from conqret.io.labels import read_labels
from conqret.io.pairs import read_comparisons
from conqret.stats.agreement import krippendorff_alpha
from conqret.stats.correlation import spearman
from conqret.stats.paired_ranking import PairwisePreference, bradley_terry, elo
from conqret.studies.agreement.annotator_agreement import agreement
from conqret.suites.catalog.dagstuhl import TABLE_5

TABLE_14 = """.369 .417 .404 .471 .388 .333 .418 .435
.321 .425 .434 .455 .474 .466 .466 .530
.283 .498 .509 .523 .287 .511 .338 .438
.360 .431 .478 .570 .280 .324 .389 .383
.287 .447 .485 .466 .320 .359 .368 .398
.320 .449 .481 .544 .401 .441 .434 .499
.447 .420 .349 .501 .427 .423 .452 .515
.203 .404 .364 .380 .370 .364 .403 .431
.366 .542 .562 .561 .550 .564 .559 .629
.171 .467 .423 .423 .329 .399 .342 .420
.363 .479 .411 .471 .464 .442 .374 .486
.382 .519 .480 .562 .478 .495 .477 .553
.193 .387 .297 .315 .228 .377 .067 .263
.287 .351 .435 .525 .104 .185 .180 .184"""
"""Fourteen dimensions by eight judges: three orders and self-consistency, zero-shot and 5-shot (Table 14)."""
PRINTED_14 = ".311 .445 .437 .483 .364 .406 .376 .440"
PRINTED_13 = ".36 .25 .42 .31 .45 .44 .48"
"""The averages that Table 13 prints: crowd, pointwise GPT-3.5 and PaLM 2, and zero-shot as in Table 14."""


def table_averages() -> list[tuple[str, float, float, int]]:
    """Each average that the paper prints: its name, the one from its rows, the printed one, and its decimals."""
    found = []
    means = {}
    for name, text in TABLE_5.items():
        row = [float(cell) for cell in text.split()]
        means[name] = sum(row[:14]) / 14
        found.append((f"Table 5, {name}", means[name], row[14], 2))
    columns = zip(*([float(cell) for cell in line.split()] for line in TABLE_14.splitlines()), strict=True)
    shots = [f"{kind}, {order}" for kind in ("zero-shot", "5-shot") for order in ("(a)", "(b)", "(c)", "SC")]
    wide = [sum(column) / 14 for column in columns]
    for name, mean, printed in zip(shots, wide, PRINTED_14.split(), strict=True):
        found.append((f"Table 14, {name}", mean, float(printed), 3))
    sources = [means["Crowd / Expert"], means["Pointwise GPT-3.5"], means["Pointwise PaLM 2"], *wide[:4]]
    names = ("crowd", "pointwise GPT-3.5", "pointwise PaLM 2", "(a)", "(b)", "(c)", "SC")
    for name, mean, printed in zip(names, sources, PRINTED_13.split(), strict=True):
        found.append((f"Table 13, {name}", mean, float(printed), 2))
    return found


def tables() -> None:
    rows = [
        (
            name,
            f"{mean:.4f}",
            f"{printed:.{decimals}f}",
            "yes" if round(mean, decimals) == printed else "**no**",
        )
        for name, mean, printed, decimals in table_averages()
    ]
    print_table(("average", "from its rows", "printed", "same when rounded"), rows)


def public_data(folder: Path) -> None:
    webis = folder / "webis-argquality20"
    relevance = read_labels(webis / "webis-argquality20-raw-relevance.csv")
    print("| Webis | level | alpha |\n|---|---|---|")
    for dimension, levels in (
        ("relevance", ("nominal", "ordinal", "interval")),
        ("is_argument", ("nominal",)),
    ):
        for level in levels:
            table = relevance.table(dimension, relevance.units)[1]
            print(f"| {dimension} | {level} | {krippendorff_alpha(table, level):.4f} |")
    novices = agreement(read_labels(folder / "argquality_novices/novice-annotations-unaggregated.zip"))
    print("\n| novices | units | labels | alpha (ordinal) |\n|---|---|---|---|")
    for row in novices.rows:
        print(f"| {row.name} | {row.units} | {row.labels} | {row.alpha} |")
    print(f"| average | | | {novices.average} |\n| all together | | | {novices.together} |")
    print("\n| quality | Bradley-Terry | Elo | seconds |\n|---|---|---|---|")
    rows = csv_rows(webis / "webis-argquality20-arguments.csv")
    for quality in ("logical", "rhetorical", "dialectical"):
        published = {
            f"{row['Discussion ID']}-{row['Argument ID']}": float(row[f"{quality.title()} Quality"])
            for row in rows
        }
        games = [
            PairwisePreference(comparison.first, comparison.second, comparison.outcome)
            for comparison in read_comparisons(webis / f"webis-argquality20-raw-{quality}.csv")
        ]
        begin = time.perf_counter()
        found = [bradley_terry(games), elo(games, np.random.default_rng(0))]
        seconds = time.perf_counter() - begin
        rho = [
            spearman(
                [standing.rating.value or 0 for standing in standings],
                [published[standing.player] for standing in standings],
            )
            for standings in found
        ]
        print(f"| {quality} | {rho[0]} | {rho[1]} | {seconds:.1f} |")


def main() -> None:
    tables()
    if has_data("webis-argquality20", "argquality_novices"):
        public_data(data())


if __name__ == "__main__":
    main()
