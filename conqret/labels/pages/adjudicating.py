"""The pages on which somebody decides where people differ. Only here a judge's word is shown, and only on screens that
all have labelled."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from conqret.data import Judgment
from conqret.errors import DeclarationError
from conqret.labels.answer_ledger import Ledger
from conqret.labels.collected_labels import Dispute, disputes
from conqret.labels.database import LabelFileError
from conqret.labels.page_messages import ENGLISH, PageMessages
from conqret.labels.pages.page_responses import (
    SAVE_LATER,
    PageRefusal,
    apart,
    app_of,
    form_of,
    led_to,
    page_of,
    pieces,
    said_in,
    whole,
)
from conqret.labels.pages.study_access import ADJUDICATE, Links
from conqret.labels.screens import CANNOT_JUDGE

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp


def adjudication_app(
    ledger: Ledger,
    links: Links,
    by: str,
    judgments: Sequence[Judgment] = (),
    messages: PageMessages = ENGLISH,
) -> ASGIApp:
    """The pages for ``by``, beside what a judge says where there are ``judgments``, in the words of ``messages``."""
    from starlette.routing import Route

    desk = _AdjudicationPage(ledger, links, by, judgments, messages)
    routes = [
        Route("/adjudicate/{token}", desk.all),
        Route("/adjudicate/{token}/{place}", desk.one, methods=["GET", "POST"]),
    ]
    return app_of(routes, messages)


class _AdjudicationPage:
    def __init__(
        self, ledger: Ledger, links: Links, by: str, judgments: Sequence[Judgment], messages: PageMessages
    ) -> None:
        self.ledger, self.links, self.by, self.judgments = ledger, links, by, judgments
        self.page = partial(page_of, messages=messages)

    async def all(self, request: Request) -> Response:
        """What there is to decide."""
        token = self._token(request)
        open_disputes = await apart(self._disputes)
        return self.page(
            "disputes.html.j2",
            disputes=open_disputes,
            done=sum(dispute.decided for dispute in open_disputes),
            open=_next(open_disputes),
            by=self.by,
            judge=bool(self.judgments),
            token=token,
        )

    async def one(self, request: Request) -> Response:
        """One screen with what everybody says of it; or the decision, written down."""
        token, place = self._token(request), whole(request.path_params["place"])
        open_disputes = await apart(self._disputes)
        dispute = next((candidate for candidate in open_disputes if candidate.place == place), None)
        if dispute is None:
            raise PageRefusal(404, "There is nothing to decide on this screen.")
        if request.method == "GET":
            return self._shown(open_disputes, dispute, token)
        form = await form_of(request)
        if not self.links.same(form.get("form", ""), self.links.form(token)):
            raise PageRefusal(403, "This form is not from a page of yours; open your link again.")
        answers_by_question = said_in(form)
        comment = form.get("comment", "").strip()
        try:
            answers = dispute.screen.about(dispute.questions).read(answers_by_question)
        except DeclarationError as error:
            return self._shown(open_disputes, dispute, token, str(error), answers_by_question, comment, 422)
        try:
            await apart(self.ledger.decide, place, answers, comment, self.by)
        except LabelFileError:  # what was typed stays on the page
            return self._shown(open_disputes, dispute, token, SAVE_LATER, answers_by_question, comment, 507)
        following = _next(
            [candidate for candidate in open_disputes if candidate.place > place] or open_disputes, but=place
        )
        return led_to(f"/adjudicate/{token}" + (f"/{following}" if following else ""))

    def _shown(
        self,
        open_disputes: Sequence[Dispute],
        dispute: Dispute,
        token: str,
        fault: str = "",
        answers: dict[str, str] | None = None,
        comment: str = "",
        status: int = 200,
    ) -> Response:
        kept = dispute.final
        return self.page(
            "adjudicate.html.j2",
            status,
            scripts=["screen.js"],
            dispute=dispute,
            screen=dispute.screen.about(dispute.questions),
            pieces=pieces,
            cannot=CANNOT_JUDGE,
            fault=fault,
            done=sum(other.decided for other in open_disputes),
            total=len(open_disputes),
            form=self.links.form(token),
            token=token,
            answers=answers if answers is not None else (kept.answers if kept else {}),
            comment=comment or (kept.comment if kept else ""),
        )

    def _disputes(self) -> list[Dispute]:
        return disputes(self.ledger, self.judgments)

    def _token(self, request: Request) -> str:
        token: str = request.path_params["token"]
        if self.links.same(token, self.links.to(ADJUDICATE)):
            return token
        raise PageRefusal(404, "This link is not valid; conqret labels adjudicate prints the valid one.")


def _next(open_disputes: Sequence[Dispute], but: int = 0) -> int | None:
    return next(
        (dispute.place for dispute in open_disputes if not dispute.decided and dispute.place != but), None
    )
