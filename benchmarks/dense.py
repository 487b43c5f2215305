"""Memory and speed of an index by vectors, compared with the bare encoder.

    python benchmarks/dense.py [--passages 100000]

Passages of 100 words, one a document, and a tiny encoder with random weights, so that the machinery is what is
measured. Bare encoding (the library's ``encode`` over the same texts) and ``build_index`` run in processes of their own
on one thread, one after another, twice.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from harness import arguments, json_rows
from retrieval import DEPTH, write_corpus

from conqret.data.item import Document
from conqret.retrieval.corpus_index import build_index, open_index
from conqret.retrieval.engines import get_engine
from conqret.retrieval.text_encoding import Encoding

SEED = 13
WORDS, VOCABULARY, LETTERS = 100, 5_000, "bcdfghklmnprstvz"
ASKED = 100


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
    write_corpus(work / "corpus", (Document(id=f"d{n}", text=text) for n, text in enumerate(texts(passages))))
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


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--side", default="")
    parser.add_argument("--work", type=Path)
    options = parser.parse_args()
    if options.side:
        one_side(options.side, options.work)
        return
    with tempfile.TemporaryDirectory(prefix="conqret-bench-") as folder:
        index(options.passages, Path(folder))


if __name__ == "__main__":
    main()
