"""A mirror on this machine that may cut off, change or refuse what it sends."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self


@dataclass
class Mirror:
    """Sends ``files`` by their paths. ``cut`` are the numbers of bytes after which the next answers break off, and
    ``statuses`` what they say instead; ``asked`` counts the requests. An ``endless`` one repeats a file for ever and
    does not say how long it is."""

    files: dict[str, bytes]
    cut: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    asked: int = 0
    endless: bool = False

    def __enter__(self) -> Self:
        mirror = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                content = mirror.files.get(self.path.lstrip("/"))
                mirror.asked += 1
                status = mirror.statuses.pop(0) if mirror.statuses else 404 if content is None else 200
                if status != 200 or content is None:
                    self.send_error(status)
                    return
                self.send_response(200)
                if not mirror.endless:
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                with contextlib.suppress(OSError):
                    while mirror.endless:
                        self.wfile.write(content)
                self.wfile.write(content[: mirror.cut.pop(0)] if mirror.cut else content)
                self.close_connection = True

            def log_message(self, *arguments: object) -> None:
                """Nothing is said."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"
