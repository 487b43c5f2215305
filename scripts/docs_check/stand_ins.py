"""What the check puts in the place of what it does not have: keys, weights, servers, sites; and what it leaves out."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path

from scripts.docs_check.pages import ROOT

OFFLINE = re.compile(r"(--[\w-]*model|--agent|--rerank)([ =])(?:gpt-|claude|openai/|anthropic/)[\w./-]+")
ITSELF = re.compile(r" --against (?:gpt-|claude|openai/|anthropic/)[\w./-]+")
"""Who argues against itself is not named twice."""
OFFLINE_IN_PYTHON = re.compile(r"\"(?:gpt-|claude|openai/|anthropic/)[\w./-]+\"")
"""Names of hosted models: ``offline`` answers for them, but in a dry run and in a batch."""
SERVER, JUDGE = "http://localhost:8000/v1", "http://localhost:8000/judge"
SITE = "https://www.britannica.com/procon"
WEIGHTS = re.compile(r"(?<![\w./-])(?:(?:local|reward)/(?:\./)?)?((?:models|Qwen|facebook)/[\w.-]+)")
"""Names of models' weights, which are folders here: small ones with random weights."""

BATCHES = """
import asyncio
from tests.server.batches import BatchServer
server = BatchServer()
server.status = "completed"
asyncio.run(server.serve(0, lambda port: print(f"http://127.0.0.1:{port}/v1", flush=True)))
"""
"""A server that takes batches, and has answered each by the time that somebody asks."""
OWN_JUDGE = """
import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from fixtures.examples.my_judge import better

class Judge(BaseHTTPRequestHandler):
    def do_POST(self):
        item = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(better(item)).encode())

    def log_message(self, *_):
        pass

server = HTTPServer(("127.0.0.1", 0), Judge)
print(f"http://127.0.0.1:{server.server_port}/judge", flush=True)
server.serve_forever()
"""
"""The function of the examples at an address."""
SMALLER = {"python benchmarks/abstention.py": " --draws 1"}
"""What is added to a command that runs for minutes, so that it ends in seconds."""

STEPS = 100
"""Of training the causal model, some seconds: enough for it to write letters."""

NOT_RUN = {
    r"^(?:python -m venv|pip install (?!fixtures/plugin)|make |git |docker |ssh )": "sets up a machine; CI does it",
    r"CONQRET_DATA|python benchmarks/(?!abstention)|python -m tests|single_turn_debate/": (
        "a measurement of minutes, or of data that is not ours to ship"
    ),
    r"^docs/results/(?!abstention)": "a run of minutes, or a model that was asked once; the figures stand on the page",
    r"scripts/debate_ablations": "seven trainings; the tests do it with one",
    r"auto-judge|conqret meta out/|OPENAI_MODEL|adapters\.autojudge|CONQRET_TRACES|OTEL_|conqret mcp": (
        "another library, in an environment of its own (make test-adapters)"
    ),
    r"^docs/adapters\.md: (?:from|import (?!pandas|datasets))|from fastapi ": (
        "run by tests/adapters, each library in an environment of its own (make test-adapters)"
    ),
    r"--engine ray|engine=\"ray\"": "a cluster; tests/engines judge on one",
    r"^docs/retrieval\.md: .*(?:terrier\.Retriever|Anserini)": "Java",
    r"--search (?:google|brave)": "a search engine's key, and the open web",
}
"""What is not run: patterns over ``PAGE: TEXT``, and why. Everything else is."""

TESTED = {
    "docs/adding-a-backend.md": "tests/llm/test_adding_a_backend.py",
    "docs/adding-a-debate-site.md": "tests/scrapers/debates/test_adding_a_site.py",
    "docs/adding-a-label-layout.md": "tests/io/test_adding_a_layout.py",
    "docs/adding-a-statistic.md": "tests/reliability/test_adding_a_statistic.py",
}
"""Pages whose worked example has a test that takes it from the page, installs it and asks more of it than it says."""


