"""conqret's metrics as Python assertions of promptfoo: a file with the line
``from conqret.adapters.promptfoo import get_assert`` is one, and its ``config`` says what is requested.

The config has ``metric``, and may have ``format``, ``threshold`` (0.5), the names of the variables that hold the
``topic`` (question), the ``documents`` (documents), the ``reference`` (reference) and the ``second_argument``, and the
settings of :func:`conqret.judge` for one item. Without such a variable the reference is the text that another assertion
of the test expects. Stance, nuggets and language stand in the test's metadata.

promptfoo starts a Python for every assertion. The first one starts the judge in a process that lives as long as
promptfoo does, and the others send it items over a socket that only this user can open. So one session, with its
budget, its limits and its connections, serves all assertions with the same config.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conqret.data import Status
from conqret.errors import ConqretError, DeclarationError

VARIABLES = {"topic": "question"} | {name: name for name in ("documents", "reference", "second_argument")}
"""The names of the item's fields in a test's ``vars``, unless the config sets others."""
EXPECTING = frozenset(
    "equals similar factuality model-graded-factuality context-recall rouge-n bleu gleu".split()
)
"""The assertions of promptfoo whose value is an expected answer."""
THRESHOLD = 0.5
"""The lowest score of an assertion that passes, unless the config sets another: promptfoo's own for
grades.
"""


def get_assert(output: str, context: Mapping[str, Any]) -> dict[str, Any]:
    """Judge a provider's output and return a promptfoo assertion result, with the score also under the
    metric's name.

    promptfoo requires a number. An output without a score therefore fails with a placeholder 0: ``reason``
    says why, and ``namedScores`` and ``metadata`` hold no score. An output to which the metric does not
    apply (the answer declines, or there is no reference) passes with a placeholder 1.

    Raises:
        DeclarationError: the config or the variables lack a field, or name something that does not
            exist.
    """
    config, values = dict(context.get("config") or {}), context.get("vars") or {}
    names = {field: config.pop(field, name) for field, name in VARIABLES.items()}
    threshold = config.pop("threshold", THRESHOLD)
    if "metric" not in config:
        raise DeclarationError(
            "the assertion's config lacks the metric: write it there, as metric: faithfulness"
        )
    if names["topic"] not in values:
        there = ", ".join(map(repr, values)) or "none"
        raise DeclarationError(
            f"there is no variable {names['topic']!r}, but {there}: name the variable of the topic in the config"
        )
    documents, test = values.get(names["documents"]) or (), context.get("test") or {}
    metadata = dict(test.get("metadata") or {})
    if rival := values.get(names["second_argument"]):
        metadata["second_argument"] = rival
    item = {
        "topic": values[names["topic"]],
        "argument": output,
        "documents": [documents] if isinstance(documents, str) else list(documents),
        "reference": values.get(names["reference"]) or _expected(test),
        "metadata": metadata,
    }
    started = Path(sys.argv[0])
    if "promptfoo" in started.parts and "wrapper" in started.stem and sys.platform != "win32":
        response = send_to_process(config, item)
    else:
        from conqret.adapters.single import outcome

        response = asyncio.run(outcome(_single(json.dumps(config, sort_keys=True)), item))
    value = response["value"]
    inapplicable = response["kept"]["status"] == Status.INAPPLICABLE
    return {
        "pass": inapplicable or (value is not None and value >= threshold),
        "score": 1 if inapplicable else value or 0,
        "reason": response["told"] or f"{response['name']}: {value:.3f}",
        "namedScores": {} if value is None else {response["name"]: value},
        "metadata": {"conqret": response["kept"]},
    }


def _expected(test: Mapping[str, Any]) -> str | None:
    """The text that the first other assertion of a test expects; None where it is a template, or there is none."""
    for check in test.get("assert") or ():
        kind, value = str(check.get("type", "")).partition(":")[0], check.get("value")
        if kind in EXPECTING and isinstance(value, str) and "{{" not in value:
            return value
    return None


@functools.cache
def _single(config: str) -> Any:
    from conqret.adapters.single import SingleMetric

    return SingleMetric.create(**json.loads(config))


LOOKS = 0.5
"""Seconds between two checks whether the program still runs."""
LONGEST = 2**26
"""The most bytes of an item."""
OUTCOME = "outcome"
LOCK = "lock"
"""The lock file that is held while a judge is started; it stays in the folder."""


def send_to_process(config: Mapping[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
    """Send an item to the shared judge process of these settings and return its result.

    All callers of this program use the same process. The result is that of
    :func:`conqret.adapters.single.outcome`.

    Raises:
        DeclarationError: a setting is wrong, the item lacks a field, or the process does not respond.
    """
    place = _place(config)
    with _connected(place, config) as connection:
        connection.sendall(json.dumps(item).encode() + b"\n")
        with connection.makefile("rb") as answers:
            line = answers.readline()
    if not line:
        raise DeclarationError(f"the judge's process ended without a response; its output: {_said(place)}")
    answer: dict[str, Any] = json.loads(line)
    if "error" in answer:
        raise DeclarationError(answer["error"])
    return answer[OUTCOME]  # type: ignore[no-any-return]


def _place(config: Mapping[str, Any]) -> Path:
    """Return the path of the socket for this program, folder and settings, in a folder that only this user can read;
    the folder is made if needed.

    Raises:
        DeclarationError: other users can read the folder.
    """
    folder = Path(tempfile.gettempdir()) / f"conqret-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if status.st_uid != os.getuid() or status.st_mode & 0o077 or folder.is_symlink():
        raise DeclarationError(
            f"other users can read {folder}: remove it, or set TMPDIR to a folder of your own"
        )
    identity = json.dumps([os.getppid(), str(Path.cwd()), dict(config)], sort_keys=True)
    return (
        folder / hashlib.sha256(identity.encode()).hexdigest()[:16]
    )  # a socket's path has 107 characters at most


@contextlib.contextmanager
def _connected(place: Path, config: Mapping[str, Any]) -> Iterator[socket.socket]:
    import fcntl  # which Windows lacks

    with socket.socket(socket.AF_UNIX) as connection:
        with (place.parent / LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # one caller starts it, and the others wait for it
            try:
                connection.connect(str(place))
            except OSError:
                _start(place, config)
                connection.connect(str(place))
        yield connection


def _start(place: Path, config: Mapping[str, Any]) -> None:
    place.unlink(missing_ok=True)
    with place.with_suffix(".log").open("wb") as log:
        started = subprocess.Popen(  # noqa: S603  our own module
            [sys.executable, "-m", __name__, str(place), str(os.getppid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
    if started.stdin is None or started.stdout is None:
        raise ConqretError("the judge's process has no pipes")
    with started.stdin as settings, started.stdout as answers:
        settings.write(json.dumps(dict(config)).encode())
        settings.close()
        line = answers.readline()
    if not line:
        raise DeclarationError(f"the judge's process did not start; its output: {_said(place)}")
    if error := json.loads(line).get("error"):
        place.with_suffix(".log").unlink(missing_ok=True)
        raise DeclarationError(error)


def _said(place: Path) -> str:
    with contextlib.suppress(OSError):
        return place.with_suffix(".log").read_text(errors="replace").strip()[-500:] or "nothing"
    return "nothing"


async def _serve(place: Path, program: int) -> None:
    """Judge what comes to the socket at ``place``, until the ``program`` (a process id) is gone. The settings are read
    from standard input; one line on standard output then says that it is ready, or what is wrong."""
    from conqret.adapters.single import SingleMetric, outcome

    try:
        single = SingleMetric.create(**json.load(sys.stdin))
    except ConqretError as error:
        _tell({"error": str(error)})
        return

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            response: dict[str, Any] = {OUTCOME: await outcome(single, json.loads(await reader.readline()))}
        except ConqretError as error:
            response = {"error": str(error)}
        with contextlib.suppress(ConnectionError):  # the caller is gone
            writer.write(json.dumps(response).encode() + b"\n")
            await writer.drain()
        writer.close()

    async with await asyncio.start_unix_server(answer, str(place), limit=LONGEST):
        _tell({})
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # no process reads it any more
        try:
            while _is_there(program):  # noqa: ASYNC110  no event says so
                await asyncio.sleep(LOOKS)
        finally:
            await asyncio.to_thread(single.close)


def _tell(answer: Mapping[str, str]) -> None:
    sys.stdout.write(f"{json.dumps(answer)}\n")
    sys.stdout.flush()


def _is_there(program: int) -> bool:
    try:
        os.kill(program, 0)
    except OSError as error:
        return isinstance(error, PermissionError)
    return True


if __name__ == "__main__":
    _socket = Path(sys.argv[1])
    asyncio.run(_serve(_socket, int(sys.argv[2])))
    _socket.unlink(missing_ok=True)
    _socket.with_suffix(".log").unlink(missing_ok=True)
