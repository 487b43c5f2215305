"""Who gets in: whose link and cookie it is, and who is told instead that they are done or have to wait.

A link's token becomes a cookie that no script and no other site can send along; every form carries a word that only
this person's pages have.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.debate.two_turn.slider_answers import SliderAnswer
from conqret.errors import DeclarationError
from conqret.labels.answer_ledger import Ledger
from conqret.labels.page_messages import ENGLISH, PageMessages
from conqret.labels.pages.page_responses import PageRefusal, apart
from conqret.labels.screens import Person
from conqret.labels.study_screens import NOT_PASSED, WAITING

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


FILE = "secret"
"""Beside the labels, readable by the user alone: the same links hold when the server starts again."""
BYTES = 16
"""A token has 128 bits."""
DASHBOARD, JOIN, ADJUDICATE = "the dashboard", "whoever joins", "who decides"
"""What the links that are nobody's are for."""


class Links:
    """The tokens of a study, all made of the secret in its folder; where that is removed, old links end."""

    def __init__(self, folder: Path) -> None:
        path = folder / FILE
        try:
            with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
                file.write(secrets.token_bytes(32))
        except FileExistsError:
            pass
        self._secret, self._people = path.read_bytes(), dict[int, str]()
        if len(self._secret) != 32:
            raise DeclarationError(
                f"{path} is corrupt, so the links that annotators have no longer work; "
                "remove it, start again and send out the new links"
            )

    def of(self, person: Person) -> str:
        """The token of a person."""
        if person.number not in self._people:  # asked for everybody, at each request
            self._people[person.number] = self._made(f"person {person.number}")
        return self._people[person.number]

    def to(self, what: str) -> str:
        """The token of :data:`DASHBOARD`, :data:`JOIN` or :data:`ADJUDICATE`."""
        return self._made(f"link {what}")

    def holder(self, token: str, people: Iterable[Person]) -> Person | None:
        """Whose token this is; all are compared, each in the same time."""
        holders = [person for person in people if self.same(token, self.of(person))]
        return holders[0] if holders and holders[0].state != "deleted" else None

    def form(self, token: str) -> str:
        """What a form of this person's must send along, which no other page knows."""
        return self._made(f"form {token}")

    @staticmethod
    def same(first: str, other: str) -> bool:
        """Whether two tokens are the same, compared in the same time whatever they are."""
        return hmac.compare_digest(first.encode("utf-8", "replace"), other.encode("utf-8", "replace"))

    def _made(self, what: str) -> str:
        digest = hmac.new(self._secret, what.encode("utf-8", "replace"), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest[:BYTES]).rstrip(b"=").decode()


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
