"""Every kind of run, killed at random moments and given again, ends with the files of a run that was left alone."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conqret.data import Item
from conqret.io.trec import ScoredDoc, write_run
from tests.cli.score_files import lines
from tests.cli.test_debate_argue import fair
from tests.contract.items import demo
from tests.debateqa.curation.memory import scripted
from tests.generation.corpora import SUBJECTS, write_corpus
from tests.io.test_two_turn import OWN
from tests.judging.runs import write_items
from tests.runs.killed import Forks, ended, kill, results
from tests.server import FaultServer
from tests.studies.improving import CRITERION, write_case
from tests.torture.effort import FULL

ROOT = Path(__file__).parents[2]
SEED = 20
KILLS = 3
LATENCY = 0.02

EXPERIMENT = """name = "killed"
corpus = "corpus"
stances = ["pro", "con"]
[retrievers.given]
run = "ranking.res"
[rerankers.side]
model = "openai/judge"
window = 3
step = 2
[generators.writer]
model = "openai/judge"
shots = 1
[[systems]]
retriever = ["given"]
reranker = ["none", "side"]
generator = ["writer"]
[[judges]]
format = "direct"
model = "openai/judge"
metrics = ["groundedness"]
[[perturbations]]
name = "irrelevant"
levels = [50]
[models."openai/judge"]
api_base = "%s"
max_concurrency = 4
"""


def _called(server: FaultServer) -> tuple[object, ...]:
    return ("--model", "openai/judge", "--api-base", server.url, "--max-concurrency", "4", "-q")


def _items(*options: str) -> Callable[[Path, FaultServer], tuple[object, ...]]:
    def command(folder: Path, server: FaultServer) -> tuple[object, ...]:
        items = write_items(folder / "items.jsonl", demo()[:6])
        return (options[0], items, *options[1:], *_called(server))

    return command


def _arguments(*options: str) -> Callable[[Path, FaultServer], tuple[object, ...]]:
    """A tournament, adaptive, of two models, each of which compares every pair."""

    def command(folder: Path, server: FaultServer) -> tuple[object, ...]:
        rows = [
            Item(id=f"{topic}-{n}", topic=topic, argument=f"So it is {n}.")
            for topic in ("Is it so?", "Was it so?")
            for n in range(5)
        ]
        items = write_items(folder / "items.jsonl", rows)
        return ("tournament", items, *options, "--model", "openai/other", *_called(server))

    return command


def _corpus(folder: Path) -> None:
    write_corpus(folder / "corpus")
    write_run(
        folder / "ranking.res",
        [ScoredDoc(topic, f"{topic}-{n}", 9.0 - n) for topic in SUBJECTS for n in (1, 2, 3, 4)],
    )


def _generate(folder: Path, server: FaultServer) -> tuple[object, ...]:
    _corpus(folder)
    made = ("generate", "arguments", folder / "corpus", "--run", folder / "ranking.res")
    return (*made, "--stance", "pro", "--shots", "1", *_called(server))


def _experiment(folder: Path, server: FaultServer) -> tuple[object, ...]:
    _corpus(folder)
    (folder / "experiment.toml").write_text(EXPERIMENT % server.url, encoding="utf-8")
    return ("experiment", folder / "experiment.toml", "--trust-file", "-q")


def _questions(count: int) -> list[dict[str, Any]]:
    return [{"question": f"Is {n} too many?"} for n in range(count)]


def _answers(metrics: str) -> Callable[[Path, FaultServer], tuple[object, ...]]:
    def command(folder: Path, server: FaultServer) -> tuple[object, ...]:
        part = {"point_of_view": "Yes.", "explanation": "It is."}
        records = [{**row, "id": str(n), "partial_answers": [part]} for n, row in enumerate(_questions(8))]
        questions = lines(folder / "questions.jsonl", records)
        rows = [{"id": str(n), "generation": f"It is {n}, some say."} for n in range(8)]
        answers = lines(folder / "answers.jsonl", rows)
        scored = ("debateqa", "score", answers, "--references", questions, "--metric", metrics)
        return (*scored, *_called(server))

    return command


def _held(folder: Path, server: FaultServer) -> tuple[object, ...]:
    topics = lines(folder / "topics.jsonl", [{"topic": "Is it too many?"}])
    return ("debate", "hold", topics, "--arguments", "3", "--rounds", "2", *_called(server))


def _written(folder: Path, server: FaultServer) -> tuple[object, ...]:
    rows = lines(folder / "rows.jsonl", [{"instruction": f"Is {n} too many?"} for n in range(8)])
    return ("debate", "write", rows, *_called(server))


def _of_questions(command: str) -> Callable[[Path, FaultServer], tuple[object, ...]]:
    def called(folder: Path, server: FaultServer) -> tuple[object, ...]:
        return ("debateqa", command, lines(folder / "rows.jsonl", _questions(8)), *_called(server))

    return called


def _argued(folder: Path, server: FaultServer) -> tuple[object, ...]:
    server.answer = fair
    rows = [
        {**OWN, "id": f"q{n}", "question": f"Who is {n}?", "arguments": None, "counter_arguments": None}
        for n in range(3)
    ]
    return ("debate", "two-turn", "write", lines(folder / "rows.jsonl", rows), *_called(server))


def _perspectives(folder: Path, server: FaultServer) -> tuple[object, ...]:
    def answer(body: dict[str, Any]) -> object:
        if "<statement number" in body["messages"][1]["content"]:
            return {"explanation": "so", "debatable": True, "wrong": [], "apart": True}
        return {"explanation": "so", "opposing": "It is not."}

    server.answer = answer
    rows = [{**row, "statement": f"{n} is too many."} for n, row in enumerate(_questions(6))]
    made = lines(folder / "rows.jsonl", rows)
    return ("perspectives", "make", made, "--from", "kialo", *_called(server))


def _curated(folder: Path, server: FaultServer) -> tuple[object, ...]:
    server.answer = scripted()
    texts = [
        {"id": f"d{n}", "text": f"Trams are cheap, says {n}.", "url": f"https://{n}.org"} for n in range(4)
    ]
    (folder / "corpus").mkdir()
    lines(folder / "corpus" / "documents.jsonl", texts)
    rows = lines(folder / "rows.jsonl", [{"question": f"Are {n} trams cheap?"} for n in range(3)])
    made = ("debateqa", "curate", rows, "--corpus", folder / "corpus", "--rerank", "lexical")
    return (*made, *_called(server))


def _improved(folder: Path, server: FaultServer) -> tuple[object, ...]:
    items, labels = write_case(folder, "length", topics=9)
    return (
        *("judges", "improve", items, "--labels", labels, "--scale", "1:5", "--criterion", CRITERION),
        *("--variant", "wording", *_called(server)),
    )


def _suite(folder: Path, server: FaultServer) -> tuple[object, ...]:
    cases = ROOT / "tests" / "fixtures" / "suites"
    return ("judges", "test", "judgebench", "--from", cases, *_called(server))


KINDS = {
    "suite": _suite,
    "judge": _items("judge", "--format", "direct", "--metric", "groundedness"),
    "sensitivity": _items(
        *"sensitivity --format direct,rag-direct --metric groundedness --perturb hallucinate:2".split()
    ),
    "bias": _items(
        *"bias --format rag-direct --metric groundedness --metric preference".split(),
        *"--probe repeatability --probe position --probe".split(),
        "document order",
    ),
    "tournament": _items("tournament", "--comparisons", "2"),
    "tournament that may stop early": _arguments("--comparisons", "6", "--top", "1", "--ordered", "0.8"),
    "generate": _generate,
    "experiment": _experiment,
    "debates": _held,
    "statements": _written,
    "answers": _of_questions("answer"),
    "two-turn debates": _argued,
    "verdicts": _of_questions("questions"),
    "perspectives": _perspectives,
    "curation": _curated,
    "improve": _improved,
    "awareness": _answers("dispute-awareness"),
    "baselines": _answers("bleu,num-of-povs,direct-score"),
}
"""The command of each kind of run, but for its folder."""
TRIED = (*KINDS,) if FULL else ("judge", "tournament", "experiment")
"""Those that are killed and stopped: three of them where all tests run, and every one at full length."""


@pytest.mark.parametrize("kind", TRIED)
def test_a_killed_run_ends_like_one_that_was_left_alone(kind: str, forks: Forks, tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    with FaultServer(latency=LATENCY, keep_bodies=False) as server:
        command = (*KINDS[kind](tmp_path, server), "-o")
        assert forks.run(*command, whole) == 0
        total = len(server.requests)
        assert total >= 6
        rng = random.Random(f"{SEED}/{kind}")
        # The last one is when all answers are in, or while the results are being written.
        for moment in [*sorted(rng.sample(range(1, total), KILLS - 1)), total]:
            number = forks.start(*command, killed)
            until = time.monotonic() + 20
            while len(server.requests) < total + moment and time.monotonic() < until and not ended(number):
                time.sleep(0.002)
            time.sleep(rng.uniform(0, 2 * LATENCY))
            kill(number)
            assert forks.end() in (0, -signal.SIGKILL)
        assert forks.run(*command, killed) == 0
        asked = len(server.requests)
        assert asked <= 2 * total + KILLS * 4  # at most those under way at each kill are sent again
        assert forks.run(*command, killed) == 0
        assert len(server.requests) == asked
    assert results(killed) == results(whole)
