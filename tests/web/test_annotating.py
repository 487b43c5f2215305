"""The pages on which people label, asked as a browser asks them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from conqret.data import Item
from conqret.io import open_items
from conqret.labels.answer_ledger import Ledger
from conqret.labels.collect_command import ANNOTATE_PORT
from conqret.labels.label_app import annotation_app
from conqret.labels.screens import study_of
from conqret.labels.study_access import DASHBOARD, JOIN, Links, Setting
from conqret.labels.task import TaskRequest
from conqret.labels.task_choice import screens_of, task_of
from conqret.web.local_server import LOOPBACK, guarded
from tests.io.test_conversations import DATA, OPENAI
from tests.labels.studies import begun

if TYPE_CHECKING:
    from starlette.types import ASGIApp

pytest.importorskip("starlette")


class Browser:
    """One person's browser."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self.page = ""
        self.where = ""

    async def get(self, address: str) -> httpx.Response:
        return self._seen(await self.client.get(address, follow_redirects=True))

    async def send(self, address: str, **fields: str) -> httpx.Response:
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', self.page))
        return self._seen(await self.client.post(address, data={**hidden, **fields}, follow_redirects=True))

    def _seen(self, answer: httpx.Response) -> httpx.Response:
        self.page, self.where = answer.text, answer.url.path
        return answer

    async def begin(self, link: str) -> str:
        """Come in by a link, and be led to the first screen; its address."""
        await self.get(link)
        return (await self.send("/begin")).url.path


def behind_its_guard(app: ASGIApp) -> httpx.AsyncClient:
    """A client of pages behind what the command puts before them, that says where its forms are from as browsers do."""

    async def told(request: httpx.Request) -> None:
        request.headers["Sec-Fetch-Site"] = "same-origin" if request.method == "POST" else "none"
        request.headers["Sec-Fetch-Dest"] = "document"
        if request.method == "POST":
            request.headers["Origin"] = f"http://{LOOPBACK}:{ANNOTATE_PORT}"

    guard = guarded(app, LOOPBACK, ANNOTATE_PORT)
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app=guard),
        base_url=f"http://{LOOPBACK}:{ANNOTATE_PORT}",
        event_hooks={"request": [told]},
        follow_redirects=True,
    )


class Study:
    def __init__(self, ledger: Ledger, folder: Path, setting: Setting | None = None) -> None:
        self.ledger, self.links = ledger, Links(folder)
        self.app = annotation_app(ledger, self.links, setting)

    def browser(self) -> Browser:
        return Browser(behind_its_guard(self.app))

    def link(self, name: str) -> str:
        return f"/in/{self.links.token(self.ledger.annotator(name))}"


@pytest.fixture
async def study(tmp_path: Path) -> AsyncIterator[Study]:
    ledger = begun(tmp_path, 2, ("anna", "ben"))
    yield Study(ledger, tmp_path)
    ledger.close()


async def test_from_the_link_to_the_last_screen(study: Study) -> None:
    anna = study.browser()
    where = await anna.begin(study.link("anna"))
    assert where == "/screen/1"
    assert "0 of 2 screens answered" in anna.page
    assert "<kbd>1</kbd>–<kbd>5</kbd> choose, <kbd>x</kbd> cannot judge, <kbd>c</kbd> comment" in anna.page
    await anna.send(where, **{"q:overall_quality": "4", "comment": "sound"})
    assert "1 of 2 screens answered" in anna.page
    await anna.send("/screen/2", **{"q:overall_quality": "cannot judge"})
    assert "You are done" in anna.page
    assert [(one.answers["overall_quality"], one.comment) for one in study.ledger.finished_answers()] in (
        [("4", "sound"), ("cannot judge", "")],
        [("cannot judge", ""), ("4", "sound")],
    )


def rated(folder: Path, items: list[Item], consent: str = "") -> Study:
    """A study in which anna rates these items."""
    screens = screens_of(task_of("rating"), items, TaskRequest())
    study = study_of("rating", screens, ["anna"], overlap=1, consent=consent)
    return Study(Ledger.open(folder, study, screens, ["anna"]), folder)


async def test_the_turns_before_the_question_and_images_are_shown(tmp_path: Path) -> None:
    rows = [
        {"id": "chat", "messages": OPENAI, "documents": [{"image": DATA, "caption": "A chart."}]},
        {"id": "hostile", "messages": [{"role": "user", "content": "<b>Zoos</b>?"}, *OPENAI[4:]]},
    ]
    study = rated(tmp_path, list(open_items(rows)))
    anna = study.browser()
    await anna.begin(study.link("anna"))
    pages = {}
    for place in (1, 2):
        pages["hostile" if "Zoos" in anna.page else "chat"] = anna.page
        await anna.send(f"/screen/{place}", **{"q:overall_quality": "4"})
    assert re.findall(r"<h3>(\w+)", pages["chat"])[:5] == ["System", "User", "Assistant", "Tool", "Assistant"]
    assert re.findall(r'<img src="([^"]*)"', pages["chat"]) == [DATA]
    assert "img-src data:" in pages["chat"]
    assert "&lt;b&gt;Zoos" in pages["hostile"]
    assert "img-src" not in pages["hostile"]


