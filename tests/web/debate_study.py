"""Judges of debates in a real browser, by keyboard: a whole study, from the links to Table 2, Figure 1 and the ANOVA.

python -m tests.web.debate_study [--judges 6] [-o study]
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from conqret.annotation.debate_answers import as_slider_answers
from conqret.annotation.ledger import Ledger, Turn
from conqret.annotation.links import Links
from conqret.io.slider_answers import Design, read_slider_answers
from tests.annotation.debates import BOTH, begun_debate
from tests.report import chromium
from tests.report.chromium import Chromium, Page
from tests.web.annotators import WAIT_SECONDS, served

JUDGES = ("ann", "bob", "cem", "dee", "eve", "fox")


def opinion(name: str, turn: Turn) -> int:
    """What a judge says of a question: somewhere on the slider, each time the same."""
    digest = hashlib.sha256(f"{name} {turn.screen.item} {turn.screen.part}".encode()).digest()
    return digest[0] % 7 - 3


@dataclass
class Judge:
    """Somebody at a browser; ``said`` is where they meant the slider to stand, by question and judgment."""

    name: str
    page: Page
    ledger: Ledger
    base: str
    said: dict[tuple[str, str], int] = field(default_factory=dict)

    def come(self, link: str) -> None:
        """Come in by the link, and read the first page."""
        self.page.go(f"{self.base}{link}")
        self.page.press("Enter")
        self.wait("document.querySelector('button[name=start]')")

    def work(self) -> None:
        """Judge all that there is."""
        while (turn := self.begin()) is not None:
            point = opinion(self.name, turn)
            self.slide(point)
            self.page.js("window.old = true")
            self.page.press("Enter")
            self.said[turn.screen.item, turn.screen.part] = point
            self.wait("window.old !== true")

    def begin(self) -> Turn | None:
        """Press Start at the next judgment; None where none is left."""
        self.wait("location.pathname == '/next' || document.querySelector('button[name=start], a.button')")
        if self.page.js("document.querySelector('a.button') !== null"):
            self.page.js("document.querySelector('a.button').focus()")
            self.page.press("Enter")
            self.wait("location.pathname == '/next' || document.querySelector('button[name=start]')")
        if self.page.js("location.pathname") == "/next":
            return None
        number = int(str(self.page.js("location.pathname")).rpartition("/")[2])
        turn = self.ledger.turn(self.ledger.person(self.name), number)
        self.page.js("document.querySelector('button[name=start]').focus()")
        self.page.press("Enter")
        self.wait("document.querySelector('#slider')")
        return turn

    def slide(self, point: int) -> None:
        """Move the slider there by the arrow keys."""
        self.page.js("document.querySelector('#slider').focus()")
        self.page.press(*["ArrowRight" if point > 0 else "ArrowLeft"] * abs(point))

    def wait(self, condition: str) -> None:
        """Wait until the page is whole and this holds."""
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            with contextlib.suppress(RuntimeError):  # the page is being changed
                if self.page.js(f"document.readyState == 'complete' && Boolean({condition})"):
                    return
            if time.monotonic() > deadline:
                raise AssertionError(f"{self.name} waited in vain: {condition}")
            time.sleep(0.01)


def judged(browser: Chromium, folder: Path, judges: tuple[str, ...], design: Design = "main") -> list[Judge]:
    """Have so many people judge the four questions of the fixtures under both incentives, one of them on a phone."""
    ledger = begun_debate(folder, judges, design, BOTH, clock=time.time)
    found = []
    with served(ledger, folder) as base:
        for place, name in enumerate(judges):
            page = browser.apart(**({"width": 390, "height": 844} if place == 1 else {}))
            one = Judge(name, page, ledger, base)
            one.come(f"/in/{Links(folder).of(ledger.person(name))}")
            one.work()
            assert not page.complaints, page.complaints
            page.close()
            found.append(one)
    (folder / "answers.csv").write_bytes(as_slider_answers(ledger).encode())
    ledger.close()
    return found


def lost(folder: Path, judges: list[Judge]) -> int:
    """How many answers are not in the export as they were meant."""
    rows = read_slider_answers(folder / "answers.csv")
    kept = {(row.judge, row.question, str(row.turn)): row.slider for row in rows}
    meant = {
        (f"p{n:02}", *unit): point for n, one in enumerate(judges, 1) for unit, point in one.said.items()
    }
    return len(meant.items() ^ kept.items())


def main() -> None:
    """The study, and what comes of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--judges", type=int, default=6)
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args()
    binary = chromium.find()
    if binary is None:
        raise SystemExit("no Chromium on this machine (scripts/install_chromium.sh installs it)")
    folder = given.output or Path(tempfile.mkdtemp())
    browser = Chromium(binary, Path(tempfile.mkdtemp()))
    began = time.monotonic()
    people = judged(browser, folder, JUDGES[: given.judges])
    browser.close()
    answers = str(folder / "answers.csv")
    print(
        f"{sum(len(one.said) for one in people)} judgments of {len(people)} judges in "
        f"{time.monotonic() - began:.0f} s; {lost(folder, people)} are not in {answers} as was meant"
    )
    plot = str(folder / "figure-1.svg")
    for command in (["table", answers, "--plot", plot], ["anova", answers]):
        subprocess.run([sys.executable, "-m", "conqret", "debate", *command], check=True)


if __name__ == "__main__":
    main()
