"""The pages of ordinary labels, as request handlers: an annotator's links, the screens, and the
organizers' dashboard.

An answer is on the disk before the page after it is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from conqret.debate.two_turn.two_turn_files import quoted_in
from conqret.errors import DeclarationError
from conqret.labels.answer_ledger import Ledger
from conqret.labels.database import LabelFileError
from conqret.labels.page import dashboard
from conqret.labels.page_messages import worded
from conqret.labels.screens import Annotator, ScreenResponse, ScreenTurn, StaleAnswerError, check_names
from conqret.labels.study_access import (
    COOKIE,
    DASHBOARD,
    JOIN,
    REMEMBERED,
    SAVE_LATER,
    THANKS,
    Links,
    PageRefusal,
    Setting,
    apart,
    form_of,
    in_language,
    led_to,
    page_of,
    whole,
)
from conqret.labels.study_screens import NOT_PASSED, WAITING, end_finished_practice, marked_by_gold
from conqret.labels.task import ANNOTATION_TASKS
from conqret.show.table import Table

AGAIN = 30
"""Seconds after which the dashboard is reloaded."""


class Pages:
    """The web pages of an annotation study, as request handlers.

    Handlers raise ``PageRefusal`` where a link, cookie or form is invalid, and ``LabelFileError`` where
    answers cannot be saved; the app turns both into error pages.
    """

    welcome = "welcome.html.j2"
    """The template of the first page."""
    ending = "done.html.j2"
    """The template of the last page."""
    unit = "screen"
    """The unit in which an annotator's answers are counted."""
    did = "answered"
    """What an annotator has done with each unit, in words."""
    not_yours = "This screen is not yours, or was given to another annotator."
    """The message at a screen of another annotator."""

    def __init__(self, ledger: Ledger, links: Links, setting: Setting) -> None:
        self.ledger, self.links, self.setting = ledger, links, setting
        self.cookie = f"{COOKIE}_{links.to(COOKIE)[:8]}"
        self.page = partial(page_of, messages=setting.messages)

    # Ways in

    async def enter(self, request: Request) -> Response:
        """Handle an annotator's personal link: show the first page, and set the cookie that identifies
        them."""
        token = request.path_params["token"]
        annotator = await self._settled(await self.known(token))
        return await apart(self._welcome, annotator, token)

    async def join(self, request: Request) -> Response:
        """Handle the open link: show a form for a name (GET), or add the annotator and show the welcome page (POST). A
        name that is invalid or taken, and a full study, show the form again with status 409. Refuses links of closed
        studies."""
        joins = self.links.same(request.path_params["token"], self.links.to(JOIN))
        if not joins or not self.ledger.study.open_to:
            raise self.strange()
        if request.method == "GET":
            return self._joining()
        form = await form_of(request)
        try:
            (name,) = check_names([form.get("name", "")])
            annotator = await apart(self.ledger.join, name, self.ledger.study.open_to)
        except DeclarationError as error:
            return self._joining(409, str(error))
        return await apart(self._welcome, annotator, self.links.token(annotator))

    def _joining(self, status: int = 200, fault: str = "") -> Response:
        study = self.ledger.study
        asked = ANNOTATION_TASKS[study.task].summary if study.task in ANNOTATION_TASKS else ""
        return self.page("join.html.j2", status, study=study, unit=self.unit, asked=asked, fault=fault)

    def _welcome(self, annotator: Annotator, token: str) -> Response:
        done, left = self.ledger.counts(annotator)
        response = self.page(
            self.welcome,
            unit=self.unit,
            did=self.did,
            study=self.ledger.study,
            annotator=annotator,
            done=done,
            left=left,
            form=self.links.form(token),
            **self.welcome_content(annotator),
        )
        self.remember(response, token)
        return response

    def worded(self, table: Table) -> Table:
        """Return a table translated to the language of the pages."""
        return worded(table, self.setting.messages)

    def welcome_content(self, annotator: Annotator) -> Mapping[str, Any]:
        """Return a mapping of further template variables for the first page."""
        return {}

    async def begin(self, request: Request) -> Response:
        """Handle the consent on the first page: record it, and redirect to the next screen."""
        annotator, _ = await self.somebody(request, await form_of(request))
        await apart(self.ledger.agree, annotator)
        return led_to("/next")

    # Screens

    async def next(self, request: Request) -> Response:
        """Redirect to the annotator's next screen, or show the last page if none is left. Refuses annotators
        without consent, and those who are paused or dropped."""
        annotator, _ = await self._who(request)
        self.let_in(await self._settled(annotator))
        turn = await apart(self.ledger.next, annotator)
        if turn is not None:
            return led_to(f"/screen/{turn.number}")
        done, _ = await apart(self.ledger.counts, annotator)
        last, context = await apart(self.last, annotator), await apart(self.ending_content, annotator)
        return self.page(self.ending, unit=self.unit, did=self.did, done=done, last=last, **context)

    def ending_content(self, annotator: Annotator) -> Mapping[str, Any]:
        """Return a mapping of further template variables for the last page."""
        return {}

    def last(self, annotator: Annotator) -> int | None:
        """Return the number of the annotator's last answered turn, for a link back from the last page;
        None if there is none."""
        return self.ledger.before(annotator, 2**62)

    async def screen(self, request: Request) -> Response:
        """Handle one screen: GET shows it; POST stores its answer and redirects to the next screen, or withdraws the
        answer. A practice screen that is answered shows what was right, and cannot be changed.

        Errors show the screen again: 409 if another page has changed the answer, 422 if it is invalid, 507 if it could
        not be stored; with the last two, what was typed stays.
        """
        form, annotator, token, turn = await self._asked(request)
        practised = turn.screen.practice and turn.state == "done"
        if form is None:
            return await (self._practised if practised else self._shown)(annotator, token, turn)
        if practised:  # what is right was told: nothing is changed any more
            return led_to(f"/screen/{turn.number}")
        revision, answers = whole(form.get("revision", "")), in_language(form)
        comment = form.get("comment", "").strip()
        kept: dict[str, Any] = {"answers": answers, "comment": comment}
        try:
            if "withdraw" in form:
                await apart(self.ledger.draft, annotator, turn, {}, revision)
                return led_to(f"/screen/{turn.number}")
            read = turn.screen.read(answers)
            if turn.screen.practice:
                await apart(self.ledger.answer, annotator, turn, read, comment, revision)
                return led_to(f"/screen/{turn.number}")
            following = await apart(self.ledger.answer_and_next, annotator, turn, read, comment, revision)
        except (DeclarationError, StaleAnswerError) as fault:
            if isinstance(fault, StaleAnswerError):
                return await self._shown(annotator, token, turn, str(fault), 409)
            return await self._shown(annotator, token, turn, str(fault), 422, kept)
        except LabelFileError:  # what was typed stays on the page
            return await self._shown(annotator, token, turn, SAVE_LATER, 507, kept)
        return led_to(f"/screen/{following.number}" if following is not None else "/next")

    async def _asked(self, request: Request) -> tuple[dict[str, str] | None, Annotator, str, ScreenTurn]:
        """Return the form that was sent to a screen (None for a GET), the annotator, their token, and the
        screen's turn.

        Raises:
            PageRefusal: 404, the screen is not theirs; or as :meth:`_who`.
        """
        form = await form_of(request) if request.method == "POST" else None
        annotator, token = await self._who(request, form)
        turn = await apart(self.ledger.turn, annotator, whole(request.path_params["number"]))
        if turn is None or turn.state in ("free", "dropped"):
            raise PageRefusal(404, self.not_yours)
        return form, annotator, token, turn

    async def _shown(
        self,
        annotator: Annotator,
        token: str,
        turn: ScreenTurn,
        fault: str = "",
        status: int = 200,
        kept: Any = None,
    ) -> Response:
        context = await self._frame(annotator, token, turn)
        context |= kept or {"answers": turn.answers, "comment": turn.comment}
        return self.page("screen.html.j2", status, scripts=["screen.js"], fault=fault, **context)

    async def _frame(self, annotator: Annotator, token: str, turn: ScreenTurn) -> dict[str, Any]:
        """Return the template variables of every screen: ``turn``, ``screen``, ``form`` (its secret),
        ``done``, ``total``, ``before``.

        ``done`` and ``total`` count the annotator's screens of this kind; ``before`` is the number of the
        last answered turn, or None.
        """
        done, left = await apart(partial(self.ledger.counts, practice=turn.screen.practice), annotator)
        before = await apart(self.ledger.before, annotator, turn.number)
        counts = {"done": done, "total": done + left, "before": before}
        return {"turn": turn, "screen": turn.screen, "form": self.links.form(token), **counts}

    async def _who(self, request: Request, form: Mapping[str, str] | None = None) -> tuple[Annotator, str]:
        """Return the annotator who sent the request, and their token, as :meth:`somebody`.

        Raises:
            PageRefusal: as there; also 403, if the study needs consent and the annotator has not given it.
        """
        annotator, token = await self.somebody(request, form)
        if self.ledger.study.consent and not annotator.agreed:
            raise PageRefusal(403, "Open your link first, and give your consent there.")
        return annotator, token

    # Practice

    def marked(self, records: Sequence[ScreenResponse]) -> tuple[int, int] | None:
        """Return the numbers of correct and of all known answers in an annotator's practice; None if the
        organizers have to read it.
        """
        return marked_by_gold(records)

    async def _settled(self, annotator: Annotator) -> Annotator:
        """Return the annotator, after ending their practice if all of it is done."""
        if not self.ledger.study.practice or annotator.practised:
            return annotator
        return await apart(end_finished_practice, self.ledger, annotator, self.marked)

    async def _practised(self, annotator: Annotator, token: str, turn: ScreenTurn) -> Response:
        """Show an answered practice screen with what was right and why. Known answers about sides are shown for the
        sides as they stood on the screen."""
        screen = turn.screen
        known = {
            name: [screen.written({name: value})[name] for value in values]  # turning twice is no turn
            for name, values in screen.gold.items()
        }
        context = await self._frame(annotator, token, turn) | {
            "before": None,
            "fault": "",
            "answers": turn.answers,
        }
        return self.page("practised.html.j2", known=known, right=screen.right(turn.answers), **context)

    # Who gets in

    def remember(self, page: Response, token: str) -> None:
        """Set the cookie that identifies the annotator on a response."""
        kept: dict[str, Any] = {"httponly": True, "samesite": "strict", "max_age": REMEMBERED}
        page.set_cookie(self.cookie, token, secure=self.setting.secure, **kept)

    def strange(self) -> PageRefusal:
        """Return the error page for a link that is not valid."""
        return PageRefusal(404, "This link is not valid. Request a new one from the organizers of the study.")

    async def known(self, token: str) -> Annotator:
        """Return the annotator with this token.

        Raises:
            PageRefusal: 404, there is none.
        """
        annotator = self.links.holder(token, await apart(self.ledger.annotators))
        if annotator is None:
            raise self.strange()
        return annotator

    async def somebody(
        self, request: Request, form: Mapping[str, str] | None = None
    ) -> tuple[Annotator, str]:
        """Return the annotator who sent the request, and their token, from the cookie.

        Raises:
            PageRefusal: the cookie or the form's token is not valid, or the annotator may not label now.
        """
        token = request.cookies.get(self.cookie, "")
        if not token:
            raise PageRefusal(403, "Open the link that you were given: this browser is not known here.")
        annotator = await self.known(token)
        if form is not None:
            self.links.check_form(form, token)
        self.let_in(annotator)
        return annotator, token

    def let_in(self, annotator: Annotator) -> None:
        """Check that the annotator's state allows labeling.

        Raises:
            PageRefusal: 403, it does not.
        """
        if annotator.state == "paused":
            raise PageRefusal(
                403,
                "The organizers of the study have paused your access. Your answers are kept; your "
                "link will work again.",
            )
        if annotator.state == WAITING:
            raise PageRefusal(
                403,
                "Your practice is being reviewed. Your link will continue as soon as that is done.",
                THANKS,
            )
        if annotator.state == NOT_PASSED:
            raise PageRefusal(
                403,
                f"You had {annotator.practised} right in the practice, and this study continues with "
                f"annotators who have at least {self.ledger.study.passing:.0%}. You need not do anything more; "
                "thank you for your time.",
                THANKS,
            )
        if annotator.state != "active":
            raise PageRefusal(403, "This study is over for you. Thank you.")

    # Who runs it

    async def study(self, request: Request) -> Response:
        """Show the dashboard of the study with progress and agreement."""
        if not self.links.same(request.path_params["token"], self.links.to(DASHBOARD)):
            raise self.strange()
        t = self.setting.messages
        sheet = await apart(dashboard, self.ledger, t)
        parts = sheet.html(language=t.language, direction=t.direction)
        response = HTMLResponse(b"".join(part.encode("utf-8", "replace") for part in parts))
        response.headers["Refresh"] = str(AGAIN)
        return response

    # Visitors without an invitation

    async def nowhere(self, request: Request) -> Response:
        """Handle the address without a link, with an error page.

        Raises:
            PageRefusal: 404, always.
        """
        raise PageRefusal(
            404,
            "This page opens only by a personal link. Look for it in the message that invited you, and copy it whole; "
            "if you have lost it, contact the organizers of the study.",
        )


@dataclass(frozen=True, slots=True)
class NumberedSnippet:
    """A quotation from a passage, with its anchor ``name`` there and its number in the text that cites
    it."""

    name: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class ScreenPiece:
    """A piece of a passage, with the names of the snippets that begin at it and of those that contain it."""

    text: str
    begins: tuple[str, ...]
    within: tuple[str, ...]


def quoted_pieces(passage: str, quotes: Sequence[NumberedSnippet]) -> Iterator[ScreenPiece]:
    """Yield a passage in pieces that are cut where its snippets begin and end, each with the names of the snippets that
    begin there and that cover it. Snippets not found in the passage are ignored."""
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
