"""One process that forks a command at a time: what takes long to import is imported once, and each can be killed."""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parents[2]

IMPORTED = """
import gc, importlib.util, pkgutil
gc.disable()
import instructor, litellm, matplotlib.pyplot, openai.resources, polars, scipy.stats
import conqret
from conqret.cli.main import main
from conqret.llm.tokens import count_tokens
from conqret.prompts import Library
from conqret.show import page
names = "cli debate debateqa experiments generation judging judges labels llm perspectives retrieval show studies"
for name in names.split():
    package = importlib.import_module(f"conqret.{name}")
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
if importlib.util.find_spec("uvicorn"):
    import conqret.serve.view_app, starlette.applications, uvicorn
count_tokens("The table of tokens is read.")
library = Library()
for name in library.ids():
    library[name].used
    for part in library.included(name):
        library._environment.get_template(part)
for folder in {file.parent for file in page._HERE.parent.rglob("*.html.j2")}:
    for file in folder.glob("*.html.j2"):
        page._environment(folder).get_template(file.name)
"""
FORKED = """
import gc, json, os, resource, signal, sys, traceback
gc.freeze()  # no command walks through what is imported, nor copies it
gc.enable()
for line in sys.stdin:
    order = json.loads(line)
    if "end" in order:
        print(os.waitstatus_to_exitcode(os.waitpid(order["end"], 0)[1]), flush=True)
        continue
    number = os.fork()
    if not number:
        code = 1
        try:
            for stream, name in ((1, order["out"]), (2, order["err"])):
                if name:
                    os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT), stream)
            if order["ignoring"]:
                signal.signal(order["ignoring"], signal.SIG_IGN)
            if order["memory"]:
                with open("/proc/self/statm") as file:
                    most = int(file.read().split()[0]) * resource.getpagesize() + order["memory"]
                resource.setrlimit(resource.RLIMIT_AS, (most, most))
            os.environ.update(order["environment"])
            os.chdir(order["folder"])  # modules are looked for there first, as with python -m
            sys.argv = ["conqret", *order["arguments"]]
            main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    print(number, flush=True)
"""


class Forks:
    """Commands of conqret, each in a process of its own: one after the other, or several at once.

    ``imported`` is the program that runs before the first of them, which defines ``main``; ``environment`` is that of
    all of them (by default ours).
    """

    def __init__(self, imported: str = IMPORTED, environment: Mapping[str, str] | None = None) -> None:
        own = {"OPENAI_API_KEY": "sk-none", "PYTHONPATH": str(ROOT), "MPLBACKEND": "svg", "COLUMNS": "200"}
        self._imported = imported
        self._environment = {**os.environ, **own} if environment is None else dict(environment)

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-c", self._imported + FORKED],
            cwd=ROOT,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.kill()  # it has nothing to put away, and taking down what it imported takes seconds
        self._process.wait(60)
        self._process.stdin.close()
        self._process.stdout.close()

    def start(
        self,
        *arguments: object,
        out: str | Path = os.devnull,
        err: str | Path = "",
        ignoring: int | None = None,
        memory: int = 0,
        environment: Mapping[str, str] = MappingProxyType({}),
        folder: str | Path = ROOT,
    ) -> int:
        """Begin a command; returns its process's number.

        What it says goes to ``out`` and ``err`` (by default ours); it ignores the signal ``ignoring``, as what is
        started in the background does. ``memory`` is the most that it may take beside what is loaded (bytes; 0: all).
        ``environment`` is set for it beside what is set for all, and ``folder`` is where it stands.
        """
        self._last = self._told(
            {
                "arguments": [str(argument) for argument in arguments],
                "out": str(out),
                "err": str(err),
                "ignoring": ignoring,
                "memory": memory,
                "environment": dict(environment),
                "folder": str(folder),
            }
        )
        return self._last

    def end(self, number: int | None = None) -> int:
        """Wait for a command, the last one if none is named; returns its exit code, or the negative number of the
        signal that killed it."""
        return self._told({"end": self._last if number is None else number})

    def run(self, *arguments: object) -> int:
        """Run a command to its end; returns its exit code."""
        self.start(*arguments)
        return self.end()

    def _told(self, order: Mapping[str, object]) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


@functools.cache
def shared() -> Forks:
    """The one process that forks the commands of all tests; it ends with ours."""
    forks = Forks().__enter__()
    atexit.register(forks.__exit__, None, None, None)
    return forks


NEURAL = """
import gc
gc.disable()
from importlib.util import find_spec
import conqret.debateqa.scoring, polars, torch
from conqret.cli.main import main
from transformers import AutoModelForCausalLM, AutoTokenizer, GPT2LMHeadModel, LlamaForCausalLM
if find_spec("peft") and find_spec("trl"):
    import peft, trl
    import conqret.debate.debatune.debater_training, conqret.debate.debatune.debate_command
torch.set_num_threads(1)
"""


def ended(number: int) -> bool:
    """Whether a process has ended for which nobody has waited."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False  # no such files on this system


def kill(number: int) -> None:
    """Kill a process that may have ended by itself just now."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(number, signal.SIGKILL)


def results(folder: Path) -> dict[str, object]:
    """What the files of a run say, by their names; without times, costs, where answers came from, and the counts of
    the session."""
    found: dict[str, object] = {}
    for file in sorted(folder.rglob("*")):
        name = str(file.relative_to(folder))
        if file.is_dir() or file.name in NOT_COMPARED or name.startswith("recordings.sqlite"):
            continue
        if file.match(".*.part"):  # what a kill left half done; conqret runs prune takes it away
            continue
        if file.suffix == ".json":
            found[name] = _plain(json.loads(file.read_bytes()))
        elif file.suffix == ".jsonl":
            found[name] = [_plain(json.loads(line)) for line in file.read_bytes().splitlines()]
        else:
            found[name] = file.read_bytes()
    return found


NOT_COMPARED = {".lock", "report.html"}
OF_THE_SESSION = {"created", "session", "trace", "calls", "usage", "cost"}


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items() if name not in OF_THE_SESSION}
    return [_plain(one) for one in value] if isinstance(value, list) else value
