"""The index of a corpus: built once, opened often, and built again when the corpus or the settings change."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self

import numpy as np
from filelock import FileLock

from conqret.data.digest import file_sha256, text_digest_of
from conqret.errors import DeclarationError
from conqret.io import limits
from conqret.io.jsonl import object_in
from conqret.io.limits import whole_bytes
from conqret.io.safe_files import check_own_files
from conqret.retrieval.collection import Collection, Entry, OwnCollection, collection_of
from conqret.retrieval.engines import ENGINES, Engine, EngineSettings, Hits, Searcher, get_engine
from conqret.text.words import fold


@dataclass(frozen=True)
class Index:
    """An open search index over ``collection``.

    ``folder`` is the folder of the index. ``ids`` and ``offsets`` hold each document's id and the byte
    offset of its line, by document number. ``fresh`` is True if the index was built by this call.
    """

    collection: Collection
    folder: Path
    engine: str
    settings: EngineSettings
    fingerprint: str
    ids: tuple[str, ...]
    offsets: tuple[int, ...]
    searcher: Searcher
    fresh: bool = False

    def __len__(self) -> int:
        return len(self.ids)

    def __str__(self) -> str:
        return f"{self.engine} ({self.settings})"

    def search(self, queries: Sequence[str], depth: int, topics: Sequence[str] = ()) -> Hits:
        """Return the ``depth`` best documents of each query, as document numbers with scores.

        ``topics`` are the topic ids of the queries; only an index with one corpus per question needs them.
        """
        if not queries:
            return Hits.from_rankings([])
        folded = [fold(query) for query in queries] if ENGINES[self.engine].folds else queries
        return self.searcher.search(folded, depth)

    def entries(self, identifiers: Sequence[str]) -> dict[str, Entry]:
        """Return a mapping from document id to document; ids that the index lacks are left out."""
        places = self._places
        known = [identifier for identifier in dict.fromkeys(identifiers) if identifier in places]
        entries = self.collection.read_at([self.offsets[places[identifier]] for identifier in known])
        return dict(zip(known, entries, strict=True))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {identifier: place for place, identifier in enumerate(self.ids)}


NOTHING = np.empty(0, np.int64), np.empty(0, np.float64)
"""The documents that are found where there is no corpus, and their scores."""


@dataclass(frozen=True)
class OwnIndex(Index):
    """A set of indexes with one index per question, for corpora that each belong to one question.

    A question is searched only in its own corpus, and word weights are computed over that corpus (BeRDS,
    section 4.2).
    """

    parts: Mapping[str, Index] = field(default_factory=dict)

    @classmethod
    def from_parts(cls, collection: OwnCollection, parts: Mapping[str, Index]) -> Self:
        """Combine the indexes of the questions into one, whose documents are those of all parts in order."""
        first = next(iter(parts.values()))
        fingerprint = text_digest_of(" ".join(part.fingerprint for part in parts.values()))
        ids = tuple(itertools.chain.from_iterable(part.ids for part in parts.values()))
        fresh = any(part.fresh for part in parts.values())
        made = (collection, collection.folder, first.engine, first.settings, fingerprint)
        return cls(*made, ids, (), first.searcher, fresh, parts)

    def search(self, queries: Sequence[str], depth: int, topics: Sequence[str] = ()) -> Hits:
        """Return the best documents of each query in the corpus of its topic, numbered over all corpora.

        A topic without a corpus has no documents.

        Raises:
            DeclarationError: ``topics`` does not give a topic for each query.
        """
        if len(topics) != len(queries):
            raise DeclarationError(
                f"{self.folder} has a corpus for each question, so it can only be searched for these questions"
            )
        rows = []
        for query, topic in zip(queries, topics, strict=True):
            name = self._part(topic)
            hits = self.parts[name].search([query], depth) if name else None
            rows.append((hits.documents + self._starts[name], hits.scores) if hits else NOTHING)
        return Hits.from_rankings(rows)

    def entries(self, identifiers: Sequence[str]) -> dict[str, Entry]:
        """Return a mapping from document id to document, over all corpora.

        Raises:
            DeclarationError: two corpora have different texts under one id.
        """
        entry_by_id: dict[str, Entry] = {}
        for part in self.parts.values():
            for name, entry in part.entries(identifiers).items():
                if entry_by_id.setdefault(name, entry).whole != entry.whole:
                    raise DeclarationError(
                        f"{part.collection.documents_file}: the id {name!r} belongs to another text "
                        f"in another corpus of {self.folder}; give each text an id of its own"
                    )
        return entry_by_id

    @cached_property
    def _starts(self) -> dict[str, int]:
        ends = itertools.accumulate(map(len, self.parts.values()), initial=0)
        return dict(zip(self.parts, ends, strict=False))

    def _part(self, topic: str) -> str:
        """The question whose corpus is searched: the topic, or what stands before a colon in it (``q:supporting``)."""
        while topic and topic not in self.parts:
            topic = topic.rpartition(":")[0]
        return topic


LAYOUT = 3
"""Part of every fingerprint; raise it when what is written, or how texts are analysed, changes."""

_MANIFEST, _DOCUMENTS, _ENGINE = "index.json", "documents.json", "engine"


def build_index(
    corpus: str | Path,
    *,
    engine: str | None = None,
    settings: EngineSettings | None = None,
    rebuild: bool = False,
    on_document: Callable[[], object] = lambda: None,
) -> Index:
    """Open the index of ``corpus``, and build it first if it is missing or belongs to another corpus or
    settings.

    A new index replaces the old one only when it is complete. An interrupted build leaves nothing behind,
    or can be resumed where the engine supports it. The call waits for a build by another process. A corpus
    per question gets an index per question.

    Args:
        corpus: a corpus directory.
        engine: the name of the search engine; default ``bm25s``.
        settings: the engine's settings; default: the engine's own.
        rebuild: build the index even if it exists.
        on_document: called as each document is read.

    Raises:
        DeclarationError: the corpus is missing, a document is faulty, or the engine or a setting is
            unknown.
    """
    collection, chosen = collection_of(corpus), get_engine(engine)
    if isinstance(collection, OwnCollection):
        again = partial(
            build_index, engine=engine, settings=settings, rebuild=rebuild, on_document=on_document
        )
        return OwnIndex.from_parts(
            collection, {name: again(part) for name, part in collection.parts().items()}
        )
    wanted = (settings or chosen.settings()).settled(chosen)
    fingerprint = _fingerprint(collection, chosen, wanted)

    def fits() -> bool:
        return _valid_manifest(collection, chosen.home).get("fingerprint") == fingerprint

    if not rebuild and fits():
        # Reading takes no lock. Where a rebuild replaced the files meanwhile, they are read again under it.
        with contextlib.suppress(DeclarationError, OSError):
            return _open(collection, chosen, wanted, fingerprint, fresh=False)
    with FileLock(collection.folder / f".{chosen.home}.lock"):  # waits for another process that builds it
        if fresh := rebuild or not fits():
            _build(collection, chosen, wanted, fingerprint, on_document, afresh=rebuild)
        return _open(collection, chosen, wanted, fingerprint, fresh=fresh)


def open_index(
    corpus: str | Path,
    engine: str | None = None,
    given: Mapping[str, Any] | None = None,
    on_document: Callable[[], object] = lambda: None,
) -> Index:
    """Open the index of ``corpus`` with the engine and the settings that it was built with.

    A missing index is built with the settings ``given``. An index is rebuilt if its corpus has changed.
    For an existing index, ``given`` may only change settings that do not change the index, such as the
    encoder's folder. Since an index may come from a stranger, Python code that its file names runs only if
    ``given`` names it too.

    Args:
        corpus: a corpus directory.
        engine: the name of the engine; default: the word index.
        given: settings of the engine, by name.
        on_document: called as each document is read for a build.

    Raises:
        DeclarationError: as :func:`build_index`; or the index was built with another model; or its
            encoder is a function that ``given`` does not name.
    """
    settings_given = dict(given or {})
    home = "index" if engine is None else ENGINES[engine].home
    collection = collection_of(corpus)
    if isinstance(collection, OwnCollection):
        again = partial(open_index, engine=engine, given=given, on_document=on_document)
        return OwnIndex.from_parts(
            collection, {name: again(part) for name, part in collection.parts().items()}
        )
    manifest = _valid_manifest(collection, home)
    if not manifest or (engine is not None and ENGINES[engine].name != manifest["engine"]):
        settings = get_engine(engine).declared(settings_given)
        return build_index(corpus, engine=engine, settings=settings, on_document=on_document)
    chosen = get_engine(manifest["engine"])
    settings = chosen.declared({**manifest["settings"], **settings_given})
    if settings.code and settings.code not in settings_given.values():
        raise DeclarationError(
            f"{collection.folder / home / _MANIFEST} names Python code as its encoder ({settings.code}), and conqret "
            f"runs no code that a corpus names: if you trust it, name it yourself with --encoder {settings.code} "
            '(in Python encoder="…"), or rebuild the index with a model of your own'
        )
    return build_index(corpus, engine=chosen.name, settings=settings, on_document=on_document)


def _build(
    collection: Collection,
    engine: Engine,
    settings: EngineSettings,
    fingerprint: str,
    on_document: Callable[[], object],
    *,
    afresh: bool,
) -> None:
    scratch = collection.folder / f".{engine.home}.{fingerprint}"
    for left in collection.folder.glob(f".{engine.home}.*"):
        if left.is_dir() and (left != scratch or afresh or not engine.resumes):
            shutil.rmtree(left)
    ids: list[str] = []
    offsets: list[int] = []

    def read() -> Iterator[str]:
        for entry in collection.documents():
            ids.append(entry.id)
            offsets.append(entry.offset)
            on_document()
            yield fold(entry.whole) if engine.folds else entry.whole
        if not ids:
            raise DeclarationError(
                f"{collection.documents_file} contains no documents, so there is nothing to index"
            )

    try:
        work = scratch / "index"
        (work / _ENGINE).mkdir(parents=True, exist_ok=True)
        engine.build(read(), work / _ENGINE, settings)
        (work / _DOCUMENTS).write_text(json.dumps({"ids": ids, "offsets": offsets}), encoding="utf-8")
        manifest = {
            "fingerprint": fingerprint,
            "engine": engine.name,
            "version": engine.version(),
            "settings": asdict(settings),  # type: ignore[call-overload]
            "documents": len(ids),
            "files": _digest(work),
        }
        (work / _MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        target = collection.folder / engine.home
        if target.exists():
            target.replace(scratch / "old")
        work.replace(target)
    except BaseException as error:
        if isinstance(error, DeclarationError) or not engine.resumes:
            shutil.rmtree(scratch, ignore_errors=True)
        raise
    shutil.rmtree(scratch, ignore_errors=True)


def _open(
    collection: Collection, engine: Engine, settings: EngineSettings, fingerprint: str, *, fresh: bool
) -> Index:
    """Check that the files of an index are as they were built, and open it: engines read them in native code, which may
    crash or find other documents where a file is corrupt.

    Raises:
        DeclarationError: a file has changed since the index was built.
    """
    folder = collection.folder / engine.home
    check_own_files(folder)
    if object_in(folder / _MANIFEST).get("files") != _digest(folder):
        raise DeclarationError(
            f"the index in {folder} is corrupt: its files changed since it was built; build it again with "
            f"conqret retrieve index {collection.folder} --rebuild"
        )
    documents = json.loads(whole_bytes(folder / _DOCUMENTS, limits.UNPACKED))
    ids, offsets = tuple(documents["ids"]), tuple(documents["offsets"])
    searcher = engine.open(folder / _ENGINE, settings)
    return Index(collection, folder, engine.name, settings, fingerprint, ids, offsets, searcher, fresh)


def _digest(folder: Path) -> str:
    """One sha256 over the files of an index but its manifest."""
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file != folder / _MANIFEST:
            digest.update(f"{file.relative_to(folder).as_posix()} {file_sha256(file)}\n".encode())
    return digest.hexdigest()


def _valid_manifest(collection: Collection, home: str) -> dict[str, Any]:
    """Return the manifest of the index in the folder ``home``; empty where there is none, it cannot be read,
    or its engine is unknown or has another folder."""
    manifest = object_in(collection.folder / home / _MANIFEST)
    name, settings = manifest.get("engine"), manifest.get("settings")
    if not isinstance(name, str) or not isinstance(settings, dict) or "fingerprint" not in manifest:
        return {}
    scalars = all(value is None or isinstance(value, str | int | float) for value in settings.values())
    return manifest if scalars and name in ENGINES and ENGINES[name].home == home else {}


def _fingerprint(collection: Collection, engine: Engine, settings: EngineSettings) -> str:
    """Return the fingerprint of an index (16 hexadecimal digits), which changes with any byte of the
    documents, the engine, its version, and the settings."""
    with collection.documents_file.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    made_by = {
        "layout": LAYOUT,
        "engine": engine.name,
        "version": engine.version(),
        "settings": settings.identity,
    }
    digest.update(json.dumps(made_by, sort_keys=True).encode())
    return digest.hexdigest()[:16]
