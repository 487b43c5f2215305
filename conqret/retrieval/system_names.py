"""The names of systems (what searches and what comes to it, joined with ``+``, or a run from a file), and the plan of
stages that a name stands for."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conqret.data import Stance
from conqret.errors import DeclarationError, UnknownNameError, check_known
from conqret.text.numbers import number_in

TRADE_OFF = 0.95
"""Lambda: what BeRDS chose on its development set for BM25 over search results (Table 7; tried: 0.5 to 0.99)."""

DEPTH = 100
"""Documents that a first stage retrieves for a topic."""
WINDOW, STEP = 20, 10
"""Documents of a window of a listwise reranker, and by how many it moves (RankGPT)."""
BM25_NAME = "bm25"
"""The name of the index by words."""
BM25 = (BM25_NAME,)
"""The engines of a system that names none."""
FIRST_STAGES: Mapping[str, tuple[str, ...]] = {
    BM25_NAME: BM25,
    "dense": ("dense",),
    "hybrid": ("bm25", "dense"),
}
"""What searches: the engines, of which several are fused by reciprocal ranks. ``dense`` compares the vectors of the
index of ``conqret retrieve index --engine dense``."""
STEPS: Mapping[str, Mapping[str, Any]] = {
    "generic": {"rerank": True},
    "pro": {"rerank": True, "stance": "pro"},
    "con": {"rerank": True, "stance": "con"},
    "mmr": {"mmr": TRADE_OFF},
    "perspectives": {"perspectives": True},
}
"""What may come to it, as settings of a :class:`PipelinePlan`: listwise reranking (generic, or for a side),
maximal marginal relevance (``mmr@0.75`` with another trade-off), and a search for each perspective, merged."""
SYSTEMS = (*FIRST_STAGES, *STEPS)
"""The words that systems are named by, joined with ``+``: ``dense+mmr``; without a first stage it is BM25.
``NAME=FILE`` is a run from a TREC file."""
RERANKED = frozenset({"generic", "pro", "con"})
"""The steps that rerank what the first stage found."""
MODEL_STEPS = RERANKED | {"perspectives"}
"""The steps that need a model."""


@dataclass(frozen=True, slots=True)
class PipelinePlan:
    """The stages of a retrieval pipeline, in the order in which they run.

    A first stage searches (for each perspective, with ``perspectives``); several engines are fused by
    ``weights`` or by ranks. A cross-encoder (with ``instruction``) and a listwise reranker (with
    ``rerank`` and ``stance``) follow. MMR is last (with the trade-off ``mmr``, by words or by vectors of
    ``mmr_encoder``).

    Raises:
        DeclarationError: a stance, instruction or encoder is given without the stage that uses it.
    """

    stance: Stance = "none"
    rerank: bool = False
    perspectives: bool = False
    mmr: float | None = None
    depth: int = DEPTH
    window: int = WINDOW
    step: int = STEP
    weights: Sequence[float] | None = None
    cross_encoder: str | None = None
    instruction: str = ""
    mmr_encoder: str | None = None

    def __post_init__(self) -> None:
        if self.stance != "none" and not self.rerank:
            raise DeclarationError(
                f"--stance {self.stance} needs a reranker, because a first stage cannot distinguish sides: "
                "add --rerank gpt-4o-mini or --rerank offline"
            )
        if self.instruction and self.cross_encoder is None:
            raise DeclarationError(
                "--instruction needs a reranker that reads instructions: add --cross-encoder FOLDER"
            )
        if self.mmr_encoder is not None and self.mmr is None:
            raise DeclarationError("--mmr-encoder needs --mmr: add --mmr 0.95")


def check_systems(names: Sequence[str]) -> None:
    """Check before the first call that every system's name is valid and every TREC run file exists.

    Raises:
        UnknownNameError: there is no such system.
        DeclarationError: no name is given, a name is repeated, or a run file does not exist.
    """
    labels = [name.partition("=")[0] for name in names]
    if repeated := {label for label in labels if labels.count(label) > 1}:
        raise DeclarationError(
            f"the system {min(repeated)!r} is named twice; give each run a name of its own"
        )
    if not names:
        raise DeclarationError("name at least one system, such as bm25,pro")
    runs = {label for label, name in zip(labels, names, strict=True) if "=" in name}
    for name in names:
        label, separator, path = name.partition("=")
        if "+" in name and (runs.intersection(name.split("+")) or Path(path.partition("+")[0]).is_file()):
            raise DeclarationError(
                f"the system {name!r}: a run from a file takes no further steps here; rerank it in an experiment "
                "(docs/experiments.md: `run` of a retriever), or in Python (docs/retrieval.md: Any first stage)"
            )
        if separator and not Path(path).is_file():
            raise DeclarationError(f"the run {label!r}: there is no file {path}")
        if not separator:
            stages_of(name)


def is_system(name: str) -> bool:
    """Return True if ``name`` is a valid name of a system (and not ``NAME=FILE``)."""
    try:
        stages_of(name)
    except UnknownNameError:
        return False
    return True


def has_step(name: str, steps: Container[str]) -> bool:
    """Return True if one of a system's steps is among ``steps``; a TREC run file has no steps."""
    return "=" not in name and any(word.partition("@")[0] in steps for word in name.split("+"))


def stages_of(name: str) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the engines of a system's name (BM25 if it names none) and the settings of its :class:`PipelinePlan`.

    Raises:
        UnknownNameError: a part of the name is not one of :data:`SYSTEMS`.
        DeclarationError: the name has two first stages, repeated or conflicting steps, or a trade-off
            outside 0 to 1.
    """
    words = [word.partition("@") for word in name.split("+")]
    check_known("system (or NAME=FILE)", SYSTEMS, *(word for word, _, _ in words))
    first = [word for word, _, _ in words if word in FIRST_STAGES]
    steps = [word for word, _, _ in words if word in STEPS]
    if len(first) > 1 or len(set(steps)) < len(steps) or len(RERANKED.intersection(steps)) > 1:
        raise DeclarationError(
            f"the system {name!r}: name one first stage ({', '.join(FIRST_STAGES)}), each step only "
            "once, and at most one reranker"
        )
    settings = {key: value for step in steps for key, value in STEPS[step].items()}
    for word, separator, value in words:
        if separator:
            settings[word] = _trade_off(name, word, value)
    return FIRST_STAGES[first[0]] if first else BM25, settings


def _trade_off(name: str, word: str, value: str) -> float:
    try:
        weight = number_in(value)
    except ValueError:
        weight = -1.0
    if word != "mmr" or not 0 <= weight <= 1:
        raise DeclarationError(
            f"the system {name!r}: only mmr takes @, with a number from 0 to 1, as in mmr@0.75"
        )
    return weight
