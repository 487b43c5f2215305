"""The secrets in people's links: who has one is the person, and nobody can guess one."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from conqret.errors import DeclarationError
from conqret.labels.records import Person

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
