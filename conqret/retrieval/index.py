"""The index of a corpus: built once, opened often, and built again when the corpus or the settings change."""

from __future__ import annotations

import hashlib
import itertools
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from conqret.errors import DeclarationError
from conqret.retrieval.collection import Collection, Entry
from conqret.retrieval.engine import Engine, Hits, Searcher, Settings, get_engine, settle
from conqret.text.words import fold

FOLDER = "index"
"""Where the index lies inside a corpus directory."""

LAYOUT = 1
"""Part of every fingerprint; raise it when what is written, or how texts are analysed, changes."""

_MANIFEST, _DOCUMENTS, _ENGINE = "index.json", "documents.json", "engine"
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Index:
    """An open index over ``collection``.

    ``ids`` and ``offsets`` hold each document's id and the byte of its line, by its number. ``fresh`` says
    whether it was built just now.
    """

    collection: Collection
    engine: str
    settings: Settings
    fingerprint: str
    ids: tuple[str, ...]
    offsets: tuple[int, ...]
    searcher: Searcher
    fresh: bool = False

    def __len__(self) -> int:
        return len(self.ids)

    def search(self, queries: Sequence[str], depth: int) -> Hits:
        """The ``depth`` best documents of each query, by their numbers."""
        return self.searcher.search([fold(query) for query in queries], depth)

    def entries(self, identifiers: Sequence[str]) -> dict[str, Entry]:
        """Title and text of documents by id; ids that are not here are left out."""
        places = self._places
        known = [identifier for identifier in dict.fromkeys(identifiers) if identifier in places]
        found = self.collection.read_at([self.offsets[places[identifier]] for identifier in known])
        return dict(zip(known, found, strict=True))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {identifier: place for place, identifier in enumerate(self.ids)}


def build_index(
    corpus: str | Path, *, engine: str | None = None, settings: Settings | None = None, rebuild: bool = False
) -> Index:
    """Open the index of ``corpus``; build it where there is none, or not one of this corpus and settings.

    The new index replaces the old one when it is whole; a build that was stopped leaves nothing behind.

    Raises:
        DeclarationError: no corpus, a faulty document, an unknown engine or setting, another build under way.
    """
    from filelock import FileLock, Timeout

    collection, chosen = Collection(corpus), get_engine(engine)
    wanted = settle(chosen, settings or Settings())
    fingerprint = _fingerprint(collection, chosen, wanted)
    lock = FileLock(collection.folder / f".{FOLDER}.lock")
    try:
        with lock.acquire(timeout=0):
            fresh = rebuild or _manifest(collection).get("fingerprint") != fingerprint
            if fresh:
                _build(collection, chosen, wanted, fingerprint)
            return _open(collection, chosen, wanted, fingerprint, fresh=fresh)
    except Timeout:
        raise DeclarationError(f"another process is indexing {collection.folder}; wait for it") from None


def open_index(corpus: str | Path) -> Index:
    """Open the index of ``corpus`` with the engine and the settings that it has.

    It is built with the defaults where there is none, and built again where the corpus has changed since.

    Raises:
        DeclarationError: as :func:`build_index`.
    """
    manifest = _manifest(Collection(corpus))
    if not manifest:
        return build_index(corpus)
    return build_index(corpus, engine=manifest["engine"], settings=Settings(**manifest["settings"]))


def _build(collection: Collection, engine: Engine, settings: Settings, fingerprint: str) -> None:
    target = collection.folder / FOLDER
    ids: list[str] = []
    offsets: list[int] = []
    with tempfile.TemporaryDirectory(
        prefix=f".{FOLDER}.", dir=collection.folder, ignore_cleanup_errors=True
    ) as scratch:
        work = Path(scratch) / FOLDER
        (work / _ENGINE).mkdir(parents=True)
        texts = _texts(collection, ids, offsets)
        first = next(texts, None)
        if first is None:
            raise DeclarationError(
                f"{collection.documents_file} holds no documents: there is nothing to index"
            )
        engine.build(itertools.chain([first], texts), work / _ENGINE, settings)
        (work / _DOCUMENTS).write_text(json.dumps({"ids": ids, "offsets": offsets}), encoding="utf-8")
        manifest = {
            "fingerprint": fingerprint,
            "engine": engine.name,
            "version": engine.version(),
            "settings": asdict(settings),
            "documents": len(ids),
        }
        (work / _MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        if target.exists():
            target.replace(Path(scratch) / "old")
        work.replace(target)


def _texts(collection: Collection, ids: list[str], offsets: list[int]) -> Iterator[str]:
    for entry in collection.documents():
        ids.append(entry.id)
        offsets.append(entry.offset)
        yield fold(entry.whole)


def _open(
    collection: Collection, engine: Engine, settings: Settings, fingerprint: str, *, fresh: bool
) -> Index:
    folder = collection.folder / FOLDER
    documents = json.loads((folder / _DOCUMENTS).read_text(encoding="utf-8"))
    return Index(
        collection,
        engine.name,
        settings,
        fingerprint,
        tuple(documents["ids"]),
        tuple(documents["offsets"]),
        engine.open(folder / _ENGINE, settings),
        fresh,
    )


def _manifest(collection: Collection) -> dict[str, Any]:
    """What the index says of itself; empty where there is none, or none that can be read."""
    try:
        found = json.loads((collection.folder / FOLDER / _MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    whole = isinstance(found, dict) and {"engine", "settings", "fingerprint"} <= found.keys()
    return found if whole else {}


def _fingerprint(collection: Collection, engine: Engine, settings: Settings) -> str:
    """The name of an index: it changes with any byte of the documents, the engine, its version, the settings."""
    digest = hashlib.sha256()
    with collection.documents_file.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    made_by = {
        "layout": LAYOUT,
        "engine": engine.name,
        "version": engine.version(),
        "settings": asdict(settings),
    }
    digest.update(json.dumps(made_by, sort_keys=True).encode())
    return digest.hexdigest()[:16]
