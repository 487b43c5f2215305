"""The few weights that were fitted on people's labels: ``fitted.json``, made by ``benchmarks/fit_offline.py``.

Everything else in the baseline is made by hand. The file says where its numbers come from and what they reach
on topics left out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

WIDEST = 3.0
"""Standard deviations beyond which a feature counts no further: one "you" is a third of a text of three words."""


@dataclass(frozen=True)
class Fitted:
    """A linear model of features: ``score = intercept + sum(weight * z)``, ``z = (x - mean) / sd`` within [-3, 3].

    The score is in log-odds: of a preference as a difference between two texts, of a quality for one text.
    """

    intercept: float
    weights: Mapping[str, float]
    mean: Mapping[str, float]
    sd: Mapping[str, float]

    def score(self, features: Mapping[str, float]) -> float:
        """The log-odds of a text with these features. Raises KeyError where a weighted feature is missing."""
        return self.intercept + math.fsum(
            weight * standardised(features[name], self.mean[name], self.sd[name])
            for name, weight in self.weights.items()
        )

    def share(self, features: Mapping[str, float]) -> float:
        """The score as a share in (0, 1): ``1 / (1 + exp(-score))``."""
        return share_of(self.score(features))


def standardised(value: float, mean: float, sd: float) -> float:
    """``(value - mean) / sd``, held within [-3, 3]."""
    return max(-WIDEST, min(WIDEST, (value - mean) / sd))


def share_of(log_odds: float) -> float:
    """``1 / (1 + exp(-log_odds))``."""
    return 1 / (1 + math.exp(-log_odds))


@cache
def fitted() -> Mapping[str, Fitted]:
    """The models by name: preference, cogency, effectiveness, reasonableness."""
    held = record()
    scale = held["features"]
    mean = {name: one["mean"] for name, one in scale.items()}
    sd = {name: one["sd"] for name, one in scale.items()}
    return {
        name: Fitted(model["intercept"], model["weights"], mean, sd) for name, model in held["models"].items()
    }


def record() -> dict[str, Any]:
    """All that ``fitted.json`` says: the weights, the scale of the features, and where they come from."""
    return json.loads(WEIGHTS.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


WEIGHTS = Path(__file__).with_name("fitted.json")
