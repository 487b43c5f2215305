"""Every page of an annotation study, made from small studies: for the check of pages and for pictures."""

from __future__ import annotations

import contextlib
from pathlib import Path

from conqret.data import Judgment, Measure, Status
from conqret.debate.two_turn.two_turn_files import read_two_turn
from conqret.labels.adjudicating import adjudication_app
from conqret.labels.answer_ledger import Ledger
from conqret.labels.study_access import (
    ADJUDICATE,
    DASHBOARD,
    JOIN,
    Setting,
)
from conqret.labels.written_arguments import writing_study
from tests.labels.debates import BOTH, DEBATES, begun_debate
from tests.labels.studies import begun
from tests.labels.test_practice import begun_with_practice
from tests.web.test_annotating import Browser, Study, behind_its_guard
from tests.web.test_writing import judged_by, written_by_all

PAGES = {
    "join": "join",
    "welcome": "welcome",
    "rating": "screen",
    "preference": "screen",
    "citation-support": "screen",
    "dimensions": "screen",
    "changed": "screen",
    "practised": "practised",
    "done": "done",
    "nowhere": "sorry",
    "study": "sheet",
    "disputes": "disputes",
    "adjudicate": "adjudicate",
    "debate-welcome": "judging_welcome",
    "debate-start": "judging_start",
    "debate": "judging",
    "debate-result": "judging_result",
    "debate-done": "judging_done",
    "write-welcome": "writing_welcome",
    "write": "writing",
    "write-done": "writing_done",
}
"""What each page is called, and its template (a test holds these against the code)."""
SAID = {"anna": "4152", "ben": "4343", "carl": "4345"}
"""What the people of the study that is over said of its four items."""


async def annotating_pages(scratch: Path) -> dict[str, str]:
    """The pages by their names; studies are kept in ``scratch``, which is made."""
    found: dict[str, str] = {}
    for task in ("rating", "preference", "citation-support", "dimensions"):
        found |= await _first(scratch / task, task)
    found |= await _practised(scratch / "practised")
    found |= await _over(scratch / "over")
    return found | await _debate(scratch / "debate") | await _writing(scratch / "writing")


async def _first(folder: Path, task: str) -> dict[str, str]:
    """The first screen of a task; of a rating, what stands around it, too."""
    with contextlib.closing(begun(folder, 2, ("anna", "ben"), task=task, open_to=3)) as ledger:
        study = Study(ledger, folder)
        anna = study.browser()
        found = {"join": (await anna.get(f"/join/{study.links.to(JOIN)}")).text}
        found["nowhere"] = (await anna.get("/")).text
        found["welcome"] = (await anna.get(study.link("anna"))).text
        await anna.begin(study.link("anna"))
        return {task: anna.page} | (found if task == "rating" else {})


async def _practised(folder: Path) -> dict[str, str]:
    """What is told at a screen that was practised."""
    with contextlib.closing(begun_with_practice(folder)) as ledger:
        study = Study(ledger, folder)
        anna = study.browser()
        where = await anna.begin(study.link("anna"))
        return {"practised": (await anna.send(where, **{"q:overall_quality": "2"})).text}


async def _over(folder: Path) -> dict[str, str]:
    """A study that is over, and somebody who decides where people differ."""
    with contextlib.closing(begun(folder, 4, tuple(SAID), overlap=3)) as ledger:
        study = Study(ledger, folder)
        label_all(ledger)
        anna = study.browser()
        await anna.get(study.link("anna"))
        found = {"done": (await anna.send("/begin")).text, "changed": (await anna.get("/screen/1")).text}
        found["study"] = (await anna.get(f"/study/{study.links.to(DASHBOARD)}")).text
        over = adjudication_app(ledger, study.links, "Ada", [judged("item-1", 0.25)])
        ada = Browser(behind_its_guard(over))
        root = f"/adjudicate/{study.links.to(ADJUDICATE)}"
        found["adjudicate"] = (await ada.get(f"{root}/2")).text
        await ada.send(f"{root}/2", **{"q:overall_quality": "2", "comment": "It rests on one report."})
        found["disputes"] = (await ada.get(root)).text
        return found


def label_all(ledger: Ledger) -> None:
    """Have everybody say what they say."""
    for person in ledger.annotators():
        while (turn := ledger.next(person)) is not None:
            value = SAID[person.name][int(turn.screen.item[-1])]
            comment = "Only one report is cited." if value == "1" else ""
            ledger.answer(person, turn, {"overall_quality": value}, comment, turn.revision)


def judged(item: str, value: float) -> Judgment:
    """A judge's word on an item."""
    why = "The claim about accidents rests on one report, and costs are not weighed."
    said = {"overall_quality": Measure(status=Status.SCORED, value=value, explanation=why)}
    return Judgment(item=item, topic="", stance="pro", format="", model="", fingerprint="", measures=said)


async def _debate(folder: Path) -> dict[str, str]:
    """A judge's pages of the debate study."""
    with contextlib.closing(begun_debate(folder, ["ann"], "main", BOTH)) as ledger:
        study = Study(ledger, folder)
        ann = study.browser()
        found = {"debate-welcome": (await ann.get(study.link("ann"))).text}
        where = await ann.begin(study.link("ann"))
        found["debate-start"] = ann.page
        await ann.send(where, start="1")
        found["debate"] = ann.page
        while where != "/next":
            where = (await ann.send(where, slider="1")).url.path
            if "<title>What it earned" in ann.page:
                found.setdefault("debate-result", ann.page)
                where = (await ann.get("/next")).url.path
            await ann.send(where, start="1")
        return found | {"debate-done": (await ann.get("/next")).text}


async def _writing(folder: Path) -> dict[str, str]:
    """A writer's pages."""
    begun_study, screens, texts = writing_study(read_two_turn(DEBATES), ["ann", "bob"])
    with contextlib.closing(Ledger.open(folder, begun_study, screens, ["ann", "bob"], texts=texts)) as ledger:
        study = Study(ledger, folder)
        ann = study.browser()
        found = {"write-welcome": (await ann.get(study.link("ann"))).text}
        await ann.begin(study.link("ann"))
        found["write"] = ann.page
        answers = judged_by(3, written_by_all(ledger))
        ann = Study(ledger, folder, Setting(judged=answers)).browser()
        await ann.begin(study.link("ann"))
        return {**found, "write-done": ann.page}
