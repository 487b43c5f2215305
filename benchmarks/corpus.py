"""How long building a corpus takes: 100 topics with 70 sources each, from memory and as files.

    python benchmarks/corpus.py [--topics 100] [--sources 70] [--words 300]

The bar: topics, splits and qrels of 100 topics in under 2 s. Reading the documents and writing Parquet, which
`conqret corpus build` does besides, is timed apart. Also: how many debate pages a second are parsed.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conqret.data import Debate, DebateArgument, Document, Source
from conqret.data.corpus import LedgerEntry
from conqret.io.corpus_folder import CorpusDirectory, write_lines
from conqret.scrapers.corpus_building import build_corpus
from conqret.scrapers.debates import read_debate

sys.path.insert(0, str(Path(__file__).parent.parent))
from fixtures.site import read_topics, read_truth
from fixtures.site_pages import debate_page, footnotes_page

REPEATS = 5


def synthetic(
    topics: int, sources: int, words: int
) -> tuple[list[Debate], list[LedgerEntry], list[Document]]:
    """Debates of ten arguments a side; half of the sources are cited for each, and 9% could not be fetched."""
    rng = random.Random(13)
    debates, ledger, documents = [], [], []
    for topic in range(topics):
        numbers = range(1, sources + 1)
        debates.append(
            Debate(
                id=f"topic-{topic}",
                url=f"https://x.example/{topic}",
                title=f"Topic {topic}",
                question=f"Should it be {topic}?",
                pros=tuple(argument(rng, sources) for _ in range(10)),
                cons=tuple(argument(rng, sources) for _ in range(10)),
                sources=tuple(Source(number=number, title=f"Source {number}") for number in numbers),
                layout="synthetic",
            )
        )
        for number in numbers:
            found = rng.random() > 0.09
            name = f"d{topic:03}{number:03}" if found else None
            end: Any = "ok" if found else "blocked"
            ledger.append(LedgerEntry(debate=f"topic-{topic}", number=number, status=end, document=name))
            if name:
                documents.append(Document(id=name, title=f"Source {number}", text="word " * words))
    return debates, ledger, documents


def argument(rng: random.Random, sources: int) -> DebateArgument:
    """Two paragraphs with eight marks."""
    marks = "".join(f" and so on [{rng.randint(1, sources)}]" for _ in range(4))
    return DebateArgument(title="It is so", paragraphs=(f"First{marks}.", f"Then{marks}."))


def best(work: Callable[[], object]) -> float:
    """Seconds of the fastest of some repeats."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--sources", type=int, default=70)
    parser.add_argument("--words", type=int, default=300)
    call = parser.parse_args()
    debates, ledger, documents = synthetic(call.topics, call.sources, call.words)
    built = build_corpus(debates, ledger)
    pairs = sum(map(len, built.qrels.values()))
    print(f"{len(debates)} topics, {len(ledger)} sources, {len(documents)} documents, {pairs} judged pairs")
    print(f"build_corpus, from memory:              {best(lambda: build_corpus(debates, ledger)):.3f} s")
    with tempfile.TemporaryDirectory() as folder:
        corpus = CorpusDirectory(Path(folder))
        corpus.write_debates(debates)
        corpus.write_documents(documents)
        write_lines(corpus.ledger_file, (entry.model_dump() for entry in ledger))

        def from_files() -> None:
            one = build_corpus(list(corpus.debates()), corpus.ledger())
            corpus.write_topics(one.topics)
            for (stance, split), rows in one.qrels.items():
                corpus.write_qrels(stance, split, rows)

        print(f"debates and ledger read, qrels written: {best(from_files):.3f} s")
        parquet = best(lambda: corpus.write_parquet(corpus.documents(), built.splits))
        print(f"documents read, Parquet written:        {parquet:.3f} s")
    topics, truth, base = read_topics(), read_truth(), "https://x.example"
    pages = [
        (debate_page(topics[slug], one, base), footnotes_page(topics[slug], one, base))
        for slug, one in truth.items()
    ]
    seconds = best(
        lambda: [read_debate(page, base, further={base + "/footnotes/": notes}) for page, notes in pages]
    )
    size = sum(len(page) for page, _ in pages) / len(pages) / 1000
    print(f"pages of {size:.0f} kB parsed:                 {len(pages) / seconds:.0f} a second")


if __name__ == "__main__":
    main()
