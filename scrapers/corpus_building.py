"""From debates and the ledger of their sources to topics, qrels and splits (ConQRet, section 4.3). Pure.

A document is relevant for a side of a topic if a paragraph of that side cites it (``[12]``) and its text was
extracted; one that both sides cite is relevant for both. What a page answers to an argument (a counterpoint) speaks
for the other side.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scipy.cluster.hierarchy import DisjointSet

from conqret.data.corpus import (
    PAPER_CITED,
    PAPER_EXTRACTED,
    QRELS_STANCES,
    SOURCE_STATUSES,
    SPLITS,
    CorpusParts,
    CorpusTopic,
    LedgerEntry,
    Qrel,
    QrelsStance,
    Split,
    judged_pairs,
    table2,
)
from conqret.data.item import Debate
from conqret.errors import DeclarationError, number, strict_options
from conqret.io.corpus_folder import CorpusDirectory, read_passages, write_lines
from conqret.io.release import LAYOUT, Release, read_release
from conqret.text.citations import cited_against, cited_by

TRAIN_SHARE = 0.7
"""ConQRet, section 4.3: 70% for train; of its 98 topics, 68."""


def groups(links: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Topics that must not be parted, because they share something.

    Args:
        links: For each topic, what it may share with others (documents, its question).

    Returns:
        Groups of topics, sorted within and among each other: topics of two groups share nothing, directly
        or through others.
    """
    together, owner = DisjointSet(links), dict[str, str]()
    for topic, things in links.items():
        for thing in things:
            together.merge(topic, owner.setdefault(thing, topic))
    return sorted(sorted(group) for group in together.subsets())


def split_topics(parts: Sequence[Sequence[str]], *, seed: int) -> dict[str, Split]:
    """Divide groups of topics, each as a whole, into train and test.

    The groups are shuffled by ``seed``, and those are taken for train whose sizes add up to the number nearest to
    :data:`TRAIN_SHARE` of all topics (rounded down, as 68 of 98). With two groups or more, both parts get one.

    Args:
        parts: The groups, as :func:`groups` gives them.
        seed: The same seed and groups give the same split, on every machine.
    """
    order = sorted(sorted(part) for part in parts)
    random.Random(f"split/{seed}").shuffle(order)
    total = sum(map(len, order))
    target = math.floor(total * TRAIN_SHARE + 1e-9)  # 0.7 × 90 is 62.999…
    reached = {
        0: -1
    }  # a sum of sizes -> the last group in it; the rest of the sum is made of groups before it
    for index, part in enumerate(order):
        for size in sorted(reached, reverse=True):
            reached.setdefault(size + len(part), index)
    sizes = [size for size in reached if 0 < size < total] or list(reached)
    size = min(sizes, key=lambda size: (abs(size - target), size))
    train: set[str] = set()
    while size:
        part = order[reached[size]]
        train.update(part)
        size -= len(part)
    return {topic: "train" if topic in train else "test" for part in order for topic in part}


SEED = 13
NOT_CITED, NOT_EXTRACTED = "its arguments cite no listed source", "no source that it cites was extracted"


@dataclass(frozen=True, slots=True)
class _Evidence:
    """A debate's documents: those of all its sources, and those that each side cites, in order, each once."""

    listed: tuple[str, ...]
    pro: tuple[str, ...]
    con: tuple[str, ...]
    relevant: tuple[str, ...]
    dangling: int
    extractable: bool


@strict_options
def import_passages(
    files: Sequence[str | Path],
    output: str | Path = "corpus",
    *,
    licence: str = "",
    url: str = "",
    on_passage: Callable[[], object] = lambda: None,
) -> int:
    """Make a corpus from passage files, and say how many passages it has.

    Args:
        files: files of passages, such as DPR's and Sphere's.
        output: the corpus directory to write.
        licence: the licence of passages that state none.
        url: the address of passages that have none, with ``{title}`` or ``{id}`` to be filled in.
        on_passage: is called as each passage is read.

    Raises:
        DeclarationError: a row is faulty, or the directory holds a corpus that was scraped; nothing is written then.
    """
    directory = CorpusDirectory(Path(output))
    directory.refuse_scraped()
    passages = read_passages(map(Path, files), licence=licence, url=url, on_passage=on_passage)
    return write_lines(directory.documents_file, passages)


@strict_options
def import_release(release: str | Path, output: str | Path = "corpus") -> Release:
    """Import the published ConQRet into a corpus directory: queries, qrels with stance, and the documents; pros and
    cons, too, where the release's parser has extracted them.

    Args:
        release: the folder of ``procon/``, or its parent.
        output: the corpus directory to write.

    Raises:
        DeclarationError: this is no release, or the directory holds a corpus that was scraped.
    """
    directory = CorpusDirectory(Path(output))
    directory.refuse_scraped(LAYOUT)
    found = read_release(release)
    directory.write_documents(found.documents)
    if found.debates:
        directory.write_debates(found.debates)
        write_lines(directory.ledger_file, (entry.model_dump() for entry in found.ledger))
    directory.write(found, found.documents)
    return found


@strict_options
def make_corpus(corpus: str | Path, *, seed: int = SEED) -> CorpusParts:
    """Make topics, qrels and splits of a corpus directory, and write them into it.

    Args:
        corpus: a corpus directory with debates and their fetched evidence.
        seed: draws split and negatives; the same input and seed give the same corpus.

    Raises:
        DeclarationError: as :func:`build_corpus`, or documents are missing.
    """
    directory = CorpusDirectory(Path(corpus))
    ledger, documents = list(directory.ledger()), list(directory.documents())
    lost = {entry.document for entry in ledger if entry.document} - {document.id for document in documents}
    if lost:
        raise DeclarationError(
            f"{directory.ledger_file} names {number(len(lost), 'document')} that documents.jsonl "
            f"lacks (for example {min(lost)}): run `conqret corpus evidence` again"
        )
    built = build_corpus(list(directory.debates()), ledger, seed=seed)
    directory.write(built, documents)
    return built


