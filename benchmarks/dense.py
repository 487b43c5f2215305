"""Retrieval by vectors against the bars: memory and speed of indexing, and dense beside sparse on Webis-ArgQuality-20.

    CONQRET_DATA=… python benchmarks/dense.py [index webis] [--passages 100000]

``index``: passages of 100 words, one a document, and a tiny encoder with random weights, so that the machinery is what
is measured. Bare encoding (the library's ``encode`` over the same texts) and ``build_index`` run in processes of their
own on one thread, one after another, twice. ``webis``: averaged word vectors that are trained here, on the topics of
four fifths and on DEBATunE's statements, rank the arguments for the topics of the last fifth.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from harness import data, json_rows
from retrieval import DEPTH, judged, show, webis_corpus, write_corpus

from conqret.data.item import Document
from conqret.retrieval.corpus_index import build_index, open_index
from conqret.retrieval.engines import get_engine
from conqret.retrieval.evaluate import evaluate
from conqret.retrieval.first_stage import BM25, Dense, Fusion
from conqret.retrieval.systems import queries, rankings
from conqret.retrieval.text_encoding import Encoding

SEED = 13
WORDS, VOCABULARY, LETTERS = 100, 5_000, "bcdfghklmnprstvz"
FOLDS, ASKED = 5, 100


def texts(passages: int) -> list[str]:
    """Passages of words that are drawn as often as Zipf's law says."""
    rng = np.random.default_rng(SEED)
    words = np.array([f"{LETTERS[n % 16]}{'aeiou'[n % 5]}w{n:x}" for n in range(VOCABULARY)])
    weights = 1 / np.arange(1, VOCABULARY + 1)
    return [
        " ".join(words[row]) for row in rng.choice(VOCABULARY, (passages, WORDS), p=weights / weights.sum())
    ]


def index(passages: int, work: Path) -> None:
    """Time and memory of ``build_index`` beside the bare encoder, and its search beside a product of matrices."""
    write_corpus(
        work / "corpus", (Document(id=f"d{n}", text=text) for n, text in enumerate(texts(passages))), [], {}
    )
    tiny(texts(2000), work / "encoder")
    for round_ in (1, 2):
        found = {}
        for side in ("bare", "built"):
            done = subprocess.run(
                [sys.executable, __file__, "--side", side, "--work", str(work)],
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"},
            )
            if done.returncode:
                sys.exit(done.stderr)
            found[side] = json.loads(done.stdout.splitlines()[-1])
            print(f"  {side}, run {round_}: {found[side]['s']:.1f} s, processor {found[side]['cpu']:.1f} s, "
                  f"peak {found[side]['mb']:.0f} MB", flush=True)  # fmt: skip
        print(f"  ratio {found['built']['s'] / found['bare']['s']:.2f} by the clock, "
              f"{found['built']['cpu'] / found['bare']['cpu']:.2f} by the processor")  # fmt: skip
    opened = open_index(work / "corpus", "dense")
    questions = [" ".join(text.split()[:8]) for text in texts(ASKED)]
    opened.search(questions[:1], 1)
    began = time.perf_counter()
    hits = opened.search(questions, DEPTH)
    took = time.perf_counter() - began
    vectors = np.array(opened.searcher.vectors.rows)  # type: ignore[attr-defined]
    scores = opened.searcher.encoder.queries(questions) @ vectors.T  # type: ignore[attr-defined]
    best = -np.sort(-scores, axis=1)[:, :DEPTH]
    print(f"  {ASKED} questions at depth {DEPTH}: {took:.2f} s; brute force differs by at most "
          f"{np.abs(best - hits.scores.reshape(ASKED, DEPTH)).max():.1e}")  # fmt: skip


