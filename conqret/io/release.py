"""The published ConQRet release: its queries, qrels with stance, lists of sources, and texts and debates where it
has them.

Layout: ``procon/{train,test}_public/*.json`` (a debate each, with ``sources``: ``id`` on the page, ``docid``,
``title``, sometimes ``url``; pros and cons are emptied there) and
``retrieval_annotations/{train,test}_{queries,qrels}.csv``. The texts of the evidence come apart from it, as an archive:
``documents/*.json`` and ``documents_sep20/*.json`` (``docid``, ``stripped_html``). A document without one has the title
of its source for a text. Pros and cons are where the release's parser has written them, in
``procon/{train,test}/*.json`` or back into the public files; ``titles2.json`` says of which query a page is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, BeforeValidator, RootModel

from conqret.data.corpus import (
    QRELS_STANCES,
    SPLITS,
    CorpusParts,
    CorpusTopic,
    Debate,
    DebateArgument,
    LedgerEntry,
    Qrel,
    QrelsStance,
    Source,
    Split,
    judged_pairs,
    table2,
)
from conqret.data.digest import gathered
from conqret.data.item import Document
from conqret.errors import DeclarationError, FaultsError
from conqret.io.checks import Cell
from conqret.io.files import file_rows
from conqret.io.jsonl import parse
from conqret.io.limits import whole_bytes
from conqret.io.schema import TableReader, in_columns, read_table

ANNOTATIONS = "retrieval_annotations"
TEXTS = ("documents", "documents_sep20")
LAYOUT = "conqret-release"
"""The layout's name in debates of the release."""
Model = TypeVar("Model", bound=BaseModel)
_AGAIN = "Fetch the release again: it is not whole"


@dataclass(frozen=True, slots=True)
class _Query:
    qid: Annotated[Cell, in_columns(needed=_AGAIN)]
    query: Annotated[Cell, in_columns(needed=_AGAIN)]


@dataclass(frozen=True, slots=True)
class _ReleasedQrel:
    qid: Annotated[Cell, in_columns(needed=_AGAIN)]
    docno: Annotated[Cell, in_columns(needed=_AGAIN)]
    label: Annotated[Cell, in_columns(needed=_AGAIN)]
    stance: Cell = ""


