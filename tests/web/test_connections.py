"""Connections that are held open for nothing: they end, and nobody else is kept out."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.annotation.studies import items
from tests.web.commands import Started, started_with, written_items

pytest.importorskip("uvicorn", reason="the extra web is not installed: it brings starlette and uvicorn")

FEW_FILES = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
from conqret.cli.main import main
main()
"""
QUICK = """
from conqret.web import connections
from conqret.labels.pages import page_responses as answers
connections.REQUEST_SECONDS, answers.FORM_SECONDS = 1.0, 0.5
from conqret.cli.main import main
main()
"""


@contextlib.contextmanager
def labelling(folder: Path, code: str) -> Iterator[tuple[Started, tuple[str, int]]]:
    file = written_items(folder / "items.jsonl", items(2))
    with started_with(
        code, "labels", "collect", file, "--annotators", "anna,ben", "-o", folder / "labels"
    ) as server:
        host, _, port = server.base.removeprefix("http://").partition(":")
        yield server, (host, int(port))


def head(place: tuple[str, int], method: str, path: str, more: str = "") -> bytes:
    return f"{method} {path} HTTP/1.1\r\nHost: {place[0]}:{place[1]}\r\n{more}\r\n".encode()


def got(place: tuple[str, int], path: str) -> tuple[str, float]:
    """The first line of the answer, and the seconds that it took."""
    began = time.monotonic()
    with socket.create_connection(place, 30) as asking:
        asking.sendall(head(place, "GET", path))
        return asking.recv(100).partition(b"\r\n")[0].decode(), time.monotonic() - began


def test_hundreds_that_wait_keep_nobody_out(tmp_path: Path) -> None:
    with labelling(tmp_path, FEW_FILES) as (server, place), contextlib.ExitStack() as held:
        path = server.links["anna"].removeprefix(server.base)
        half_sent = (
            b"", b"GET / HT", head(place, "GET", "/", "X-A: b\r\n")[:-2],
            head(place, "POST", "/begin", "Content-Length: 1000\r\n") + b"form=",
        )  # fmt: skip
        for number in range(400):
            one = held.enter_context(socket.create_connection(place, 30))
            one.sendall(half_sent[number % len(half_sent)])
        for _ in range(3):
            line, seconds = got(place, path)
            assert line == "HTTP/1.1 200 OK"
            assert seconds < 10


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    with labelling(tmp_path_factory.mktemp("quick"), QUICK) as (_, place):
        yield place


@pytest.mark.parametrize("kind", ["nothing", "half a head", "half a form", "a byte now and then", "no taker"])
def test_what_does_not_come_to_its_end_is_not_waited_for(quick: tuple[str, int], kind: str) -> None:
    place = quick
    with socket.create_connection(place, 30) as one:
        began, ended = time.monotonic(), threading.Event()

        def trickle() -> None:
            with contextlib.suppress(OSError):
                while not ended.wait(0.1) and time.monotonic() - began < 20:
                    one.sendall(b"a")

        if kind == "half a head":
            one.sendall(b"GET /")
        elif kind in ("half a form", "a byte now and then"):
            one.sendall(head(place, "POST", "/begin", "Content-Length: 1000\r\n"))
        elif kind == "no taker":
            with contextlib.suppress(OSError):
                one.sendall(3_000 * head(place, "GET", "/"))
            trickle()  # until the connection is closed
        trickling = threading.Thread(target=trickle)
        if kind == "a byte now and then":
            trickling.start()
        said = b""
        with contextlib.suppress(ConnectionError):
            while kind != "no taker" and (part := one.recv(4096)):
                said += part
        ended.set()
        assert time.monotonic() - began < 15
        if kind in ("half a form", "a byte now and then"):
            assert said.startswith(b"HTTP/1.1 408")
        else:
            assert said == b""
