"""People who label in a real browser, by keyboard alone: one who reloads, goes back and loses the connection, and one
on a phone."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conqret.labels.answer_ledger import Ledger
from conqret.labels.screens import CANNOT_JUDGE, Screen, ScreenTurn
from tests.labels.studies import items
from tests.show.chromium import Chromium, Page
from tests.web.commands import started, written_items

PEOPLE = ("ben", "carl")
WAIT_SECONDS = 30


def opinion(name: str, screen: Screen) -> dict[str, str]:
    """What somebody says of a screen: near what the text deserves, each in their own way; now and then nothing."""
    answers = {}
    for question in screen.questions:
        values = [choice.value for choice in question.choices]
        thing = f"{screen.item} {screen.part} {question.name}"
        worth, noise, doubt = (_drawn(f"{what} {thing}") for what in ("worth", name, f"doubt {name}"))
        place = round(worth * (len(values) - 1) + (noise - 0.5) * 1.6)
        answers[question.name] = CANNOT_JUDGE if doubt < 0.04 else values[min(max(place, 0), len(values) - 1)]
    return answers


def _drawn(what: str) -> float:
    return int.from_bytes(hashlib.sha256(what.encode()).digest()[:4], "big") / 2**32


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
        self._until("location.pathname == '/next' || document.querySelector('#questions') !== null")
        path = str(self.page.js("location.pathname"))
        if path == "/next":
            return None
        turn = self.ledger.turn(self.ledger.annotator(self.name), int(path.rpartition("/")[2]))
        assert turn is not None
        return turn

    def _choose(self, turn: ScreenTurn, answers: dict[str, str]) -> None:
        for question in turn.screen.questions:
            value = answers[question.name]
            values = [choice.value for choice in question.choices]
            if value == CANNOT_JUDGE:
                key = "x"
            elif value.isdecimal():
                key = "t" if value == "10" else value
            else:
                key = str(values.index(value) + 1)
            self.page.press(key)

    def _keep(self) -> None:
        self.page.js("window.old = true")
        self.page.press("Enter")
        self._until("window.old !== true")

    def _without_network(self) -> None:
        """Send while there is no connection; what was chosen is still there when one comes back."""
        self.page.connection(up=False)
        self.page.press("Enter")
        self._until("document.querySelector('#questions') === null")
        self.page.connection(up=True)
        self.page.js("setTimeout(() => history.back())")
        self._until("document.querySelector('#questions') !== null")
        turn = self._screen()
        assert turn is not None
        self._choose(turn, opinion(self.name, turn.screen))

    def _back_and_again(self, turn: ScreenTurn, answers: dict[str, str]) -> None:
        """Go back to what was just answered, and send it once more."""
        self.page.js("setTimeout(() => history.back())")
        self._until(f"location.pathname == '/screen/{turn.number}'")
        self._choose(turn, answers)
        self._keep()

    def _until(self, condition: str) -> None:
        until(self.page, condition)


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


def label(browser: Chromium, folder: Path, count: int) -> tuple[Ledger, list[Annotator]]:
    """Have two people rate so many items on the pages that the command serves; the study, and what each meant to
    say."""
    found, labels = [], folder / "labels"
    with started(
        *("labels", "collect", written_items(folder / "items.jsonl", items(count)), "--task", "rating"),
        *("--annotators", ",".join(PEOPLE), "-o", labels),
    ) as server:
        ledger = Ledger(labels)
        views = ({}, {"width": 390, "height": 844})
        for name, view in zip(PEOPLE, views, strict=True):
            page = browser.apart(**view)
            annotator = Annotator(name, page, ledger, server.base, trouble=name == "ben")
            annotator.work(server.links[name])
            assert not [what for what in page.complaints if "ERR_INTERNET_DISCONNECTED" not in what], (
                page.complaints
            )
            page.close()
            found.append(annotator)
    return ledger, found


def meant_by(people: Sequence[Annotator]) -> dict[tuple[str, str, str], dict[str, str]]:
    """What everybody meant to say."""
    return {
        (annotator.name, *unit): answers for annotator in people for unit, answers in annotator.said.items()
    }
