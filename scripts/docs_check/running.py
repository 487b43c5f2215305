"""A page as its reader follows it: each command and block of Python, in order, in a folder like a fresh checkout."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
import traceback
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NoReturn

from scripts.docs_check.elsewhere import why_not
from scripts.docs_check.pages import ROOT, SHELL, Block, steps, words
from scripts.docs_check.stand_ins import (
    Servers,
    in_python,
    in_shell,
    place_files,
    place_weights,
)

LONGEST = 600
"""Seconds that one command may take."""
COPIED = ("benchmarks", "docs", "fixtures", "scripts")
"""Folders of the checkout that a reader's commands name."""
PLUG_IN = "pip install fixtures/plugin"
SERVES = re.compile(r"conqret (?:serve (?:http|view)|labels (?:collect \S+\.(?:jsonl|csv)|adjudicate \S+)) ")
"""Commands that answer a browser until they are stopped."""
STUDY = re.compile(r"conqret labels (?:export|adjudicate) (\S+)")
"""Commands for studies in which people have answered."""
USUAL = "localhost:8766"
"""Where ``conqret serve http`` answers, if nothing is said."""
TEXTS = ("html", "jinja", "text", "yaml")
"""Blocks that are no code of ours: what something looks like."""


@dataclass(frozen=True)
class Done:
    """What became of one step of a page: why it was not run, or what went wrong, or neither."""

    page: Path
    step: Block
    why_not: str | None = None
    fault: str | None = None


def follow(page: Path, store: Path) -> list[Done]:
    """Do all that a page says, in a folder of its own. ``store`` holds the small models."""
    with tempfile.TemporaryDirectory() as place, Servers() as servers:
        reader = Reader(Path(place), store, servers)
        with contextlib.closing(reader):
            done = []
            for step in steps(page):
                why = why_not(page, step.text)
                done.append(Done(page, step, why_not=why, fault=None if why else reader.do(step)))
            return done


