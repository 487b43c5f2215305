"""Build topics, qrels and splits from debates and the ledger of their sources (ConQRet, section 4.3); and
import the release and files of passages.

A document is relevant for a side of a topic if a paragraph of that side cites it (``[12]``) and its text was
extracted; one that both sides cite is relevant for both. What a page answers to an argument (a counterpoint) speaks
for the other side.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from scipy.cluster.hierarchy import DisjointSet

from conqret.data.corpus import (
    PAPER_CITED,
    PAPER_EXTRACTED,
    QRELS_STANCES,
    SOURCE_STATUSES,
    SPLITS,
    CorpusParts,
    CorpusTopic,
    Debate,
    LedgerEntry,
    Qrel,
    QrelsStance,
    Split,
    judged_pairs,
    table2,
)
from conqret.data.item import Document
from conqret.errors import DeclarationError, number, strict_options
from conqret.io.corpus_folder import CorpusDirectory, write_lines, write_models
from conqret.io.corpus_sources import CorpusImport, check_documents, read_own, read_passages
from conqret.io.release import LAYOUT, Release, read_release
from conqret.io.trec import write_qrels
from conqret.llm.tokens import count_tokens
from conqret.text.citations import cited_against, cited_by

TRAIN_SHARE = 0.7
"""The share of topics for train (ConQRet, section 4.3): of its 98 topics, 68."""


def groups(links: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Group topics that share something and so must be in the same split.

    Args:
        links: for each topic, what it may share with others (documents, its question).

    Returns:
        Sorted groups of topics; one that shares nothing is a group alone. Topics of two groups share nothing,
        directly or through others.
    """
    together, owner = DisjointSet(links), dict[str, str]()
    for topic, things in links.items():
        for thing in things:
            together.merge(topic, owner.setdefault(thing, topic))
    return sorted(sorted(group) for group in together.subsets())


def split_topics(parts: Sequence[Sequence[str]], *, seed: int) -> dict[str, Split]:
    """Split groups of topics into train and test, without dividing a group.

    Groups are shuffled, and a subset is taken for train whose size is closest to :data:`TRAIN_SHARE` of
    all topics (rounded down). With two or more groups, both splits get at least one.

    Args:
        parts: the groups, as :func:`groups` returns them.
        seed: the random seed; the same seed and groups give the same split on every machine.

    Returns:
        A mapping from topic to split.
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
LENGTHS = (100, 1_000, 10_000, 100_000)
"""Tokens of a document at which the next length begins; most of the paper's have 100 to 10,000 (Figure 2)."""
NOT_CITED, NOT_EXTRACTED = "its arguments cite no listed source", "no source that it cites was extracted"


@dataclass(frozen=True, slots=True)
class _Evidence:
    """A debate's documents, each once: those of all its sources (``listed``), those that each side cites (``pro``,
    ``con``), and those that any side cites (``relevant``), in order.

    The sources of a counterpoint count for the other side. ``dangling`` counts citations of numbers that no source has;
    ``extractable`` is True if a citation has a source.
    """

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
    topics: str | Path | None = None,
    qrels: str | Path | None = None,
    licence: str = "",
    url: str = "",
    on_passage: Callable[[], object] = lambda: None,
) -> CorpusImport:
    """Write a corpus from files of passages, with topics and qrels if these are given, and return the counts.

    Args:
        files: files of passages, such as those of DPR, Sphere and BEIR.
        output: the corpus directory to write.
        topics: a table of topics, or a TREC file of topics; all are of the split ``test``.
        qrels: qrels of TREC or as a table; they become ``qrels/all.test.qrels``, and those of a table with a column
            ``side`` also ``qrels/pro.test.qrels`` and ``qrels/con.test.qrels``.
        licence: the license of passages that state none.
        url: the URL of passages that have none, with ``{title}`` or ``{id}`` to fill in.
        on_passage: called as each passage is read.

    Raises:
        DeclarationError: a row is faulty, ids do not fit, or the directory holds a scraped corpus; nothing is
            written.
    """
    if qrels is not None and topics is None:
        raise DeclarationError(f"--qrels {qrels} judges documents for topics: name these with --topics")
    directory = CorpusDirectory(Path(output))
    directory.refuse_scraped()
    asked, judged, remarks = ([], [], ()) if topics is None else read_own(topics, qrels)
    wanted = {pair.doc_id for pair in judged}

    def passages() -> Iterator[Mapping[str, Any]]:
        nonlocal remarks
        there = set[str]()
        for passage in read_passages(map(Path, files), licence=licence, url=url, on_passage=on_passage):
            there |= wanted & {passage["id"]}
            yield passage
        remarks += tuple(filter(None, [check_documents(judged, there)]))

    documents = write_lines(directory.documents_file, passages())
    if asked:
        write_models(directory.topics_file, asked)
    for view in QRELS_STANCES:
        grades: dict[tuple[str, str], int] = {}
        for pair in judged:
            if view in ("all", pair.iteration):
                key = pair.query_id, pair.doc_id
                grades[key] = max(pair.relevance, grades.get(key, pair.relevance))
        if grades:
            write_qrels(
                directory.qrels_file(view, "test"), (Qrel(*key, grade) for key, grade in grades.items())
            )
    return CorpusImport(documents, len(asked), len(judged), remarks)


