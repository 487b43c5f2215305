"""What is sent and read at any address of these pages: pages of templates, forms, sentences in the place of a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl

from conqret.report.page import page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

MAX_FORM = 64 * 1024
"""Bytes of a form: a comment of 5,000 characters is the most that there is in one."""
_HERE = Path(__file__).resolve().parent
Returned = TypeVar("Returned")


class Refused(Exception):  # noqa: N818 (it ends a request, and is no fault of ours)
    """A request that gets a page with a sentence instead of what it wanted."""

    def __init__(self, status: int, why: str, title: str = "This cannot be shown") -> None:
        super().__init__(why)
        self.status, self.title = status, title


async def lost(request: Request, error: Exception) -> Response:
    """What stands where nothing is."""
    return _sorry(Refused(404, "There is no such page."))


async def refused(request: Request, error: Exception) -> Response:
    """The page with the sentence of a refusal."""
    return _sorry(error if isinstance(error, Refused) else Refused(500, str(error)))


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form; of a repeated one the last."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM:
            raise Refused(413, "That is more than a form of this page can hold; shorten your comment.")
    try:
        fields = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=200, errors="strict")
    except ValueError:
        raise Refused(400, "The form cannot be read.") from None
    return dict(fields)


async def apart(work: Callable[..., Returned], *given: Any) -> Returned:
    """Do what waits for the disk in a thread, so that others are answered meanwhile."""
    from starlette.concurrency import run_in_threadpool

    return await run_in_threadpool(work, *given)


def page_of(template: str, status: int = 200, *, scripts: Sequence[str] = (), **content: Any) -> Response:
    """The answer with a page of a template."""
    parts = page(template, scripts=scripts, style="annotating.css", within=_HERE, forms="'self'", **content)
    return html_of("".join(parts).encode("utf-8", "replace"), status)


def html_of(content: bytes, status: int = 200) -> Response:
    """The answer with a page that is written already."""
    from starlette.responses import HTMLResponse

    return HTMLResponse(content, status)


def led_to(address: str) -> Response:
    """The answer that leads to another page."""
    from starlette.responses import RedirectResponse

    return RedirectResponse(address, 303)


def _sorry(error: Refused) -> Response:
    return page_of("sorry.html.j2", error.status, why=str(error), title=error.title)
