"""What an engine is: a library that indexes texts and searches them, and knows numbers of documents and nothing of
PyTerrier. ``bm25s`` searches by words, ``dense`` by vectors.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from conqret.errors import DeclarationError, MissingDependencyError, check_known
from conqret.registry import Registry

SNOWBALL_LANGUAGES = tuple(
    "arabic danish dutch finnish french german hindi hungarian italian norwegian portuguese romanian russian spanish "
    "swedish turkish".split()
)
"""Languages that have a stemmer of Snowball's."""

K1 = 0.9
"""Term frequency saturates early: Anserini's default for BM25, tuned on web documents."""

B = 0.4
"""Little length normalization; the default with :data:`K1`."""


@dataclass(frozen=True, slots=True)
class WordIndexSettings:
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
            raise DeclarationError(f"--k1 is {self.k1}, but it must be a finite number of at least 0")
        if not 0 <= self.b <= 1:
            raise DeclarationError(f"--b is {self.b}, but it must be between 0 and 1")

    def settled(self, engine: Engine) -> WordIndexSettings:
        """The settings with the engine's own choices filled in, checked against what it can do.

        Raises:
            UnknownNameError: the engine has no such stemmer or list of stop words.
        """
        stemmer = self.stemmer or engine.stemmers[0]
        stop_words = self.stop_words or engine.stop_lists[0]
        check_known(f"stemmer of engine {engine.name}", engine.stemmers, stemmer)
        check_known(f"list of stop words of engine {engine.name}", engine.stop_lists, stop_words)
        return WordIndexSettings(stemmer, stop_words, self.k1, self.b)

    @property
    def identity(self) -> dict[str, Any]:
        """What of them makes another index."""
        return asdict(self)

    @property
    def code(self) -> str:
        """Nothing of the user's own code is run for them."""
        return ""

    def __str__(self) -> str:
        return f"stemmer {self.stemmer}, stop words {self.stop_words}, k1 {self.k1:g}, b {self.b:g}"


class EngineSettings(Protocol):
    """The settings of an engine: a frozen dataclass of values that JSON can hold, as :class:`WordIndexSettings` is."""

    def settled(self, engine: Engine) -> EngineSettings:
        """The same, checked, with the engine's own choices filled in."""

    @property
    def identity(self) -> dict[str, Any]:
        """What of them makes another index: a part of its fingerprint."""

    @property
    def code(self) -> str:
        """The Python function that they would call, ``module:function``; empty where there is none."""


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found, flat: for each hit the number of its query, of its document (both from 0), and
    its score. Hits of one query stand together, best first."""

    queries: NDArray[np.int64]
    documents: NDArray[np.int64]
    scores: NDArray[np.float64]

    @staticmethod
    def from_rankings(hits: Sequence[tuple[NDArray[np.int64], NDArray[Any]]]) -> Hits:
        """The hits of each query, given as numbers of documents and their scores."""
        return Hits(
            np.repeat(np.arange(len(hits)), [len(documents) for documents, _ in hits]),
            np.concatenate([np.empty(0, np.int64), *(documents for documents, _ in hits)]),
            np.concatenate([np.empty(0, np.float64), *(scores for _, scores in hits)]),
        )


def highest(values: NDArray[Any], depth: int) -> NDArray[np.int64]:
    """The places of the ``depth`` highest values, highest first, the earlier one of equals first."""
    places = np.arange(len(values))
    if len(values) > depth:
        places = np.flatnonzero(values >= np.partition(values, len(values) - depth)[len(values) - depth])
    order = np.argsort(-values[places], kind="stable")[:depth]
    best: NDArray[np.int64] = places[order]
    return best


class Searcher(Protocol):
    """An index that is open."""

    def search(self, queries: Sequence[str], depth: int) -> Hits:
        """The ``depth`` best documents for each query; fewer where fewer hold any of its words."""


@dataclass(frozen=True)
class Engine:
    """One library that can index and search.

    - ``module`` is what must be importable, ``distribution`` what is installed for it; its version is part of an
      index's fingerprint
    - ``build(texts, folder, settings)`` indexes the texts into an empty folder, and returns how many documents the
      index holds; ``open(folder, settings)`` opens what it wrote, with the same settings
    - ``stemmers`` and ``stop_lists`` are those that it has, its own choice first
    - ``settings`` is the class of its settings; ``extra`` the extra of conqret that brings its library
    - ``home`` is the folder of its index inside a corpus: engines by words share one
    - ``folds``: it gets texts and queries without accents (:func:`conqret.text.words.fold`)
    - ``resumes``: ``build`` goes on in a folder where it was stopped; it gets all the texts again
    - ``layout`` names what it writes, in the place of the library's version, where that does not depend on it
    """

    name: str
    module: str
    distribution: str
    build: Callable[[Iterable[str], Path, Any], int]
    open: Callable[[Path, Any], Searcher]
    stemmers: tuple[str, ...] = ("none",)
    stop_lists: tuple[str, ...] = ("none",)
    settings: Callable[..., EngineSettings] = WordIndexSettings
    extra: str = "retrieval"
    home: str = "index"
    folds: bool = True
    resumes: bool = False
    layout: str = ""

    def version(self) -> str:
        """The library's version, or the layout of what it writes."""
        return self.layout or importlib.metadata.version(self.distribution)

    def declared(self, settings: Mapping[str, Any]) -> EngineSettings:
        """Its settings, from those that were given by name.

        Raises:
            UnknownNameError: it has no such setting.
        """
        known = inspect.signature(self.settings).parameters
        check_known(f"setting of the engine {self.name}", known, *settings)
        return self.settings(**settings)


ENGINES = Registry(
    "engine",
    "conqret.retrievers",
    Engine,
    package="conqret.retrieval.engines",
    attribute="ENGINE",
    first=("bm25s",),
)
"""Every engine by its name."""


def get_engine(name: str | None = None) -> Engine:
    """The engine of that name, by default ``bm25s``.

    Raises:
        UnknownNameError: there is no such engine.
        MissingDependencyError: its library is not installed here.
    """
    engine = ENGINES[name or "bm25s"]
    if importlib.util.find_spec(engine.module) is None:
        raise MissingDependencyError(
            f"{engine.module} is not installed; run: pip install 'conqret[{engine.extra}]'"
        )
    return engine
