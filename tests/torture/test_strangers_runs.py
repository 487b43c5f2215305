"""Whoever looks at a stranger's run loads no model, and opens no connection."""

from __future__ import annotations

import json
import os
import re
import signal
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import conqret
from tests.conftest import QUIET
from tests.runs.killed import ROOT, Forks, ended

HUB = "some-org/some-model"
NO_WAY_OUT = """
import importlib, os, pkgutil, socket, sys

def refuse(*given, **more):
    mark(repr(given))
    raise OSError("no connection may be opened here")

def mark(told):
    with open(os.environ["MARK"], "a") as file:
        file.write(told + "\\n")

socket.socket.connect = refuse
socket.socket.connect_ex = refuse
socket.getaddrinfo = refuse

import conqret.cli.main

def main():
    try:
        conqret.cli.main.main()
    finally:
        if "torch" in sys.modules:
            mark("loads torch")
"""
READERS = """
for name in "cli judges judging labels runs show stats".split():
    package = importlib.import_module(f"conqret.{name}")
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
"""
"""What many commands need, imported without a way out, too."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("strangers")
    conqret.judge(ROOT / "fixtures/demo/items.jsonl", format="direct", output=folder / "mine")
    return folder


def named(runs: Path, model: str) -> Path:
    """The run with another model's name in its record, as a stranger can write it."""
    copy = runs / re.sub(r"\W+", "-", model)
    if not copy.exists():
        copy.mkdir()
        for file in (runs / "mine").iterdir():
            if file.suffix in {".json", ".jsonl", ".parquet", ".sqlite"}:
                (copy / file.name).write_bytes(file.read_bytes())
        record = json.loads((copy / "run.json").read_text())
        record["model"] = model
        record["model_options"]["api_base"] = "http://192.0.2.1:9/v1"
        if model.startswith("local/"):
            record["format"] = "likelihood"  # which a model that is read can answer
        (copy / "run.json").write_text(json.dumps(record))
    return copy


@pytest.fixture(scope="module")
def strangers(runs: Path) -> Iterator[Forks]:
    """What runs commands from which no connection can be opened."""
    with Forks(NO_WAY_OUT + READERS, environment(runs / "home", runs / "imports")) as found:
        yield found


def environment(home: Path, mark: Path) -> dict[str, str]:
    """That of a reader with a token and a key, whom the hub would let in, and whose cache of the hub is ``home``.
    What may not be done is written to ``mark``."""
    keys = {"HF_TOKEN": "hf_the_readers_own", "OPENAI_API_KEY": "sk-the-readers-own"}
    users = {name: value for name, value in os.environ.items() if name not in QUIET}
    return {**users, **keys, "PYTHONPATH": str(ROOT), "HF_HOME": str(home), "MARK": str(mark)}


LOOKS = (
    ("runs", "show", "{run}", "voting-age-pro"),
    ("runs", "report", "{run}"),
    ("runs", "diff", "{mine}", "{run}"),
    ("validate", "{run}", "--labels", "fixtures/demo/labels.jsonl"),
    ("judge", "fixtures/demo/items.jsonl", "--replay", "{run}", "-o", "{run}-again"),
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "model"),
    [
        *((command, f"local/{HUB}") for command in LOOKS),
        (LOOKS[0], "server/http://192.0.2.1:9/judge"),
        (LOOKS[0], "function/antigravity:geohash"),
    ],
    ids=lambda given: given if isinstance(given, str) else given[0],
)
def test_looking_at_a_run_asks_nobody(
    runs: Path, strangers: Forks, command: tuple[str, ...], model: str, tmp_path: Path
) -> None:
    run, mark, err = named(runs, model), tmp_path / "mark", tmp_path / "err"
    words = [word.format(run=run, mine=runs / "mine", runs=runs) for word in command]
    strangers.start(*words, err=err, environment={"HF_HOME": str(tmp_path), "MARK": str(mark)})
    code = strangers.end()
    assert not mark.exists(), mark.read_text()
    assert not (runs / "imports").exists(), (runs / "imports").read_text()
    assert "Traceback" not in err.read_text()
    assert code in (0, 1, 2), err.read_text()


@pytest.mark.slow
def test_viewing_runs_asks_nobody(runs: Path, strangers: Forks, tmp_path: Path) -> None:
    models = (f"local/{HUB}", "server/http://192.0.2.1:9/judge")
    names, mark, out = [named(runs, model).name for model in models], tmp_path / "mark", tmp_path / "out"
    out.touch()
    more = {"HF_HOME": str(tmp_path), "MARK": str(mark)}
    number = strangers.start("serve", "view", runs, "--port", 0, out=out, err=out, environment=more)
    while (found := re.search(r"http://[\d.:]+\S", out.read_text())) is None:
        assert not ended(number), out.read_text()
        time.sleep(0.02)
    pages = ["/", f"/diff?first=mine&second={names[0]}"]
    pages += [f"/runs/{name}/{page}" for name in names for page in ("report.html", "asked/1.html")]
    for page in pages:
        with urllib.request.urlopen(found[0].rstrip("/") + page, timeout=60) as answer:
            assert answer.status == 200
    os.kill(number, signal.SIGINT)
    strangers.end(number)
    assert not mark.exists(), mark.read_text()
