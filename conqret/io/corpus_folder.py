"""A corpus on disk: debates, what became of their sources, documents, topics, qrels.

=================================  ===================================================================
``debates.jsonl``                  a :class:`~conqret.data.corpus.Debate` a line
``problems.jsonl``                 pages that gave no debate: ``url``, ``layout``, ``missing``
``ledger.jsonl``                   a :class:`~conqret.data.corpus.LedgerEntry` for each source
``documents.jsonl``                a :class:`~conqret.data.Document` a line, perhaps with its ``licence``
``topics.jsonl``                   a :class:`~conqret.data.corpus.CorpusTopic` a line
``qrels/{pro,con,all}.*.qrels``    TREC qrels, ``*`` being ``train`` or ``test``
``corpus.parquet``                 ``id``, ``title``, ``url``, ``text``, ``split`` (empty: of no topic)
``statistics.json``                the figures of ConQRet, Table 2, and more
=================================  ===================================================================
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from conqret.data.corpus import (
    QRELS_STANCES,
    SPLITS,
    CorpusParts,
    CorpusTopic,
    Debate,
    LedgerEntry,
    Qrel,
    QrelsStance,
    Split,
)
from conqret.data.item import Document
from conqret.errors import DeclarationError, check_known
from conqret.io.jsonl import json_lines
from conqret.io.limits import whole_text
from conqret.io.safe_files import InFolder, replacing, write_all, write_whole
from conqret.io.schema import read_models
from conqret.io.trec import read_qrels, write_qrels

MAX_NAME = 255
"""Characters of a file's name; what is longer is a list of ids."""


class _LicensedDocument(Document):
    """A document as its line has it."""

    licence: str = ""


@dataclass(frozen=True, slots=True)
class CorpusDirectory:
    """A corpus directory; files are read on demand, and nothing is cached.

    Readers raise :class:`~conqret.errors.DeclarationError` if their file is missing (with the command that
    creates it) or a line is invalid (with file, line and field).
    """

    path: Path

    debates_file = InFolder("debates.jsonl")
    problems_file = InFolder("problems.jsonl")
    ledger_file = InFolder("ledger.jsonl")
    documents_file = InFolder("documents.jsonl")
    topics_file = InFolder("topics.jsonl")
    parquet_file = InFolder("corpus.parquet")
    statistics_file = InFolder("statistics.json")

    def qrels_file(self, stance: QrelsStance, split: Split) -> Path:
        """Return the path of the qrels file of a side and a split.

        Raises:
            UnknownNameError: the side or the split is unknown.
        """
        check_known("stance", QRELS_STANCES, stance)
        check_known("split", SPLITS, split)
        return self.path / "qrels" / f"{stance}.{split}.qrels"

    def debates(self) -> Iterator[Debate]:
        """Iterate over the debates in file order."""
        return read_models(_there(self.debates_file, _DEBATES), Debate)

    def ledger(self) -> Iterator[LedgerEntry]:
        """Iterate over all ledger entries in file order; if a source has several, the last one is valid."""
        return read_models(_there(self.ledger_file, _LEDGER), LedgerEntry)

    def documents(self) -> Iterator[Document]:
        """Iterate over the documents in file order, without the license that their lines may state."""
        documents = read_models(_there(self.documents_file, _DOCUMENTS), _LicensedDocument)
        return (Document(**document.model_dump(exclude={"licence"})) for document in documents)

    def topics(self, split: Split | None = None) -> Iterator[CorpusTopic]:
        """Iterate over the topics of one split, or of both if ``split`` is None."""
        rows = read_models(_there(self.topics_file, _TOPICS), CorpusTopic)
        return (topic for topic in rows if split is None or topic.split == split)

    def views(self, split: Split | None = None) -> tuple[QrelsStance, ...]:
        """Return the sides that have qrels in one split, or in any if ``split`` is None.

        Qrels without sides are those of ``all`` alone.
        """
        return tuple(stance for stance in QRELS_STANCES if self._qrels_files(stance, split))

    def _qrels_files(self, stance: QrelsStance, split: Split | None) -> list[Path]:
        files = [self.qrels_file(stance, part) for part in (SPLITS if split is None else (split,))]
        return [file for file in files if file.is_file()]

    def qrels_iter(self, stance: QrelsStance = "all", split: Split | None = None) -> Iterator[Qrel]:
        """Iterate over the judged pairs of a side as ``(query_id, doc_id, relevance, iteration)``, in one
        split, or in those that there are (train before test) if ``split`` is None.

        Raises:
            UnknownNameError: the side or the split is unknown.
        """
        files = self._qrels_files(stance, split)
        for file in files or [_there(self.qrels_file(stance, split or "test"), _QRELS)]:
            yield from read_qrels(file)

    def refuse_scraped(self, imported: str = "") -> None:
        """Check that the folder holds no scraped corpus, which an import would overwrite.

        Debates whose layout is ``imported`` come from an earlier import and may be overwritten.

        Raises:
            DeclarationError: it holds one.
        """
        if imported and self.debates_file.exists() and all(one.layout == imported for one in self.debates()):
            return
        for file in (self.debates_file, self.ledger_file):
            if file.exists():
                raise DeclarationError(
                    f"{self.path} contains a scraped corpus ({file.name}): give another folder with -o"
                )

    def write(self, parts: CorpusParts, documents: Iterable[Document]) -> None:
        """Write topics, judged pairs and statistics, and the documents with their splits as Parquet."""
        write_models(self.topics_file, parts.topics)
        for (stance, split), pairs in parts.qrels.items():
            write_qrels(self.qrels_file(stance, split), pairs)
        self.write_parquet(documents, parts.splits)
        text = json.dumps(parts.statistics, ensure_ascii=False, indent=1) + "\n"
        write_whole(self.statistics_file, text.encode("utf-8"))

    def write_parquet(self, documents: Iterable[Document], splits: Mapping[str, Split]) -> int:
        """Write the documents as Parquet with a column for each one's split (empty if it has none), and
        return their number.
        """
        import polars

        rows = [
            document.model_dump(exclude={"language"}) | {"split": splits.get(document.id, "")}
            for document in documents
        ]
        schema = dict.fromkeys(("id", "title", "url", "text", "split"), polars.String)
        with replacing(self.parquet_file) as file:
            polars.DataFrame(rows, schema=schema).write_parquet(file)
        return len(rows)


