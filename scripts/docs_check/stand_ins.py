"""What the check puts in the place of what it does not have: keys, weights, servers, sites, and hours."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from scripts.docs_check.pages import ROOT, SETTINGS
from tests.llm.decider import REAL

HOSTED = r"(?:gpt-|claude|(?:openai|anthropic|azure|bedrock|vertex_ai|gemini)/)[\w./:-]+"
OFFLINE = re.compile(rf"(--[\w-]*model|--agent|--rerank|--escalate)([ =])(?:…|{HOSTED})")
ITSELF = re.compile(rf" --against {HOSTED}")
"""Who argues against itself is not named twice."""
OFFLINE_IN_PYTHON = re.compile(rf"\"{HOSTED}\"")
"""Names of hosted models: ``offline`` answers for them, but in a dry run and in a batch."""
SEARCH = re.compile(r"--search (?:google|brave)[\w,]*(?: --user-agent '[^']*')?")
PAGES, CORPUS = "--pages fixtures/examples/pages.jsonl", "--corpus fixtures/corpus"
"""Search engines, in whose place there are pages or a corpus."""
SERVER = re.compile(r"http://localhost:(?:8000|8080|1234|11434)/v1")
"""Where vLLM, llama.cpp, LM Studio and Ollama listen."""
JUDGE, DECIDER = "http://localhost:8000/judge", "http://localhost:8700"
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
SMALLER, FILES = SETTINGS["smaller"], SETTINGS["files"]


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
    from fixtures.tiny_model import tiny_model
    from tests.local.small_seq2seq import encoder, seq2seq

    for kind in ("decoder", "encoder", "bart"):
        (store / kind).mkdir(parents=True)
    tiny_model(ROOT / "fixtures" / "corpus", store / "decoder", steps=100)
    encoder(store / "encoder", window=64)
    seq2seq("bart", store / "bart")


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
            command = command.replace(JUDGE, self._at("judge", "-m", "fixtures.examples.judge_server"))
        if DECIDER in command:
            command = command.replace(DECIDER, self._at("decider", "-c", REAL))
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
