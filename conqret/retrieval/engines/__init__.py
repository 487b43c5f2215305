"""The embedded BM25 engines, behind one interface that knows numbers of documents and nothing of PyTerrier.

PISA is the first choice; its wheels exist for Linux on x86-64 only. Elsewhere bm25s does the same work.
"""

from __future__ import annotations

import importlib.util
import platform
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

from conqret.errors import DeclarationError, MissingDependencyError, UnknownNameError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1 = 0.9
"""Term frequency saturates early: Anserini's and PISA's default for BM25, tuned on web documents."""

B = 0.4
"""Little length normalisation; the default beside :data:`K1`."""

STEMMER = "porter2"
"""Snowball's English stemmer, PISA's default."""

STOP_LISTS = {
    "terrier": "Terrier's list of 733 words; it comes with pyterrier-pisa",
    "lucene": "Lucene's 33 words",
    "english": "conqret's own list of about 370 function words",
    "none": "no stop words",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """How texts are analysed and scored. ``stop_words`` of None is the engine's own choice.

    Raises:
        DeclarationError: ``k1`` is negative or ``b`` outside [0, 1].
    """

    stemmer: str = STEMMER
    stop_words: str | None = None
    k1: float = K1
    b: float = B

    def __post_init__(self) -> None:
        if not 0 <= self.k1 < float("inf"):
            raise DeclarationError(f"--k1 is {self.k1}; it must be a finite number, 0 or more")
        if not 0 <= self.b <= 1:
            raise DeclarationError(f"--b is {self.b}; it must be between 0 and 1")


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found, flat: for each hit the number of its query, of its document (both from 0), and
    its score. Hits of one query stand together, best first."""

    queries: NDArray[np.int64]
    documents: NDArray[np.int64]
    scores: NDArray[np.float64]


class Searcher(Protocol):
    """An index that is open."""

    def search(self, queries: Sequence[str], depth: int) -> Hits:
        """The ``depth`` best documents for each query; fewer where fewer hold any of its words."""


class Engine(Protocol):
    """One library that can index and search."""

    name: ClassVar[str]
    default_stop_words: ClassVar[str]
    stemmers: ClassVar[tuple[str, ...]]
    stop_lists: ClassVar[tuple[str, ...]]

    def version(self) -> str:
        """The library's version, part of the index's fingerprint."""

    def build(self, texts: Iterable[str], folder: Path, settings: Settings) -> int:
        """Index the texts into an empty folder; returns how many documents the index holds."""

    def open(self, folder: Path, settings: Settings) -> Searcher:
        """Open what :meth:`build` wrote, with the same settings."""


_MODULES = {"pisa": "pyterrier_pisa", "bm25s": "bm25s"}


def default_engine() -> str:
    """``pisa`` where its wheels exist and it is installed, else ``bm25s``."""
    has_wheels = sys.platform == "linux" and platform.machine().lower() in {"x86_64", "amd64"}
    return "pisa" if has_wheels and importlib.util.find_spec("pyterrier_pisa") is not None else "bm25s"


def get_engine(name: str | None = None) -> Engine:
    """The engine of that name, or the default one.

    Raises:
        UnknownNameError: there is no such engine.
        MissingDependencyError: its library is not installed here.
    """
    name = name or default_engine()
    if name not in _MODULES:
        raise UnknownNameError("engine", name, _MODULES)
    if importlib.util.find_spec(_MODULES[name]) is None:
        where = (
            " (its wheels are for Linux on x86-64; elsewhere use --engine bm25s)" if name == "pisa" else ""
        )
        raise MissingDependencyError(
            f"{_MODULES[name]} is not installed{where}; run: pip install 'conqret[retrieval]'"
        )
    if name == "pisa":
        from conqret.retrieval.engines.pisa import PisaEngine

        return PisaEngine()
    from conqret.retrieval.engines.bm25s import Bm25sEngine

    return Bm25sEngine()


def settle(engine: Engine, settings: Settings) -> Settings:
    """The settings with the engine's own stop words filled in, checked against what it can do.

    Raises:
        UnknownNameError: the engine has no such stemmer or list of stop words.
    """
    stop_words = settings.stop_words or engine.default_stop_words
    if settings.stemmer not in engine.stemmers:
        raise UnknownNameError(f"stemmer of engine {engine.name}", settings.stemmer, engine.stemmers)
    if stop_words not in engine.stop_lists:
        raise UnknownNameError(f"list of stop words of engine {engine.name}", stop_words, engine.stop_lists)
    return Settings(settings.stemmer, stop_words, settings.k1, settings.b)
