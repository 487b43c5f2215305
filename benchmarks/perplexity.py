"""Pairs a second and peak memory: conqret's scorer, the arithmetic of the script released with DebateQA, and
lm-evaluation-harness.

    pip install lm-eval accelerate
    python benchmarks/perplexity.py [--answers 60] [--rounds 2] [--threads 2] [--device cpu]
    python benchmarks/perplexity.py --sides conqret,released     # without the harness
    python benchmarks/perplexity.py --device cuda --shapes 0.5b,1.5b,3b,8b     # the table of an accelerator

60 real answers (CONQRET_DATA: debateqa; without it documents of the fixtures stand for them), 3 to 5 passages of 150
to 250 tokens each cut from other answers, and a model with random weights (seeded; the tokenizer is trained on the
answers) of the shape of GPT-2 small, or of the SHAPES named. The sides run in processes of their own, one after the
other in turn, and report processor time, wall time and peak memory: on a GPU that of the device, in bfloat16. A side
whose library is not installed is left out, and said so.

- released: what the script computes: one answer at a time, its pairs in batches of 20 padded to the longest, logits
  for every place.
- harness: ``HFLM.loglikelihood`` over all pairs at once, in batches of 20 too.
- conqret: the scorer as it stands.

Tokens through the body and through the vocabulary's head are counted as they pass, padding included, and give the
multiplications that each side made: what no cleverness in batches can win is the ratio of these. ``of_limit`` is
their rate beside that of a product of square matrices in the same type on the same device.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import DEMO, arguments, json_rows, print_table

SEED = 13
SHAPES = {
    "tiny": ("qwen2", {"hidden_size": 64, "num_hidden_layers": 2, "intermediate_size": 128, "vocab_size": 20_000,
                       "num_attention_heads": 4, "num_key_value_heads": 2}),
    "gpt2": ("gpt2", {"n_positions": 1024, "n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 50_257}),
    "0.5b": ("qwen2", {"hidden_size": 896, "num_hidden_layers": 24, "intermediate_size": 4864, "vocab_size": 151_936,
                       "num_attention_heads": 14, "num_key_value_heads": 2, "tie_word_embeddings": True}),
    "1.5b": ("qwen2", {"hidden_size": 1536, "num_hidden_layers": 28, "intermediate_size": 8960, "vocab_size": 151_936,
                       "num_attention_heads": 12, "num_key_value_heads": 2, "tie_word_embeddings": True}),
    "3b": ("qwen2", {"hidden_size": 2048, "num_hidden_layers": 36, "intermediate_size": 11_008, "vocab_size": 151_936,
                     "num_attention_heads": 16, "num_key_value_heads": 2, "tie_word_embeddings": True}),
    "8b": ("llama", {"hidden_size": 4096, "num_hidden_layers": 32, "intermediate_size": 14_336, "vocab_size": 128_256,
                     "num_attention_heads": 32, "num_key_value_heads": 8}),
}  # fmt: skip
"""Those of GPT-2 small, Qwen2.5 0.5B, 1.5B and 3B, and Llama 3.1 8B, as their configurations say; ``tiny`` to try."""
TOKENS = 50_257
"""Tokens that the tokenizer learns at most; a model may know more."""
SIDE = {"cpu": 2_048, "cuda": 8_192}
"""Rows of the matrices whose product says what a device can do."""
BATCH = 20
"""Pairs in a batch of the released script; the harness is given as many."""

NEEDS = {"harness": ("lm_eval", "lm-eval accelerate")}
"""The library of a side that has one of its own, and how it is installed."""


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--answers", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--shapes", default="gpt2", help=", ".join(SHAPES))
    parser.add_argument("--sides", default="conqret,released,harness", help=", ".join(SIDES))
    parser.add_argument("--side", default="")
    parser.add_argument("--folder", default="")
    options = parser.parse_args()
    if options.side:
        print(json.dumps(run_side(options)))
        return
    sides = [side for side in options.sides.split(",") if is_there(side)]
    for shape in options.shapes.split(","):
        with tempfile.TemporaryDirectory() as folder:
            build(Path(folder), options.answers, shape, options.device)
            found: dict[str, list[dict[str, float]]] = {side: [] for side in sides}
            for _ in range(options.rounds):
                for side, results in found.items():
                    results.append(in_own_process(side, folder, options))
                    print(f"  {shape}, {side}: {results[-1]}", file=sys.stderr)
        print(f"\n{shape}, {options.device}\n")
        show(found)


def is_there(side: str) -> bool:
    """Whether a side's library is installed; says so where it is not."""
    library, install = NEEDS.get(side, ("torch", ""))
    if importlib.util.find_spec(library) is not None:
        return True
    print(f"{library} is not installed (pip install {install}): the side {side} is left out")
    return False


