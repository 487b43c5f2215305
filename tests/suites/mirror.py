"""A mirror on this machine that may cut off, change or refuse what it sends."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any


@contextlib.contextmanager
def mirrored(
    files: dict[str, bytes],
    *,
    cut: tuple[int, ...] = (),
    statuses: tuple[int, ...] = (),
    endless: bool = False,
) -> Iterator[Any]:
    """Send ``files`` by their paths. ``cut`` are the numbers of bytes after which the first answers break off, and
    ``statuses`` what they say instead; ``asked`` counts the requests. An ``endless`` mirror repeats a file for ever and
    does not say how long it is."""
    mirror = SimpleNamespace(asked=0, url="")
    cuts, refused = list(cut), list(statuses)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = files.get(self.path.lstrip("/"), b"")
            mirror.asked += 1
            if refused or not content:
                self.send_error(refused.pop(0) if refused else 404)
                return
            self.send_response(200)
            if not endless:
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with contextlib.suppress(OSError):
                while endless:
                    self.wfile.write(content)
            self.wfile.write(content[: cuts.pop(0)] if cuts else content)
            self.close_connection = True

        def log_message(self, *arguments: object) -> None:
            """Nothing is said."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    mirror.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield mirror
    finally:
        server.shutdown()
        server.server_close()
