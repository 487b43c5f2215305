"""A judge's probabilities of levels, compared with labels of several levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from conqret.judging.deciding import judged
from conqret.judging.scales import PREFERENCE
from conqret.llm.decisions import UnansweredError
from conqret.show import words
from conqret.show.table import Table
from conqret.stats.confidence import calibration_error, calibration_noise, ranked_probability_score
from conqret.stats.estimate import Estimate
from conqret.studies.agreement.label_join import DimensionView
from conqret.studies.check.result import TITLES

LEVEL_FIGURES = {
    "rps": "Ranked probability score",
    "rps_constant": "… of the labels' frequencies",
    "calibration_error": words.capitalised(TITLES["calibration_error"]),
    "calibration_noise": words.capitalised(TITLES["calibration_noise"]),
}
"""What is shown of a judge's probabilities of levels."""


def level_values(labels: Sequence[str]) -> dict[str, float] | None:
    """Return the value in [0, 1] of each level, in ascending order; None for labels without an order."""
    if set(labels) == set(PREFERENCE):
        return {label: PREFERENCE[label] for label in sorted(labels, key=PREFERENCE.__getitem__)}
    if len(labels) < 2 or not all(label.isdecimal() for label in labels):
        return None
    low, high = min(map(int, labels)), max(map(int, labels))
    return {label: (int(label) - low) / (high - low) for label in sorted(labels, key=int)}


def level_figures(view: DimensionView) -> dict[str, Estimate]:
    """Return the figures of :data:`LEVEL_FIGURES`, over the units that have a label and probabilities of all levels by
    the judge. Empty without such units, and for labels of two values or without an order."""
    if not view.scale.bounded or view.scale.binary or view.scale.level == "nominal":
        return {}
    rows, places = list[Mapping[str, float]](), list[int]()
    for place in np.flatnonzero(view.compared).tolist():
        try:
            shares = judged(view.unit_scores[view.units[place]].distribution)
        except UnansweredError:
            continue
        if shares and (not rows or shares.keys() == rows[0].keys()):
            rows.append(shares)
            places.append(place)
    values = level_values(list(rows[0])) if rows else None
    if values is None:
        return {}
    levels = np.array(list(values.values()))
    shares_by_level = np.array([[row[label] for label in values] for row in rows])
    true = np.asarray(view.scale.unit(view.target[places]))
    predicted, clusters = shares_by_level @ levels, [view.clusters[place] for place in places]
    confidence = view.settings.confidence
    return {
        "rps": ranked_probability_score(shares_by_level, levels, true, clusters).estimate(confidence),
        "rps_constant": Estimate(float(np.abs(true[:, None] - true).mean() / 2), n=len(true)),
        "calibration_error": calibration_error(predicted, true, clusters).estimate(confidence),
        "calibration_noise": calibration_noise(predicted, true, clusters, (shares_by_level, levels)),
    }


def level_table(rows: Mapping[str, Mapping[str, Estimate]]) -> Table | None:
    """Return the table of :func:`level_figures` by dimension; None without any."""
    known = {name: figures for name, figures in rows.items() if figures}
    if not known:
        return None
    return Table(
        "Probabilities of levels",
        ("Dimension", *LEVEL_FIGURES.values()),
        [(words.label(name), *map(figures.get, LEVEL_FIGURES)) for name, figures in known.items()],
        note="The ranked probability score is the Brier score of ordered levels, from 0 (best) to 1. The frequencies "
        "of the labels, given to every item, have that in the next column. The calibration error is that of expected "
        "scores, as a share of the scale; above the end of the last column, which is simulated, it is beyond noise.",
    )
