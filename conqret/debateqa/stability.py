"""Does another backbone or prompt measure the same? Every two configurations compared (DebateQA, Figures 9 to 11)."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from conqret.debateqa.score_table import AWARENESS, in_order, instruments_of, read_tables
from conqret.errors import DeclarationError, number, strict_options
from conqret.show import words
from conqret.show.charts import PlotKind, drawn
from conqret.stats.classification import accuracy, cohen_kappa
from conqret.stats.correlation import kendall, too_crowded
from conqret.stats.estimate import Estimate
from conqret.stats.jackknife import JackknifedEstimate
from conqret.stats.resampling import Resamples, leave_one_out, snapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Over = Literal["systems", "answers"]
Statistic = Literal["tau", "agreement", "rho"]

VERDICTS = frozenset({AWARENESS})
"""Metrics of 0 and 1: their verdicts are compared answer by answer (Figure 11), not their rankings."""

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PairMatrix:
    """The agreement of every two measuring models of one metric.

    ``values`` maps pairs of ``names`` to the statistic: Kendall's tau-b in [-1, 1], the share of equal verdicts
    in [0, 1], or, where the names are annotators, Spearman's rho as a mean over questions. ``kappas`` has
    Cohen's kappa for verdicts. ``items`` counts what is compared, ``systems`` or answers. ``answers`` counts
    the answers that every measuring model scored, and ``left_out`` those that only some did.
    """

    names: tuple[str, ...]
    items: int
    values: Mapping[Pair, Estimate]
    statistic: Statistic = "tau"
    metric: str = ""
    over: Over = "systems"
    systems: tuple[str, ...] = ()
    answers: int = 0
    left_out: int = 0
    kappas: Mapping[Pair, Estimate] = field(default_factory=dict)

    def value(self, first_name: str, other: str) -> float | None:
        """Return the value of two names in any order: 1 for the same name, None where it is not defined.

        Kappas are in ``kappas`` only.
        """
        if first_name == other:
            return 1.0
        return self.values[
            (first_name, other) if (first_name, other) in self.values else (other, first_name)
        ].value

    def rows(self) -> list[list[float | None]]:
        """Return the full matrix as rows, in the order of the names."""
        return [[self.value(name, other) for other in self.names] for name in self.names]

    @property
    def comparison(self) -> str:
        """Return what a cell contains, such as ``Kendall's tau-b of the rankings of 5 systems by their means
        (500 answers)``."""
        systems = number(len(self.systems), "system")
        if self.statistic == "agreement":
            return f"share of equal verdicts on {self.items:,} answers of {systems}"
        if self.statistic == "rho":
            return f"Spearman's rho of the rankings of the answers of {systems}, mean over questions"
        if self.over == "systems":
            return f"Kendall's tau-b of the rankings of {systems} by their means ({self.answers:,} answers)"
        return f"Kendall's tau-b of the rankings of {self.items:,} answers of {systems}"


@dataclass(frozen=True, slots=True)
class Stability:
    """A matrix for each compared metric; ``alone`` names metrics that only one measuring model measured."""

    matrices: tuple[PairMatrix, ...]
    alone: tuple[str, ...] = ()


@strict_options
def metric_stability(scores: Sequence[str | Path], *, over: Over = "systems") -> Stability:
    """Compare every two measuring models (backbones, prompts, judges) of the same metric on the same answers.

    Args:
        scores: tables of ``conqret debateqa score``: the same answers, several configurations.
        over: compare rankings of ``systems`` by their means, or of all ``answers``.

    Raises:
        DeclarationError: as :func:`stability`, a file cannot be read, or each metric has only one
            measuring model.
    """
    table = read_tables(scores)
    known = instruments_of(table)
    alone = tuple(name for name, instruments in known.items() if len(instruments) == 1)
    if len(alone) == len(known):
        raise DeclarationError(
            f"only one model measured each of these metrics: {', '.join(alone)}; score the same answers with another "
            "backbone or prompt, and give both tables"
        )
    return Stability(tuple(stability(table, name, over=over) for name in known if name not in alone), alone)


def stability(table: pl.DataFrame, metric: str, *, over: Over = "systems") -> PairMatrix:
    """Compare every two measuring models of ``metric``, over the answers that all of them scored.

    Graded metrics use Kendall's tau-b of the systems' rankings by their means (Figures 9 and 10), or with
    ``over="answers"`` of the rankings of all answers. Dispute Awareness uses the share of equal verdicts
    (Figure 11) and Cohen's kappa. Intervals are by a jackknife over questions; see also
    :func:`conqret.stats.correlation.too_crowded`.

    Raises:
        DeclarationError: fewer than two systems (or answers) were scored by all.
    """
    names = instruments_of(table)[metric]
    scored = table.filter(metric=metric).drop_nulls("value")
    by_all = pl.col("instrument").n_unique().over("system", "id") == len(names)
    common = scored.filter(by_all).sort("system", "id")
    values = {name: common.filter(instrument=name)["value"].to_numpy() for name in names}
    answers = common.filter(instrument=names[0])
    systems = in_order(answers, "system")
    left_out = scored.select("system", "id").n_unique() - len(answers)
    ranked = over == "systems" and metric not in VERDICTS
    if len(systems if ranked else answers) < 2:
        count = {name: len(scored.filter(instrument=name)) for name in names}
        fewest = min(count, key=lambda name: count[name])
        raise DeclarationError(
            f"{len(answers)} answers of {len(systems)} systems have a {metric} from all "
            f"{len(names)} measuring models, but {'two systems' if ranked else 'two answers'} are "
            f"needed; the fewest come from {fewest or 'the measuring model without a name'} "
            f"({count[fewest]} scored): leave its tables out, or score more with it"
        )
    resamples = leave_one_out(answers["id"].to_list())
    kappas: Mapping[Pair, Estimate] = {}
    if metric in VERDICTS:
        estimates, kappas = (_compared(values, statistic, resamples) for statistic in (accuracy, cohen_kappa))
    elif ranked:
        places = {system: place for place, system in enumerate(systems)}
        estimates = ranking_taus(
            values, np.array([places[system] for system in answers["system"]]), resamples
        )
    else:
        estimates = _compared(values, kendall, resamples)
    return PairMatrix(
        names,
        len(systems) if ranked else len(answers),
        estimates,
        "agreement" if metric in VERDICTS else "tau",
        metric,
        "systems" if ranked else "answers",
        systems,
        len(answers),
        left_out,
        kappas,
    )


def _compared(
    values: Mapping[str, ArrayLike],
    statistic: Callable[[ArrayLike, ArrayLike, Resamples | None], Estimate],
    resamples: Resamples | None = None,
) -> dict[Pair, Estimate]:
    """The statistic of every two series."""
    return {
        (value, other): statistic(values[value], values[other], resamples)
        for value, other in combinations(values, 2)
    }


def ranking_taus(
    values: Mapping[str, NDArray[np.float64]], system: NDArray[np.intp], resamples: Resamples
) -> dict[Pair, Estimate]:
    """Compute, for every two measuring models, Kendall's tau-b of the systems' means, with a jackknife over
    questions.

    Args:
        values: each measuring model's scores of the same answers.
        system: the index of each answer's system, from 0.
        resamples: the jackknife samples, each without one question.
    """
    belongs = np.eye(int(system.max()) + 1)[system]  # answers by systems
    weights = np.concatenate([np.ones((1, resamples.clusters)), resamples.weights])
    counts = weights @ resamples.sums(belongs)
    with np.errstate(divide="ignore", invalid="ignore"):  # without a question a system may have no answer
        means = {
            name: snapped(weights @ resamples.sums(belongs * series[:, None]) / counts)
            for name, series in values.items()
        }
    systems, questions = belongs.shape[1], resamples.clusters
    taus = {}
    for value, other in combinations(values, 2):
        whole = kendall(means[value][0], means[other][0])
        sampled = JackknifedEstimate(
            np.nan if whole.value is None else whole.value,
            _taus(means[value][1:], means[other][1:]),
            resamples.present(),
            systems,
            whole.reason,
            "ranks",
            too_crowded(systems, questions),
        )
        taus[value, other] = sampled.estimate()
    return taus


def _taus(first: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return tau-b of each row of two tables (rows by systems); NaN where a row is constant or lacks a value."""
    agree, untied, apart = (np.zeros(len(first)) for _ in range(3))
    for place in range(first.shape[1]):
        x, y = (np.sign(side[:, place, None] - side[:, place + 1 :]) for side in (first, other))
        agree += (x * y).sum(axis=1)
        untied += (x * x).sum(axis=1)
        apart += (y * y).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(untied * apart > 0, agree / np.sqrt(untied * apart), np.nan)