def tiny(sample: list[str], folder: Path) -> None:
    """A BERT of one layer of width 32, random weights, in the layout of sentence-transformers."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    base = BertTokenizerFast(
        vocab={name: n for n, name in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])}
    )
    words = base.train_new_from_iterator(sample, 2 * VOCABULARY)
    words.model_max_length = 256
    config = BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=256,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder / "bare")
    words.save_pretrained(folder / "bare")
    modules = [Transformer(str(folder / "bare")), Pooling(32)]
    SentenceTransformer(modules=modules, device="cpu").save(str(folder / "tiny"))


def one_side(side: str, work: Path) -> None:
    """One of the two in this process; prints what it took."""
    encoder = str(work / "encoder" / "tiny")
    rows = json_rows(work / "corpus" / "documents.jsonl") if side == "bare" else []
    own = [row["text"] for row in rows]
    if side == "bare":
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(encoder, device="cpu")
        model.encode(own[:64])
    else:
        from conqret.retrieval.vectors import load

        load(Encoding(encoder).settled(get_engine("dense")))
    began, used = time.perf_counter(), time.process_time()
    if side == "bare":
        model.encode(own, batch_size=32)
    else:
        build_index(work / "corpus", engine="dense", settings=Encoding(encoder), rebuild=True)
    took = {"s": time.perf_counter() - began, "cpu": time.process_time() - used}
    print(json.dumps({**took, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


def webis(work: Path) -> None:
    """Dense, sparse and hybrid over the arguments of Webis-ArgQuality-20, by topics that the encoder did not learn."""
    from tests.retrieval.small_encoder import train

    documents, topics, qrels = webis_corpus(work)
    relevant = [(row.query_id, row.doc_id) for row in qrels["all"]]
    statements = [
        (row["topic"], row["response"])
        for file in sorted((data("debatune") / "debatune").glob("statements_*.jsonl.gz"))
        for row in json_rows(file)
    ]
    halves = [(half, other) for half, other in map(halved, documents.values()) if half]
    order = random.Random(SEED).sample(topics, len(topics))
    bm25 = BM25(build_index(work), texts=False)
    runs: dict[str, dict[str, list[str]]]
    runs = {name: {} for name in ("bm25", "dense", "hybrid, ranks", "hybrid, scores")}
    for fold in range(FOLDS):
        left_out = order[fold::FOLDS]
        names = {topic.id for topic in left_out}
        asked = {topic.id: topic.question for topic in topics if topic.id not in names}
        pairs = [(asked[topic], documents[name]) for topic, name in relevant if topic in asked]
        encoder = train(
            [*pairs, *statements, *halves], [*documents.values(), *asked.values(), *(text for _, text in statements)],
            work / f"encoder{fold}", steps=400, width=256, vocabulary=20_000,
        )  # fmt: skip
        dense = Dense(build_index(work, engine="dense", settings=Encoding(str(encoder))), texts=False)
        systems = (bm25, dense, Fusion(bm25, dense), Fusion(bm25, dense, weights=(0.5, 0.5)))
        for name, system in zip(runs, systems, strict=True):
            runs[name].update(rankings(system(queries(left_out))))
    print(
        f"  {len(documents):,} arguments, {len(topics)} topics in {FOLDS} folds, {len(relevant):,} relevant"
    )
    show(evaluate(runs, judged(qrels), measures=("nDCG@10", "P@10", "R@100")))


def halved(text: str) -> tuple[str, str]:
    """A text in two halves; the first is empty where it has few words."""
    words = text.split()
    middle = len(words) // 2 if len(words) >= 16 else 0
    return " ".join(words[:middle]), " ".join(words[middle:])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", default=["index", "webis"])
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--side", default="")
    parser.add_argument("--work", type=Path)
    options = parser.parse_args()
    if options.side:
        one_side(options.side, options.work)
        return
    for part in options.parts:
        print(f"== {part}", flush=True)
        with tempfile.TemporaryDirectory(prefix="conqret-bench-") as folder:
            if part == "index":
                index(options.passages, Path(folder))
            else:
                webis(Path(folder))


if __name__ == "__main__":
    main()
