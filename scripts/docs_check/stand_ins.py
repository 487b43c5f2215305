"""What the check puts in the place of what it does not have: keys, weights, servers, sites, and hours."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path

from scripts.docs_check.pages import ROOT

HOSTED = r"(?:gpt-|claude|(?:openai|anthropic|azure|bedrock|vertex_ai|gemini)/)[\w./:-]+"
OFFLINE = re.compile(rf"(--[\w-]*model|--agent|--rerank)([ =])(?:…|{HOSTED})")
ITSELF = re.compile(rf" --against {HOSTED}")
"""Who argues against itself is not named twice."""
OFFLINE_IN_PYTHON = re.compile(rf"\"{HOSTED}\"")
"""Names of hosted models: ``offline`` answers for them, but in a dry run and in a batch."""
SEARCH = re.compile(r"--search (?:google|brave)[\w,]*(?: --user-agent '[^']*')?")
PAGES, CORPUS = "--pages fixtures/examples/pages.jsonl", "--corpus fixtures/corpus"
"""Search engines, in whose place there are pages or a corpus."""
SERVER = re.compile(r"http://localhost:(?:8000|8080|1234|11434)/v1")
"""Where vLLM, llama.cpp, LM Studio and Ollama listen."""
JUDGE = "http://localhost:8000/judge"
SITE = "https://www.britannica.com/procon"
WEIGHTS = re.compile(r"(?<![\w./-])(?:local/(?:\./)?)?((?:models|Qwen|facebook)/[\w.-]+)")
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
SMALLER = {
    "python benchmarks/abstention.py": " --draws 1",
    "python benchmarks/offline.py --seeds 5": " --seeds 1",
    "python benchmarks/retrieval.py": " webis",
    "python benchmarks/dense.py": " index --passages 300",
    "python benchmarks/perplexity.py --device cuda": " --device cpu --shapes tiny --rounds 1 --answers 4",
    "nice python benchmarks/simulation.py": " --simulations 1 --kept tried.jsonl",
}
"""What is added to a command that runs for minutes or hours, by how it begins, so that it ends in seconds."""
FILES = {
    "three.jsonl": "head -3 fixtures/questions.jsonl > three.jsonl",
    "evidence/": "cp -r fixtures/corpus evidence",
    " trusted.txt": "cp fixtures/examples/trusted.txt .",
    "sixty.jsonl": "head -60 questions.jsonl > sixty.jsonl",
}
"""Files of which a page says what they hold, and commands that make the like."""

STEPS = 100
"""Of training the causal model, some seconds: enough for it to write letters."""


def in_shell(command: str) -> str:
    """A command with a stand-in for each hosted model and search engine, and less to do."""
    if re.search(r"--dry-run|--batch|--criterion|--rubric", command):
        return command
    smaller = [more for start, more in SMALLER.items() if command.startswith(start)]
    command = SEARCH.sub(PAGES if "collect" in command else CORPUS, ITSELF.sub("", command))
    return OFFLINE.sub(r"\1\2offline", command) + "".join(smaller[-1:])


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
    if "bart" in name:
        return "bart"
    return (
        "encoder" if re.search(r"contriever|gte|mpnet|deberta|uae|minilm", name, re.IGNORECASE) else "decoder"
    )


def place_files(text: str, folder: Path) -> None:
    """Write the files that a page only tells of."""
    for name, command in FILES.items():
        if name in text and not (folder / name.strip()).exists():
            subprocess.run(["bash", "-c", command], cwd=folder, check=True)


def make_weights(store: Path) -> None:
    """A causal model, an encoder, and a sequence-to-sequence model in folders of ``store``, made in seconds."""
    from scripts.answer_experiment import tiny
    from tests.local.small_seq2seq import encoder, seq2seq

    for kind in ("decoder", "encoder", "bart"):
        (store / kind).mkdir(parents=True)
    tiny(ROOT / "fixtures" / "corpus", store / "decoder", steps=STEPS)
    encoder(store / "encoder", window=64)
    seq2seq("bart", store / "bart")


def answer_all(folder: Path) -> None:
    """Have everybody in a study that is there say something to all that is left for them."""
    from conqret.debate.two_turn.judge_answers import give
    from conqret.labels.answer_ledger import Ledger
    from conqret.labels.written_arguments import TASK, Draft

    with closing(Ledger(folder)) as ledger:
        for person in ledger.annotators():
            while (turn := ledger.next(person)) is not None:
                if turn.screen.judging is not None:
                    ledger.start(person, turn)
                    give(ledger, person, ledger.turn(person, turn.number) or turn, str(turn.number % 3))
                    continue
                said = {
                    question.name: question.choices[
                        (turn.number * person.number) % len(question.choices)
                    ].value
                    for question in turn.screen.questions
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
        if SERVER.search(command):
            command = SERVER.sub(self._at("server", "-m", "tests.server", "--port", "0"), command)
        if re.search("--criterion|--rubric", command) and not re.search(r"--dry-run|--batch", command):
            # the offline baseline has no evidence for criteria, and exits with 1
            address = self._at("server", "-m", "tests.server", "--port", "0")
            command = OFFLINE.sub(rf"\1\2openai/judge --api-base {address}", command)
        if JUDGE in command:
            command = command.replace(JUDGE, self._at("judge", "-c", OWN_JUDGE))
        if "--batch" in command:
            command += f" --api-base {self._at('batches', '-c', BATCHES)}"
        if re.match("conqret corpus (debates|topics|evidence|inspect)", command):
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