async def test_a_citation_in_the_argument_leads_to_its_document(tmp_path: Path) -> None:
    documents = [{"id": "d1", "text": "One [2]."}, {"id": "d2", "text": "Two."}]
    rows = [{"id": "i", "topic": "Zoos?", "argument": "It rose [2]; not [7].", "documents": documents}]
    study = rated(tmp_path, list(open_items(rows)))
    anna = study.browser()
    await anna.begin(study.link("anna"))
    assert re.findall(r'href="#d(\d+)">(\d+)</a>', anna.page) == [("2", "2")]
    assert 'id="d2"' in anna.page


async def test_what_is_not_answered_is_said_and_what_was_typed_stays(study: Study) -> None:
    anna = study.browser()
    where = await anna.begin(study.link("anna"))
    for value in ("", "6"):
        answer = await anna.send(where, **{"q:overall_quality": value, "comment": "a long remark"})
        assert answer.status_code == 422
        assert "is not answered" in anna.page
        assert "a long remark" in anna.page
    assert list(study.ledger.finished_answers()) == []


@pytest.mark.parametrize(
    ("origin", "site", "status"),
    [
        ("http://127.0.0.1:8767", "", 303),  # without TLS browsers say no Sec-Fetch-Site of other machines
        ("null", "same-origin", 303),  # a browser that hides the origin
        ("null", "", 403),
        ("http://127.0.0.1:8767", "cross-site", 403),
        ("https://evil.example", "same-origin", 403),
    ],
)
async def test_only_forms_of_its_own_pages_are_taken(
    study: Study, origin: str, site: str, status: int
) -> None:
    anna = study.browser()
    await anna.get(study.link("anna"))
    said = {"Origin": origin, "Sec-Fetch-Site": site, "Sec-Fetch-Dest": "document"}
    transport = httpx.ASGITransport(app=guarded(study.app, LOOPBACK, ANNOTATE_PORT))
    async with httpx.AsyncClient(transport=transport, cookies=anna.client.cookies) as client:
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', anna.page))
        answer = await client.post(
            f"http://{LOOPBACK}:{ANNOTATE_PORT}/begin",
            data=hidden,
            headers={name: value for name, value in said.items() if value},
        )
    assert answer.status_code == status


async def test_two_windows_the_back_button_and_a_double_click(study: Study) -> None:
    one, other = study.browser(), study.browser()
    where = await one.begin(study.link("anna"))
    await other.begin(study.link("anna"))
    first = one.page
    await one.send(where, **{"q:overall_quality": "4"})
    one.page = first
    await one.send(where, **{"q:overall_quality": "4"})
    assert (await other.send(where, **{"q:overall_quality": "1"})).status_code == 409
    assert "in another window" in other.page
    assert 'value="4" required checked' in other.page
    (kept,) = study.ledger.finished_answers()
    assert (kept.answers["overall_quality"], kept.revision) == ("4", 1)
    await other.send(where, **{"q:overall_quality": "2"})
    (kept,) = study.ledger.finished_answers()
    assert (kept.answers["overall_quality"], kept.revision) == ("2", 2)
    await one.get(where)
    await one.send(where, withdraw="1")
    assert list(study.ledger.finished_answers()) == []


async def test_nobody_reads_or_writes_what_is_another_persons(study: Study) -> None:
    anna, ben = study.browser(), study.browser()
    where = await anna.begin(study.link("anna"))
    theirs = await ben.begin(study.link("ben"))
    assert where != theirs
    assert (await ben.get(where)).status_code == 404
    await ben.get(theirs)
    assert (await ben.send(where, **{"q:overall_quality": "1"})).status_code == 404
    await anna.get(where)
    foreign = await anna.send(where, **{"q:overall_quality": "1", "form": study.links.form("x")})
    assert foreign.status_code == 403
    assert list(study.ledger.finished_answers()) == []


async def test_without_a_link_there_is_nothing(study: Study) -> None:
    stranger = study.browser()
    assert "contact the organizers of the study" in (await stranger.get("/")).text
    for address in "/ /next /screen/1 /in/x /study/x /join/x /in/../labels.sqlite /secret".split():
        answer = await stranger.get(address)
        assert answer.status_code in (403, 404), address
        assert "conqret_annotate" not in answer.headers.get("set-cookie", "")
    assert (await study.browser().get(study.link("anna"))).status_code == 200


