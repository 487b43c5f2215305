"""A judge or writer of debates in a real browser."""

from __future__ import annotations

from dataclasses import dataclass

from conqret.labels.answer_ledger import Ledger
from conqret.labels.screens import ScreenTurn
from tests.show.chromium import Page
from tests.web.annotators import come_in, until


@dataclass
class Judge:
    """Somebody at a browser."""

    name: str
    page: Page
    ledger: Ledger

    def come(self, link: str) -> None:
        """Come in by the link, and read the first page."""
        come_in(self.page, link)
        self.wait("document.querySelector('button[name=start]')")

    def begin(self) -> ScreenTurn | None:
        """Press Start at the next judgment; None where none is left."""
        self.wait("location.pathname == '/next' || document.querySelector('button[name=start], a.button')")
        if self.page.js("document.querySelector('a.button') !== null"):
            self.page.js("document.querySelector('a.button').focus()")
            self.page.press("Enter")
            self.wait("location.pathname == '/next' || document.querySelector('button[name=start]')")
        if self.page.js("location.pathname") == "/next":
            return None
        number = int(str(self.page.js("location.pathname")).rpartition("/")[2])
        turn = self.ledger.turn(self.ledger.annotator(self.name), number)
        self.page.js("document.querySelector('button[name=start]').focus()")
        self.page.press("Enter")
        self.wait("document.querySelector('#slider')")
        return turn

    def press(self, button: str) -> None:
        """Press a button, and wait for the next page."""
        self.page.js(f"window.old = true; document.querySelector('{button}').focus()")
        self.page.press("Enter")
        self.wait("window.old !== true")

    def slide(self, point: int) -> None:
        """Move the slider there by the arrow keys."""
        self.page.js("document.querySelector('#slider').focus()")
        self.page.press(*["ArrowRight" if point > 0 else "ArrowLeft"] * abs(point))

    def wait(self, condition: str) -> None:
        """Wait until the page is whole and this holds."""
        until(self.page, condition)
