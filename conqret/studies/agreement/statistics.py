"""The statistics of agreement, each declared once.

What is declared here is computed for every dimension, stands in ``validation.json`` and on its page, on the judge card
(``on_card``), in the table of ``conqret labels agreement`` (statistics of annotators), and can be required by
``--require``. ``docs/adding-parts.md`` adds one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from conqret.stats.agreement import LEVELS, Level
from conqret.stats.classification import (
    accuracy,
    auroc,
    base_rate,
    cohen_kappa,
    f1,
    fleiss_kappa,
    gwet_ac2,
    matthews,
    quadratic_kappa,
)
from conqret.stats.correlation import MIN_RATED, kendall, one_against_others, pearson, spearman
from conqret.stats.estimate import Estimate

CALIBRATED = "calibrated"
"""What a calibration makes of a score."""
NOT_CALIBRATED = "no calibration was given"
"""Why there is none."""


StatisticInput = Literal["categories", "positives", "scores", "people"]
"""The input of a statistic: the aggregated label and the judge's, as steps of the scale (``categories``); whether the
label is positive (0 or 1), and the judge's score (``positives``); the aggregated label and the judge's score on the
labels' scale (``scores``); or labels alone, a table of annotators by units with NaN for none (``people``)."""

ORDERED: tuple[Level, ...] = ("ordinal", "interval", "ratio")


@dataclass(frozen=True, slots=True)
class Statistic:
    """The declaration of one agreement statistic.

    ``name`` is for JSON and ``--require``, ``title`` for table heads, and ``about`` for a note below a table.
    ``levels`` are the levels of measurement to which it applies. ``compute`` takes what ``input`` says (two
    series, or a table), resamples of the units and ``confidence``, and returns an
    :class:`~conqret.stats.estimate.Estimate`. ``on_card`` shows it on the judge card.
    """

    name: str
    title: str
    input: StatisticInput
    compute: Callable[..., Estimate]
    levels: tuple[Level, ...] = LEVELS
    on_card: bool = False
    about: str = ""


_DECLARED = (
    Statistic(
        "base_rate",
        "Base rate",
        "categories",
        base_rate,
        on_card=True,
        about="“Base rate” is the share of the most frequent label, and so the accuracy of always giving it; it and "
        "accuracy round scores and mean labels to the nearest label.",
    ),
    Statistic("accuracy", "Accuracy", "categories", accuracy, on_card=True),
    Statistic("kappa", "Kappa", "categories", cohen_kappa),
    Statistic("weighted_kappa", "Weighted kappa", "categories", quadratic_kappa, ORDERED),
    Statistic(
        "ac2",
        "Gwet's AC2",
        "categories",
        gwet_ac2,
        ORDERED,
        about="Gwet's AC2 assumes less agreement by chance where few labels are in use than alpha does, on which the "
        "sentences on this page rest.",
    ),
    Statistic(
        "f1",
        "F1",
        "categories",
        f1,
        about="“F1” is of the positive of two labels, else the mean over labels.",
    ),
    Statistic(
        "mcc", "MCC", "categories", matthews, about="“MCC” is Matthews' correlation coefficient (-1 to 1)."
    ),
    Statistic("auroc", "AUROC", "positives", auroc),
    Statistic("spearman", "Spearman", "scores", spearman, ORDERED, on_card=True),
    Statistic("kendall", "Kendall", "scores", kendall, ORDERED),
    Statistic("pearson", "Pearson", "scores", pearson, ORDERED),
    Statistic(
        "fleiss", "Fleiss's kappa", "people", fleiss_kappa, about="Fleiss's kappa is of annotators alone."
    ),
    Statistic(
        "one_rater",
        "One annotator (Spearman)",
        "people",
        one_against_others,
        ORDERED,
        about="“One annotator (Spearman)” is Spearman's correlation of one annotator with the mean of the others, "
        f"averaged over annotators who labeled {MIN_RATED} units or more.",
    ),
)
STATISTICS: Mapping[str, Statistic] = {statistic.name: statistic for statistic in _DECLARED}
