"""Who gets in: whose link and cookie it is, and who is told instead that they are done or have to wait.

A link's token becomes a cookie that no script and no other site can send along; every form carries a word that only
this person's pages have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conqret.debate.two_turn.slider_answers import SliderAnswer
from conqret.labels.answer_ledger import Ledger
from conqret.labels.links import Links
from conqret.labels.page_messages import ENGLISH, PageMessages
from conqret.labels.pages.page_responses import PageRefusal, apart
from conqret.labels.practice import NOT_PASSED, WAITING
from conqret.labels.records import Person

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

COOKIE = "conqret_annotate"
"""What the name of a study's cookie begins with: browsers do not tell ports apart, and each study has its own."""
REMEMBERED = 90 * 86_400
"""Seconds for which a browser is known."""
THANKS = "Thank you"
"""What stands above the page of somebody who is done."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How pages are reached: ``secure`` by https alone. ``judged`` are judges' answers on what was written in the
    study, and ``messages`` the words of the pages."""

    secure: bool = False
    judged: Sequence[SliderAnswer] = ()
    messages: PageMessages = ENGLISH


class StudyAccess:
    """The way into the study in ``ledger``."""

    def __init__(self, ledger: Ledger, links: Links, setting: Setting) -> None:
        self.ledger, self.links, self.setting = ledger, links, setting
        self.cookie = f"{COOKIE}_{links.to(COOKIE)[:8]}"

    def remember(self, page: Response, token: str) -> None:
        """Have the browser that gets this page known from then on."""
        page.set_cookie(
            self.cookie,
            token,
            httponly=True,
            samesite="strict",
            secure=self.setting.secure,
            max_age=REMEMBERED,
        )

    def strange(self) -> PageRefusal:
        """What somebody gets whose word is nobody's."""
        return PageRefusal(404, "This link is not valid. Request a new one from the organizers of the study.")

    async def known(self, token: str) -> Person:
        """Whose link this is."""
        person = self.links.holder(token, await apart(self.ledger.people))
        if person is None:
            raise self.strange()
        return person

    async def somebody(self, request: Request, form: Mapping[str, str] | None = None) -> tuple[Person, str]:
        """Whose request this is, by the cookie; a form has to carry the person's word, too."""
        token = request.cookies.get(self.cookie, "")
        if not token:
            raise PageRefusal(403, "Open the link that you were given: this browser is not known here.")
        person = await self.known(token)
        if form is not None and not self.links.same(form.get("form", ""), self.links.form(token)):
            raise PageRefusal(403, "This form is not from a page of yours; open your link again.")
        self.let_in(person)
        return person, token

    def let_in(self, person: Person) -> None:
        """Let somebody pass who labels, and tell others why they cannot."""
        if person.state == "paused":
            raise PageRefusal(
                403,
                "The organizers of the study have paused your access. Your answers are kept; your "
                "link will work again.",
            )
        if person.state == WAITING:
            raise PageRefusal(
                403,
                "Your practice is being reviewed. Your link will continue as soon as that is done.",
                THANKS,
            )
        if person.state == NOT_PASSED:
            raise PageRefusal(
                403,
                f"You had {person.practised} right in the practice, and this study continues with annotators who have "
                f"at least {self.ledger.study.passing:.0%}. You need not do anything more; thank you for your time.",
                THANKS,
            )
        if person.state != "active":
            raise PageRefusal(403, "This study is over for you. Thank you.")