def build(folder: Path, count: int, shape: str, device: str) -> None:
    """Write the pairs, the tokenizer and the model, whose weights are made on the device."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

    texts = answers()
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer, inner.decoder = (
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        decoders.ByteLevel(),
    )
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    inner.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=min(TOKENS, SHAPES[shape][1]["vocab_size"]),
            special_tokens=["<|endoftext|>"],
            initial_alphabet=alphabet,
        ),
    )
    words = PreTrainedTokenizerFast(
        tokenizer_object=inner, bos_token="<|endoftext|>", eos_token="<|endoftext|>", model_max_length=1024
    )
    words.save_pretrained(folder)
    torch.manual_seed(SEED)
    kind, fields = SHAPES[shape]
    with torch.device(device):
        AutoModelForCausalLM.from_config(
            AutoConfig.for_model(kind, **fields), dtype=torch.float32 if device == "cpu" else torch.bfloat16
        ).save_pretrained(folder)
    rng = random.Random(SEED)
    ids = words("\n".join(texts[count:]), verbose=False).input_ids
    pairs = []
    for answer in texts[:count]:
        targets = []
        for _ in range(rng.randint(3, 5)):
            begin = rng.randrange(len(ids) - 250)
            targets.append(words.decode(ids[begin : begin + rng.randint(150, 250)]))
        pairs.append([answer, targets])
    (folder / "pairs.json").write_text(json.dumps(pairs), encoding="utf-8")


def answers() -> list[str]:
    named = os.environ.get("CONQRET_DATA")
    if not named:
        return list(
            dict.fromkeys(document["text"] for row in json_rows(DEMO) for document in row["documents"])
        )
    return [row["generation"] for row in json_rows(Path(named) / "debateqa" / "answers_demo.jsonl.gz")]


def in_own_process(side: str, folder: str, options: argparse.Namespace) -> dict[str, float]:
    command = [
        sys.executable,
        __file__,
        "--side",
        side,
        "--folder",
        folder,
        "--threads",
        str(options.threads),
    ]
    done = subprocess.run([*command, "--device", options.device], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def run_side(options: argparse.Namespace) -> dict[str, float]:
    import torch

    torch.set_num_threads(options.threads)
    pairs = json.loads((Path(options.folder) / "pairs.json").read_text(encoding="utf-8"))
    score, model = SIDES[options.side](options.folder, options.device)
    score(pairs[:1])
    passed = counted(model) if model is not None else {"body": 0, "head": 0}
    gpu = options.device != "cpu"
    if gpu:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
    began, processor = time.perf_counter(), time.process_time()
    values = score(pairs)
    if gpu:
        torch.cuda.synchronize()
    seconds, processor = time.perf_counter() - began, time.process_time() - processor
    count = len(values)
    peak = (
        torch.cuda.max_memory_allocated()
        if gpu
        else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    )
    operations = tflop(model, passed) if model is not None else 0.0
    made = operations / seconds
    return {
        "pairs": count,
        "wall_s": round(seconds, 2),
        "cpu_s": round(processor, 2),
        "pairs_per_s": round(count / seconds, 3),
        "pairs_per_cpu_s": round(count / processor, 3),
        "tokens_per_s": round(tokens(options.folder, pairs) / seconds, 1),
        "read_per_s": round(passed["body"] / seconds, 1),
        "body_tokens": passed["body"],
        "head_tokens": passed["head"],
        "tflop": round(operations, 3),
        "gflop_per_s": round(made * 1000, 1),
        "of_limit": round(made / limit(options.device), 3),
        "peak_gib": round(peak / 2**30, 3),
        "mean": sum(values) / len(values),
    }


def conqret_scorer(folder, device):
    from conqret.local.scorer import ConditionalPerplexity

    scorer = ConditionalPerplexity(folder, device=device)
    return lambda pairs: [row.perplexity for row in scorer.score(pairs)], scorer._forward._model


def released(folder, device):
    """The released arithmetic, in our words: batches of 20 pairs, everything padded, all logits."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    words = AutoTokenizer.from_pretrained(folder)
    words.pad_token, words.padding_side = words.eos_token, "right"
    kind = torch.float32 if device == "cpu" else torch.bfloat16
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=kind).to(device).eval()

    def score(pairs):
        found = []
        for answer, targets in pairs:
            context = answer + words.eos_token
            masked = len(words(context, add_special_tokens=False).input_ids)
            for begin in range(0, len(targets), BATCH):
                rows = [context + target for target in targets[begin : begin + BATCH]]
                batch = words(rows, return_tensors="pt", padding=True, truncation=True).to(device)
                with torch.no_grad():  # the labels make the model compute a loss of its own beside
                    logits = model(**batch, labels=batch.input_ids).logits
                labels = batch.input_ids.clone()
                labels[:, :masked] = -100
                loss = torch.nn.functional.cross_entropy(
                    logits[:, :-1].contiguous().view(-1, logits.shape[-1]), labels[:, 1:].contiguous().view(-1),
                    reduction="none",
                )  # fmt: skip
                mask = batch.attention_mask[:, 1:]
                found += torch.exp((loss.view(mask.shape) * mask).sum(1) / mask.sum(1)).tolist()
        return found

    return score, model


