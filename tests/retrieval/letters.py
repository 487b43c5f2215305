"""An adapter: texts as counts of letters, without any weights."""

from collections.abc import Sequence
from typing import Any

import numpy as np


class Letters:
    """Eight numbers a text: how often it has each of the letters a to h."""

    identity = "letters-1"

    def queries(self, texts: Sequence[str]) -> Any:
        """A row for each."""
        return np.array([[text.lower().count(one) for one in "abcdefgh"] for text in texts], np.float32)

    passages = queries


def load(encoding: object) -> Letters:
    """The adapter."""
    return Letters()


def nothing(encoding: object) -> int:
    """What is no encoder."""
    return 3


def overlap() -> Any:
    """A reranker: how many words a question and a passage share; what it read stands in :data:`READ`."""

    def score(pairs: Sequence[tuple[str, str]]) -> Any:
        READ.extend(pairs)
        return np.array([len({*one.lower().split()} & {*other.lower().split()}) for one, other in pairs])

    return score


READ: list[tuple[str, str]] = []
