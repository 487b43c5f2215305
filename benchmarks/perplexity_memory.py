"""Peak memory of ``conqret debateqa score --metric perspective-diversity`` over more and more answers.

    python benchmarks/perplexity_memory.py [--answers 250,1000,4000]

Each size is a process of its own, through the command line. The model is tiny (two layers of width 32, a window of
128 tokens, random weights), so the memory is that of the machinery; answers have 2,000 characters, questions three
partial answers of 100. The references, held in memory as a whole, are the same for every size.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

SEED = 13
WINDOW = 128
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--answers", default="250,1000,4000")
    parser.add_argument("--side", default="")
    options = parser.parse_args()
    if options.side:
        print(json.dumps(run(*options.side.split(","))))
        return
    sizes = [int(one) for one in options.answers.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder), max(sizes))
        print(f"bytes a known row in TargetStore: {store_bytes(Path(folder)):.0f}")
        print("| answers | scored rows | peak, MiB | s |\n|---|---|---|---|")
        for size in sizes:
            answers(Path(folder), size)
            for _ in ("first", "again"):  # the second reads every row from the store
                found = alone(folder, size)
                print(
                    f"| {size} | {found['rows']} | {found['peak_mib']:.0f} | {found['s']:.0f} |", flush=True
                )


def build(folder: Path, count: int) -> None:
    """Write the model and the references."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1000, special_tokens=["<|end|>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    inner.train_from_iterator([text(random.Random(SEED), 20_000)], trainer)
    words = PreTrainedTokenizerFast(
        tokenizer_object=inner, bos_token="<|end|>", eos_token="<|end|>", model_max_length=WINDOW
    )
    words.save_pretrained(folder / "model")
    torch.manual_seed(SEED)
    shape = GPT2Config(
        vocab_size=len(words),
        n_positions=WINDOW,
        n_embd=32,
        n_layer=2,
        n_head=4,
        bos_token_id=0,
        eos_token_id=0,
    )
    GPT2LMHeadModel(shape).save_pretrained(folder / "model")
    rng = random.Random(SEED)
    with (folder / "references.jsonl").open("w", encoding="utf-8") as file:
        for number in range(count):
            partial = [{"point_of_view": text(rng, 30), "explanation": text(rng, 70)} for _ in range(3)]
            file.write(
                json.dumps({"id": str(number), "question": "Should it?", "partial_answers": partial}) + "\n"
            )


def answers(folder: Path, count: int) -> None:
    """Write the answers to the first ``count`` questions."""
    rng = random.Random(SEED + 1)
    with (folder / f"answers-{count}.jsonl").open("w", encoding="utf-8") as file:
        for number in range(count):
            file.write(json.dumps({"id": str(number), "generation": text(rng, 2_000)}) + "\n")


def text(rng: random.Random, length: int) -> str:
    found = ""
    while len(found) < length:
        found += "".join(rng.choice(LETTERS) for _ in range(rng.randint(2, 9))) + " "
    return found[:length].strip()


def store_bytes(folder: Path) -> float:
    """What Python allocates for a row that :class:`TargetStore` knows, over 5,000 rows."""
    from conqret.debateqa.finished_scores import TargetStore
    from conqret.local.definitions import TargetScore

    with TargetStore(folder / "store.jsonl", "f") as store:
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        for number in range(5_000):
            store.keep(
                str(number),
                "t",
                TargetScore(number, 0, 3.5 + number, -350.25 - number, 280 + number, 700, 300),
            )
        after, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return (after - before) / 5_000


def alone(folder: str, size: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--side", f"{folder},{size}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def run(folder: str, size: str) -> dict[str, float]:
    import torch
    from typer.testing import CliRunner

    from conqret.cli.main import app

    torch.set_num_threads(1)
    place = Path(folder)
    began = time.perf_counter()
    command = ["debateqa", "score", "--metric", "perspective-diversity", str(place / f"answers-{size}.jsonl")]
    command += ["--references", str(place / "references.jsonl"), "--backbone", str(place / "model")]
    done = CliRunner().invoke(app, [*command, "-o", str(place / f"run-{size}"), "--quiet"])
    if done.exit_code:
        sys.exit(f"{done.output} {done.exception!r}")
    with (place / f"run-{size}" / "rows.jsonl").open("rb") as file:
        rows = sum(1 for _ in file)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"rows": rows, "peak_mib": peak, "s": time.perf_counter() - began}


if __name__ == "__main__":
    main()
