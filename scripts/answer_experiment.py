"""From questions to a benchmark, answers in several ways, their P.D., D.A. and ranks, and a page: DebateQA's section 5.

    python scripts/answer_experiment.py fixtures/answers/offline.toml -o runs/answers

``questions`` and ``corpus`` of the file make a benchmark (tables ``dedupe`` and ``curate``), or ``references`` names
one that is there. Each variant is a way to answer it (``conqret debateqa answer``), and all are scored and ranked. A
table that has a command's name holds options of that command; paths at the top are relative to the file. Every
command is printed as one could type it, keeps its own folder, and goes on where it stopped: so does the whole.
"""

from __future__ import annotations

import argparse
import json
import os
import tomllib
from pathlib import Path

from conqret._optional import require
from conqret.cli.main import as_options, run_command
from conqret.errors import MissingDependencyError

TINY = "tiny"
"""In the place of a backbone: a model that is trained on the corpus here. It is for trying: its P.D. says little."""
STEPS = 150
"""In which it is trained, some seconds on a processor."""


def experiment(file: Path, out: Path) -> None:
    """Do all that the file asks for, into folders of ``out``.

    Raises:
        MissingDependencyError: what the commands need is not installed; nothing is done then.
        SystemExit: a command failed; the same call goes on there.
    """
    plan = tomllib.loads(file.read_text(encoding="utf-8"))
    require("pyterrier", extra="retrieval")
    require("torch", "transformers", extra="perplexity")
    names = [name for name in ("questions", "corpus", "references") if name in plan]
    given = {name: Path(os.path.normpath(file.parent / plan[name])) for name in names}
    questions, corpus = given.get("questions"), given.get("corpus")
    if "dedupe" in plan:
        run_command("debateqa", "questions", questions, *as_options(plan["dedupe"]), "-o", out / "questions")
        questions = out / "questions" / "kept.jsonl"
    references = given.get("references", out / "benchmark" / "benchmark.jsonl")
    if "curate" in plan:
        run_command(
            "debateqa",
            "curate",
            questions,
            "--corpus",
            corpus,
            *as_options(plan["curate"]),
            "-o",
            references.parent,
        )
    diversity = plan["perspective-diversity"]
    local = file.parent / diversity["backbone"]
    backbone = str(local) if local.is_dir() else diversity["backbone"]
    if backbone == TINY:
        backbone = str(tiny(corpus, out / TINY, diversity.pop("steps", STEPS)))
    answers, scores = [], []
    for name, variant in plan["variants"].items():
        folder, measured = out / "answers" / name, out / "scores" / name
        settings = plan.get("answer", {}) | variant
        index = () if settings.get("strategy", "none") == "none" else ("--index", corpus)
        run_command("debateqa", "answer", references, *index, *as_options(settings), "-o", folder)
        said = (folder / "answers.jsonl", "--system", name)
        run_command("debateqa", "score", "--metric", "perspective-diversity", *said, "--references", references,
            *as_options(diversity | {"backbone": backbone}), "-o", measured / "diversity")  # fmt: skip
        run_command("debateqa", "score", "--metric", "dispute-awareness", *said, "--references", references,
            *as_options(plan.get("dispute-awareness", {})), "-o", measured / "awareness")  # fmt: skip
        answers += ["--answers", folder]
        scores += [measured / metric / "scores.parquet" for metric in ("diversity", "awareness")]
    run_command(
        "debateqa",
        "rank",
        *scores,
        *as_options(plan.get("rank", {})),
        *answers,
        "--report",
        out / "report.html",
    )


def tiny(corpus: Path, folder: Path, steps: int) -> Path:
    """Train a causal model of some 200,000 weights on the documents of a corpus, once; returns its folder."""
    if (folder / "config.json").is_file():
        return folder
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    with (corpus / "documents.jsonl").open(encoding="utf-8") as file:
        texts = [json.loads(line)["text"] for line in file]
    inner = Tokenizer(models.BPE(unk_token=None))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    letters = pre_tokenizers.ByteLevel.alphabet()
    inner.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=1024, special_tokens=["<end>"], initial_alphabet=letters)
    )
    words = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<end>", model_max_length=4096)
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(words), hidden_size=64, intermediate_size=128, num_hidden_layers=2,
            num_attention_heads=4, max_position_embeddings=4096, bos_token_id=0, eos_token_id=0,
        )
    )  # fmt: skip
    read = torch.tensor([number for text in texts for number in [*words(text)["input_ids"], 0]])
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(steps):
        starts = torch.randint(len(read) - 128, (8, 1))
        batch = read[starts + torch.arange(128)]
        optimizer.zero_grad()
        model(input_ids=batch, labels=batch).loss.backward()
        optimizer.step()
    words.save_pretrained(folder)
    model.save_pretrained(folder)
    return folder


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("runs/answers"))
    chosen = parser.parse_args()
    try:
        experiment(chosen.file, chosen.output)
    except MissingDependencyError as error:
        parser.error(str(error))
