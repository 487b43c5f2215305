"""How a model draws tokens: options that requests and commands share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval

DEFAULT_TEMPERATURE = 0.0
"""At 0 each token is the likeliest, and a run can be repeated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How a model draws tokens; what takes further options extends it.

    Model:
        temperature: The model's temperature. Default: 0.
    """

    temperature: Annotated[float | None, Interval(ge=0)] = None

    @property
    def sampling_temperature(self) -> float:
        """The temperature of requests: the one set, or else the default."""
        return DEFAULT_TEMPERATURE if self.temperature is None else self.temperature


@dataclass(frozen=True, slots=True, kw_only=True)
class NucleusSampling(Sampling):
    """The same, perhaps only from the likeliest tokens (Holtzman et al. 2020).

    Model:
        top_p: Nucleus sampling: draw only from the likeliest tokens that together have this probability.
    """

    top_p: Annotated[float | None, Interval(gt=0, le=1)] = None


GREEDY = NucleusSampling()
"""Nothing is drawn: each token is the likeliest."""
