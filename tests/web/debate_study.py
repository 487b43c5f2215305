"""Writers and judges of debates in a real browser: a whole study, from the links to Table 2, Figure 1, the ANOVA and
what writers earn.

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
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from conqret.debate.two_turn.slider_answers import read_slider_answers
from conqret.debate.two_turn.two_turn_files import read_two_turn
from conqret.labels.answer_ledger import Ledger
from conqret.labels.screens import ScreenTurn
from tests.labels.debates import DEBATES
from tests.show import chromium
from tests.show.chromium import Chromium, Page
from tests.web.annotators import come_in, until
from tests.web.commands import started

WRITERS = ("gil", "hal")
WRITING = ("labels", "collect", DEBATES, "--task", "write", "--annotators", ",".join(WRITERS))
JUDGES = ("ann", "bob", "cem", "dee", "eve", "fox")


def opinion(name: str, turn: ScreenTurn) -> int:
    """What a judge says of a question: somewhere on the slider, each time the same."""
    digest = hashlib.sha256(f"{name} {turn.screen.item} {turn.screen.part}".encode()).digest()
    return digest[0] % 7 - 3


@dataclass
class Judge:
    """Somebody at a browser; ``said`` is where they meant the slider to stand, by question and judgment."""

    name: str
    page: Page
    ledger: Ledger
    said: dict[tuple[str, str], int] = field(default_factory=dict)

    def come(self, link: str) -> None:
        """Come in by the link, and read the first page."""
        come_in(self.page, link)
        self.wait("document.querySelector('button[name=start]')")

    def work(self) -> None:
        """Judge all that there is."""
        while (turn := self.begin()) is not None:
            point = opinion(self.name, turn)
            self.slide(point)
            self.said[turn.screen.item, turn.screen.part] = point
            self.press("#slider")

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
        turn = self.ledger.turn(self.ledger.person(self.name), number)
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


MARK = """
(() => {{
  const words = document.createTreeWalker(document.querySelector('#passage .words'), NodeFilter.SHOW_TEXT);
  let text = words.nextNode();
  while (text.data.trim().length < 12) text = words.nextNode();
  document.getSelection().setBaseAndExtent(text, 0, text, Math.min(text.data.length, {length}));
}})()
"""


def wrote(browser: Chromium, folder: Path) -> Path:
    """Have two people write the counter-arguments of the fixtures, each with a snippet marked in the passage; the file
    of the debates."""
    study = folder / "study"
    with started(*WRITING, "-o", study) as server, contextlib.closing(Ledger(study)) as ledger:
        for name in WRITERS:
            judge = Judge(name, browser.apart(), ledger)
            come_in(judge.page, server.links[name])
            for _ in range(ledger.study.screens // len(WRITERS)):
                judge.wait("document.querySelector('#snippet')")
                judge.page.js(MARK.format(length=30))
                judge.wait("document.querySelector('#snippet').value")
                judge.press("button[name=add]")
                judge.wait("document.querySelector('button[name=remove]')")
                judge.page.js("document.querySelector('#text').focus()")
                judge.page.write(f"This says otherwise (#1), if you ask {name}.")
                judge.press("button[name=keep]")
            judge.wait("location.pathname == '/next'")
            assert not judge.page.complaints, judge.page.complaints
            judge.page.close()
    return exported(study, folder / "debates.jsonl")


def exported(study: Path, file: Path) -> Path:
    """What ``conqret labels export`` writes of a study."""
    command = [sys.executable, "-m", "conqret", "labels", "export", str(study), "-o", str(file)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return file


def judged(browser: Chromium, folder: Path, judges: tuple[str, ...], debates: Path = DEBATES) -> list[Judge]:
    """Have so many people judge the debates under both incentives, one of them on a phone."""
    found, study = [], folder / "study"
    asked = (
        *f"labels collect {debates} --task debate --annotators".split(),
        ",".join(judges),
        "--instruction",
        "both",
    )
    with started(*asked, "-o", study) as server, contextlib.closing(Ledger(study)) as ledger:
        for place, name in enumerate(judges):
            page = browser.apart(**({"width": 390, "height": 844} if place == 1 else {}))
            judge = Judge(name, page, ledger)
            judge.come(server.links[name])
            judge.work()
            assert not page.complaints, page.complaints
            page.close()
            found.append(judge)
    exported(study, folder / "answers.csv")
    return found


def told(browser: Chromium, folder: Path, answers: Path) -> Iterator[str]:
    """What each writer's page says that they earned, once their debates were judged."""
    with started(*WRITING, "--judged", answers, "-o", folder / "study") as server:
        for name in WRITERS:
            page = browser.apart()
            page.go(server.links[name])
            until(page, "document.querySelector('tfoot td:last-child')")
            yield f"{name} {page.js('document.querySelector(`tfoot td:last-child`).textContent')}"
            page.close()


def lost(folder: Path, judges: list[Judge]) -> int:
    """How many answers are not in the export as they were meant."""
    rows = read_slider_answers(folder / "answers.csv")
    kept = {(row.judge, row.question, str(row.turn)): row.slider for row in rows}
    meant = {
        (f"p{n:02}", *unit): point for n, judge in enumerate(judges, 1) for unit, point in judge.said.items()
    }
    return len(meant.items() ^ kept.items())


def main() -> None:
    """The study, and what comes of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--judges", type=int, default=6)
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args()
    binary = chromium.find()
    if binary is None:
        raise SystemExit("no Chromium on this machine (scripts/install_chromium.sh installs it)")
    folder = args.output or Path(tempfile.mkdtemp())
    browser = Chromium(binary, Path(tempfile.mkdtemp()))
    began = time.monotonic()
    debates = wrote(browser, folder / "writing")
    print(
        f"{2 * len(read_two_turn(debates))} counter-arguments by {len(WRITERS)} writers in "
        f"{time.monotonic() - began:.0f} s"
    )
    began = time.monotonic()
    people = judged(browser, folder, JUDGES[: args.judges], debates)
    answers = str(folder / "answers.csv")
    earned = ", ".join(told(browser, folder / "writing", folder / "answers.csv"))
    browser.close()
    print(
        f"{sum(len(annotator.said) for annotator in people)} judgments of {len(people)} judges in "
        f"{time.monotonic() - began:.0f} s; {lost(folder, people)} are not in {answers} as was meant"
    )
    print(f"the writers' pages say: {earned}")
    plot = str(folder / "figure-1.svg")
    for command in (
        ["outcomes", answers, "--plot", plot],
        ["outcomes", answers, "--anova"],
        ["outcomes", answers, "--writers"],
    ):
        subprocess.run([sys.executable, "-m", "conqret", "debate", "two-turn", *command], check=True)


if __name__ == "__main__":
    main()
