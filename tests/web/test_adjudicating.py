"""Who decides where people differ: what is shown to whom, and that it is written down."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from conqret.data import Judgment, Measure, Status
from conqret.labels.adjudicating import adjudication_app
from conqret.labels.answer_ledger import Ledger
from conqret.labels.exporting import verdicts
from conqret.labels.study_access import ADJUDICATE, DASHBOARD, Links
from tests.labels.studies import begun
from tests.web.test_annotating import behind_its_guard

pytest.importorskip("starlette")

HOSTILE = "<script>alert(1)</script>"
SAID = {"anna": "141", "ben": "341"}


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Ledger]:
    """Two people differ on the first of three items."""
    ledger = begun(tmp_path, 3, ("anna", "ben"), overlap=2)
    for person in ledger.annotators():
        while (turn := ledger.next(person)) is not None:
            value = SAID[person.name][int(turn.screen.item[-1])]
            ledger.answer(
                person, turn, {"overall_quality": value}, f"{person.name}: {HOSTILE}", turn.revision
            )
    yield ledger
    ledger.close()


def client(ledger: Ledger, folder: Path, *judgments: Judgment) -> httpx.AsyncClient:
    return behind_its_guard(adjudication_app(ledger, Links(folder), "Ada", judgments))


def judged(item: str, value: float) -> Judgment:
    said = {"overall_quality": Measure(status=Status.SCORED, value=value, explanation=f"weak {HOSTILE}")}
    return Judgment(item=item, topic="t", stance="pro", format="f", model="m", fingerprint="p", measures=said)


async def test_who_decides_sees_what_everybody_says_and_the_decision_is_kept(
    study: Ledger, tmp_path: Path
) -> None:
    ada, root = (
        client(study, tmp_path, judged("item-1", 0.25)),
        f"/adjudicate/{Links(tmp_path).to(ADJUDICATE)}",
    )
    listed = (await ada.get(root)).text
    assert re.findall(r">(item-\d)</span>", listed) == ["item-0", "item-1"]
    assert ">Should school begin later? — in favour</a>" in listed
    shown = (await ada.get(f"{root}/2")).text
    for word in ("p01", "p02", "judge", "weak"):
        assert word in shown
    assert "anna</b>" not in shown
    assert HOSTILE not in shown
    form = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', shown))
    assert (await ada.post(f"{root}/2", data={"q:overall_quality": "2"})).status_code == 403
    assert (await ada.post(f"{root}/2", data={**form, "q:overall_quality": "9"})).status_code == 422
    assert list(study.finals()) == []
    following = await ada.post(f"{root}/2", data={**form, "q:overall_quality": "2", "comment": "one source"})
    assert following.url.path == f"{root}/1"
    (decided,) = study.finals()
    assert (decided.answers, decided.comment, decided.by) == ({"overall_quality": "2"}, "one source", "Ada")
    assert [verdict.value for verdict in verdicts(study.finished_answers(), [decided])] == [None, "2", "1"]
    assert "<b>2</b>, by Ada" in (await ada.get(root)).text


async def test_nobody_else_gets_in_and_nothing_is_shown_before_all_have_answered(
    study: Ledger, tmp_path: Path
) -> None:
    links, stranger = Links(tmp_path), client(study, tmp_path)
    for token in ("x", links.to(DASHBOARD), links.token(study.annotator("anna"))):
        assert (await stranger.get(f"/adjudicate/{token}")).status_code == 404
        assert (await stranger.get(f"/adjudicate/{token}/1")).status_code == 404
    root = f"/adjudicate/{links.to(ADJUDICATE)}"
    for place in ("3", "9" * 20, "9" * 5000):
        assert (await stranger.get(f"{root}/{place}")).status_code == 404
    anna = study.annotator("anna")
    turn = next(
        found for n in range(1, 9) if (found := study.turn(anna, n)) and found.screen.item == "item-0"
    )
    study.draft(anna, turn, {}, turn.revision)
    assert "nothing to decide" in (await stranger.get(root)).text
