"""What an engine is: a library that indexes texts and searches them, and knows numbers of documents and nothing of
PyTerrier. Those of conqret do BM25: PISA is the first choice, whose wheels exist for Linux on x86-64 only; elsewhere
bm25s does the same work.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from conqret.errors import DeclarationError, MissingDependencyError, UnknownNameError
from conqret.registry import Registry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1 = 0.9
"""Term frequency saturates early: Anserini's and PISA's default for BM25, tuned on web documents."""

B = 0.4
"""Little length normalisation; the default beside :data:`K1`."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How texts are analysed and scored. ``stemmer`` and ``stop_words`` of None are the engine's own choice.

    Raises:
        DeclarationError: ``k1`` is negative or ``b`` outside [0, 1].
    """

    stemmer: str | None = None
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


@dataclass(frozen=True)
class Engine:
    """One library that can index and search.

    - ``module`` is what must be importable, ``distribution`` what is installed for it; its version is part of an
      index's fingerprint. ``where`` says in a message where it can be had.
    - ``stemmers`` and ``stop_lists`` are those that it has, its own choice first
    - ``build(texts, folder, settings)`` indexes the texts into an empty folder, and returns how many documents the
      index holds; ``open(folder, settings)`` opens what it wrote, with the same settings
    """

    name: str
    module: str
    distribution: str
    build: Callable[[Iterable[str], Path, Settings], int]
    open: Callable[[Path, Settings], Searcher]
    stemmers: tuple[str, ...] = ("none",)
    stop_lists: tuple[str, ...] = ("none",)
    where: str = ""

    def version(self) -> str:
        """The library's version."""
        return importlib.metadata.version(self.distribution)


ENGINES = Registry(
    "engine",
    "conqret.retrievers",
    Engine,
    package="conqret.retrieval.engines",
    attribute="ENGINE",
    first=("pisa", "bm25s"),
)
"""Every engine by its name."""


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
    engine = ENGINES[name or default_engine()]
    if importlib.util.find_spec(engine.module) is None:
        raise MissingDependencyError(
            f"{engine.module} is not installed{engine.where}; run: pip install 'conqret[retrieval]'"
        )
    return engine


def settle(engine: Engine, settings: Settings) -> Settings:
    """The settings with the engine's own choices filled in, checked against what it can do.

    Raises:
        UnknownNameError: the engine has no such stemmer or list of stop words.
    """
    stemmer = settings.stemmer or engine.stemmers[0]
    stop_words = settings.stop_words or engine.stop_lists[0]
    if stemmer not in engine.stemmers:
        raise UnknownNameError(f"stemmer of engine {engine.name}", stemmer, engine.stemmers)
    if stop_words not in engine.stop_lists:
        raise UnknownNameError(f"list of stop words of engine {engine.name}", stop_words, engine.stop_lists)
    return Settings(stemmer, stop_words, settings.k1, settings.b)
