"""The table and the page of a comparison, from its runs."""

from __future__ import annotations

import ast
import os
import platform
import statistics
from collections import Counter
from pathlib import Path

from side_by_side.driver import CONCURRENCY, PATIENCE
from side_by_side.trials import FAULTS, LATENCY, LIMIT, Trial

HERE = Path(__file__).parent
HEAD = [
    "library",
    "release",
    "calls an item",
    "prompt characters an item",
    "items a second over all, beside conqret's",
    "CPU, ms a further call",
    "CPU, ms a further item",
    "CPU, s of a process for one item",
    "peak memory, MiB",
    "with faults: questions that met one",
    "both scores, of {faulty} items",
    "of these, not the score without faults",
    "after kill -9: asked again, of those asked before (under way)",
]
COSTS = 9
"""Columns of the first table; the others stand in the second, beside the library's name."""
NOTES = {
    "conqret": "A limit of 60 seconds for a question with all its attempts; it has none for one of them, so that a "
    "question that hangs is lost. "
    "All else is the default. The run directory keeps every answer as it comes. A question without a valid answer "
    "is asked again with the fault named; what fails in the end is *unscored* or *failed*, with a reason, and the same "
    "command again asks it alone.",
    "ragas": "What its documentation recommends now: metrics of `ragas.metrics.collections`, a model of `llm_factory`, "
    "its `DiskCacheBackend`, which keeps model answers and embeddings. The cache also answers the second and third "
    "of the three questions that answer relevancy asks alike, so that it asks one. Its experiments start all rows at "
    "once; here a semaphore holds them to 16. An error is printed and the row goes on without the score, as in its "
    "experiments. Embeddings never fail here, and are the second figure of the calls.",
    "deepeval": "`evaluate` with `use_cache=True` and `ignore_errors=True`: by default the first error ends the run. "
    "Two attempts at a question are its default, one where an answer cannot be read; a metric that fails has an error "
    "and no score. Of a kill its cache knows the items that were done. A reason is asked "
    "for each score, which is its default, too. An item may take ten minutes: what it derives from the attempts ended "
    "items on a busy machine.",
    "trulens": "`BatchEvaluator`. Its two functions are wrapped so that a row whose question fails is skipped: by "
    "itself the first failure ends the run without any row. The limit of 60 questions a minute, its default, is "
    "lifted. Sentences are split by the model, since the other way fetches a table from the network. Where answers "
    "to some sentences cannot be read it averages the others, which does not show where all answers are alike. It "
    "asks OpenAI's Responses, which the server has for it. The evaluator keeps nothing on disk.",
    "nuggetizer": "`AsyncNuggetizer`, which has no limit of questions at once: a semaphore holds it to 16 items. It "
    "measures how many nuggets of the documents the argument holds, which is recall, not groundedness: its two "
    "scores are those of vital and of all nuggets. A failed call is repeated without end, an answer that cannot be "
    "read up to 500 times at another temperature. It waits 30 seconds for an answer, fixed. It keeps nothing on disk. "
    "tiktoken's table is given to it, since it would repeat without end what the network refuses.",
    "inspect": "`eval_set` on a log folder, its documented way to go on after a crash, with its two graders of "
    "answers: the documents are the criterion. The argument is set as the model's output, so that nothing is "
    "generated. A sample whose question fails ends its task, and the set repeats the task with the samples that are "
    "left; an answer without a grade is unscored, and not asked again.",
}
"""What has to be known to read a library's row with fairness."""


def table(trials: list[Trial], names: list[str]) -> str:
    """Two tables in Markdown, what a score costs and what becomes of it, with a row for each library that was run.

    The last run of a kind counts, of plain runs the median.
    """
    faulty = max((len(trial.scores) for trial in trials if trial.kind == "faults"), default=0)
    head = [one.format(faulty=faulty) for one in HEAD]
    kept = {name: [trial for trial in trials if trial.library == name] for name in names}
    median = _median([one.seconds for one in _of("plain", kept[names[0]])])
    rows = [_row(name, runs, median) for name, runs in kept.items() if runs]
    lines = [head, ["---"] * len(head), *rows]
    parts = [line[:COSTS] for line in lines], [[line[0], *line[COSTS:]] for line in lines]
    return "\n".join("".join("| " + " | ".join(line) + " |\n" for line in part) for part in parts)


