"""What is sent and read at any address of these pages: pages of templates, forms, sentences in the place of a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl

from markupsafe import Markup

from conqret.debate.two_turn.two_turn_files import quoted_in
from conqret.io.images import described, inline
from conqret.labels.database import LabelFileError
from conqret.labels.page_messages import ENGLISH, PageMessages
from conqret.labels.screens import Screen, ScreenPassage
from conqret.show.page import page
from conqret.text.language import language_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route
    from starlette.types import ASGIApp


MAX_FORM = 64 * 1024
"""Bytes of a form: a comment of 5,000 characters is the most that there is in one."""
NOT_SAVED = (
    "The server cannot write just now; tell the organizers of the study. What was confirmed before is kept."
)
"""What people are told where the disk is full, or the file of labels is damaged."""
SAVE_LATER = f"{NOT_SAVED} Leave this page open, and save again later."
MAX_DIGITS = 9
"""Of a number that is one of ours."""
_HERE = Path(__file__).resolve().parent
Returned = TypeVar("Returned")


class PageRefusal(Exception):  # noqa: N818 (it ends a request, and is no fault of ours)
    """A request that gets a page with a sentence instead of what it wanted."""

    def __init__(self, status: int, why: str, title: str = "This cannot be shown") -> None:
        super().__init__(why)
        self.status, self.title = status, title


def app_of(routes: Sequence[Route], messages: PageMessages) -> ASGIApp:
    """The pages at ``routes``; what goes wrong is told in the words of ``messages``."""
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException

    handlers = {HTTPException: lost, PageRefusal: refused, LabelFileError: unsaved}
    told = {error: partial(handler, messages=messages) for error, handler in handlers.items()}
    return Starlette(routes=routes, exception_handlers=told)


async def lost(request: Request, error: Exception, messages: PageMessages = ENGLISH) -> Response:
    """What stands where nothing is."""
    return _sorry(PageRefusal(404, "There is no such page."), messages)


async def refused(request: Request, error: Exception, messages: PageMessages = ENGLISH) -> Response:
    """The page with the sentence of a refusal."""
    return _sorry(error if isinstance(error, PageRefusal) else PageRefusal(500, str(error)), messages)


async def unsaved(request: Request, error: Exception, messages: PageMessages = ENGLISH) -> Response:
    """The page that says that the disk takes nothing more, or that the file of labels is damaged."""
    refusal = PageRefusal(507, f"{NOT_SAVED} Go back and try again later.", "This could not be saved")
    return _sorry(refusal, messages)


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form; of a repeated one the last."""
    from starlette.requests import ClientDisconnect

    body = b""
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_FORM:
                raise PageRefusal(
                    413, "That is more than a form of this page can hold; shorten your comment."
                )
    except ClientDisconnect:
        raise PageRefusal(400, "The connection ended before your answer was here.") from None
    try:
        fields = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=200, errors="strict")
    except ValueError:
        raise PageRefusal(400, "The form cannot be read.") from None
    return dict(fields)


def said_in(form: Mapping[str, str]) -> dict[str, str]:
    """The answers to the questions of a screen that a form holds."""
    return {name.removeprefix("q:"): value for name, value in form.items() if name.startswith("q:")}


def whole(text: str) -> int:
    """The number that a form or an address holds; -1 where that is none, or none of ours."""
    return int(text) if text.isdecimal() and len(text) <= MAX_DIGITS else -1


async def apart(work: Callable[..., Returned], *arguments: Any) -> Returned:
    """Do what waits for the disk in a thread, so that others are answered meanwhile."""
    from starlette.concurrency import run_in_threadpool

    return await run_in_threadpool(work, *arguments)


def page_of(
    template: str,
    status: int = 200,
    *,
    scripts: Sequence[str] = (),
    messages: PageMessages = ENGLISH,
    **content: Any,
) -> Response:
    """The answer with a page of a template, in the words of ``messages``; where its ``screen`` has images, it may show
    them."""
    shown = content.get("screen")
    parts = page(
        template,
        scripts=scripts,
        style="annotating.css",
        within=_HERE,
        forms="'self'",
        images=isinstance(shown, Screen) and shown.pictured,
        described=described,
        inline=inline,
        t=messages,
        tongue=tongue,
        language=messages.language,
        direction=messages.direction,
        **content,
    )
    return html_of("".join(parts).encode("utf-8", "replace"), status)


def tongue(text: str) -> Markup:
    """The attribute that says in which language a text is; empty where script and common words do not tell."""
    code = language_of(text, model=False)
    return Markup(' lang="{}"').format(code) if code else Markup("")


def html_of(content: bytes, status: int = 200) -> Response:
    """The answer with a page that is written already."""
    from starlette.responses import HTMLResponse

    return HTMLResponse(content, status)


def led_to(address: str) -> Response:
    """The answer that leads to another page."""
    from starlette.responses import RedirectResponse

    return RedirectResponse(address, 303)


def _sorry(error: PageRefusal, messages: PageMessages) -> Response:
    response = page_of("sorry.html.j2", error.status, messages=messages, why=str(error), title=error.title)
    if error.status == 413:  # the rest of the form is not waited for
        response.headers["Connection"] = "close"
    return response


def pieces(passage: ScreenPassage) -> Iterator[tuple[str, bool]]:
    """The text piece by piece, each with whether it is marked."""
    at = 0
    for start, end in sorted(passage.lit):
        if at < start:
            yield passage.text[at:start], False
        yield passage.text[max(at, start) : end], True
        at = max(at, end)
    if at < len(passage.text):
        yield passage.text[at:], False


@dataclass(frozen=True, slots=True)
class NumberedSnippet:
    """A snippet of a passage under the name of its place there, with its number in the text that cites it."""

    name: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class ScreenPiece:
    """A piece of a passage: the names of the snippets that begin with it, and of those that hold it."""

    text: str
    begins: tuple[str, ...]
    within: tuple[str, ...]


def quoted_pieces(passage: str, quotes: Sequence[NumberedSnippet]) -> Iterator[ScreenPiece]:
    """The passage, cut wherever a snippet begins or ends; a snippet that is not in it has no place."""
    places: dict[str, tuple[int, int]] = {}
    for quote in quotes:
        words = quoted_in(passage, quote.text) if passage else None
        if words is not None:
            start = passage.index(words)
            places[quote.name] = start, start + len(words)
    cuts = sorted({0, len(passage), *(cut for place in places.values() for cut in place)})
    for start, end in pairwise(cuts):
        yield ScreenPiece(
            passage[start:end],
            tuple(name for name, place in places.items() if place[0] == start),
            tuple(name for name, place in places.items() if place[0] <= start < place[1]),
        )
