"""Whom the viewer answers: a browser on this machine that was led here by its user, and no page of others.

A page from elsewhere can make a browser send requests to this machine. It gets nothing: under a name of its own that
it lets point to this machine (DNS rebinding) the Host is another; what it fetches or embeds says so in Origin or
Sec-Fetch-Site; and no answer allows another origin to read it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = "127.0.0.1"
NAMES = (LOOPBACK, "localhost")
METHODS = ("GET", "HEAD")

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",  # what the policy in a page cannot say
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""What is said with every answer, beside the policy in the page itself."""


class Guard:
    """The application behind the checks; ``port`` is the one that it is reached at."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app = app
        self.hosts = {f"{name}:{port}" for name in NAMES} | (set(NAMES) if port == 80 else set())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse with a sentence."""
        from starlette.datastructures import Headers, MutableHeaders
        from starlette.responses import PlainTextResponse

        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        status, why = self._refusal(scope["method"], Headers(scope=scope))
        allow = {"Allow": ", ".join(METHODS)} if status == 405 else None
        app = PlainTextResponse(why, status, allow) if why else self.app
        await app(scope, receive, guarded)

    def _refusal(self, method: str, headers: Headers) -> tuple[int, str]:
        """With which status and words a request is refused; no words where it is not."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return 421, "This server answers only under its own address, as conqret view printed it."
        if any(origin != f"http://{hosts[0].lower()}" for origin in headers.getlist("origin")):
            return 403, "Another page asked for this; it gets nothing."
        site, aim = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-dest", "document")
        if site not in ("none", "same-origin") and aim != "document":
            return 403, "Another page asked for this; it gets nothing."
        if method not in METHODS:
            return 405, "Nothing can be changed here; it can only be read."
        return 200, ""
