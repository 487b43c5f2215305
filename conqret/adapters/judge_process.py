"""One judge for a program that starts a Python of its own for every item, as promptfoo does for every assertion.

The first caller starts the judge in a process that lives as long as the program, and the others ask it over a socket
that only this user can open. So one session, with its budget, its limits and its connections, serves them all, and they
need not load a judge each.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
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

from conqret.errors import ConqretError, DeclarationError

LOOKS = 0.5
"""Seconds between two looks whether the program is still there."""
LONGEST = 2**26
"""Bytes of an item."""
OUTCOME = "outcome"
LOCK = "lock"
"""Held while a judge is started; it stays in the folder."""


def ask_process(config: Mapping[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
    """What the judge of these settings says of an item (as :func:`conqret.adapters.single.outcome` gives it), asked of
    the process that all callers of this program share.

    Raises:
        DeclarationError: a setting is wrong, the item lacks something, or the process does not answer.
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
    """The socket of this program and these settings, in a folder of this user's own."""
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
    """Judge what comes, until the program is gone."""
    from conqret.adapters.single import SingleMetric, outcome

    try:
        single = SingleMetric.of(**json.load(sys.stdin))
    except ConqretError as error:
        _tell({"error": str(error)})
        return

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            response: dict[str, Any] = {OUTCOME: await outcome(single, json.loads(await reader.readline()))}
        except ConqretError as error:
            response = {"error": str(error)}
        with contextlib.suppress(ConnectionError):  # who asked is gone
            writer.write(json.dumps(response).encode() + b"\n")
            await writer.drain()
        writer.close()

    async with await asyncio.start_unix_server(answer, str(place), limit=LONGEST):
        _tell({})
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads it any more
        try:
            while _is_there(program):  # noqa: ASYNC110  nobody tells
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
