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
    """The settings of a word index: text analysis and BM25 parameters.

    If ``stemmer`` or ``stop_words`` is None, the engine's default is used.

    Raises:
        DeclarationError: ``k1`` is negative or ``b`` is outside [0, 1].
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
        """Return the settings with the engine's defaults filled in, after checking that the engine supports
        them.

        Raises:
            UnknownNameError: the engine has no such stemmer or stop word list.
        """
        stemmer = self.stemmer or engine.stemmers[0]
        stop_words = self.stop_words or engine.stop_lists[0]
        check_known(f"stemmer of engine {engine.name}", engine.stemmers, stemmer)
        check_known(f"list of stop words of engine {engine.name}", engine.stop_lists, stop_words)
        return WordIndexSettings(stemmer, stop_words, self.k1, self.b)

    @property
    def identity(self) -> dict[str, Any]:
        """The settings that determine the index, as plain data for its fingerprint."""
        return asdict(self)

    @property
    def code(self) -> str:
        """The name of a Python function to run; always empty, as a word index runs no user code."""
        return ""

    def __str__(self) -> str:
        return f"stemmer {self.stemmer}, stop words {self.stop_words}, k1 {self.k1:g}, b {self.b:g}"


class EngineSettings(Protocol):
    """The interface of an engine's settings: a frozen dataclass of JSON values, such as
    :class:`WordIndexSettings`.
    """

    def settled(self, engine: Engine) -> EngineSettings:
        """Return checked settings with the engine's defaults filled in."""

    @property
    def identity(self) -> dict[str, Any]:
        """The settings that determine the index, as plain data for its fingerprint."""

    @property
    def code(self) -> str:
        """The Python function that the settings call, as ``module:function``; empty if there is none."""


@dataclass(frozen=True, slots=True)
class Hits:
    """The results of a search as flat arrays: each hit's query number, document number (both from 0) and
    score.

    The hits of one query are adjacent, best first.
    """

    queries: NDArray[np.int64]
    documents: NDArray[np.int64]
    scores: NDArray[np.float64]

    @staticmethod
    def from_rankings(hits: Sequence[tuple[NDArray[np.int64], NDArray[Any]]]) -> Hits:
        """Build the flat arrays from one pair of document numbers and scores per query."""
        return Hits(
            np.repeat(np.arange(len(hits)), [len(documents) for documents, _ in hits]),
            np.concatenate([np.empty(0, np.int64), *(documents for documents, _ in hits)]),
            np.concatenate([np.empty(0, np.float64), *(scores for _, scores in hits)]),
        )


def highest(values: NDArray[Any], depth: int) -> NDArray[np.int64]:
    """Return the positions, from 0, of the ``depth`` highest values, highest first; ties keep their order."""
    places = np.arange(len(values))
    if len(values) > depth:
        places = np.flatnonzero(values >= np.partition(values, len(values) - depth)[len(values) - depth])
    order = np.argsort(-values[places], kind="stable")[:depth]
    best: NDArray[np.int64] = places[order]
    return best


class Searcher(Protocol):
    """The interface of an open index that can be searched."""

    def search(self, queries: Sequence[str], depth: int) -> Hits:
        """Return the ``depth`` best documents of each query, or fewer if fewer match."""


@dataclass(frozen=True)
class Engine:
    """A search library that can index and search texts.

    - ``module`` must be importable; ``distribution`` is the installed package, whose version is part of
      the fingerprint
    - ``build(texts, folder, settings)`` indexes texts into an empty folder and returns the number of
      documents
    - ``open(folder, settings)`` opens an index that ``build`` wrote with the same settings
    - ``stemmers`` and ``stop_lists``: the names that it supports, the default first
    - ``settings``: the class of its settings; ``extra``: conqret's optional dependency that installs the
      library
    - ``home``: the folder of its index inside a corpus; engines that search by words share one
    - ``folds``: True if texts and queries are passed without accents (:func:`conqret.text.words.fold`)
    - ``resumes``: True if ``build`` can continue an interrupted build, given all texts again
    - ``layout``: a name of its file format that replaces the library's version, if files do not depend on
      it
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
        """Return the version of the library, or the name of its file format if the engine has one."""
        return self.layout or importlib.metadata.version(self.distribution)

    def declared(self, settings: Mapping[str, Any]) -> EngineSettings:
        """Return the engine's settings made from a mapping of names to values.

        Raises:
            UnknownNameError: the engine has no such setting.
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
    """Return the engine with this name; the default is ``bm25s``.

    Raises:
        UnknownNameError: there is no such engine.
        MissingDependencyError: the engine's library is not installed.
    """
    engine = ENGINES[name or "bm25s"]
    if importlib.util.find_spec(engine.module) is None:
        raise MissingDependencyError(
            f"{engine.module} is not installed; run: pip install 'conqret[{engine.extra}]'"
        )
    return engine
