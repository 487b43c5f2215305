"""Access to the pages of a study: links with tokens, cookies and forms, and the responses that pages are
made of.

A link's token becomes a cookie that no script and no other site can send along; every form carries a word that only
this annotator's pages have.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from conqret.debate.two_turn.slider_answers import SliderAnswer
from conqret.errors import DeclarationError, number
from conqret.io.images import described, inline
from conqret.labels.answer_ledger import Ledger
from conqret.labels.database import LabelFileError
from conqret.labels.page_messages import ENGLISH, PageMessages
from conqret.labels.screens import CANNOT_JUDGE, Annotator, Screen, ScreenPassage
from conqret.show.page import page
from conqret.show.visible_text import cited
from conqret.text.language import language_of

MAX_FORM = 64 * 1024
"""The most bytes of a form: its longest text is a comment of 5,000 characters."""
NOT_SAVED = (
    "The server cannot write just now; tell the organizers of the study. What was confirmed before is kept."
)
"""The message to annotators where the disk is full, or the file of labels is corrupt."""
SAVE_LATER = f"{NOT_SAVED} Leave this page open, and save again later."
MAX_DIGITS = 9
"""The most digits of a number in a form or an address."""
_HERE = Path(__file__).resolve().parent / "pages"
Returned = TypeVar("Returned")


class PageRefusal(Exception):  # noqa: N818 (it ends a request, and is no fault of ours)
    """Raised to end a request with an error page: its HTTP ``status``, its ``title``, and the reason as
    message.
    """

    def __init__(self, status: int, why: str, title: str = "This cannot be shown") -> None:
        super().__init__(why)
        self.status, self.title = status, title


def app_of(routes: Sequence[Route], messages: PageMessages) -> ASGIApp:
    """Return the web app with these ``routes``; error pages use the texts in ``messages``."""

    async def error_page(request: Request, error: Exception) -> Response:
        """Return the page for an error: the status and words of a refusal, 507 for labels that could not be stored,
        else 404."""
        refusal = error if isinstance(error, PageRefusal) else PageRefusal(404, "There is no such page.")
        if isinstance(error, LabelFileError):
            refusal = PageRefusal(507, f"{NOT_SAVED} Go back and try again later.", "This could not be saved")
        response = page_of(
            "sorry.html.j2", refusal.status, messages=messages, why=str(refusal), title=refusal.title
        )
        if refusal.status == 413:  # the rest of the form is not waited for
            response.headers["Connection"] = "close"
        return response

    handlers = dict.fromkeys((HTTPException, PageRefusal, LabelFileError), error_page)
    return Starlette(routes=routes, exception_handlers=handlers)


async def form_of(request: Request) -> dict[str, str]:
    """Return the fields of a submitted form; the last value if a field repeats.

    Raises:
        PageRefusal: 413, it is longer than :data:`MAX_FORM`; or 400, it is invalid or broke off.
    """

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


def in_language(form: Mapping[str, str]) -> dict[str, str]:
    """Return the answers to a screen's questions in a form: the fields whose names begin with ``q:``, by
    question.
    """
    return {name.removeprefix("q:"): value for name, value in form.items() if name.startswith("q:")}


def whole(text: str) -> int:
    """Parse a non-negative integer in a form or an address; return -1 if it is not valid."""
    return int(text) if text.isdecimal() and len(text) <= MAX_DIGITS else -1


async def apart(work: Callable[..., Returned], *arguments: Any) -> Returned:
    """Run blocking ``work`` in a thread and return its result, so that other requests are served
    meanwhile."""

    return await run_in_threadpool(work, *arguments)


def page_of(
    template: str, status: int = 200, *, messages: PageMessages = ENGLISH, **content: Any
) -> Response:
    """Return an HTML response with this HTTP ``status``, rendered from a template; images are allowed if
    its ``screen`` has some.

    ``messages`` are the page texts, and ``content`` the template's variables.
    """
    shown = content.get("screen")
    parts = page(
        template,
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
        **{
            "pieces": pieces,
            "cited": cited,
            "document_numbers": document_numbers,
            "cannot": CANNOT_JUDGE,
            **content,
        },
    )
    return HTMLResponse("".join(parts).encode("utf-8", "replace"), status)


def tongue(text: str) -> Markup:
    """Return the HTML ``lang`` attribute for a text; empty if the language cannot be detected."""
    code = language_of(text, model=False)
    return Markup(' lang="{}"').format(code) if code else Markup("")


def led_to(address: str) -> Response:
    """Return a redirect to another page."""

    return RedirectResponse(address, 303)


def pieces(passage: ScreenPassage) -> Iterator[tuple[str, bool]]:
    """Yield the text of a passage in pieces, each with True if it is highlighted; highlights that overlap are cut
    apart."""
    at = 0
    for start, end in sorted(passage.lit):
        if at < start:
            yield passage.text[at:start], False
        yield passage.text[max(at, start) : end], True
        at = max(at, end)
    if at < len(passage.text):
        yield passage.text[at:], False


def document_numbers(passages: Sequence[ScreenPassage]) -> list[int]:
    """Return the number of each passage that is a numbered document, and 0 for other passages and for none."""
    found = [re.match(r"\[([0-9]{1,6})\]", passage.title) for passage in passages]
    return [int(match[1]) if match else 0 for match in found] or [0]


FILE = "secret"
"""The name of the file with the secret, next to the labels and readable by the user alone, so that links
stay valid when the server restarts.
"""
BYTES = 16
"""The bytes of a token (128 bits)."""
DASHBOARD, JOIN, ADJUDICATE = "the dashboard", "whoever joins", "who decides"
"""The purposes of the links that are no annotator's."""


