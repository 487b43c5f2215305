"""How a model draws what it writes: declared once for requests, and for all that has a model write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypedDict

from conqret.options import Within

DEFAULT_TEMPERATURE = 0.0
"""At 0 each token is the likeliest, and a run can be repeated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How a model draws tokens; what takes further options extends it.

    Model:
        temperature: The model's temperature. Default: 0.
    """

    temperature: Annotated[float | None, Within(0)] = None

    @property
    def sampling_temperature(self) -> float:
        """The temperature that requests are sent with."""
        return DEFAULT_TEMPERATURE if self.temperature is None else self.temperature


@dataclass(frozen=True, slots=True, kw_only=True)
class NucleusSampling(Sampling):
    """The same, perhaps only from the likeliest tokens (Holtzman et al. 2020).

    Model:
        top_p: Nucleus sampling: draw only from the likeliest tokens that together have this probability.
    """

    top_p: Annotated[float | None, Within(above=0, high=1)] = None


GREEDY = NucleusSampling()
"""Nothing is drawn: each token is the likeliest."""


class SamplingSettings(TypedDict, total=False):
    """:class:`Sampling` as functions take it by keyword."""

    temperature: float | None