def select_topics(topics: Sequence[CorpusTopic], wanted: str | None, split: str = "all") -> list[CorpusTopic]:
    """Return the ``wanted`` ones of a split's topics: comma-separated ids, or a file with one id per line; all if
    ``wanted`` is None.

    Raises:
        DeclarationError: ``wanted`` names no topic.
        UnknownNameError: the split has no topic with such an id.
    """
    if wanted is None:
        return list(topics)
    is_file = len(wanted) < MAX_NAME and Path(wanted).is_file()
    listed = whole_text(wanted, "utf-8-sig").splitlines() if is_file else wanted.split(",")
    names = {name.strip() for name in listed} - {""}
    if not names:
        raise DeclarationError(f"--topics {wanted!r} names no topic; give ids, as in --topics {topics[0].id}")
    check_known(f"topic of the split {split!r}", {topic.id for topic in topics}, *sorted(names))
    return [topic for topic in topics if topic.id in names]


def write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> int:
    """Write records as JSON Lines, and return their number. A failure leaves no partial file."""
    return write_all(path, (line.encode("utf-8") for line in json_lines(records)))


def write_models(path: Path, models: Iterable[BaseModel]) -> int:
    """Write pydantic models as JSON Lines, and return their number. A failure leaves no partial file."""
    return write_lines(path, (model.model_dump() for model in models))


_OWN = "`conqret corpus import DOCUMENTS --topics TOPICS --qrels QRELS` brings your own"
_DEBATES = (
    "it holds debate pages with experts' arguments: `conqret corpus debates` reads them (an imported release: its "
    "parser, then `conqret corpus import`)"
)
_LEDGER = f"`conqret corpus evidence` writes it, from debates; documents without debates need none: {_OWN}"
_DOCUMENTS = (
    "`conqret corpus import DOCUMENTS` brings your own; `conqret corpus evidence` fetches those of debates"
)
_TOPICS = _QRELS = f"{_OWN}; `conqret corpus build` makes those of debates"


def _there(path: Path, remedy: str) -> Path:
    if not path.is_file():
        raise DeclarationError(f"{path}: there is no such file; {remedy}")
    return path
