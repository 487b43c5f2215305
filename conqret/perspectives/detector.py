"""What a local detector is tuned by, what is known of it, and how good it is against labels.

Scores are fitted to labels by a logistic curve (Platt 1999), and the threshold is chosen on the same questions; what
either is worth is measured on others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from conqret.data.item import Frozen
from conqret.errors import DeclarationError, first_line
from conqret.io.limits import whole_bytes
from conqret.io.pairs import Pair
from conqret.local.training_loop import TrainingSettings
from conqret.perspectives.detection import YES_FROM, baseline_grade
from conqret.perspectives.threshold import Agreement, figures_of
from conqret.runs.run_folder import SUMMARY
from conqret.runs.study_run import TrainedFolder, TrainedRecord
from conqret.stats.estimate import Estimate

MODEL = "model"
"""Where the weights lie in the folder of a tuned detector."""

MAX_LENGTH = 512
"""Tokens that go through the model at once; BeRDS's passages of 100 words take a third of it."""


class DetectorQuality(Agreement):
    """A detector's agreement with labels of held-out questions.

    ``brier`` is the mean squared error of its probabilities, and ``brier_raw`` that of its probabilities
    before calibration. ``by_words`` is the F1 of the lexical baseline.
    """

    brier: float
    brier_raw: float
    by_words: Estimate


class DetectorCard(Frozen):
    """The description of a tuned detector: its base model, training data, calibration, and agreement on
    held-out questions.

    The probability of a yes is ``1 / (1 + exp(-(slope * score + intercept)))``; it counts as a yes from
    ``threshold`` on. ``pairs`` and ``questions`` count all that are labeled, ``trained`` and ``calibrated``
    the pairs of these parts, and ``yes`` the training pairs labeled yes. ``weights`` are the loss weights of
    no and yes. ``cut`` counts the pairs of which training used only the beginning. ``new_head`` names the
    weights that the base lacked and that were initialized at random.
    """

    base: str
    base_identity: str
    pairs: int
    questions: int
    trained: int
    calibrated: int
    yes: int
    weights: tuple[float, float]
    cut: int
    limit: int
    lora: bool
    new_head: tuple[str, ...] = ()
    slope: float
    intercept: float
    threshold: float
    remark: str = ""
    held_out: DetectorQuality


def logistic(odds: float) -> float:
    """Return the logistic function of ``odds``, ``1 / (1 + exp(-odds))``, without overflow."""
    return 1 / (1 + math.exp(-odds)) if odds >= 0 else math.exp(odds) / (1 + math.exp(odds))


def card_of(folder: Path) -> DetectorCard | None:
    """Read the card of a tuned detector from its folder; return None for the folder of any other model.

    Raises:
        DeclarationError: the card cannot be read.
    """
    file = folder / SUMMARY
    if not (folder / MODEL).is_dir() or not file.is_file():
        return None
    try:
        return DetectorCard.model_validate_json(whole_bytes(file))
    except ValueError as error:
        raise DeclarationError(f"{file} does not describe a detector: {first_line(error)}") from error


@dataclass(frozen=True)
class DetectorSettings(TrainingSettings):
    """The settings by which a detector is tuned.

    ``learning_rate`` of None uses the default with LoRA (BeRDS, A.5) or without (Devlin et al. 2019, A.3).
    ``held_out`` is the share of the questions that is held out for evaluation.

    Raises:
        DeclarationError: a number is out of its range.
    """

    epochs: int = 2
    batch_size: int = 16
    max_length: int = MAX_LENGTH
    save_every: int = 50
    held_out: float = 0.2

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.held_out <= 0.5:
            raise DeclarationError(
                f"held_out is {self.held_out}, but it must be a share of the questions, at most a half"
            )

    @property
    def rate(self) -> float:
        """Return the highest learning rate: the one that is set, or the default with or without LoRA."""
        return self.learning_rate or (1e-4 if self.lora else 2e-5)


USUAL = DetectorSettings()
"""All defaults."""


@dataclass(frozen=True)
class DetectorFolder(TrainedFolder[TrainedRecord], kind="perspectives-tune"):
    """The files of a tuned detector: its model, and its card (``summary.json``), which ``--detector``
    reads."""

    COMMAND: ClassVar[str] = "conqret perspectives tune"


def platt(scores: Sequence[float], labels: Sequence[bool]) -> tuple[float, float]:
    """Fit Platt scaling: return the slope and intercept for which ``logistic(slope * score + intercept)``
    fits the labels best.

    Targets are ``(n_yes + 1) / (n_yes + 2)`` and ``1 / (n_no + 2)`` (Platt 1999). They keep the slope finite
    for perfectly separated scores. A negative slope is replaced by 0, and every probability is then the share
    of yes.
    """

    x, yes = np.asarray(scores, dtype=float), np.asarray(labels, dtype=bool)
    target = np.where(yes, (yes.sum() + 1) / (yes.sum() + 2), 1 / ((~yes).sum() + 2))
    design = np.column_stack([x, np.ones_like(x)])
    start = [0.0, math.log((yes.sum() + 1) / ((~yes).sum() + 1))]

    def loss(at: Any) -> float:
        return float((np.logaddexp(0, design @ at) - target * (design @ at)).sum())

    def gradient(at: Any) -> Any:
        return design.T @ (expit(design @ at) - target)

    coefficients = minimize(loss, start, jac=gradient, options={"gtol": 1e-9}).x
    if coefficients[0] < 0:
        share = (yes.sum() + 1) / (len(yes) + 2)
        return 0.0, math.log(share / (1 - share))
    return float(coefficients[0]), float(coefficients[1])


def best_cut(probabilities: Sequence[float], labels: Sequence[bool]) -> float:
    """Return the probability threshold with the highest F1; of equal ones, the one nearest to .5.

    Candidates are .5, the lowest probability, and the midpoints between neighboring probabilities. The result
    is .5 where no label is yes.
    """
    values = sorted(set(probabilities))
    if not any(labels):
        return 0.5

    def worth(cut: float) -> tuple[float, float]:
        predictions = [probability >= cut for probability in probabilities]
        hits = sum(label and yes for label, yes in zip(labels, predictions, strict=True))
        return 2 * hits / (sum(labels) + sum(predictions) or 1), -abs(cut - 0.5)

    cuts = [(low + high) / 2 for low, high in pairwise(values)]
    return max([0.5, values[0], *cuts], key=worth)


def quality_of(
    pairs: Sequence[Pair], scores: Sequence[float], chance: Callable[[float], float], threshold: float
) -> DetectorQuality:
    """Compute how a detector's scores agree with the labels of their pairs; intervals are over questions.

    Args:
        pairs: labeled pairs.
        scores: the log-odds of each pair.
        chance: converts a score to a probability.
        threshold: the probability from which it is a yes.
    """
    labels = [pair.label is True for pair in pairs]
    chances = [chance(score) for score in scores]
    words = [baseline_grade(pair.document, pair.perspective)[0] >= YES_FROM for pair in pairs]

    def brier(probabilities: Sequence[float]) -> float:
        return sum((p - label) ** 2 for p, label in zip(probabilities, labels, strict=True)) / len(labels)

    return DetectorQuality(
        **figures_of(pairs, [chance >= threshold for chance in chances], scores, by_words=words),
        brier=brier(chances),
        brier_raw=brier(list(map(logistic, scores))),
    )