def harness(folder, device):
    """lm-evaluation-harness's ``HFLM.loglikelihood`` over all pairs at once, in batches of 20 as above."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    model = HFLM(
        pretrained=folder, device=device, batch_size=BATCH, dtype="float32" if device == "cpu" else "bfloat16"
    )

    def score(pairs):
        asked = [
            Instance("loglikelihood", {}, (answer + "\n", target), place)
            for place, (answer, targets) in enumerate(pairs)
            for target in targets
        ]
        return [value for value, _ in model.loglikelihood(asked, disable_tqdm=True)]

    return score, model.model


def counted(model):
    """Count the tokens that pass the model's body and its head from now on, padding included."""
    passed = {"body": 0, "head": 0}

    def body(module, args, kwargs):
        ids = kwargs["input_ids"] if "input_ids" in kwargs else args[0]
        passed["body"] += ids.numel()

    def head(module, args):
        passed["head"] += args[0].numel() // args[0].shape[-1]

    model.base_model.register_forward_pre_hook(body, with_kwargs=True)
    model.get_output_embeddings().register_forward_pre_hook(head)
    return passed


def tflop(model, passed):
    """Two operations a weight and token in the layers and in the head; attention's own part is left out."""
    from torch.nn import Embedding

    head = model.get_output_embeddings().weight.numel()
    looked_up = {module.weight for module in model.base_model.modules() if isinstance(module, Embedding)}
    layers = sum(
        parameter.numel() for parameter in model.base_model.parameters() if parameter not in looked_up
    )
    return 2 * (layers * passed["body"] + head * passed["head"]) / 1e12


def limit(device):
    """TFLOP a second of a product of square matrices, the best of five."""
    import torch

    kind = torch.float32 if device == "cpu" else torch.bfloat16
    size = SIDE[device.partition(":")[0]]
    one = torch.randn(size, size, device=device, dtype=kind)
    took = []
    for _ in range(5):
        began = time.perf_counter()
        float((one @ one)[0, 0])  # waits for the device
        took.append(time.perf_counter() - began)
    return 2 * size**3 / min(took) / 1e12


def tokens(folder, pairs):
    """Tokens of the pairs: each target, and its context once for each target."""
    from transformers import AutoTokenizer

    words = AutoTokenizer.from_pretrained(folder)
    return sum(
        len(targets) * len(words(answer, verbose=False).input_ids)
        + sum(len(words(target).input_ids) for target in targets)
        for answer, targets in pairs
    )


SIDES = {"released": released, "harness": harness, "conqret": conqret_scorer}


def show(found: dict[str, list[dict[str, float]]]) -> None:
    names = "pairs_per_s pairs_per_cpu_s tokens_per_s read_per_s body_tokens head_tokens".split()
    names += ["tflop", "gflop_per_s", "of_limit", "peak_gib"]
    means = {
        side: {name: sum(row[name] for row in rows) / len(rows) for name in names}
        for side, rows in found.items()
    }
    print_table(
        ("side", *names), [(side, *(f"{row[name]:,.3f}" for name in names)) for side, row in means.items()]
    )
    ours = means.get("conqret")
    for side, theirs in means.items() if ours else ():
        if side in ("released", "harness"):
            print(
                f"\nagainst {side}: pairs a second {ours['pairs_per_s'] / theirs['pairs_per_s']:.2f} times "
                f"(of processor time {ours['pairs_per_cpu_s'] / theirs['pairs_per_cpu_s']:.2f}); "
                f"multiplications 1 / {theirs['tflop'] / ours['tflop']:.2f}; "
                f"peak memory 1 / {theirs['peak_gib'] / ours['peak_gib']:.2f}"
            )


if __name__ == "__main__":
    main()