async def test_a_form_that_is_too_large_or_no_form(study: Study) -> None:
    anna = study.browser()
    where = await anna.begin(study.link("anna"))
    assert (await anna.send(where, comment="x" * 70_000)).status_code == 413
    assert (await anna.client.post(where, content=b"\xff\xfe=1")).status_code == 400
    assert (await anna.client.post(where, content=b"&".join(b"a=1" for _ in range(500)))).status_code == 400


@pytest.mark.parametrize("number", ["9" * 5000, "²", "-1"])
async def test_numbers_that_are_none_of_ours(study: Study, number: str) -> None:
    anna = study.browser()
    where = await anna.begin(study.link("anna"))
    assert (await anna.get(f"/screen/{number}")).status_code == 404
    await anna.get(where)
    anna.page = anna.page.replace('name="revision" value="0"', f'name="revision" value="{number}"')
    assert (await anna.send(where, **{"q:overall_quality": "4"})).status_code == 409
    assert list(study.ledger.finished_answers()) == []


async def test_texts_of_items_do_nothing_on_the_page(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script></textarea>{{ 7 * 7 }}\u202e\"'><img src=x onerror=y>"
    found = rated(tmp_path, [Item(id="i", topic=hostile, argument=hostile)], consent=hostile)
    anna = found.browser()
    await anna.get(found.link("anna"))
    welcome = anna.page
    await anna.begin(found.link("anna"))
    for shown in (welcome, anna.page):
        assert "<script>alert" not in shown
        assert "<img" not in shown
        assert "{{ 7 * 7 }}" in shown
        assert "\u202e" not in shown
        assert "default-src &#39;none&#39;" in shown or "default-src 'none'" in shown


async def test_who_joins_by_the_open_link_is_somebody(tmp_path: Path) -> None:
    found = Study(begun(tmp_path, 2, ("anna",), overlap=1, open_to=2), tmp_path)
    link = f"/join/{found.links.to(JOIN)}"
    for name, status in (
        *(("p01", 409), ("deleted p01", 409), ("Anna", 409)),
        *(("dora", 200), ("Dora", 409), ("", 409), ("emil", 200), ("fred", 409)),
    ):
        visitor = found.browser()
        await visitor.get(link)
        assert (await visitor.send(link, name=name)).status_code == status
    assert [person.name for person in found.ledger.annotators()] == ["anna", "dora", "emil"]


async def test_paused_and_dropped_people_are_told_so(study: Study) -> None:
    anna = study.browser()
    where = await anna.begin(study.link("anna"))
    study.ledger.set_state(study.ledger.annotator("anna"), "paused")
    assert "have paused your access" in (await anna.get(where)).text
    study.ledger.set_state(study.ledger.annotator("anna"), "dropped")
    assert "is over for you" in (await anna.get("/next")).text
    study.ledger.forget(study.ledger.annotator("anna"))
    assert (await anna.get("/next")).status_code == 404


async def test_the_dashboard_tells_how_far_it_is_and_how_far_people_agree(study: Study) -> None:
    for name in ("anna", "ben"):
        browser = study.browser()
        where = await browser.begin(study.link(name))
        await browser.send(where, **{"q:overall_quality": "4"})
        await browser.send(browser.where, **{"q:overall_quality": "2"})
    answer = await study.browser().get(f"/study/{study.links.to(DASHBOARD)}")
    assert int(answer.headers["Refresh"]) > 0
    shown = answer.text
    assert "average" not in shown  # of one question, which stands there already
    assert "4 of 4 labels are in" in shown
    assert "Overall quality" in shown
    assert (await study.browser().get(f"/study/{study.links.to(JOIN)}")).status_code == 404


async def test_nothing_is_shown_before_consent(tmp_path: Path) -> None:
    found = Study(begun(tmp_path, 2, ("anna",), overlap=1, consent="May we keep what you say?"), tmp_path)
    anna = found.browser()
    await anna.get(found.link("anna"))
    for address in ("/next", "/screen/1"):
        answer = await anna.get(address)
        assert answer.status_code == 403
        assert "give your consent" in answer.text
    assert await anna.begin(found.link("anna")) == "/screen/1"


async def test_two_studies_in_one_browser_do_not_end_each_other(tmp_path: Path) -> None:
    one, other = (Study(begun(tmp_path / name, 2, ("anna",), overlap=1), tmp_path / name) for name in "ab")
    anna, there = one.browser(), other.browser()
    await anna.begin(one.link("anna"))
    there.client.cookies = anna.client.cookies
    await there.begin(other.link("anna"))
    anna.client.cookies = there.client.cookies
    assert (await anna.get("/next")).status_code == 200
    assert (await there.get("/next")).status_code == 200