def why_not(page: Path, text: str) -> str | None:
    """Why something is not run here; None where it is."""
    name = str(page.relative_to(ROOT))
    if name in TESTED:
        return f"run by {TESTED[name]}"
    line = f"{name}: {text}"
    return next(
        (why for pattern, why in NOT_RUN.items() if re.search(pattern, line) or re.search(pattern, text)),
        None,
    )


def in_shell(command: str) -> str:
    """A command with a stand-in for each hosted model."""
    if re.search(r"--dry-run|--batch", command):
        return command
    return OFFLINE.sub(r"\1\2offline", ITSELF.sub("", command)) + SMALLER.get(command, "")


def in_python(code: str) -> str:
    """The same of a block of Python."""
    return OFFLINE_IN_PYTHON.sub('"offline"', code)


def place_weights(text: str, folder: Path, store: Path) -> None:
    """Put a small model where a text names weights."""
    for name in set(WEIGHTS.findall(text)):
        place = folder / name
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(store / kind_of(name))


def kind_of(name: str) -> str:
    """What kind of model a name is taken for."""
    for kind in ("bart", "reward"):
        if kind in name:
            return kind
    return (
        "encoder" if re.search(r"contriever|gte|mpnet|deberta|uae|minilm", name, re.IGNORECASE) else "decoder"
    )


def make_weights(store: Path) -> None:
    """A causal model, an encoder, a sequence-to-sequence model and a reward model in folders of ``store``, made in
    seconds."""
    from scripts.answer_experiment import tiny
    from tests.perplexity.small_seq2seq import encoder, reward, seq2seq

    for kind in ("decoder", "encoder", "bart", "reward"):
        (store / kind).mkdir(parents=True)
    tiny(ROOT / "fixtures" / "corpus", store / "decoder", steps=STEPS)
    encoder(store / "encoder", window=64)
    seq2seq("bart", store / "bart")
    reward(store / "reward", window=4096)


def answer_all(folder: Path) -> None:
    """Have everybody in a study that is there say something to all that is left for them."""
    from conqret.annotation.counter_arguments import TASK, Draft
    from conqret.annotation.debate_answers import give
    from conqret.annotation.ledger import Ledger

    with closing(Ledger(folder)) as ledger:
        for person in ledger.people():
            while (turn := ledger.next(person)) is not None:
                if turn.screen.judging is not None:
                    ledger.start(person, turn)
                    give(ledger, person, ledger.turn(person, turn.number) or turn, str(turn.number % 3))
                    continue
                said = {
                    one.name: one.choices[(turn.number * person.number) % len(one.choices)].value
                    for one in turn.screen.questions
                }
                draft = Draft(f"No, says {person.name}.").answers()
                ledger.answer(person, turn, draft if ledger.study.task == TASK else said, "", turn.revision)


class Servers:
    """The servers that a page asks, each begun where it is first named."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._address: dict[str, str] = {}

    def __enter__(self) -> Servers:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def reached(self, command: str) -> str:
        """A command with the addresses of servers that are here."""
        if SERVER in command:
            command = command.replace(SERVER, self._at("server", "-m", "tests.server", "--port", "0"))
        if JUDGE in command:
            command = command.replace(JUDGE, self._at("judge", "-c", OWN_JUDGE))
        if "--batch" in command:
            command += f" --api-base {self._at('batches', '-c', BATCHES)}"
        if command.startswith("conqret scrape"):
            site = self._at("site", "fixtures/site.py", "--port", "0")
            command = command.replace(SITE, f"{site}/procon") + " --allow-private --delay 0"
        return command

    def _at(self, name: str, *command: str) -> str:
        if name not in self._address:
            process = subprocess.Popen(
                [sys.executable, *command], cwd=ROOT, stdout=subprocess.PIPE, text=True
            )
            self._open.callback(process.wait)
            self._open.callback(process.terminate)
            self._address[name] = process.stdout.readline().strip()
        return self._address[name]
