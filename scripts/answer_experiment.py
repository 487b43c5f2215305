"""From questions to a benchmark, answers in several ways, their P.D., D.A. and ranks, and a page: DebateQA's section 5.

    python scripts/answer_experiment.py fixtures/answers/offline.toml -o runs/answers

``questions`` and ``corpus`` of the file make a benchmark (tables ``dedupe`` and ``curate``), or ``references`` names
one. Each variant is a way to answer it (``conqret debateqa answer``), and all are scored and ranked. A table with a
command's name holds options of that command; paths at the top are relative to the file. Every command is printed as
one could type it, keeps its own folder, and resumes where it stopped.
"""

from __future__ import annotations

import argparse
import os
import sys
import tomllib
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conqret._optional import require
from conqret.cli.main import as_options, run_command
from conqret.errors import MissingDependencyError

TINY = "tiny"
"""In place of a backbone: a model that is trained on the corpus here, to try it."""

debateqa = partial(run_command, "debateqa")


def experiment(file: Path, out: Path) -> None:
    """Run what the file asks for, into folders of ``out``.

    Raises:
        MissingDependencyError: a library that the commands need is not installed; nothing is done then.
        SystemExit: a command failed; the same call resumes there.
    """
    require("pyterrier", extra="retrieval")
    require("torch", "transformers", extra="perplexity")
    plan = tomllib.loads(file.read_text(encoding="utf-8"))
    names = [name for name in ("questions", "corpus", "references") if name in plan]
    paths = {name: Path(os.path.normpath(file.parent / plan[name])) for name in names}
    questions, corpus = paths.get("questions"), paths.get("corpus")
    if "dedupe" in plan:
        debateqa("questions", questions, *as_options(plan["dedupe"]), "-o", out / "questions")
        questions = out / "questions" / "kept.jsonl"
    references = paths.get("references", out / "benchmark" / "benchmark.jsonl")
    if "curate" in plan:
        debateqa(
            "curate", questions, "--corpus", corpus, *as_options(plan["curate"]), "-o", references.parent
        )
    diversity, awareness = plan["perspective-diversity"], plan.get("dispute-awareness", {})
    if (file.parent / diversity["backbone"]).is_dir():
        diversity["backbone"] = str(file.parent / diversity["backbone"])
    elif diversity["backbone"] == TINY:
        from fixtures.tiny_model import tiny_model

        diversity["backbone"] = str(tiny_model(corpus, out / TINY, diversity.pop("steps", 150)))
    answers, scores = [], []
    for name, variant in plan["variants"].items():
        folder = out / "answers" / name
        settings = plan.get("answer", {}) | variant
        index = () if settings.get("strategy", "none") == "none" else ("--index", corpus)
        debateqa("answer", references, *index, *as_options(settings), "-o", folder)
        answers += ["--answers", folder]
        for metric, options in (("perspective-diversity", diversity), ("dispute-awareness", awareness)):
            scored = out / "scores" / name / metric.partition("-")[2]
            inputs = (folder / "answers.jsonl", "--system", name, "--references", references)
            debateqa("score", "--metric", metric, *inputs, *as_options(options), "-o", scored)
            scores.append(scored / "scores.parquet")
    debateqa("rank", *scores, *as_options(plan.get("rank", {})), *answers, "--report", out / "report.html")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("runs/answers"))
    options = parser.parse_args()
    try:
        experiment(options.file, options.output)
    except MissingDependencyError as error:
        parser.error(str(error))
