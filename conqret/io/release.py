"""The published ConQRet release: its queries, qrels with stance, and lists of sources.

Layout: ``procon/{train,test}_public/*.json`` (a debate each, with ``sources``: ``docid``, ``title``, sometimes
``url``; pros and cons are emptied there) and ``retrieval_annotations/{train,test}_{queries,qrels}.csv``. The
texts of the evidence are not part of it: a document's text is the title of its source, which retrieval over
the release therefore runs on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from conqret.data.corpus import (
    QRELS_STANCES,
    SPLITS,
    CorpusParts,
    CorpusTopic,
    Qrel,
    QrelsStance,
    Split,
    judged_pairs,
)
from conqret.data.item import Document
from conqret.data.table2 import table2
from conqret.errors import DeclarationError, FaultsError
from conqret.io.bounded import whole_bytes
from conqret.io.checks import cell_text
from conqret.io.csv_table import CsvRows
from conqret.io.jsonl import parse
from conqret.io.schema import Field, Schema, TableReader

ANNOTATIONS = "retrieval_annotations"
_AGAIN = "Fetch the release again: it is not whole"
QUERY = Schema(
    "a query",
    {
        "qid": Field(("qid",), cell_text, needed=_AGAIN),
        "query": Field(("query",), cell_text, needed=_AGAIN),
    },
)
JUDGED = Schema(
    "a judged pair",
    {
        "qid": Field(("qid",), cell_text, needed=_AGAIN),
        "docno": Field(("docno",), cell_text, needed=_AGAIN),
        "label": Field(("label",), cell_text, needed=_AGAIN),
        "stance": Field(("stance",), cell_text, ""),
    },
)


@dataclass(frozen=True, slots=True)
class Release(CorpusParts):
    """The release as the parts of a corpus; ``notes`` say what was left out or mended."""

    documents: tuple[Document, ...]
    notes: tuple[str, ...]


def read_release(path: str | Path) -> Release:
    """Read the release; either its root or its folder ``data`` may be given, and the test part may be absent.

    The release has one row a (document, side) pair, and for the negatives no side. ``pro`` and ``con`` get as
    many of a topic's negatives as they have relevant documents, ``all`` gets all of them.

    Raises:
        DeclarationError: the folder has not that layout, or a file of it is broken.
    """
    root = _root(Path(path))
    documents = _documents(root)
    notes = [f"no texts in the release: each of its {len(documents):,} documents is the title of its source"]
    topics: list[CorpusTopic] = []
    splits: dict[str, Split] = {}
    qrels: dict[tuple[QrelsStance, Split], tuple[Qrel, ...]] = {}
    for split in SPLITS:
        rows: dict[QrelsStance, list[Qrel]] = {stance: [] for stance in QRELS_STANCES}
        file = root / ANNOTATIONS / f"{split}_qrels.csv"
        if not file.is_file():
            notes.append(f"no {file.name}: the {split} part of the release is not here")
        else:
            questions = _questions(root / ANNOTATIONS / f"{split}_queries.csv")
            judged, dropped = _judged(file, questions, documents)
            for topic, pairs in judged.items():
                for stance, side_rows in _by_side(topic, pairs).items():
                    rows[stance] += side_rows
                splits.update(dict.fromkeys(pairs, split))
                topics.append(CorpusTopic(id=topic, question=questions[topic], split=split))
            if dropped:
                notes.append(f"{dropped} repeated rows in {file.name} count once")
            if bare := len(questions) - len(judged):
                notes.append(f"{bare} of {len(questions)} {split} queries have no qrels and are left out")
        qrels |= {(stance, split): tuple(qrels_rows) for stance, qrels_rows in rows.items()}
    statistics = {"table2": table2(topics, qrels, len(documents)), "texts": "titles", "notes": notes}
    return Release(tuple(topics), qrels, splits, statistics, tuple(documents.values()), tuple(notes))


def _root(path: Path) -> Path:
    for folder in (path, path / "data"):
        if (folder / "procon").is_dir() and (folder / ANNOTATIONS).is_dir():
            return folder
    raise DeclarationError(
        f"{path}: this is not a ConQRet release, which has the folders procon/ and {ANNOTATIONS}/"
    )


def _documents(root: Path) -> dict[str, Document]:
    """All sources by their global id, in the order of the ids."""
    documents: dict[str, Document] = {}
    for file in sorted((root / "procon").glob("*_public/*.json")):
        try:
            sources = parse(whole_bytes(file)).get("sources", [])  # type: ignore[attr-defined]
            for source in sources:
                title = " ".join(str(source["title"]).split()) or str(source.get("url") or "untitled")
                key = str(source["docid"])
                documents.setdefault(
                    key, Document(id=key, title=title, url=source.get("url") or "", text=title)
                )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DeclarationError(f"{file}: this is not a debate of the release: {error!r}") from error
    if not documents:
        raise DeclarationError(f"{root / 'procon'}: there is no *_public/*.json with sources")
    return dict(sorted(documents.items(), key=lambda pair: (len(pair[0]), pair[0])))


def _questions(file: Path) -> dict[str, str]:
    reader = _reader(file, QUERY)
    questions = {values["qid"]: values["query"] for values in reader}
    reader.finish(FaultsError)
    return questions


def _judged(
    file: Path, questions: Mapping[str, str], documents: Mapping[str, Document]
) -> tuple[dict[str, dict[str, set[str]]], int]:
    """For each topic its documents, each with the sides that it is relevant for; and the repeated rows."""
    judgments: dict[str, dict[str, set[str]]] = {}
    seen = Counter[tuple[str, ...]]()
    reader = _reader(file, JUDGED)
    for values in reader:
        topic, document, label, stance = row = tuple(values[name] for name in JUDGED.fields)
        if topic not in questions:
            reader.fault("", f"topic {topic!r} has no query", _AGAIN)
        if document not in documents:
            reader.fault("", f"no source has docid {document!r}", _AGAIN)
        if (label, stance) not in (("1", "pro"), ("1", "con"), ("0", "")):
            problem = f"has label {label!r} and stance {stance!r}: not 1 and a side, or 0"
            reader.fault("", problem, _AGAIN)
        judgments.setdefault(topic, {}).setdefault(document, set()).update({stance} - {""})
        seen[row] += 1
    reader.finish(FaultsError)
    return judgments, seen.total() - len(seen)


def _reader(file: Path, schema: Schema) -> TableReader:
    if not file.is_file():
        raise DeclarationError(f"{file}: there is no such file; the release is incomplete")
    rows = CsvRows(file, str(file))
    if missing := [name for name in schema.fields if name not in (rows.columns or ())]:
        raise DeclarationError(f"{file}: the column {missing[0]!r} is missing")
    return TableReader(rows, schema)


def _by_side(topic: str, pairs: Mapping[str, set[str]]) -> dict[QrelsStance, list[Qrel]]:
    relevant: dict[QrelsStance, list[str]] = {
        "pro": [document for document, sides in pairs.items() if "pro" in sides],
        "con": [document for document, sides in pairs.items() if "con" in sides],
        "all": [document for document, sides in pairs.items() if sides],
    }
    return judged_pairs(topic, relevant, [document for document, sides in pairs.items() if not sides])