SCALES = {
    "tau": (-1.0, 1.0, "RdBu", "Kendall's tau-b"),
    "agreement": (0.0, 1.0, "Blues", "share of equal verdicts"),
    "rho": (-1.0, 1.0, "RdBu", "Spearman's rho, mean over questions"),
}
"""Both ends, the colors and the name of each statistic: fixed, so that two plots can be laid side by side."""
CELL, LABEL, MARGIN = 0.46, 0.064, 1.5
"""Inches of a cell's side, of a character of a label, and around a panel for scale and title."""
WRAP = 34
"""Characters of a label's line."""
NO_VALUE = "#d9d9d9"


def heat_maps(matrices: Sequence[PairMatrix], kind: PlotKind = "png") -> bytes:
    """Draw one heat map for each matrix, with the value in each cell; return the image file's bytes.

    Measuring models are numbered, with their names next to the rows. A pair without a value is gray and says
    "none". Equal matrices give equal bytes.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    names = [labels(matrix.names) for matrix in matrices]
    widest = max(len(line) for panel in names for name in panel for line in name.split("\n"))
    heights = [max(2.0, CELL * len(matrix.names)) + 0.9 for matrix in matrices]
    width = max(CELL * max(len(matrix.names) for matrix in matrices), 2.0) + LABEL * widest + MARGIN

    def draw(figure: Figure) -> None:
        panels = figure.subplots(len(matrices), 1, squeeze=False, height_ratios=heights)
        for (axes,), matrix, shown in zip(panels, matrices, names, strict=True):
            _panel(figure, axes, matrix, shown)

    return drawn(draw, (width, sum(heights)), kind)


def labels(names: Sequence[str]) -> list[str]:
    """Return the measuring models' names, numbered from 1; fingerprints are left out if the names differ
    without them."""
    bare = [re.sub(r" \([0-9a-f]{8}\)$", "", name) for name in names]
    kept = bare if len(set(bare)) == len(bare) else names
    return ["\n".join(textwrap.wrap(f"{name}  {place}", WRAP)) for place, name in enumerate(kept, start=1)]


def _panel(figure: Figure, axes: Any, matrix: PairMatrix, shown: Sequence[str]) -> None:
    from matplotlib import colormaps

    low, high, colours, says = SCALES[matrix.statistic]
    scale = colormaps[colours].with_extremes(bad=NO_VALUE)
    values = matrix.rows()
    grid = [[float("nan") if value is None else value for value in row] for row in values]
    image = axes.imshow(grid, cmap=scale, vmin=low, vmax=high)
    for down, row in enumerate(values):
        for across, value in enumerate(row):
            # dark cells lie at both ends of a scale from -1 to 1, and at the upper end of one from 0 to 1
            dark = value is not None and abs(value) > 0.62
            text = "none" if value is None else f"{value:.2f}"
            colour = "white" if dark else "black"
            axes.text(across, down, text, ha="center", va="center", fontsize=8, color=colour)
    places = range(len(shown))
    axes.set_xticks(places, [str(place + 1) for place in places])
    axes.set_yticks(places, shown)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    ticks = [low + (high - low) * step / 4 for step in range(5)]
    bar = figure.colorbar(image, ax=axes, label=says, shrink=0.9, ticks=ticks)
    bar.outline.set_visible(False)
    axes.set_title(title(matrix), fontsize=10, loc="left")


def title(matrix: PairMatrix) -> str:
    """Return the title of a heat map: the metric, and the numbers of systems and answers."""
    systems = number(len(matrix.systems), "system")
    items = f"{matrix.answers:,} answers"
    what = f"{systems}, {items}" if matrix.over == "systems" else f"{items}, {systems}"
    return f"{words.label(matrix.metric)}\n{what}"
