"""Connections that are held open for nothing keep nobody out."""

from __future__ import annotations

import contextlib
import socket
import time
from pathlib import Path

import pytest

from tests.labels.studies import items
from tests.web.commands import started, written_items

pytest.importorskip("uvicorn", reason="the extra web is not installed: it brings starlette and uvicorn")
SLOW = 200


def test_two_hundred_slow_clients_keep_nobody_out(tmp_path: Path) -> None:
    file = written_items(tmp_path / "items.jsonl", items(2))
    with (
        started("labels", "collect", file, "--annotators", "anna,ben", "-o", tmp_path / "labels") as server,
        contextlib.ExitStack() as held,
    ):
        host, _, port = server.base.removeprefix("http://").partition(":")
        head = f"POST /begin HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 1000\r\n".encode()
        for number in range(SLOW):
            one = held.enter_context(socket.create_connection((host, int(port)), 30))
            one.sendall((b"", b"GET / HT", head, head + b"\r\nform=")[number % 4])
        began = time.monotonic()
        with socket.create_connection((host, int(port)), 30) as asking:
            path = server.links["anna"].removeprefix(server.base)
            asking.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            assert asking.recv(100).startswith(b"HTTP/1.1 200 OK")
        assert time.monotonic() - began < 10