def build_corpus(
    debates: Sequence[Debate], ledger: Iterable[LedgerEntry], *, seed: int = SEED
) -> CorpusParts:
    """Make topics, qrels and splits.

    For each side of a topic there are as many documents with grade 0 as with grade 1: random ones of other
    topics of the same split, none of them listed by the topic itself; ``all`` has the union of both sides'
    relevant documents and again as many others. Topics that share a document or a question get into the same
    split. Topics without a relevant document are left out and named in the statistics.

    Args:
        debates: The debate pages.
        ledger: What became of their sources; of one source, the last entry counts.
        seed: Draws split and negatives; the same input and seed give the same corpus.

    Raises:
        DeclarationError: two debates have the same id, or none has a relevant document.
    """
    entries = {(entry.debate, entry.number): entry for entry in ledger}
    repeated = [name for name, count in Counter(debate.id for debate in debates).items() if count > 1]
    if repeated:
        raise DeclarationError(
            f"debates.jsonl has the id {repeated[0]!r} more than once: keep one line of it"
        )
    evidence = {debate.id: _evidence(debate, entries) for debate in debates}
    kept = [debate for debate in debates if evidence[debate.id].relevant]
    if not kept:
        raise DeclarationError(
            f"none of {len(debates)} debates cites a source that was extracted: run `conqret corpus evidence` first"
        )
    parts = groups({debate.id: (*evidence[debate.id].listed, _question(debate)) for debate in kept})
    split_of = split_topics(parts, seed=seed)
    splits = {document: split_of[debate.id] for debate in kept for document in evidence[debate.id].listed}
    topics = tuple(
        CorpusTopic(id=debate.id, question=debate.question, split=split_of[debate.id]) for debate in kept
    )
    qrels, short = _qrels(topics, evidence, splits, seed)
    listed = [(debate.id, source.number) for debate in debates for source in debate.sources]
    ends = Counter(entries[key].status for key in listed if key in entries)
    relevant = [evidence[debate.id] for debate in kept]
    statistics = {
        "table2": table2(
            topics, qrels, len({entry.document for entry in entries.values() if entry.document})
        ),
        "sources": {
            "listed": len(listed),
            **{str(status): ends[status] for status in SOURCE_STATUSES},
            "not_fetched": len(listed) - ends.total(),
            "paper": {"listed": PAPER_CITED, "ok": PAPER_EXTRACTED},
        },
        "citations": {
            "pro": sum(len(debate.pro) for debate in relevant),
            "con": sum(len(debate.con) for debate in relevant),
            "both": sum(len(set(debate.pro) & set(debate.con)) for debate in relevant),
            "marks_without_source": sum(debate.dangling for debate in relevant),
        },
        "left_out": {
            debate.id: NOT_EXTRACTED if evidence[debate.id].extractable else NOT_CITED
            for debate in debates
            if debate.id not in split_of
        },
        "split": {
            "seed": seed,
            "share": TRAIN_SHARE,
            "groups": len(parts),
            "largest_group": max(map(len, parts)),
        },
        "negatives_short": short,
    }
    return CorpusParts(topics, qrels, splits, statistics)


def _question(debate: Debate) -> str:
    return "question: " + " ".join(debate.question.casefold().split()).rstrip("?")


def _evidence(debate: Debate, entries: Mapping[tuple[str, int], LedgerEntry]) -> _Evidence:
    numbers = sorted({source.number for source in debate.sources})
    documents = {
        number: entry.document
        for number in numbers
        if (entry := entries.get((debate.id, number))) is not None and entry.status == "ok" and entry.document
    }

    def of(cited: Iterable[int]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(documents[number] for number in cited if number in documents))

    pro = dict.fromkeys((*cited_by(debate.pros), *cited_against(debate.cons)))
    con = dict.fromkeys((*cited_by(debate.cons), *cited_against(debate.pros)))
    dangling = sum(number not in numbers for number in (*pro, *con))
    extractable = len(pro) + len(con) > dangling
    return _Evidence(of(numbers), of(pro), of(con), of((*pro, *con)), dangling, extractable)


def _qrels(
    topics: Sequence[CorpusTopic], evidence: Mapping[str, _Evidence], splits: Mapping[str, Split], seed: int
) -> tuple[dict[tuple[QrelsStance, Split], tuple[Qrel, ...]], int]:
    """The judged pairs, and how many negatives there were too few documents for."""
    pools: dict[Split, list[str]] = {
        split: sorted(d for d, s in splits.items() if s == split) for split in SPLITS
    }
    rows: dict[tuple[QrelsStance, Split], list[Qrel]] = {
        (stance, split): [] for stance in QRELS_STANCES for split in SPLITS
    }
    short = 0
    for topic in topics:
        cited = evidence[topic.id]
        pool = [document for document in pools[topic.split] if document not in cited.listed]
        wanted = len(cited.relevant)
        negatives = random.Random(f"negatives/{seed}/{topic.id}").sample(pool, min(wanted, len(pool)))
        short += wanted - len(negatives)
        relevant: dict[QrelsStance, tuple[str, ...]] = {
            "pro": cited.pro,
            "con": cited.con,
            "all": cited.relevant,
        }
        for stance, pairs in judged_pairs(topic.id, relevant, negatives).items():
            rows[stance, topic.split] += pairs
    return {key: tuple(pairs) for key, pairs in rows.items()}, short
