"""People who rate in a real browser, by keyboard alone, and may reload, go back and lose the connection."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field

from conqret.labels.answer_ledger import Ledger
from conqret.labels.screens import CANNOT_JUDGE, Screen, ScreenTurn
from tests.show.chromium import Page

WAIT_SECONDS = 30


def opinion(name: str, screen: Screen) -> dict[str, str]:
    """What somebody says of a screen: any of its choices, or now and then nothing."""
    answers = {}
    for question in screen.questions:
        values = [CANNOT_JUDGE, *(choice.value for choice in question.choices)]
        answers[question.name] = values[sum(f"{name} {screen.item}".encode()) % len(values)]
    return answers


@dataclass
class Annotator:
    """Somebody at a browser; ``said`` is what they meant to say, by screen."""

    name: str
    page: Page
    ledger: Ledger
    base: str
    trouble: bool = False
    said: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)

    def work(self, link: str) -> None:
        """Label all that there is."""
        come_in(self.page, link)
        while (turn := self._screen()) is not None:
            count = len(self.said)
            if self.trouble and count % 4 == 1:
                self.page.go(f"{self.base}/screen/{turn.number}")
            answers = opinion(self.name, turn.screen)
            self._choose(turn, answers)
            if self.trouble and count % 4 == 2:
                self._without_network()
            self._keep()
            self.said[turn.screen.item, turn.screen.part] = answers
            if self.trouble and count % 4 == 3:
                self._back_and_again(turn, answers)

    def _screen(self) -> ScreenTurn | None:
        """The screen that is shown, as soon as it is there; None at the end."""
        until(self.page, "location.pathname == '/next' || document.querySelector('#questions') !== null")
        path = str(self.page.js("location.pathname"))
        if path == "/next":
            return None
        turn = self.ledger.turn(self.ledger.annotator(self.name), int(path.rpartition("/")[2]))
        assert turn is not None
        return turn

    def _choose(self, turn: ScreenTurn, answers: dict[str, str]) -> None:
        for question in turn.screen.questions:
            value = answers[question.name]
            self.page.press("x" if value == CANNOT_JUDGE else value)

    def _keep(self) -> None:
        self.page.js("window.old = true")
        self.page.press("Enter")
        until(self.page, "window.old !== true")

    def _without_network(self) -> None:
        """Send while there is no connection; what was chosen is still there when one comes back."""
        self.page.connection(up=False)
        self.page.press("Enter")
        until(self.page, "document.querySelector('#questions') === null")
        self.page.connection(up=True)
        self.page.js("setTimeout(() => history.back())")
        until(self.page, "document.querySelector('#questions') !== null")
        turn = self._screen()
        assert turn is not None
        self._choose(turn, opinion(self.name, turn.screen))

    def _back_and_again(self, turn: ScreenTurn, answers: dict[str, str]) -> None:
        """Go back to what was just answered, and send it once more."""
        self.page.js("setTimeout(() => history.back())")
        until(self.page, f"location.pathname == '/screen/{turn.number}'")
        self._choose(turn, answers)
        self._keep()


def come_in(page: Page, address: str) -> None:
    """Open the page of a link, and press its button as soon as that has the focus."""
    page.go(address)
    until(page, "document.activeElement.matches('button.main')")
    page.press("Enter")


def until(page: Page, condition: str) -> None:
    """Wait until the page is whole and this holds."""
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        with contextlib.suppress(RuntimeError):  # the page is being changed
            if page.js(f"document.readyState == 'complete' && Boolean({condition})"):
                return
        if time.monotonic() > deadline:
            seen = page.js("`${location.pathname}: ${document.title}`")
            raise AssertionError(f"waited in vain at {seen} for {condition}")
        time.sleep(0.01)
