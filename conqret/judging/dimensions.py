"""The taxonomy of argument quality of Wachsmuth et al. (2017), "Computational Argumentation Quality Assessment
in Natural Language" (EACL), section 3: three aspects with their sub-dimensions and overall quality, fifteen in all.

``dimensions.toml`` has their questions and definitions.
"""

from __future__ import annotations

import random
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Literal

Order = Literal["given", "reversed", "shuffled"]


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of argument quality: name in reports, aspect, question to annotators, and definition."""

    name: str
    aspect: str
    question: str
    definition: str


_declared = resources.files("conqret.judging").joinpath("dimensions.toml").read_text(encoding="utf-8")

BY_NAME: dict[str, Dimension] = {}
for _row in tomllib.loads(_declared)["dimension"]:
    BY_NAME[_row["name"]] = Dimension(**_row)
DIMENSIONS = tuple(BY_NAME.values())


def ordered(order: Order, *, seed: int, sample: int) -> tuple[Dimension, ...]:
    """Return the fifteen dimensions in the order in which one sample (response) rates them.

    Sample 0 uses ``order``. Every further sample has a random order that depends only on ``seed`` and
    ``sample``, so that a provider can cache the static part of the prompt over all items (ConQRet, section
    5.1: self-consistency over differently ordered dimensions).
    """
    if sample == 0 and order == "given":
        return DIMENSIONS
    if sample == 0 and order == "reversed":
        return DIMENSIONS[::-1]
    shuffled = list(DIMENSIONS)
    random.Random(f"{seed}:{sample}").shuffle(shuffled)
    return tuple(shuffled)