class Reader:
    """A reader of a page: a folder, a shell and a Python."""

    def __init__(self, folder: Path, store: Path, servers: Servers) -> None:
        for name in COPIED:
            shutil.copytree(
                ROOT / name, folder / name, ignore=shutil.ignore_patterns("index*", "__pycache__")
            )
        self._folder = folder
        self._store = store
        self._servers = servers
        self._site = folder / ".site"
        self._python: Python | None = None
        self._service: subprocess.Popen[str] | None = None
        self._address = USUAL

    def do(self, step: Block) -> str | None:
        """What went wrong; None where nothing did."""
        place_weights(step.text, self._folder, self._store)
        place_files(step.text, self._folder)
        if step.file:
            place = self._folder / step.file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(step.text, encoding="utf-8")
        if step.kind == SHELL:
            return self._command(step.text)
        if step.kind == "python" and not step.file:
            self._python = self._python or Python(self._folder)
            return self._python.run(in_python(step.text), f"line {step.line}")
        return fault_of_text(step)

    def close(self) -> None:
        """End the Python, and the service."""
        if self._python is not None:
            self._python.close()
        if self._service is not None:
            stopped(self._service)

    def _command(self, text: str) -> str | None:
        if text == PLUG_IN:
            return self._install()
        if study := STUDY.match(text):
            from tests.labels.answered import answer_all

            answer_all(self._folder / study[1])
        command = in_shell(self._servers.reached(text))
        if SERVES.match(f"{command} "):
            return self._served(command)
        command = command.replace(USUAL, self._address)
        if (conqret := words(command)) is not None and not re.search(r"--engine ray|\*", command):
            return forked(lambda: _conqret(conqret, self._folder, self._site), command)
        # An image is made of the checkout itself.
        return shell(command, ROOT if command.startswith("docker build") else self._folder)

    def _served(self, command: str) -> str | None:
        """Begin a server and ask it for a page. What others ask it goes on until the page ends; all else is stopped."""
        process = subprocess.Popen(
            shlex.split(f"{command} --port 0"), cwd=self._folder, env=surroundings(),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        said = ""
        for line in process.stdout or ():
            said += line
            if address := re.search(r"https?://([\w.:]+)\S*", line):
                with contextlib.suppress(urllib.error.HTTPError):  # a page that needs a key, say
                    if address[0].startswith("http:"):  # and not that of a proxy
                        urllib.request.urlopen(address[0], timeout=LONGEST).close()
                if command == "conqret serve http":
                    self._service, self._address = process, address[1]
                    return None
                said += stopped(process)
                break
        return told(process.wait(LONGEST), command, said)

    def _install(self) -> None:
        from tests.contract.plug_in import forget, install

        self._site.mkdir()
        install(self._site)
        forget()  # what an earlier page looked for


class Python:
    """An interpreter in a process of its own, which keeps its names from one block of a page to the next."""

    def __init__(self, folder: Path) -> None:
        fork = multiprocessing.get_context("fork")
        self._here, there = fork.Pipe()
        self._process = fork.Process(target=_interpret, args=(there, folder), daemon=True)
        self._process.start()

    def run(self, code: str, name: str) -> str | None:
        """What a block of code came to grief by."""
        self._here.send((code, name))
        if not self._here.poll(LONGEST):
            return f"took more than {LONGEST} s"
        fault: str | None = self._here.recv()
        return fault

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.join()


def _interpret(there: Connection, folder: Path) -> NoReturn:
    _settle(folder)
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    names: dict[str, object] = {"__name__": "__main__"}
    while True:
        code, name = there.recv()
        try:
            exec(compile(code, name, "exec"), names)
            there.send(None)
        except BaseException:  # noqa: BLE001 - whatever a page's code does is told
            there.send(" ".join(traceback.format_exc().strip().splitlines()[-3:]))


def fault_of_text(step: Block) -> str | None:
    """What is wrong with a block that is not run: each has to be what it says it is."""
    if step.kind == "json":
        try:
            for line in [step.text] if step.text.startswith("{\n") else _objects(step.text):
                json.loads(line)
        except ValueError as error:
            return f"is no JSON: {error}"
    elif step.kind == "toml":
        try:
            tomllib.loads(step.text)
        except tomllib.TOMLDecodeError as error:
            return f"is no TOML: {error}"
    elif step.kind not in (*TEXTS, "python"):
        return f"a block has to say what it holds (bash, python, toml, json, {', '.join(TEXTS)}), not {step.kind!r}"
    return None


def _objects(text: str) -> list[str]:
    """The values of JSON that stand one after the other, on a line or on several."""
    found, decoder = [], json.JSONDecoder()
    while text := text.lstrip():
        _, end = decoder.raw_decode(text)
        found.append(text[:end])
        text = text[end:]
    return found


def forked(work: Callable[[], object], command: str) -> str | None:
    """Have a fork of this process, which has the modules already, do some work."""
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if not child:
            _become(work, said.fileno())
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said.seek(0)
        return told(code, command, said.read().decode(errors="replace"))


def _become(work: Callable[[], object], said: int) -> NoReturn:
    """Do the work in a fork: what it says goes into the file ``said``."""
    code: object = 1
    try:
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        for stream in (1, 2):
            os.dup2(said, stream)
        signal.alarm(LONGEST)
        work()
        code = 0
    except SystemExit as end:
        code = end.code or 0
    except BaseException:  # noqa: BLE001 - likewise
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)


def _conqret(arguments: list[str], folder: Path, site: Path) -> None:
    """Be the command line."""
    from conqret.cli.main import main

    _settle(folder)
    if site.is_dir():
        sys.path.insert(0, str(site))
    sys.argv = ["conqret", *arguments]
    main()


def _settle(folder: Path) -> None:
    """Be in a folder, on a screen of 80 columns."""
    os.chdir(folder)
    os.environ.update(COLUMNS="80", NO_COLOR="1")


def shell(command: str, folder: Path) -> str | None:
    """Run any other command."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder, env=surroundings(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, timeout=LONGEST, check=False,
    )  # fmt: skip
    return told(done.returncode, command, done.stdout)


def surroundings() -> dict[str, str]:
    """The environment, in which ``conqret`` and ``python`` are those of this check, from this checkout."""
    here = Path(sys.executable).parent
    return os.environ | {
        "PATH": f"{here}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "COLUMNS": "80", "NO_COLOR": "1",
    }  # fmt: skip


def stopped(process: subprocess.Popen[str]) -> str:
    """Stop a server as its user would; what it said last."""
    process.send_signal(signal.SIGINT)
    try:
        return process.communicate(timeout=LONGEST)[0]
    finally:
        process.kill()


def told(code: int, command: str, said: str) -> str | None:
    """What to say of a command that did not end well."""
    last = " ".join(said.strip().splitlines()[-4:])
    return None if code == 0 else f"ended with {code}: {command}: {last}"
