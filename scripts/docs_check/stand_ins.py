"""What the check puts in the place of what it does not have: keys, weights, servers, sites; and what it leaves out."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from scripts.docs_check.pages import ROOT

OFFLINE = re.compile(r"(--[\w-]*model|--agent|--rerank)([ =])(?:gpt-|claude|openai/|anthropic/)[\w./-]+")
ITSELF = re.compile(r" --against (?:gpt-|claude|openai/|anthropic/)[\w./-]+")
"""Who argues against itself is not named twice."""
OFFLINE_IN_PYTHON = re.compile(r"\"(?:gpt-|claude|openai/|anthropic/)[\w./-]+\"")
"""Names of hosted models: ``offline`` answers for them, but in a dry run and in a batch."""
SERVER = "http://localhost:8000/v1"
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

STEPS = 100
"""Of training the causal model, some seconds: enough for it to write letters."""

NOT_RUN = {
    r"^(?:python -m venv|pip install (?!fixtures/plugin)|make |git |docker |ssh )": "sets up a machine; CI does it",
    r"CONQRET_DATA|python benchmarks/|python -m tests|single_turn_debate/": (
        "a measurement of minutes, or of data that is not ours to ship"
    ),
    r"^docs/results/": "a run of minutes, or a model that was asked once; the figures stand on the page",
    r"scripts/debate_ablations": "seven trainings; the tests do it with one",
    r"auto-judge|conqret meta out/|OPENAI_MODEL|adapters\.autojudge|CONQRET_TRACES|OTEL_|conqret mcp": (
        "another library, in an environment of its own (make test-adapters)"
    ),
    r"^docs/adapters\.md: (?:from|import) ": "another library, in an environment of its own (make test-adapters)",
    r"from fastapi ": "FastAPI, which conqret does not need",
    r"--engine ray|engine=\"ray\"": "a cluster, which takes its time to start: the tests judge on one",
    r"^docs/retrieval\.md: .*(?:terrier\.Retriever|Anserini)": "Java",
    r"annotate (?:export|adjudicate)|annotate .*--(?:url https|judged)": (
        "people who have labelled, or a proxy with an address of its own"
    ),
    r"--server http": "an address of a judge of one's own; tests/llm asks one on loopback",
    r"--judge reward/": "weights of a reward model; tests/perplexity/test_rewards.py makes some",
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
    return OFFLINE.sub(r"\1\2offline", ITSELF.sub("", command))


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


def make_weights(store: Path) -> None:
    """A causal model, an encoder and a sequence-to-sequence model in folders of ``store``, made in seconds."""
    from scripts.answer_experiment import tiny
    from tests.perplexity.small_seq2seq import encoder, seq2seq

    for kind in ("decoder", "encoder", "bart"):
        (store / kind).mkdir(parents=True)
    tiny(ROOT / "fixtures" / "corpus", store / "decoder", steps=STEPS)
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
        if SERVER in command:
            command = command.replace(SERVER, self._at("server", "-m", "tests.server", "--port", "0"))
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