class Links:
    """The access tokens of a study, derived from the secret in its folder; deleting it invalidates all
    links.

    The secret is created if there is none.

    Raises:
        DeclarationError: the file of the secret is corrupt.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / FILE
        try:
            with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
                file.write(secrets.token_bytes(32))
        except FileExistsError:
            pass
        self._secret = path.read_bytes()
        if len(self._secret) != 32:
            raise DeclarationError(
                f"{path} is corrupt, so the links that annotators have no longer work; "
                "remove it, start again and send out the new links"
            )

    def token(self, annotator: Annotator) -> str:
        """Return the token of an annotator's personal link."""
        return self._made(f"person {annotator.number}")

    def to(self, what: str) -> str:
        """Return the token of a common link: :data:`DASHBOARD`, :data:`JOIN` or :data:`ADJUDICATE`."""
        return self._made(f"link {what}")

    def holder(self, token: str, annotators: Iterable[Annotator]) -> Annotator | None:
        """Return the annotator with this token, or None (also for a deleted one); the comparison takes
        constant time.
        """
        holders = [annotator for annotator in annotators if self.same(token, self.token(annotator))]
        return holders[0] if holders and holders[0].state != "deleted" else None

    def form(self, token: str) -> str:
        """Return the secret value that an annotator's forms must contain, against cross-site requests."""
        return self._made(f"form {token}")

    def check_form(self, form: Mapping[str, str], token: str) -> None:
        """Check that a form contains the secret value for this token.

        Raises:
            PageRefusal: 403, it does not.
        """
        if not self.same(form.get("form", ""), self.form(token)):
            raise PageRefusal(403, "This form is not from a page of yours; open your link again.")

    @staticmethod
    def same(first: str, other: str) -> bool:
        """Return True if two tokens are equal; the comparison takes constant time."""
        return hmac.compare_digest(first.encode("utf-8", "replace"), other.encode("utf-8", "replace"))

    def _made(self, what: str) -> str:
        digest = hmac.new(self._secret, what.encode("utf-8", "replace"), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest[:BYTES]).rstrip(b"=").decode()


COOKIE = "conqret_annotate"
"""The beginning of a cookie's name, since browsers do not tell ports apart, and each study has a cookie of
its own.
"""
REMEMBERED = 90 * 86_400
"""Seconds for which a browser keeps the cookie."""
THANKS = "Thank you"
"""The title of the page of an annotator who is done."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The settings of the pages: ``secure`` is true if they are reached by https only.

    ``judged`` are judges' answers on texts of the study, and ``messages`` the page texts.
    """

    secure: bool = False
    judged: Sequence[SliderAnswer] = ()
    messages: PageMessages = ENGLISH


def study_links(base: str, ledger: Ledger, links: Links) -> Iterator[str]:
    """Yield the lines that are printed when pages are served: the progress, and everybody's link below the
    address ``base``.
    """
    joined = [annotator for annotator in ledger.annotators() if annotator.state != "deleted"]
    width = max((len(annotator.name) for annotator in joined), default=0)
    done, wanted = ledger.wanted()
    each = "one annotator" if ledger.study.overlap == 1 else f"{ledger.study.overlap} annotators"
    yield f"{number(ledger.study.screens, 'screen')}, {each} each: {done:,} of {wanted:,} labels"
    if ledger.study.practice:
        yield f"everybody practises on {number(ledger.study.practice, 'screen')} first"
    for annotator in joined:
        yield f"  {annotator.name:<{width}}  {base}/in/{links.token(annotator)}"
    if ledger.study.open_to:
        yield f"  everyone who joins: {base}/join/{links.to(JOIN)}"
    yield f"  for you only, the progress: {base}/study/{links.to(DASHBOARD)}"
    yield "Send each annotator their own link, which identifies them. Stop with Ctrl-C; the same command continues."
