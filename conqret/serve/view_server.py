"""The server of ``conqret view``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from conqret.errors import DeclarationError
from conqret.serve.view_app import view_app
from conqret.web.local_server import GRACE_SECONDS, LocalServer, local_server
from conqret.web.request_guard import LOOPBACK

PORT = 8765
"""Where the viewer is, if no other port is given."""


def view(root: Path, port: int = PORT, *, on_start: Callable[[str], None]) -> None:
    """Show the runs under ``root`` until Ctrl-C; ``on_start`` gets the address. Port 0 takes one that is free.

    Raises:
        DeclarationError: there is no such folder, the port is taken or not allowed, or the extra ``web`` is missing.
    """
    view_server(root, port).run(lambda address: on_start(f"{address}/"))


def view_server(root: Path, port: int = PORT) -> LocalServer:
    """The server of :func:`view`, which is not running yet."""
    if not root.is_dir():
        raise DeclarationError(f"{root}: there is no such folder; give one that holds runs")
    return local_server(
        lambda port: view_app(root, port), LOOPBACK, port, timeout_graceful_shutdown=GRACE_SECONDS
    )