@strict_options
def import_release(release: str | Path, output: str | Path = "corpus") -> Release:
    """Import the published ConQRet data into a corpus directory and return it.

    It has queries, qrels with stance, documents, and pros and cons if the release's parser has extracted
    them.

    Args:
        release: the folder of ``procon/``, or its parent.
        output: the corpus directory to write.

    Raises:
        DeclarationError: the folder is not a release, or the directory holds a scraped corpus.
    """
    directory = CorpusDirectory(Path(output))
    directory.refuse_scraped(LAYOUT)
    found = read_release(release)
    write_models(directory.documents_file, found.documents)
    if found.debates:
        write_models(directory.debates_file, found.debates)
        write_lines(directory.ledger_file, (entry.model_dump() for entry in found.ledger))
    found = replace(found, statistics=with_lengths(found.statistics, found.documents))
    directory.write(found, found.documents)
    return found


@strict_options
def make_corpus(corpus: str | Path, *, seed: int = SEED) -> CorpusParts:
    """Build topics, qrels and splits of a corpus directory, write them into it, and return them.

    Args:
        corpus: a corpus directory with debates and their fetched evidence.
        seed: the random seed of split and negatives; the same input and seed give the same corpus.

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
    built = replace(built, statistics=with_lengths(built.statistics, documents))
    directory.write(built, documents)
    return built


def with_lengths(statistics: Mapping[str, Any], documents: Iterable[Document]) -> dict[str, Any]:
    """Return the statistics with the number of documents by length in tokens (ConQRet, Figure 2)."""
    counts = [count_tokens(document.text) for document in documents]
    names = [f"under {LENGTHS[0]:,}", *(f"{low:,} to {high - 1:,}" for low, high in pairwise(LENGTHS))]
    places = Counter(bisect_right(LENGTHS, count) for count in counts)
    lengths = {name: places[place] for place, name in enumerate([*names, f"{LENGTHS[-1]:,} or more"])}
    return {**statistics, "tokens": lengths}


def build_corpus(
    debates: Sequence[Debate], ledger: Iterable[LedgerEntry], *, seed: int = SEED
) -> CorpusParts:
    """Build and return the topics, qrels, splits and statistics of a corpus.

    Each side of a topic gets as many documents with grade 0 as with grade 1. The former are random
    documents of other topics in the same split that the topic itself does not cite. The view ``all`` has
    both sides' relevant documents and equally many others. Topics that share a document or a question are
    in the same split. Topics without a relevant document are left out and listed in the statistics.

    Args:
        debates: the debate pages.
        ledger: the fetch result of each source; the last entry of a source counts.
        seed: the random seed of split and negatives; the same input and seed give the same corpus.

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
    """Return the judged pairs by stance and split, and how many negatives are lacking. Each topic gets as many
    negatives as it has relevant documents, drawn by the seed from the split's documents that it does not list, as far
    as there are any."""
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