def page(trials: list[Trial], names: list[str]) -> str:
    """The page: how it was made, the table, what each was asked, and what is to be known of each."""
    faults = ", ".join(f"{share:.0%} {name.replace('_', ' ')}" for name, share in FAULTS.items())
    plain = [trial for trial in trials if trial.kind == "plain"]
    rounds = Counter(one.library for one in plain).values()
    turns = "–".join(dict.fromkeys((str(min(rounds)), str(max(rounds)))))
    lines = [
        "# Results: side by side",
        "conqret beside ragas, DeepEval, TruLens, nuggetizer and inspect_ai: one server, the same items, the same "
        "faults. `python benchmarks/peers.py --kept peers.jsonl --page docs/results/peers.md` installs each in an "
        "environment of its own, makes the runs and writes this page.",
        table(trials, names),
        f"Medians of {turns} rounds over {len(plain[0].scores)} items of ten documents of 300 words, each library in "
        f"turn, on {os.cpu_count()} cores that others used at the same time, Python {platform.python_version()}: what "
        "counts are counts and ratios. What a further item takes is the difference to a run over one item, so without "
        "imports and starts; CPU is that of the library's process, threads included. Items a second are those of the "
        "whole call, with the imports that conqret makes in it; they are the least reliable figures, since others "
        "used the machine.",
        "## What was done alike",
        f"- The server (`benchmarks/side_by_side/server.py`) takes {LATENCY * 1000:.0f} ms. It fills the schema that "
        "comes with a question, in `response_format` or in the text, always with the same values and three entries "
        "a list; where none comes, it sends the text that the library reads (a grade, a list, a score). So each "
        "library has one right score for all items, and another one is a fault that became a score.",
        f"- {CONCURRENCY} questions or items at once, whichever a library counts; {PATIENCE:.0f} seconds for an "
        "attempt, where it can be said. All else is the library's default, if not told below. Where a library has a "
        "cache or a log to go on from, it is on, and its cost is in the figures.",
        f"- Faults, drawn for each question and each time that it is asked: {faults}. A 429 asks for one second of "
        "patience; *bad json* is a text in the place of JSON, *bad body* a response that is none, *drop* a connection "
        "that breaks in the middle of an answer. A library that asks more questions for an item meets more faults. A "
        f"run is stopped after {LIMIT / 60:.0f} minutes.",
        "- Killed with SIGKILL when half of the questions had come, and started again with the same command: asked "
        "again are all questions beyond those of a run left alone; in brackets those that the server was answering at "
        "that moment, which no library can avoid.",
        "- They do not measure the same: more calls may be a more careful score. The table says what a score costs, "
        "and what becomes of it when others misbehave, not how good it is.",
        "## What each was asked, and what it does",
        *[f"**{_asked(name)}** {NOTES[name]}" for name in names],
    ]
    return "\n\n".join(line.strip() for line in lines) + "\n"


def _row(name: str, runs: list[Trial], own: float) -> list[str]:
    version = runs[-1].version
    if missing := [run.fault for run in runs if run.kind == "installed"]:
        return [name, version, f"cannot be installed: {missing[-1]}", *["–"] * (len(HEAD) - 3)]
    plain = [one for one in _of("plain", runs) if one.scores]
    if not plain:
        return [name, version, f"cannot be run: {runs[0].fault}", *["–"] * (len(HEAD) - 3)]
    items = len(plain[0].scores)
    calls = _median([one.counts["calls"] for one in plain]) / items
    embeddings = _median([one.counts["embeddings"] for one in plain]) / items
    cpu = _further(runs) * 1000
    return [
        name,
        version,
        f"{calls:.3g}" + (f" + {embeddings:.3g}" if embeddings else ""),
        f"{_median([one.counts['characters'] for one in plain]) / items:,.0f}",
        f"{own / _median([one.seconds for one in plain]):.2f}",
        f"{cpu / (calls + embeddings):.1f}",
        f"{cpu:.0f}",
        f"{_median([one.process for one in _of('one', runs)]):.1f}",
        f"{_median([one.memory for one in plain]):.0f}",
        *_with_faults(runs, plain[0]),
        _again(runs),
    ]


def _further(runs: list[Trial]) -> float:
    """CPU seconds of each further item: runs over all items less those of one, so without imports and starts."""
    plain, one = _of("plain", runs), _of("one", runs)
    beyond = _median([run.cpu for run in plain]) - _median([run.cpu for run in one])
    return beyond / (len(plain[0].scores) - 1)


def _with_faults(runs: list[Trial], plain: Trial) -> tuple[str, str, str]:
    """Questions that met a fault, items with both scores, and those of them with others than without faults."""
    found = _of("faults", runs)
    if not found:
        return "–", "–", "–"
    last = found[-1]
    met = f"{last.counts['faults']} of {last.counts['calls']}"
    if last.fault:
        return met, f"none: {last.fault}", "–"
    right = statistics.mode(tuple(scores) for scores in plain.scores.values())
    both = [
        tuple(scores) for scores in last.scores.values() if len(scores) == len(right) and None not in scores
    ]
    return met, str(len(both)), str(sum(scores != right for scores in both))


def _again(runs: list[Trial]) -> str:
    found = _of("killed", runs)
    if not found:
        return "–"
    counts = found[-1].counts
    told = f"{counts['again']} of {counts['before']} ({counts['under_way']})"
    return f"{told} ({found[-1].fault})" if found[-1].fault else told


def _of(kind: str, runs: list[Trial]) -> list[Trial]:
    return [run for run in runs if run.kind == kind]


def _median(values: list[float]) -> float:
    return statistics.median(values) if values else 0.0


def _asked(name: str) -> str:
    """The first sentence of the driver: what the library was asked for."""
    tree = ast.parse((HERE / f"with_{name}.py").read_text(encoding="utf-8"))
    return " ".join((ast.get_docstring(tree) or "").split()).replace("``", "`")
