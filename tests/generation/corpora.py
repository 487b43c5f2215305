"""A small corpus for the generator's tests: four train topics and two test topics, written by hand."""

from pathlib import Path

from conqret.data import Debate, DebateArgument, Document, Source
from conqret.data.corpus import CorpusTopic, LedgerEntry, Qrel
from conqret.io.corpus_folder import CorpusDirectory, write_lines, write_models
from conqret.io.trec import write_qrels

SUBJECTS = {
    "cars": "train",
    "trams": "train",
    "bikes": "train",
    "ferries": "train",
    "buses": "test",
    "planes": "test",
}


def write_corpus(folder: Path) -> CorpusDirectory:
    """Each topic has four documents; pros cite 1 and 2, cons 3; source 4 was never extracted."""
    corpus = CorpusDirectory(folder)
    write_models(corpus.debates_file, map(debate, SUBJECTS))
    write_lines(corpus.ledger_file, (entry.model_dump() for name in SUBJECTS for entry in ledger(name)))
    write_models(corpus.documents_file, [document for name in SUBJECTS for document in documents(name)])
    topics = [
        CorpusTopic(id=name, question=question(name), split=split)  # type: ignore[arg-type]
        for name, split in SUBJECTS.items()
    ]
    write_models(corpus.topics_file, topics)
    for split in ("train", "test"):
        names = [name for name, subject in SUBJECTS.items() if subject == split]
        for stance, numbers in (("pro", (1, 2)), ("con", (3,))):
            qrels = [Qrel(name, f"{name}-{n}", 1) for name in names for n in numbers]
            write_qrels(corpus.qrels_file(stance, split), qrels)
    return corpus


def question(name: str) -> str:
    return f"Should cities pay for {name}?"


def documents(name: str) -> list[Document]:
    texts = (
        f"Cities that pay for {name} report benefits. A study in 2019 found that support for {name} improved health "
        "by 12 percent. The growth of jobs was good.",
        f"Because {name} help people to reach work, the report shows that incomes rose by 5 percent in two years.",
        f"Paying for {name} harms the budget. The costs of {name} were a failure, and taxes rose by 9 percent.",
        f"A page about the colours of {name} that nobody cites. It was written in the spring by a painter of signs.",
    )
    return [
        Document(
            id=f"{name}-{n}", text=text, title=f"{name.title()} {n}", url=f"https://example.org/{name}/{n}"
        )
        for n, text in enumerate(texts, start=1)
    ]


def debate(name: str) -> Debate:
    return Debate(
        id=name,
        url=f"https://example.org/{name}",
        title=name.title(),
        question=question(name),
        pros=(
            DebateArgument(
                title=f"{name.title()} are good for health",
                paragraphs=(
                    "Health improved by 12 percent. [1] Incomes rose too [2][4].",
                    "Nobody doubts it. [9]",
                ),
            ),
            DebateArgument(title="They are fair.", paragraphs=("Everybody gains [2, 1].",)),
        ),
        cons=(
            DebateArgument(
                title=f"{name.title()} cost too much", paragraphs=("Taxes rose by 9 percent [3].",)
            ),
        ),
        sources=tuple(Source(number=n, title=f"Source {n}") for n in (1, 2, 3, 4)),
        layout="tests",
    )


def ledger(name: str) -> list[LedgerEntry]:
    found = [LedgerEntry(debate=name, number=n, status="ok", document=f"{name}-{n}") for n in (1, 2, 3)]
    return [*found, LedgerEntry(debate=name, number=4, status="not-found")]