@dataclass(frozen=True, slots=True)
class Release(CorpusParts):
    """The published ConQRet release as the parts of a corpus.

    ``notes`` describe what was left out or repaired; ``ledger`` records which sources of the ``debates``
    have a text.
    """

    documents: tuple[Document, ...]
    notes: tuple[str, ...]
    debates: tuple[Debate, ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()


def read_release(path: str | Path) -> Release:
    """Read the published release from its root folder or its folder ``data``; the test part may be
    absent.

    Each row of the release is a document and a side, and a negative has no side. ``pro`` and ``con`` take
    as many of a topic's negatives as they have relevant documents; ``all`` takes every negative.

    Raises:
        DeclarationError: the folder does not have the release's layout, or a file in it is invalid.
    """
    root = _root(Path(path))
    pages = list(_pages(root))
    texts = _texts(root)
    documents = _documents([page for page in pages if page.public] or pages, texts)
    notes = [_coverage(len(texts), len(documents))]
    topics: list[CorpusTopic] = []
    splits: dict[str, Split] = {}
    qrels: dict[tuple[QrelsStance, Split], tuple[Qrel, ...]] = {}
    for split in SPLITS:
        rows: dict[QrelsStance, list[Qrel]] = {stance: [] for stance in QRELS_STANCES}
        file = root / ANNOTATIONS / f"{split}_qrels.csv"
        if not file.is_file():
            notes.append(f"no {file.name}: the {split} part of the release is not here")
        else:
            queries = root / ANNOTATIONS / f"{split}_queries.csv"
            questions = {row.qid: row.query for row in read_table(queries, _Query, error=FaultsError)}
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
    debates = _debates(root, pages, topics)
    if debates:
        arguments = sum(len(debate.pros) + len(debate.cons) for debate, _ in debates)
        notes.append(f"{arguments:,} pros and cons of {len(debates):,} topics")
    statistics = {"table2": table2(topics, qrels, len(documents)), "texts": len(texts), "notes": notes}
    return Release(
        tuple(topics),
        qrels,
        splits,
        statistics,
        tuple(documents.values()),
        tuple(notes),
        tuple(debate for debate, _ in debates),
        tuple(_ledger(debates, texts)),
    )


def _root(path: Path) -> Path:
    for folder in (path, path / "data"):
        if (folder / "procon").is_dir() and (folder / ANNOTATIONS).is_dir():
            return folder
    raise DeclarationError(f"{path} is not a ConQRet release: it lacks procon/ and {ANNOTATIONS}/")


def _coverage(texts: int, documents: int) -> str:
    """Return a note on how many of the documents have a text."""
    if not texts:
        return f"no texts in the release: each of its {documents:,} documents is the title of its source"
    if texts == documents:
        return f"all {documents:,} documents have their texts"
    return (
        f"{texts:,} of {documents:,} documents have their texts; the others are the titles of their sources"
    )


def _line(text: object) -> str:
    return "" if text is None else " ".join(str(text).split())


_OneLine = Annotated[str, BeforeValidator(_line)]


class _ListedSource(BaseModel):
    """A source: its global id, title and address, and its number on the page."""

    docid: _OneLine
    title: _OneLine
    url: _OneLine = ""
    id: _OneLine = ""

    @property
    def name(self) -> str:
        """Its title, or what stands in for one."""
        return self.title or self.url or "untitled"

    @property
    def number(self) -> int | None:
        """Its number on the page; None where it has none."""
        return int(self.id) if self.id.isdecimal() else None


class _Side(BaseModel):
    title: _OneLine = ""
    paragraphs: list[str] | None = None

    @property
    def argument(self) -> DebateArgument:
        return DebateArgument(title=self.title, paragraphs=tuple(self.paragraphs or ()))


class _Page(BaseModel):
    """A debate's file: its titles, address, sides and sources; ``public`` in a folder of the release itself."""

    title: _OneLine = ""
    titles: list[_OneLine] = []
    url: _OneLine = ""
    sources: list[_ListedSource] = []
    pros: list[_Side] | None = None
    cons: list[_Side] | None = None
    public: bool = False

    @property
    def names(self) -> list[str]:
        """Its titles."""
        return [title for title in (self.title, *self.titles) if title]


class _Text(BaseModel):
    """The file of a document."""

    docid: _OneLine = ""
    title: _OneLine = ""
    url: _OneLine = ""
    stripped_html: str | None = None


class _QueryOfPage(BaseModel):
    qid: _OneLine


def _read(file: Path, model: type[Model], what: str) -> Model:
    """The object in a file of the release.

    Raises:
        DeclarationError: it is none.
    """
    try:
        return model.model_validate(parse(whole_bytes(file)))
    except ValueError as error:
        raise DeclarationError(f"{file}: this is not {what}: {error}") from error


def _pages(root: Path) -> Iterator[_Page]:
    """The debates; the public files first, whose ``docid`` are those of the qrels: a parser that is run again numbers
    anew."""
    for kind in ("_public", ""):
        for file in (
            file for split in SPLITS for file in sorted((root / "procon" / f"{split}{kind}").glob("*.json"))
        ):
            yield _read(file, _Page, "a debate of the release").model_copy(update={"public": bool(kind)})


def _texts(root: Path) -> dict[str, Document]:
    """Return the documents that have a text, by their global id; of two texts with one id the first counts.

    Raises:
        DeclarationError: a file has another form.
    """
    documents: dict[str, Document] = {}
    folders = [place / folder for place in (root, root / "data") for folder in TEXTS]
    for file in (file for folder in folders for file in sorted(folder.glob("*.json"))):
        page = _read(file, _Text, "a document of the release")
        key, text = page.docid or file.stem, (page.stripped_html or "").strip()
        if text:
            documents.setdefault(key, Document(id=key, title=page.title, url=page.url, text=text))
    return documents


def _documents(pages: Sequence[_Page], texts: Mapping[str, Document]) -> dict[str, Document]:
    """Return all sources by their global id, in the order of the ids. A source without a text has its title as text.

    Raises:
        DeclarationError: no page has sources.
    """
    documents: dict[str, Document] = {}
    for source in (source for page in pages for source in page.sources):
        text = texts[source.docid].text if source.docid in texts else source.name
        document = Document(id=source.docid, title=source.name, url=source.url, text=text)
        documents.setdefault(source.docid, document)
    if not documents:
        raise DeclarationError("the folder procon has no {train,test}_public/*.json with sources")
    return dict(sorted((dict(texts) | documents).items(), key=lambda pair: (len(pair[0]), pair[0])))


def _debates(
    root: Path, pages: Sequence[_Page], topics: Sequence[CorpusTopic]
) -> list[tuple[Debate, Sequence[_ListedSource]]]:
    """Return the debates that have pros or cons, in the order of the topics, each with its sources. A debate's id is
    its topic's, found by the page's address, else by its title. Pages without a topic are left out, and of several
    pages of a topic the first with arguments counts."""
    numbers, by_words = _numbers(root), {_words(topic.question): topic.id for topic in topics}

    def topic_of(page: _Page) -> str:
        named = (by_words.get(_words(title)) for title in page.names)
        return numbers.get(page.url.rstrip("/")) or next(filter(None, named), "")

    pages_of = gathered((topic_of(page), page) for page in pages)
    debates: list[tuple[Debate, Sequence[_ListedSource]]] = []
    for topic in topics:
        topic_pages = pages_of.get(topic.id, [])
        written = next((page for page in topic_pages if page.pros or page.cons), None)
        if written is None:
            continue
        sources = next((page.sources for page in topic_pages if page.sources), ())
        debate = Debate(
            id=topic.id,
            url=written.url,
            title=next(iter(written.names), topic.question),
            question=topic.question,
            pros=tuple(side.argument for side in written.pros or ()),
            cons=tuple(side.argument for side in written.cons or ()),
            sources=tuple(
                Source(number=source.number, title=source.name, url=source.url)
                for source in sources
                if source.number is not None
            ),
            layout=LAYOUT,
        )
        debates.append((debate, sources))
    return debates


def _numbers(root: Path) -> dict[str, str]:
    """The query of each page by its address, from ``titles2.json``, which lies in the root or next to it."""
    for file in (root / "titles2.json", root.parent / "titles2.json"):
        if file.is_file():
            listed = _read(file, RootModel[dict[str, _QueryOfPage]], "the release's list of pages")
            return {url.rstrip("/"): page.qid for url, page in listed.root.items()}
    return {}


def _words(text: str) -> str:
    """A question as the release's queries have it: letters and digits alone."""
    return " ".join("".join(c if c.isalnum() else " " for c in text.casefold()).split())


def _ledger(
    debates: Iterable[tuple[Debate, Sequence[_ListedSource]]], texts: Mapping[str, Document]
) -> Iterator[LedgerEntry]:
    """Yield an entry for each numbered source of the debates: ``ok`` with its document if its text is there, else
    ``not-found``."""
    for debate, sources in debates:
        for source in sources:
            if source.number is not None:
                there = source.docid in texts
                yield LedgerEntry(
                    debate=debate.id,
                    number=source.number,
                    title=source.name,
                    url=source.url,
                    status="ok" if there else "not-found",
                    document=source.docid if there else None,
                )


def _judged(
    file: Path, questions: Mapping[str, str], documents: Mapping[str, Document]
) -> tuple[dict[str, dict[str, set[str]]], int]:
    """Return by topic and document the sides (pro, con) that the document is relevant for, and the number of repeated
    rows. A document that is judged as not relevant has no side.

    Raises:
        FaultsError: a row names an unknown topic or document, or an impossible label; all are listed.
    """
    judgments: dict[str, dict[str, set[str]]] = {}
    seen = Counter[_ReleasedQrel]()
    reader = TableReader(file_rows(file))
    for row in reader.read_as(_ReleasedQrel):
        topic, document, label, stance = row.qid, row.docno, row.label, row.stance
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


def _by_side(topic: str, pairs: Mapping[str, set[str]]) -> dict[QrelsStance, list[Qrel]]:
    relevant: dict[QrelsStance, list[str]] = {
        "pro": [document for document, sides in pairs.items() if "pro" in sides],
        "con": [document for document, sides in pairs.items() if "con" in sides],
        "all": [document for document, sides in pairs.items() if sides],
    }
    return judged_pairs(topic, relevant, [document for document, sides in pairs.items() if not sides])
