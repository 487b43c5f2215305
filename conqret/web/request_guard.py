"""Whom a local server answers: who was led here by a user of this machine, and no page of others.

A page from elsewhere can make a browser send requests to this machine. It gets nothing: under a name of its own that
it lets point to this machine (DNS rebinding) the Host is another; what it fetches, embeds or sends says so in Origin or
Sec-Fetch-Site; and no answer allows another origin to read it.

The pages' own forms have to say where they come from, too: under the referrer policy ``no-referrer`` browsers write
``Origin: null`` in its place, so that the policy is ``same-origin``, which tells other sites no more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = "127.0.0.1"
NAMES = (LOOPBACK, "localhost")
READS = ("GET", "HEAD")

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",  # what the policy in a page cannot say
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""What is said with every answer, beside the policy in the page itself."""


def own_hosts(port: int, *names: str) -> frozenset[str]:
    """The Host headers of a server at ``port`` of this machine, which may have other ``names`` besides."""
    every = {f"[{name}]" if ":" in name else name for name in (*NAMES, *names)}
    return frozenset({f"{name}:{port}" for name in every} | (every if port == 80 else set()))


class Guard:
    """The application behind the checks; ``hosts`` are the Host headers under which it is reached (None: any),
    ``methods`` what may be asked of it, ``refused`` makes the answer of a status and a sentence, and ``origins`` are
    those of its own pages where a proxy shows them under another address."""

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str] | None,
        methods: Collection[str] = READS,
        refused: Callable[[Scope, int, str], ASGIApp] | None = None,
        origins: Collection[str] = (),
    ) -> None:
        self.app, self.hosts, self.methods, self.origins = app, hosts, methods, origins
        self._refused = _sentence if refused is None else refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse with a sentence."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        if scope["type"] != "http":
            return
        from starlette.datastructures import Headers, MutableHeaders

        status, why = self._refusal(scope["method"], Headers(scope=scope))

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                if status == 405:
                    headers["Allow"] = ", ".join(self.methods)
            await send(message)

        app = self._refused(scope, status, why) if why else self.app
        await app(scope, receive, guarded)

    def _refusal(self, method: str, headers: Headers) -> tuple[int, str]:
        """With which status and words a request is refused; no words where it is not."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or (self.hosts is not None and hosts[0].lower() not in self.hosts):
            return 421, "This server answers only under its own address, as conqret printed it."
        site, aim = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-dest", "document")
        origins = {f"http://{hosts[0].lower()}", *self.origins}
        if (
            site == "same-origin"
        ):  # no page can write this header: where a browser hides the origin, it is ours
            origins.add("null")
        led_here = method in READS and aim == "document"  # a link may lead here; a form of others may not
        if any(origin not in origins for origin in headers.getlist("origin")) or (
            site not in ("none", "same-origin") and not led_here
        ):
            return 403, "The request comes from a page of another site and is refused."
        if method not in self.methods:
            only = "it can only be read" if self.methods == READS else f"it takes {', '.join(self.methods)}"
            return 405, f"Nothing can be changed here; {only}."
        return 200, ""


def _sentence(scope: Scope, status: int, why: str) -> ASGIApp:
    from starlette.responses import PlainTextResponse

    return PlainTextResponse(why, status)
