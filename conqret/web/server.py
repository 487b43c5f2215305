"""The viewer at a port of this machine, until it is stopped."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path

from conqret._optional import require
from conqret.errors import DeclarationError
from conqret.web.app import view_app
from conqret.web.guard import LOOPBACK

PORT = 8765
"""Where the viewer is, if no other port is given."""
GRACE_SECONDS = 2
"""So long a page under way may take when the viewer is stopped."""


def view(root: Path, port: int = PORT, *, on_start: Callable[[str], None]) -> None:
    """Show the runs under ``root`` until Ctrl-C; ``on_start`` gets the address. Port 0 takes one that is free.

    Raises:
        DeclarationError: there is no such folder, the port is taken or not allowed, or the extra ``web`` is missing.
    """
    if not root.is_dir():
        raise DeclarationError(f"{root}: there is no such folder; give one that holds runs")
    for module in ("starlette", "uvicorn"):
        require(module, extra="web")
    import uvicorn

    with _listening(port) as listening:
        port = listening.getsockname()[1]
        # Nothing of the environment counts: no proxy is trusted, and nothing is logged.
        settings = uvicorn.Config(
            view_app(root, port), loop="asyncio", http="h11", ws="none", lifespan="off", log_config=None,
            access_log=False, proxy_headers=False, server_header=False, timeout_graceful_shutdown=GRACE_SECONDS,
        )  # fmt: skip
        with contextlib.suppress(KeyboardInterrupt):
            on_start(f"http://{LOOPBACK}:{port}/")
            uvicorn.Server(settings).run(sockets=[listening])


def _listening(port: int) -> socket.socket:
    """The port of this machine's own address, which other machines do not reach."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":  # a viewer that has just ended does not keep the port
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((LOOPBACK, port))
        found.listen()
    except OSError as error:
        found.close()
        taken = (
            "is taken by another program"
            if error.errno == errno.EADDRINUSE
            else f"cannot be had: {error.strerror}"
        )
        raise DeclarationError(
            f"port {port} {taken}; give another with --port, or 0 for any that is free"
        ) from None
    return found
