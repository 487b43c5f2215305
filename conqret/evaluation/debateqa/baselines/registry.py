"""Which baselines there are, by the names that are typed. Of all of them more is better."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from conqret.errors import DeclarationError, UnknownNameError

Kind = Literal["similarity", "asked", "text"]
"""Compared with the partial answers; asked of a model; read off the answer's text."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """One baseline: its name (``rouge-l``), what it computes, the range of its values, and where it is from."""

    name: str
    kind: Kind
    summary: str
    range: str
    source: str

    @property
    def metric(self) -> str:
        """Its name in a table of scores: ``rouge_l``."""
        return self.name.replace("-", "_")


_ALL = (
    Baseline("bleu", "similarity", "n-gram precision of the answer against each partial answer, by sacrebleu",
             "0 to 100", "Papineni et al. 2002; DebateQA, B.1.2"),
    Baseline("rouge-l", "similarity", "longest common subsequence with each partial answer (F-measure), by rouge-score",
             "0 to 1", "Lin 2004; DebateQA, B.1.2"),
    Baseline("bartscore", "similarity", "mean log-probability of the answer's tokens given each partial answer",
             "below 0", "Yuan et al. 2021; DebateQA, B.1.2"),
    Baseline("semscore", "similarity", "cosine of the embeddings of the answer and each partial answer",
             "-1 to 1", "Aynetdinov and Akbik 2024; DebateQA, B.1.2"),
    Baseline("direct-score", "asked", "a model's grade of the answer", "1 to 5", "DebateQA, Table 10"),
    Baseline("g-eval", "asked", "a model's grade of the answer after evaluation steps and its own reasoning",
             "1 to 5", "Liu et al. 2023; DebateQA, Table 10"),
    Baseline("num-of-povs", "asked", "a model's count of the viewpoints in the answer", "1 to 10",
             "DebateQA, Table 10"),
    Baseline("acknowledge", "text", "whether the answer begins with \"As an AI language model\"", "0 or 1",
             "Sun et al. 2023 (DELPHI); DebateQA, C.1"),
)  # fmt: skip

BASELINES: Mapping[str, Baseline] = {one.name: one for one in _ALL}
DEFAULT = ("bleu", "rouge-l")
"""What needs neither weights nor a model to ask, and can tell answers apart."""


def selected(names: Iterable[str]) -> tuple[Baseline, ...]:
    """The baselines of these names (``rouge_l`` is understood too), each once, in their order.

    Raises:
        UnknownNameError: there is no such baseline.
        DeclarationError: no name is given.
    """
    found = {}
    for name in names:
        typed = name.strip().lower().replace("_", "-")
        if typed not in BASELINES:
            raise UnknownNameError("baseline", name.strip(), BASELINES)
        found[typed] = BASELINES[typed]
    if not found:
        raise DeclarationError(f"no baseline is named; known: {', '.join(BASELINES)}")
    return tuple(found.values())
